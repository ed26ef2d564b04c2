// The state that an alarm is in, and why.
#pragma once

#include <string>

#include "base/clock.h"
#include "wire/shapes/cloudwatch.h"

namespace tidemill::cloudwatch {

namespace shapes = wire::cloudwatch;

struct AlarmState {
  std::string value = std::string(shapes::StateValue::kInsufficientData);
  std::string reason;
  std::string reason_data;  // JSON
  base::Time updated;
  base::Time transitioned;  // to another value
  // Of composite alarms whose actions do not happen now.
  std::string suppressed_by;  // shapes::ActionsSuppressedBy; empty: they do
  std::string suppressed_reason;
};

}  // namespace tidemill::cloudwatch
