// Who was throttled waits here until a place becomes free: one line for each pool of places, that of a function which
// has reserved some or that of an account's region. The oldest is called first, at most as many as there are places.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "engine/place_turn.h"
#include "engine/workers/workers.h"
#include "net/loop.h"

namespace tidemill::engine {

// All on one loop but enter() and the end of turns. Kept by shared pointers: turns may outlive the pool of workers.
class PlaceLines : public std::enable_shared_from_this<PlaceLines> {
 public:
  using Free = std::function<int(const FunctionSpec& spec)>;  // how many more of its calls may run

  PlaceLines(net::Loop& loop, Free free) : loop_(loop), free_(std::move(free)) {}

  // Any thread.
  PlaceTurnPtr enter(std::string pool, std::shared_ptr<const FunctionSpec> spec, base::Time since,
                     std::function<void()> called);

  // There are `free` places in the pool: calls as many as have not been called for them already.
  void call_next(const std::string& pool, int free);

  // Whether who has not been called would take one of the `free` places from those who have.
  [[nodiscard]] bool is_before_its_turn(const PlaceTurn& turn, const std::string& pool, int free) const;

  [[nodiscard]] bool is_empty() const { return lines_.empty(); }

  // Calls nobody any more: for the end of the pool.
  void close() { closed_ = true; }

 private:
  struct Turn;
  class Ticket;  // what who waits holds
  using Waiting = std::multimap<base::Time, std::shared_ptr<Turn>>;  // by since when
  struct Line {
    Waiting waiting;
    int called = 0;  // that have not made their calls
  };

  void stand(const std::shared_ptr<Turn>& turn);
  void leave(Turn& turn);
  template <class Work>
  void on_loop(Work work);

  net::Loop& loop_;
  const Free free_;
  std::unordered_map<std::string, Line> lines_;  // those in which somebody waits or has been called
  bool closed_ = false;
};

}  // namespace tidemill::engine
