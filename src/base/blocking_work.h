// Threads for what blocks: syncing, renaming and removing files. An executor never waits for the disk.
//
//   co_await disk.run([file = std::move(file)] { sync(file); });
//
// Made without threads; they start with the first work. While none can be started, whoever gives work does it himself.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
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
  // No threads: whoever gives it work does it himself, as simulations want it.
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

  // The same for a function that uses what its caller has: if the wait is abandoned, that waits until the function has
  // ended; one that has not begun yet never does.
  template <class F>
  Task<std::invoke_result_t<F&>> run_joined(F function) {
    const auto turn = std::make_shared<Turn>();
    struct Join {
      Turn& turn;
      ~Join() { turn.abandon(); }
    };
    struct End {
      Turn& turn;
      ~End() { turn.end(); }
    };
    const Join join{*turn};
    co_return co_await run([&function, turn] {
      if (!turn->begin()) throw Abandoned();
      const End end{*turn};
      return function();
    });
  }

  // Runs it with nobody to wait for it; it must not throw. From any thread.
  void post(Function function);

 private:
  struct Abandoned {};
  // Of work that its caller joins.
  class Turn {
   public:
    // False: nobody waits any more.
    bool begin() {
      State expected = State::waiting;
      return state_.compare_exchange_strong(expected, State::running);
    }
    void end() {
      state_ = State::over;
      state_.notify_one();
    }
    // Waits for the end of what has begun.
    void abandon() {
      State expected = State::waiting;
      if (!state_.compare_exchange_strong(expected, State::over)) state_.wait(State::running);
    }

   private:
    enum class State { waiting, running, over };
    std::atomic<State> state_ = State::waiting;
  };

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
