#include "services/cloudwatch/any_alarm.h"

#include "base/text.h"
#include "services/cloudwatch/alarm_telling.h"
#include "services/cloudwatch/errors.h"

namespace tidemill::cloudwatch {
namespace {

constexpr size_t kTagsMax = 50;

}  // namespace

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

wire::TagMap with_tags(wire::TagMap tags, const std::vector<shapes::Tag>& added) {
  for (const shapes::Tag& tag : added) {
    if (wire::is_reserved_tag_key(tag.key) || !wire::is_tag_text(tag.key)) throw invalid_value("Tags", tag.key);
    if (!wire::is_tag_text(tag.value)) throw invalid_value("Tags", tag.value);
  }
  if (!wire::add_tags(tags, added)) {
    throw errors::invalid_parameter_value_exception("The parameter Tags must not contain a key twice.");
  }
  if (tags.size() > kTagsMax) throw collection_too_large("Tags", kTagsMax);
  return tags;
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
