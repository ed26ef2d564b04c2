// For tests: a line of those who were throttled, in which the test calls who is next.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "engine/place_turn.h"

namespace tidemill::engine {

class ModelPlaceLine {
 public:
  PlaceTurnPtr enter(base::Time since, std::function<void()> called) {
    return std::make_shared<Turn>(waiting_, since, std::move(called));
  }
  [[nodiscard]] size_t size() const { return waiting_.size(); }
  // A place has become free. Nothing happens if nobody waits.
  void call_next() {
    if (!waiting_.empty()) waiting_.begin()->second();
  }

 private:
  using Waiting = std::multimap<base::Time, std::function<void()>>;
  struct Turn final : PlaceTurn {
    Turn(Waiting& all, base::Time since, std::function<void()> called)
        : waiting(all), at(all.emplace(since, std::move(called))) {}
    ~Turn() override { waiting.erase(at); }
    Waiting& waiting;
    Waiting::iterator at;
  };
  Waiting waiting_;
};

}  // namespace tidemill::engine
