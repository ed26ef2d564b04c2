#include "services/cloudwatch/any_alarm.h"

#include "base/text.h"
#include "services/cloudwatch/alarm_telling.h"
#include "services/cloudwatch/errors.h"

namespace tidemill::cloudwatch {

std::string AnyAlarm::arn() const { return arn_of_alarm(address); }

std::string arn_of_alarm(const store::ResourceAddress& address) {
  return base::cat("arn:aws:cloudwatch:", address.region, ":", address.account, ":alarm:", address.name);
}

std::vector<std::string> checked_actions(const std::optional<std::vector<std::string>>& actions,
                                         std::string_view name) {
  if (!actions) return {};
  for (const std::string& arn : *actions) {
    if (arn.starts_with(kTopicArn) || arn.starts_with(kFunctionArn)) continue;
    throw not_supported(base::cat("the action ", arn, " in ", name, ": there are topics and functions"));
  }
  return *actions;
}

void keep_of_before(AnyAlarm& alarm, const AnyAlarm* before) {
  if (!before) {
    alarm.state = {
        .reason = "Unchecked: Initial alarm creation", .updated = alarm.configured, .transitioned = alarm.configured};
    return;
  }
  alarm.state = before->state;
  alarm.tags = before->tags;  // AWS ignores those of an update
}

}  // namespace tidemill::cloudwatch
