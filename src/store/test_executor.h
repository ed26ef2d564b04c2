// For tests and benchmarks of stores that have threads: an executor that runs on the thread that calls run_until().
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>

#include "base/clock.h"
#include "base/executor.h"

namespace tidemill::store {

class TestExecutor final : public base::Executor {
 public:
  // How long what runs on it may take: what a machine's executor grants, or nothing at all, so that long work gives way
  // wherever it can.
  enum class Slices { usual, none };

  explicit TestExecutor(base::Activity* activity = nullptr, Slices slices = Slices::usual)
      : Executor(slices == Slices::none ? 1 : kStepsPerLook), has_slices_(slices == Slices::usual), activity_(activity) {}

  void post(base::Function function) override {
    if (activity_ != nullptr) activity_->begin();
    bool was_empty;
    {
      const std::lock_guard lock(mutex_);
      was_empty = posted_.empty();
      posted_.push_back(std::move(function));
    }
    if (was_empty) wake_.notify_one();
  }

  base::Alarm call_after(std::chrono::nanoseconds delay, base::Function function) override {
    auto entry = std::make_shared<Delayed>();
    entry->function = std::move(function);
    delayed_.emplace(std::chrono::steady_clock::now() + delay, entry);
    return base::Alarm(entry);
  }

  // Runs what is posted until `done()`, which is asked after each function.
  template <class Done>
  void run_until(Done done) {
    const Enter enter(*this);
    while (!done()) run_one();
  }

 private:
  struct Delayed : base::Alarm::State {
    base::Function function;
  };

  static constexpr std::chrono::minutes kPatience{5};

  bool is_slice_over() override { return !has_slices_ || Executor::is_slice_over(); }

  void run_one() {
    std::unique_lock lock(mutex_);
    if (posted_.empty() && delayed_.empty()) {
      if (!wake_.wait_for(lock, kPatience, [&] { return !posted_.empty(); })) {
        throw std::runtime_error("nothing is left to run, and what the test waits for has not come");
      }
    } else if (posted_.empty()) {
      wake_.wait_until(lock, delayed_.begin()->first, [&] { return !posted_.empty(); });
    }
    if (!posted_.empty()) {
      base::Function function = std::move(posted_.front());
      posted_.pop_front();
      lock.unlock();
      begin_slice();
      function();
      function = nullptr;
      if (activity_ != nullptr) activity_->end();
      return;
    }
    lock.unlock();
    if (delayed_.empty() || delayed_.begin()->first > std::chrono::steady_clock::now()) return;
    const auto entry = delayed_.begin()->second;
    delayed_.erase(delayed_.begin());
    if (!entry->cancelled) entry->function();
  }

  const bool has_slices_;
  base::Activity* const activity_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<base::Function> posted_;
  std::multimap<std::chrono::steady_clock::time_point, std::shared_ptr<Delayed>> delayed_;
};

// Runs a coroutine function to its end: `start` begins a task, `drive` runs tasks until it is told that this one has
// ended. Throws what the function throws.
template <class Body>
void run_to_end(Body& body, const auto& start, const auto& drive) {
  bool done = false;
  std::exception_ptr failure;
  auto wrapper = [&]() -> Task<void> {
    try {
      co_await body();
    } catch (...) {
      failure = std::current_exception();
    }
    done = true;
  };
  start(wrapper());
  drive([&] { return done; });
  if (failure) std::rethrow_exception(failure);
}

// The same on an executor of a test, in a scope of the test's.
template <class Body>
void run_to_end(Body& body, TestExecutor& executor, base::Scope& scope) {
  const auto start = [&](Task<void> task) {
    const base::Executor::Enter enter(executor);
    scope.spawn(std::move(task));
  };
  run_to_end(body, start, [&](const auto& done) { executor.run_until(done); });
}

}  // namespace tidemill::store
