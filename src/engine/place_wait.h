// One who was throttled, from standing in line to the call that is made in turn.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/future.h"
#include "engine/invoker.h"

namespace tidemill::engine {

class PlaceWait {
 public:
  // `wake` is raised when the function has a place for it; `since` is when what it is about came to be. Where nobody
  // keeps a line nothing is raised, and who waits goes by its time alone.
  Task<void> stand_in_line(Invoker& invoker, std::string function_arn, base::Time since, base::Signal wake) {
    called_ = std::make_shared<std::atomic<bool>>(false);
    turn_ = co_await invoker.wait_for_place(function_arn, since, [called = called_, wake] {
      called->store(true);
      wake.signal();
    });
  }

  [[nodiscard]] bool is_in_line() const { return turn_ != nullptr; }
  [[nodiscard]] bool is_called() const { return turn_ && called_->load(); }
  // For the call; null if it does not stand in line.
  [[nodiscard]] PlaceTurnPtr take() { return std::exchange(turn_, nullptr); }
  // There is no call to make any more.
  void leave() { turn_.reset(); }

 private:
  PlaceTurnPtr turn_;
  std::shared_ptr<std::atomic<bool>> called_;
};

}  // namespace tidemill::engine
