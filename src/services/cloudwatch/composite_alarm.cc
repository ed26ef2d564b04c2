#include "services/cloudwatch/composite_alarm.h"

#include "base/json_members.h"
#include "base/text.h"
#include "lang/alarms/alarm_rule.h"
#include "services/cloudwatch/alarm.h"

namespace tidemill::cloudwatch {
namespace {

constexpr auto kCompositeMembers = [](auto& member, auto& alarm) {
  kFirstAlarmMembers(member, alarm);
  member("rule", alarm.rule);
  member.unless_empty("suppressor", alarm.suppressor);
  member.unless_empty("wait_seconds", alarm.wait_seconds);
  member.unless_empty("extension_seconds", alarm.extension_seconds);
  member("configured_us", alarm.configured);
  kLastAlarmMembers(member, alarm);
  member.unless_empty("suppressed_by", alarm.state.suppressed_by);
  member.unless_empty("suppressed_reason", alarm.state.suppressed_reason);
  member.unless_empty("is_held", alarm.is_held);
  member("held_until_us", alarm.held_until);
};

}  // namespace

std::set<std::string> CompositeAlarm::watched() const {
  std::set<std::string> names;
  for (const std::string& child : lang::alarms::AlarmRule::parse(rule).alarms())
    names.insert(name_of_alarm(address, child));
  if (!suppressor.empty()) names.insert(name_of_alarm(address, suppressor));
  return names;
}

std::string name_of_alarm(const store::ResourceAddress& asking, std::string_view name_or_arn) {
  const std::string start = arn_of_alarm({asking.account, asking.region, ""});
  if (name_or_arn.starts_with(start)) name_or_arn.remove_prefix(start.size());
  return std::string(name_or_arn);
}

std::string encode_composite(const CompositeAlarm& alarm) { return json::encode(alarm, kCompositeMembers); }

CompositeAlarm decode_composite(store::ResourceAddress address, std::string_view bytes) {
  return json::decode("composite alarm", bytes, kCompositeMembers, alarm_at<CompositeAlarm>(std::move(address)));
}

Task<std::optional<CompositeAlarm>> find_composite(store::Snapshot& reader, store::ResourceAddress address) {
  const auto bytes = co_await reader.get(composite_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_composite(std::move(address), *bytes);
}

void watch_children(store::Transaction& txn, const CompositeAlarm& alarm) {
  for (const std::string& child : alarm.watched()) {
    txn.put(parent_key({alarm.address.account, alarm.address.region, child}, alarm.address.name), "");
  }
}

void unwatch_children(store::Transaction& txn, const CompositeAlarm& alarm) {
  for (const std::string& child : alarm.watched()) {
    txn.erase(parent_key({alarm.address.account, alarm.address.region, child}, alarm.address.name));
  }
}

shapes::CompositeAlarm describe(const CompositeAlarm& alarm) {
  auto out = describe_any<shapes::CompositeAlarm>(alarm);
  out.alarm_rule = alarm.rule;
  if (!alarm.state.suppressed_by.empty()) {
    out.actions_suppressed_by = alarm.state.suppressed_by;
    out.actions_suppressed_reason = alarm.state.suppressed_reason;
  }
  if (!alarm.suppressor.empty()) {
    out.actions_suppressor = alarm.suppressor;
    out.actions_suppressor_wait_period = alarm.wait_seconds;
    out.actions_suppressor_extension_period = alarm.extension_seconds;
  }
  return out;
}

Task<std::optional<AlarmState>> state_of_alarm(store::Snapshot& reader, store::ResourceAddress address) {
  if (const auto alarm = co_await find_alarm(reader, address)) co_return alarm->state;
  if (const auto composite = co_await find_composite(reader, address)) co_return composite->state;
  co_return std::nullopt;
}

}  // namespace tidemill::cloudwatch
