// Generator<T>: a lazy coroutine that gives values one after the other, and may wait for tasks in between.
//
//   Generator<int> count() { for (int i = 0;; ++i) { co_await tick(); co_yield i; } }
//   Generator<int> numbers = count();
//   while (std::optional<int> n = co_await numbers.next()) …      // nothing: it has ended; exceptions pass through
//
// It runs on the executor of whoever awaits next(), one next() at a time. Destroying it destroys its frame where it
// stands, and with it what that waits for.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "base/frame_pool.h"

namespace tidemill::base {

template <class T>
class [[nodiscard]] Generator {
  struct Promise;
  using Handle = std::coroutine_handle<Promise>;

  // Hands over to whoever awaits the next value, by symmetric transfer.
  struct HandOver {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle self) const noexcept { return self.promise().continuation; }
    void await_resume() const noexcept {}
  };

  struct Promise {
    static void* operator new(size_t size) { return detail::allocate_frame(size); }
    static void operator delete(void* frame, size_t size) noexcept { detail::free_frame(frame, size); }

    std::optional<T> value;
    std::exception_ptr error;
    std::coroutine_handle<> continuation = std::noop_coroutine();

    Generator get_return_object() noexcept { return Generator(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    HandOver final_suspend() const noexcept { return {}; }
    HandOver yield_value(T next) {
      value.emplace(std::move(next));
      return {};
    }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }
  };

 public:
  using promise_type = Promise;

  Generator() = default;  // has ended
  Generator(Generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Generator& operator=(Generator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Generator() {
    if (handle_) handle_.destroy();
  }

  // co_await generator.next(): the next value; nothing once it has ended.
  auto next() noexcept {
    struct Awaiter {
      Handle handle;
      bool await_ready() const noexcept { return !handle || handle.done(); }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
        handle.promise().continuation = awaiter;
        return handle;
      }
      std::optional<T> await_resume() {
        if (!handle) return std::nullopt;
        if (handle.promise().error) std::rethrow_exception(std::exchange(handle.promise().error, nullptr));
        return std::exchange(handle.promise().value, std::nullopt);
      }
    };
    return Awaiter{handle_};
  }

 private:
  explicit Generator(Handle handle) noexcept : handle_(handle) {}

  Handle handle_;
};

}  // namespace tidemill::base

namespace tidemill {
using base::Generator;
}
