// The inside of a Loop, for net/*.cc only: Asio stays behind it.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "net/loop.h"

namespace tidemill::net {

struct Loop::Impl {
  using Steady = std::chrono::steady_clock;
  struct Delayed;
  // Outlived by alarms, which hold it weakly.
  struct Timers {
    std::map<std::pair<Steady::time_point, uint64_t>, std::shared_ptr<Delayed>> entries;
    uint64_t next_id = 0;
  };

  Impl(Loop& owner, base::Activity& counted, std::chrono::nanoseconds most);
  ~Impl();

  // Every callback that Asio makes into net/ opens a turn. What was asked for by at_turn_end() runs when it closes:
  // output of several responses leaves in one piece, and objects go away when none of their code is on the stack.
  class Turn {
   public:
    explicit Turn(Impl& impl) : loop_(impl), began_(impl.turns ? Steady::now() : Steady::time_point()) {
      impl.loop.begin_slice();
    }
    ~Turn() {
      loop_.end_turn();
      if (loop_.turns) loop_.turns->observe(Steady::now() - began_);
    }
    Turn(const Turn&) = delete;

   private:
    Impl& loop_;
    const Steady::time_point began_;
  };
  void at_turn_end(base::Function function) { turn_end.push_back(std::move(function)); }

  void post(base::Function function);
  void post_slice(base::Function function);
  void run();
  void stop();
  [[nodiscard]] bool has_slices();
  void run_slice();
  // What was posted by now, or as much of it as is done within short_work_max: a burst of thousands has turns of its
  // own between which sockets are looked at.
  void run_posted();
  // Runs what is ready, until nothing is or for so long.
  void run_ready();
  base::Alarm call_after(std::chrono::nanoseconds delay, base::Function function);
  void run_due();
  void arm();
  void end_turn();

  Loop& loop;
  base::Activity& activity;
  const std::chrono::nanoseconds short_work_max;
  base::Histogram* turns = nullptr;  // null: nobody counts

  std::mutex mutex;
  std::vector<base::Function> posted;  // guarded by mutex
  std::deque<base::Function> slices;   // guarded by mutex
  bool closing = false;
  std::atomic<bool> stopping = false;
  std::vector<base::Function> running;  // taken out of `posted`
  size_t run_by_now = 0;                // of them
  std::vector<base::Function> turn_end;

  boost::asio::io_context io;
  boost::asio::steady_timer timer;
  Steady::time_point armed = Steady::time_point::max();
  std::shared_ptr<Timers> timers;
};

}  // namespace tidemill::net
