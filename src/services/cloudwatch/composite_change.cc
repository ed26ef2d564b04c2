#include "services/cloudwatch/composite_change.h"

#include "base/json_record.h"
#include "base/text.h"
#include "lang/alarms/alarm_rule.h"
#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/alarm_configuration.h"
#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/alarm_telling.h"

namespace tidemill::cloudwatch {
namespace {

using base::cat;
namespace SuppressedBy = shapes::ActionsSuppressedBy;

// What the reason's document has of the alarms that gave rise to a state.
void write_children(json::Writer& writer, const AlarmState& state) {
  writer.key("TriggeringChildren");
  writer.begin_array();
  const auto data = json::parse(state.reason_data);
  const json::Value* children = data ? data->find("triggeringAlarms") : nullptr;
  if (children && children->is_array()) {
    for (const json::Value& child : children->array()) {
      const json::Value* arn = child.find("arn");
      const json::Value* child_state = child.find("state");
      const json::Value* value = child_state ? child_state->find("value") : nullptr;
      const json::Value* timestamp = child_state ? child_state->find("timestamp") : nullptr;
      if (!arn || !value || !timestamp) continue;  // a user's own document
      writer.begin_object();
      writer.key("Arn");
      writer.value(*arn);
      writer.key("State");
      writer.begin_object();
      writer.key("Value");
      writer.value(*value);
      writer.key("Timestamp");
      writer.value(*timestamp);
      writer.end_object();
      writer.end_object();
    }
  }
  writer.end_array();
}

// The alarm outlives it.
Telling telling_of(const CompositeAlarm& alarm, const AlarmState& before) {
  return {.alarm = alarm,
          .alarm_type = shapes::AlarmType::kCompositeAlarm,
          .before = before,
          .write_for_topics =
              [&alarm](json::Writer& writer) {
                json::write_member(writer, "AlarmRule", alarm.rule);
                write_children(writer, alarm.state);
              },
          .write_configuration = [&alarm](json::Writer& writer) { write_rule(writer, alarm); }};
}

Task<bool> is_suppressed(store::Snapshot& reader, const CompositeAlarm& alarm) {
  const auto& [account, region, name] = alarm.address;
  const auto state = co_await state_of_alarm(reader, {account, region, name_of_alarm(alarm.address, alarm.suppressor)});
  co_return state && state->value == shapes::StateValue::kAlarm;
}

// Whether the actions are held, and by what, as of now. Sets the timer for the end of a period.
Task<void> hold(store::Transaction& txn, CompositeAlarm& alarm, base::Time now) {
  const auto by = [&](std::string_view what, std::optional<base::Time> until) {
    alarm.held_until = until;
    alarm.state.suppressed_by = what;
    alarm.state.suppressed_reason = cat("Actions suppressed by ", what);
  };
  if (co_await is_suppressed(txn, alarm)) {
    if (alarm.held_until || alarm.state.suppressed_by.empty()) by(SuppressedBy::kAlarm, std::nullopt);
    co_return;
  }
  if (alarm.state.suppressed_by.empty()) {
    by(SuppressedBy::kWaitPeriod, now + std::chrono::seconds(alarm.wait_seconds));
  } else if (!alarm.held_until) {
    by(SuppressedBy::kExtensionPeriod, now + std::chrono::seconds(alarm.extension_seconds));
  }
  if (now < *alarm.held_until) {
    co_await evaluate_composite_at(txn, alarm.address, *alarm.held_until);
    co_return;
  }
  alarm.is_held = false;
  alarm.held_until.reset();
  alarm.state.suppressed_by.clear();
  alarm.state.suppressed_reason.clear();
}

// Looks at actions that have not happened yet; tells the bus if who holds them has changed.
Task<void> release(store::Transaction& txn, CompositeAlarm& alarm, base::Time now) {
  const AlarmState before = alarm.state;
  if (alarm.suppressor.empty()) {
    alarm.is_held = false;
    alarm.held_until.reset();
    alarm.state.suppressed_by.clear();
    alarm.state.suppressed_reason.clear();
  } else {
    co_await hold(txn, alarm, now);
  }
  if (alarm.state.suppressed_by == before.suppressed_by) co_return;
  alarm.state.updated = now;
  txn.put(composite_key(alarm.address), encode_composite(alarm));
  const Telling telling = telling_of(alarm, before);
  co_await tell_bus(txn, telling, now);
  if (!alarm.is_held && alarm.actions_enabled) co_await tell_actions(txn, telling, now);
}

}  // namespace

Task<void> change_composite(store::Transaction& txn, CompositeAlarm& alarm, std::string value, std::string reason,
                            std::string reason_data, base::Time now) {
  const AlarmState before = alarm.state;
  const bool is_transition = before.value != value;
  alarm.state.value = std::move(value);
  alarm.state.reason = std::move(reason);
  alarm.state.reason_data = std::move(reason_data);
  alarm.state.updated = now;
  if (!is_transition) {
    txn.put(composite_key(alarm.address), encode_composite(alarm));
    co_return;
  }
  alarm.state.transitioned = now;
  alarm.state.suppressed_by.clear();
  alarm.state.suppressed_reason.clear();
  alarm.held_until.reset();
  alarm.is_held = !alarm.suppressor.empty();
  if (alarm.is_held) co_await hold(txn, alarm, now);
  txn.put(composite_key(alarm.address), encode_composite(alarm));
  const Telling telling = telling_of(alarm, before);
  co_await add_history(txn, {alarm.address, telling.alarm_type}, now, shapes::HistoryItemType::kStateUpdate,
                       cat("Alarm updated from ", before.value, " to ", alarm.state.value),
                       state_change_data(before, alarm.state));
  co_await tell_bus(txn, telling, now);
  if (alarm.actions_enabled && !alarm.is_held) co_await tell_actions(txn, telling, now);
  co_await evaluate_parents(txn, alarm.address, now);
}

namespace {

struct Child {
  std::string name;
  std::string arn;
  AlarmState state;
};

// "Friday 04 August, 2023 12:54:46 UTC"
std::string spoken(base::Time time) {
  constexpr std::string_view kDays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                          "July",    "August",   "September", "October", "November", "December"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::string iso_text = base::iso_milliseconds(time);
  return cat(kDays[std::chrono::weekday(day).c_encoding()], " ", iso_text.substr(8, 2), " ",
             kMonths[static_cast<unsigned>(date.month()) - 1], ", ", iso_text.substr(0, 4), " ", iso_text.substr(11, 8),
             " UTC");
}

std::string reason_of(const std::vector<Child>& triggering, std::string_view value) {
  if (triggering.empty()) return cat("The alarm rule is ", value == shapes::StateValue::kAlarm ? "TRUE" : "FALSE");
  const Child& last = triggering.front();
  return cat(last.arn, " transitioned to ", last.state.value, " at ", spoken(last.state.transitioned));
}

std::string reason_data_of(const std::vector<Child>& triggering) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("triggeringAlarms");
  writer.begin_array();
  for (const Child& child : triggering) {
    writer.begin_object();
    json::write_member(writer, "arn", child.arn);
    writer.key("state");
    writer.begin_object();
    json::write_member(writer, "value", child.state.value);
    json::write_member(writer, "timestamp", iso(child.state.transitioned));
    writer.end_object();
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
  return out;
}

// Whether the alarm asks, through others, about itself. AWS does not evaluate such alarms either.
Task<bool> is_in_cycle(store::Snapshot& reader, const CompositeAlarm& alarm) {
  constexpr size_t kVisitedMax = 1'000;
  std::set<std::string> seen;
  std::vector<std::string> waiting;
  const auto& [account, region, own] = alarm.address;
  const auto add = [&](const CompositeAlarm& one) {
    for (const std::string& name : one.watched()) {
      if (seen.insert(name).second) waiting.push_back(name);
    }
  };
  add(alarm);
  while (!waiting.empty() && seen.size() < kVisitedMax) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    if (const auto composite = co_await find_composite(reader, {account, region, name})) add(*composite);
  }
  // One that was not looked through to its end could go round for ever.
  co_return seen.contains(own) || !waiting.empty();
}

}  // namespace

