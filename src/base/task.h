// Task<T>: a lazy coroutine. It starts when awaited, runs on the executor of whoever awaits it, and hands its
// result or exception to exactly one awaiter. Destroying a Task destroys its frame, and with it everything that
// frame waits for; a wait that is destroyed is abandoned, never resumed.
//
//   Task<int> answer() { co_return 42; }
//   Task<void> caller() { int n = co_await answer(); }
//
// Function parameters of a coroutine live as long as its frame, references only as long as what they refer to:
// pass by reference only what outlives the await.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/frame_pool.h"

namespace tidemill::base {

template <class T>
class Task;

namespace detail {

// Resumes the awaiter, if there is one, by symmetric transfer: depth of the stack stays constant.
struct ResumeContinuation {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    return self.promise().continuation;
  }
  void await_resume() const noexcept {}
};

struct TaskPromiseBase {
  // Frames come from a small stock that each thread keeps (frame_pool.h): a request makes a dozen of them.
  static void* operator new(size_t size) { return allocate_frame(size); }
  static void operator delete(void* frame, size_t size) noexcept { free_frame(frame, size); }

  std::coroutine_handle<> continuation = std::noop_coroutine();
  std::suspend_always initial_suspend() const noexcept { return {}; }
  ResumeContinuation final_suspend() const noexcept { return {}; }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::variant<std::monostate, T, std::exception_ptr> result;

  Task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& value) { result.template emplace<1>(std::forward<U>(value)); }
  void unhandled_exception() noexcept { result.template emplace<2>(std::current_exception()); }
  T take() {
    if (result.index() == 2) std::rethrow_exception(std::get<2>(std::move(result)));
    return std::get<1>(std::move(result));
  }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  std::exception_ptr error;

  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void unhandled_exception() noexcept { error = std::current_exception(); }
  void take() {
    if (error) std::rethrow_exception(std::move(error));
  }
};

// What a ready Task<void> holds.
struct Nothing {};

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task {
  using Stored = std::conditional_t<std::is_void_v<T>, detail::Nothing, T>;

 public:
  using promise_type = detail::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;
  using value_type = T;

  Task() noexcept = default;
  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), ready_(std::move(other.ready_)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, nullptr);
      ready_ = std::move(other.ready_);
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // A task that already has its value and needs no frame: for functions that are asynchronous in some
  // backends only.
  static Task ready(Stored value = {}) {
    Task task;
    task.ready_.emplace(std::move(value));
    return task;
  }

  bool await_ready() const noexcept { return ready_.has_value(); }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    handle_.promise().continuation = awaiter;
    return handle_;
  }
  T await_resume() {
    if (ready_) {
      if constexpr (std::is_void_v<T>) return;
      else return std::move(*ready_);
    }
    return handle_.promise().take();
  }

  // co_await task.rejoin(): waits for a task that somebody else has begun to await and then given up.
  auto rejoin() noexcept {
    struct Awaiter {
      Task& task;
      bool await_ready() const noexcept { return !task.handle_ || task.handle_.done(); }
      void await_suspend(std::coroutine_handle<> awaiter) noexcept {
        task.handle_.promise().continuation = awaiter;
      }
      T await_resume() { return task.await_resume(); }
    };
    return Awaiter{*this};
  }

 private:
  Handle handle_;
  std::optional<Stored> ready_;
};

namespace detail {
template <class T>
Task<T> TaskPromise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
}  // namespace detail

}  // namespace tidemill::base

namespace tidemill {
using base::Task;
}
