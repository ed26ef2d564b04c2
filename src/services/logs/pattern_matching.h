// Matches messages with patterns without holding others up: what may take long, a regular expression or many terms on a
// long message, is done on a thread.
#pragma once

#include <string>

#include "base/blocking_work.h"
#include "base/task.h"
#include "lang/logs/filter_pattern.h"

namespace tidemill::logs {

class PatternMatching {
 public:
  // A pattern's steps (FilterPattern::steps) that are done at once: about a millisecond at the worst.
  static constexpr size_t kPatternStepsAtOnceMax = 1 << 20;
  // As many of them as make a step of base::slice_is_over.
  static constexpr size_t kPatternStepsPerStep = 1'000;
  [[nodiscard]] static size_t slice_steps(const lang::logs::FilterPattern& pattern, const std::string& message) {
    return pattern.steps(message.size()) / kPatternStepsPerStep;
  }

  // `uses_thread` false: for simulations.
  explicit PatternMatching(bool uses_thread) : uses_thread_(uses_thread) {}

  // Any executor. The pattern and the message outlive the task.
  Task<bool> matches(const lang::logs::FilterPattern& pattern, const std::string& message);
  // What the pattern takes out of a message that matches.
  Task<lang::logs::Extracted> extract(const lang::logs::FilterPattern& pattern, const std::string& message);

  // Other work on a message that takes so many steps of some nanoseconds. What it uses of its caller's must outlive
  // the task.
  static constexpr size_t kStepsAtOnceMax = 100'000;
  [[nodiscard]] bool is_long(size_t steps) const { return uses_thread_ && steps > kStepsAtOnceMax; }
  template <class F>
  Task<void> run(F function) {
    return work_.run_joined(std::move(function));
  }

 private:
  [[nodiscard]] bool is_long(const lang::logs::FilterPattern& pattern, const std::string& message) const {
    return uses_thread_ && pattern.steps(message.size()) > kPatternStepsAtOnceMax;
  }

  const bool uses_thread_;
  base::BlockingWork work_;
};

}  // namespace tidemill::logs
