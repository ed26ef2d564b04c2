// Writes what the platform gathers of itself: when a minute in which something was gathered has ended, and before each
// answer about metrics, so that whoever asks sees what has happened. Gauges are read at the ends of minutes only. Nothing is
// armed while nothing happens. Where a virtual clock makes minutes short, those that end within kPace of the machine's
// time are written together.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "services/cloudwatch/metric_writer.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::cloudwatch {

class PlatformWriter {
 public:
  static constexpr std::chrono::milliseconds kPace{50};

  // Made and destroyed on `executor`. All outlive this.
  PlatformWriter(base::Clock& clock, base::Executor& executor, wire::PlatformMetrics& gathered, MetricWriter& writer);
  ~PlatformWriter();
  PlatformWriter(const PlatformWriter&) = delete;

  // Writes what has been gathered up to now. Any executor. What cannot be written is dropped, and said in the log.
  Task<void> write_now();

 private:
  struct State;
  static Task<void> end_minute(State& state, base::Time minute);
  static Task<void> write_by_pace(State& state);
  static Task<void> write(State& state, std::vector<wire::PlatformMetrics::Gathered> gathered);

  std::shared_ptr<State> state_;
};

}  // namespace tidemill::cloudwatch
