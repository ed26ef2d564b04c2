// Where expressions are evaluated that take long. JSONata may take ten million steps, most of a second: no loop is held for
// that. An expression is begun on the loop with as many steps as that can spare (lang::states::kQueryStepsAtOnce); who
// finds that it takes more begins again on a thread. So does what is long because there is much of it: a document of a quarter
// of a megabyte may have a hundred thousand values, each of which is read, copied, written and given back.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/blocking_work.h"
#include "wire/large_work.h"

namespace tidemill::states {

// Thrown by World::when_long of who can begin again.
class TakesLong : public std::exception {};

class LongEvaluations {
 public:
  static constexpr int kThreads = 2;

  // `uses_threads` false: for simulations.
  explicit LongEvaluations(bool uses_threads) : uses_threads_(uses_threads), work_(kThreads), large_(kThreads) {}

  // `function` may use what the caller has.
  template <class F>
  Task<std::invoke_result_t<F&>> run(F function) {
    begun_.fetch_add(1, std::memory_order_relaxed);
    if (!uses_threads_) co_return function();
    co_return co_await work_.run_joined(std::move(function));
  }

  // The same for work on documents of about `bytes`, here if that is little; it does not wait for expressions.
  template <class F>
  Task<std::invoke_result_t<F&>> run_large(size_t bytes, F function) {
    return wire::do_large_joined(uses_threads_ ? &large_ : nullptr, bytes, std::move(function));
  }

  // Lets go of what has documents of about `bytes`.
  template <class T>
  void let_go(size_t bytes, std::unique_ptr<T> object) {
    if (uses_threads_ && wire::is_for_thread(bytes)) large_.post([object = std::move(object)] {});
  }

  [[nodiscard]] uint64_t begun() const { return begun_.load(std::memory_order_relaxed); }

 private:
  const bool uses_threads_;
  std::atomic<uint64_t> begun_ = 0;
  base::BlockingWork work_;
  base::BlockingWork large_;
};

}  // namespace tidemill::states