Task<void> evaluate_composite(Service& service, const store::Timer& timer) {
  const auto address = store::resource_of_key(kCompositeAlarmType, timer.id);
  if (!address) co_return;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    auto alarm = co_await find_composite(txn, *address);
    if (!alarm || co_await is_in_cycle(txn, *alarm)) co_return;
    const base::Time now = service.clock().now();
    const auto rule = lang::alarms::AlarmRule::parse(alarm->rule);
    std::map<std::string, Child> children;  // as the rule calls them
    for (const std::string& called : rule.alarms()) {
      const store::ResourceAddress child{address->account, address->region, name_of_alarm(*address, called)};
      if (auto state = co_await state_of_alarm(txn, child)) {
        children[called] = {child.name, arn_of_alarm(child), *std::move(state)};
      }
    }
    const bool is_alarm = rule.holds([&](const std::string& called) {
      const auto found = children.find(called);
      return found == children.end() ? std::string() : found->second.state.value;
    });
    std::string value(is_alarm ? shapes::StateValue::kAlarm : shapes::StateValue::kOk);
    if (value != alarm->state.value) {
      // Those that changed last: they gave rise to it.
      std::vector<Child> triggering;
      for (auto& [called, child] : children) {
        if (!triggering.empty() && child.state.transitioned < triggering.front().state.transitioned) continue;
        if (!triggering.empty() && triggering.front().state.transitioned < child.state.transitioned) triggering.clear();
        if (std::ranges::find(triggering, child.name, &Child::name) == triggering.end()) triggering.push_back(child);
      }
      std::string reason = reason_of(triggering, value);
      co_await change_composite(txn, *alarm, std::move(value), std::move(reason), reason_data_of(triggering), now);
    } else if (alarm->is_held) {
      co_await release(txn, *alarm, now);
    }
  });
}

}  // namespace tidemill::cloudwatch
