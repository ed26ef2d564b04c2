// Where coroutines run. An executor runs posted functions one after the other, so what only one executor touches
// needs no lock. Production has one per core (net::Loop); a simulation has one in all (base::SimExecutor), whose
// order of running is drawn from a seed.
#pragma once

#include <chrono>
#include <coroutine>
#include <functional>
#include <memory>

#include "base/task.h"

namespace tidemill::base {

using Function = std::move_only_function<void()>;

// Cancels its callback when destroyed. Destroy it on the executor that would run the callback.
class [[nodiscard]] Alarm {
 public:
  struct State {
    bool cancelled = false;
    virtual ~State() = default;
    // Lets the owner of the timer forget the entry early.
    virtual void on_cancel() {}
  };

  Alarm() = default;
  explicit Alarm(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Alarm(Alarm&&) noexcept = default;
  Alarm& operator=(Alarm&& other) noexcept {
    if (this != &other) {
      cancel();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~Alarm() { cancel(); }

  void cancel() {
    if (auto state = std::exchange(state_, nullptr)) {
      state->cancelled = true;
      state->on_cancel();
    }
  }

 private:
  std::shared_ptr<State> state_;
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Runs `function` later on this executor. From any thread.
  virtual void post(Function function) = 0;

  // Runs `function` once `delay` of this executor's own (steady) time has passed. On this executor only.
  // For what is real whatever the platform's clock says: slow clients, functions that run too long.
  virtual Alarm call_after(std::chrono::nanoseconds delay, Function function) = 0;

  // The executor that runs the calling code; a defect to ask elsewhere.
  static Executor& current();
  static Executor* current_or_null() noexcept;

  // Marks the calling thread as running `executor` while it lives.
  class Enter {
   public:
    explicit Enter(Executor& executor) noexcept;
    ~Enter();
    Enter(const Enter&) = delete;

   private:
    Executor* previous_;
  };
};

// `co_await hop(executor)`: goes on over there.
inline auto hop(Executor& executor) {
  struct Awaiter {
    Executor& executor;
    std::shared_ptr<bool> abandoned;
    bool await_ready() const noexcept { return Executor::current_or_null() == &executor; }
    void await_suspend(std::coroutine_handle<> self) {
      abandoned = std::make_shared<bool>(false);
      executor.post([self, flag = abandoned] {
        if (!*flag) self.resume();
      });
    }
    void await_resume() const noexcept {}
    ~Awaiter() {
      if (abandoned) *abandoned = true;
    }
  };
  return Awaiter{executor, nullptr};
}

// `co_await yield()`: lets everything that is already posted run first.
inline auto yield() {
  struct Awaiter {
    std::shared_ptr<bool> abandoned;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) {
      abandoned = std::make_shared<bool>(false);
      Executor::current().post([self, flag = abandoned] {
        if (!*flag) self.resume();
      });
    }
    void await_resume() const noexcept {}
    ~Awaiter() {
      if (abandoned) *abandoned = true;
    }
  };
  return Awaiter{};
}

// Owns coroutines that nobody awaits. Destroying the scope destroys those still running, at the point where each
// waits; a process that ends, and a simulated crash, are this. All calls on one executor; never destroy a scope from
// within one of its own tasks. A task that ends with an exception is logged as a defect.
class Scope {
 public:
  Scope();
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Starts `task` at once, on the calling executor.
  void spawn(Task<void> task);

  [[nodiscard]] size_t running() const noexcept;

  // Destroys everything that still runs.
  void clear();

  struct Roots;  // internal

 private:
  std::shared_ptr<Roots> roots_;
};

}  // namespace tidemill::base
