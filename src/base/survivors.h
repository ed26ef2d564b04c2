// Lets work go on whose caller leaves: a task that is awaited through here and whose awaiter is destroyed runs to its
// end all the same, with nobody to take its result.
//
//   Response response = co_await survivors.outlive(work(std::move(everything_it_needs)));
//
// So a client that hangs up half-way changes nothing in what its request does. The task must own what it uses, or use
// only what outlives the Survivors.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/clock.h"
#include "base/executor.h"

namespace tidemill::base {

// Any thread. Destroy it once its executors no longer run; that destroys what is still under way.
class Survivors {
 public:
  // Of one executor. Beyond, a task ends with its awaiter.
  static constexpr size_t kPerExecutorMax = 1'000;

  // Who goes on counts as activity.
  explicit Survivors(Activity& activity) : activity_(activity) {}
  Survivors(const Survivors&) = delete;

  template <class T>
  class [[nodiscard]] Outlive {
   public:
    Outlive(Survivors& survivors, Task<T> task) : survivors_(survivors), task_(std::move(task)) {}
    Outlive(const Outlive&) = delete;
    ~Outlive() {
      if (waits_) survivors_.adopt(see_out(std::move(task_), survivors_.activity_.hold()));
    }
    bool await_ready() const noexcept { return task_.await_ready(); }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
      waits_ = true;
      return task_.await_suspend(awaiter);
    }
    T await_resume() {
      waits_ = false;
      return task_.await_resume();
    }

   private:
    Survivors& survivors_;
    Task<T> task_;
    bool waits_ = false;
  };

  template <class T>
  Outlive<T> outlive(Task<T> task) {
    return Outlive<T>(*this, std::move(task));
  }

  // On the calling executor.
  [[nodiscard]] size_t running();

 private:
  template <class T>
  static Task<void> see_out(Task<T> task, Activity::Hold) {
    (void)co_await task.rejoin();
  }
  void adopt(Task<void> task);

  Activity& activity_;
  std::mutex mutex_;
  std::unordered_map<Executor*, std::unique_ptr<Scope>> scopes_;
};

}  // namespace tidemill::base
