// The metrics of operations, and the record of one call: the same for calls that come over HTTP and for those that the
// platform makes itself.
#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <string_view>

#include "base/metrics.h"

namespace tidemill::wire {

class Context;
struct Error;
struct OperationInfo;

enum class Outcome {
  succeeded,
  refused,    // 4xx: the caller's fault
  throttled,  // store::Overloaded
  failed,     // 5xx, and defects
};
inline constexpr size_t kOutcomes = 4;

// Of one operation; without metrics nothing is counted.
struct OperationMetrics {
  std::array<base::Counter*, kOutcomes> calls = {};
  base::Histogram* seconds = nullptr;

  void count(Outcome outcome) const {
    if (base::Counter* counter = calls[static_cast<size_t>(outcome)]) counter->add();
  }
};

[[nodiscard]] OperationMetrics make_operation_metrics(const OperationInfo& info, base::Metrics& metrics);

[[nodiscard]] Outcome call_outcome(const Error& error);
[[nodiscard]] Outcome call_outcome(const std::exception_ptr& thrown);

// From the begin of a call to its end. What never ends, because nobody waits for it any more, is not counted.
class CallRecord {
 public:
  // They outlive this.
  CallRecord(const Context& context, const OperationInfo& info, const OperationMetrics& metrics)
      : context_(context), info_(info), metrics_(metrics) {}

  // Once.
  void ended(Outcome outcome) const;

 private:
  const Context& context_;
  const OperationInfo& info_;
  const OperationMetrics& metrics_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tidemill::wire
