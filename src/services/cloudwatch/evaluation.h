// What state an alarm is in, from the datapoints of its metric. "Evaluating an alarm" and "Configuring how CloudWatch
// alarms treat missing data" in the user guide.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/cloudwatch/alarm.h"

namespace tidemill::cloudwatch {

// So many periods more than the alarm's evaluation periods are looked back at, for what is there in place of what is
// missing.
inline constexpr int kMorePeriods = 2;

// So far ahead of the clock data may be ("PutMetricData" in the API reference).
inline constexpr std::chrono::seconds kAheadMax = std::chrono::hours(2);

struct AlarmPoint {
  base::Time begin;
  double value = 0;
  double samples = 1;
};

struct Verdict {
  std::string state;
  std::string reason;
  std::string reason_data;
  bool saw_data = false;  // in the periods that were looked at: what is to come may still change the state
};

// `points`: of the periods that were looked at, the newest first; those without data are left out.
[[nodiscard]] Verdict judge(const Alarm& alarm, const std::vector<AlarmPoint>& points, base::Time now);

// Reads the datapoints of the periods that have ended.
Task<std::vector<AlarmPoint>> read_points(store::Snapshot& reader, const Alarm& alarm, base::Time now);

// The end of the first period, under way or to come, that has data already: an evaluation that saw none must not be the
// last one.
Task<std::optional<base::Time>> end_of_coming_data(store::Snapshot& reader, const Alarm& alarm, base::Time now);

// The end of the period under way.
[[nodiscard]] base::Time next_period(const Alarm& alarm, base::Time now);

}  // namespace tidemill::cloudwatch
