// Where expressions are evaluated that take long. JSONata may take ten million steps, most of a second: no loop is held for
// that. An expression is begun on the loop with as many steps as that can spare (lang::states::kQueryStepsAtOnce); who
// finds that it takes more begins again on a thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "base/blocking_work.h"

namespace tidemill::states {

// Thrown by World::when_long of who can begin again.
class TakesLong : public std::exception {};

class LongEvaluations {
 public:
  static constexpr int kThreads = 2;

  // `uses_threads` false: for simulations.
  explicit LongEvaluations(bool uses_threads) : uses_threads_(uses_threads), work_(kThreads) {}

  // `function` may use what the caller has.
  template <class F>
  Task<std::invoke_result_t<F&>> run(F function) {
    begun_.fetch_add(1, std::memory_order_relaxed);
    if (!uses_threads_) co_return function();
    co_return co_await work_.run_joined(std::move(function));
  }

  [[nodiscard]] uint64_t begun() const { return begun_.load(std::memory_order_relaxed); }

 private:
  const bool uses_threads_;
  std::atomic<uint64_t> begun_ = 0;
  base::BlockingWork work_;
};

}  // namespace tidemill::states
