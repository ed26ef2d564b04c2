// Ways for one coroutine to wait for another or for another thread. All of them resume the waiter on the executor it
// waits on, and all may be abandoned: a destroyed waiter is never resumed.
#pragma once

#include <coroutine>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/executor.h"

namespace tidemill::base {

// A value that arrives once. Copies share it. set() from any thread; the first one wins. One waiter at a time.
template <class T>
class Future {
 public:
  Future() : state_(std::make_shared<State>()) {}

  // Delivers `value` and resumes the waiter. False: there was a value already, this one is dropped.
  bool set(T value) const {
    std::unique_lock lock(state_->mutex);
    if (state_->value) return false;
    state_->value.emplace(std::move(value));
    if (state_->waiter) {
      Executor& executor = *state_->executor;
      lock.unlock();
      executor.post([state = state_] {
        if (const auto waiter = std::exchange(state->waiter, nullptr)) waiter.resume();
      });
    }
    return true;
  }

  [[nodiscard]] bool has_value() const {
    const std::lock_guard lock(state_->mutex);
    return state_->value.has_value();
  }

  // co_await future: the value, moved out; await it once.
  auto operator co_await() const {
    struct Awaiter {
      std::shared_ptr<State> state;
      bool await_ready() const {
        const std::lock_guard lock(state->mutex);
        return state->value.has_value();
      }
      bool await_suspend(std::coroutine_handle<> self) {
        const std::lock_guard lock(state->mutex);
        if (state->value) return false;
        state->executor = &Executor::current();
        state->waiter = self;
        return true;
      }
      T await_resume() {
        const std::lock_guard lock(state->mutex);
        return std::move(*state->value);
      }
      ~Awaiter() {
        // Runs on the waiter's executor, as does the posted resumption: either it ran or it finds nobody.
        const std::lock_guard lock(state->mutex);
        state->waiter = nullptr;
      }
      Awaiter(std::shared_ptr<State> shared) : state(std::move(shared)) {}
      Awaiter(const Awaiter&) = delete;
    };
    return Awaiter(state_);
  }

 private:
  struct State {
    std::mutex mutex;
    std::optional<T> value;
    Executor* executor = nullptr;
    std::coroutine_handle<> waiter;
  };
  std::shared_ptr<State> state_;
};

// A flag that stays up until a waiter takes it: signals that come while nobody waits are not lost, several count as
// one. Copies share it. signal() from any thread. One waiter at a time.
class Signal {
  struct State : std::enable_shared_from_this<State> {
    std::mutex mutex;
    bool raised = false;   // signalled, not yet taken
    bool expired = false;  // the deadline of the current wait has passed
    bool posted = false;   // a resumption is on its way
    Executor* executor = nullptr;
    std::coroutine_handle<> waiter;
  };

 public:
  Signal() : state_(std::make_shared<State>()) {}

  void signal() const { raise(*state_, &State::raised); }

  class [[nodiscard]] Awaiter {
   public:
    Awaiter(std::shared_ptr<State> state, Alarm alarm) : state_(std::move(state)), alarm_(std::move(alarm)) {}
    Awaiter(const Awaiter&) = delete;
    bool await_ready() const {
      const std::lock_guard lock(state_->mutex);
      return state_->raised || state_->expired;
    }
    bool await_suspend(std::coroutine_handle<> self) {
      const std::lock_guard lock(state_->mutex);
      if (state_->raised || state_->expired) return false;
      state_->executor = &Executor::current();
      state_->waiter = self;
      return true;
    }
    // True: signalled, and the flag is lowered. False: the deadline came first.
    bool await_resume() {
      const std::lock_guard lock(state_->mutex);
      return std::exchange(state_->raised, false);
    }
    ~Awaiter() {
      const std::lock_guard lock(state_->mutex);
      state_->waiter = nullptr;
      state_->expired = false;
    }

   private:
    std::shared_ptr<State> state_;
    Alarm alarm_;
  };

  // co_await signal: returns true once the flag is up.
  Awaiter operator co_await() const { return Awaiter(state_, Alarm()); }

  // Waits with a deadline: `arm` receives the function to call when time is up and returns the alarm for it:
  //   co_await signal.wait([&](Function expire) { return clock.call_at(executor, time, std::move(expire)); });
  template <class Arm>
  Awaiter wait(Arm arm) const {
    return Awaiter(state_, arm(Function([state = state_] { raise(*state, &State::expired); })));
  }

 private:
  static void raise(State& state, bool State::*flag) {
    std::unique_lock lock(state.mutex);
    state.*flag = true;
    if (!state.waiter || state.posted) return;
    state.posted = true;
    Executor& executor = *state.executor;
    lock.unlock();
    executor.post([self = state.shared_from_this()] {
      std::unique_lock guard(self->mutex);
      self->posted = false;
      // The waiter this was meant for may be gone, and another may have begun with nothing to take.
      if (!self->waiter || !(self->raised || self->expired)) return;
      const auto waiter = std::exchange(self->waiter, nullptr);
      guard.unlock();
      waiter.resume();
    });
  }

  std::shared_ptr<State> state_;
};

}  // namespace tidemill::base
