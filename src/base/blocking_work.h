// Threads for what blocks: syncing, renaming and removing files. An executor never waits for the disk.
//
//   co_await disk.run([file = std::move(file)] { sync(file); });
//
// Made without threads; they start with the first work.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/executor.h"
#include "base/future.h"

namespace tidemill::base {

class BlockingWork {
 public:
  explicit BlockingWork(int threads_max = 1) : threads_max_(threads_max) {}
  // Waits for all that was given to it.
  ~BlockingWork();
  BlockingWork(const BlockingWork&) = delete;

  // Runs `function` on a thread and returns what it returns; throws what it throws. The function must own what it uses:
  // it runs to its end also if nobody waits any more. From any executor.
  template <class F>
  Task<std::invoke_result_t<F&>> run(F function) {
    using R = std::invoke_result_t<F&>;
    using Value = std::conditional_t<std::is_void_v<R>, std::monostate, R>;
    Future<std::variant<Value, std::exception_ptr>> done;
    post([function = std::move(function), done]() mutable {
      std::exception_ptr error;
      try {
        if constexpr (std::is_void_v<R>) {
          function();
          done.set(Value());
        } else {
          done.set(function());
        }
        return;
      } catch (...) {
        error = std::current_exception();
      }
      done.set(std::move(error));  // outside, where this thread holds it no longer
    });
    auto result = co_await done;
    if (result.index() == 1) std::rethrow_exception(std::get<1>(std::move(result)));
    if constexpr (!std::is_void_v<R>) co_return std::get<0>(std::move(result));
  }

  // Runs it with nobody to wait for it; it must not throw. From any thread.
  void post(Function function);

 private:
  void work();

  const int threads_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Function> waiting_;
  int idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tidemill::base
