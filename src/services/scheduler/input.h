// What a target gets: the schedule's Input with what it asks of the context put in, or AWS's default notification.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace tidemill::scheduler {

// One run of a schedule.
struct Execution {
  std::string schedule_arn;
  std::string account;
  std::string region;
  std::string id;        // a UUID
  base::Time scheduled;  // when it was to run
  int attempt = 1;
};

// `input` with <aws.scheduler.schedule-arn>, <aws.scheduler.scheduled-time>, <aws.scheduler.execution-id> and
// <aws.scheduler.attempt-number> replaced, wherever they stand.
[[nodiscard]] std::string with_attributes(std::string_view input, const Execution& execution);

// Of a schedule without an Input.
[[nodiscard]] std::string default_notification(const Execution& execution);

// "2026-11-23T08:00:00Z"
[[nodiscard]] std::string scheduled_text(base::Time time);

}  // namespace tidemill::scheduler
