// Where coroutines run. An executor runs posted functions one after the other, so what only one executor touches
// needs no lock. Production has one per core (net::Loop); a simulation has one in all (base::SimExecutor), whose
// order of running is drawn from a seed.
//
// While one function runs, everybody else on its executor waits. So work that may take long comes in slices: it says
// what it has done, and gives way once its slice is over.
//
//   for (const Event& event : many) {
//     write(event);
//     if (base::slice_is_over()) co_await base::give_way();
//   }
#pragma once

#include <chrono>
#include <coroutine>
#include <functional>
#include <memory>
#include <optional>

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

  // The same for what is one slice of long work: it lets all go first that is ready, but not forever. Slices run in the
  // order in which they were posted. From any thread.
  virtual void post_slice(Function function) { post(std::move(function)); }

  // Runs `function` once `delay` of this executor's own (steady) time has passed. On this executor only.
  // For what is real whatever the platform's clock says: slow clients, functions that run too long.
  virtual Alarm call_after(std::chrono::nanoseconds delay, Function function) = 0;

  // How long a function may run before it should give way.
  static constexpr std::chrono::microseconds kSlice{250};

  // Counts `steps` of work of about a microsecond each, done by the function that runs now. True: it should give way.
  // Cheap: the clock is looked at after many steps only.
  [[nodiscard]] bool count_steps(size_t steps) {
    steps_ += steps;
    if (steps_ < steps_per_look_) return false;
    steps_ = 0;
    return is_slice_over();
  }

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

 protected:
  static constexpr size_t kStepsPerLook = 16;
  explicit Executor(size_t steps_per_look = kStepsPerLook) : steps_per_look_(steps_per_look) {}

  // By the executor, before each function that it runs.
  void begin_slice() noexcept { slice_began_.reset(); }

  // The first look of a function only notes the time: nearly all end without a second one.
  [[nodiscard]] virtual bool is_slice_over();

 private:
  const size_t steps_per_look_;
  size_t steps_ = 0;
  std::optional<std::chrono::steady_clock::time_point> slice_began_;
};

namespace detail {

// The function that resumes a waiting coroutine; it does nothing once the wait is destroyed.
class Resumption {
 public:
  Function of(std::coroutine_handle<> waiter) {
    abandoned_ = std::make_shared<bool>(false);
    return [waiter, flag = abandoned_] {
      if (!*flag) waiter.resume();
    };
  }
  ~Resumption() {
    if (abandoned_) *abandoned_ = true;
  }

 private:
  std::shared_ptr<bool> abandoned_;
};

}  // namespace detail

// `co_await hop(executor)`: goes on over there.
inline auto hop(Executor& executor) {
  struct Awaiter {
    Executor& executor;
    detail::Resumption resumption;
    bool await_ready() const noexcept { return Executor::current_or_null() == &executor; }
    void await_suspend(std::coroutine_handle<> self) { executor.post(resumption.of(self)); }
    void await_resume() const noexcept {}
  };
  return Awaiter{executor, {}};
}

// `co_await yield()`: lets everything that is already posted run first.
inline auto yield() {
  struct Awaiter {
    detail::Resumption resumption;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) { Executor::current().post(resumption.of(self)); }
    void await_resume() const noexcept {}
  };
  return Awaiter{};
}

// Whether long work should give way now, having done `steps` more of about a microsecond each since it last asked. Code
// that no executor runs never needs to.
[[nodiscard]] inline bool slice_is_over(size_t steps = 1) {
  Executor* const executor = Executor::current_or_null();
  return executor != nullptr && executor->count_steps(steps);
}

// `co_await give_way()`: lets all that is short run first, and goes on with a new slice.
inline auto give_way() {
  struct Awaiter {
    detail::Resumption resumption;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) { Executor::current().post_slice(resumption.of(self)); }
    void await_resume() const noexcept {}
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
