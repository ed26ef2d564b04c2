// Work on BlockingWork's threads that goes one after the other, in the order in which it was given, while other lanes' work
// goes beside it. Lanes share the threads fairly: each takes its turn again after every piece of work.
//
//   WorkLane lane(disk);
//   Future<std::exception_ptr> written = lane.run([file, piece] { file->write(*piece); });
//   if (auto failure = co_await written) std::rethrow_exception(failure);
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <mutex>

#include "base/blocking_work.h"
#include "base/future.h"

namespace tidemill::base {

// Any thread. May go before its work has ended, which then runs to its end all the same; `work` stays until then.
class WorkLane {
 public:
  explicit WorkLane(BlockingWork& work) : queue_(std::make_shared<Queue>(work)) {}

  // Nobody waits for it; it must not throw.
  void post(Function function);

  // What it threw, or null. One waits for it, or none.
  template <class F>
  Future<std::exception_ptr> run(F function) {
    Future<std::exception_ptr> done;
    post([function = std::move(function), done]() mutable {
      std::exception_ptr failure;
      try {
        function();
      } catch (...) {
        failure = std::current_exception();
      }
      done.set(failure);
    });
    return done;
  }

 private:
  struct Queue {
    explicit Queue(BlockingWork& threads) : work(threads) {}
    BlockingWork& work;
    std::mutex mutex;
    std::deque<Function> waiting;
    bool running = false;
  };
  static void start(std::shared_ptr<Queue> queue);
  static void step(const std::shared_ptr<Queue>& queue);

  std::shared_ptr<Queue> queue_;
};

}  // namespace tidemill::base
