#include "services/cloudformation/event.h"

#include <array>

#include "base/json_members.h"
#include "base/json_objects.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/bus_target.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

constexpr auto kEventMembers = [](auto& member, auto& event) {
  member("id", event.id);
  member("logical_id", event.logical_id);
  member("physical_id", event.physical_id);
  member("type", event.type);
  member("time_us", event.time);
  member("status", event.status);
  member.unless_empty("reason", event.reason);
  member("properties", event.properties);
  member.unless_empty("token", event.token);
};

// In AWS's words ("CloudFormation events detail reference" in the user guide).
engine::BusEvent bus_event(const StackId& stack, const Event& event, bool is_of_stack) {
  json::Object detail{{"stack-id", stack.arn()}};
  if (!is_of_stack) {
    detail.set("logical-resource-id", event.logical_id);
    detail.set("physical-resource-id", event.physical_id);
  }
  detail.set("status-details", json::Object{{"status", event.status}, {"status-reason", event.reason}});
  if (!is_of_stack) detail.set("resource-type", event.type);
  detail.set("client-request-token", event.token.empty() ? json::Value() : json::Value(event.token));
  return {.source = "aws.cloudformation",
          .detail_type = cat("CloudFormation ", is_of_stack ? "Stack" : "Resource", " Status Change"),
          .resource = stack.arn(),
          .detail = json::write(std::move(detail))};
}

Task<void> put_event(store::Transaction& txn, const StackId& stack, Event event, bool is_of_stack, Time now) {
  txn.put(event_key(stack.place, stack.uuid, event.time.time_since_epoch().count()), json::encode(event, kEventMembers));
  co_await engine::tell_default_bus(txn, stack.place.account, stack.place.region, now,
                                    [&] { return bus_event(stack, event, is_of_stack); });
}

// As templates have them: all scalars are text.
json::Value as_texts(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::number: return value.number_text();
    case json::Kind::boolean: return value.boolean() ? "true" : "false";
    case json::Kind::array: {
      json::Array result;
      for (const json::Value& one : value.array()) result.push_back(as_texts(one));
      return result;
    }
    case json::Kind::object: {
      std::vector<json::Member> members;
      members.reserve(value.object().size());
      for (const auto& [name, one] : value.object()) members.emplace_back(name, as_texts(one));
      return json::object_of(std::move(members));
    }
    default: return value;
  }
}

// UTF-8 that was cut, without the part of a character at its end.
std::string whole_characters(std::string text) {
  const auto is_later_byte = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; };
  while (!text.empty() && is_later_byte(text.back())) text.pop_back();
  if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0U) text.pop_back();
  return text;
}

// The value with texts of at most `bytes_max`.
json::Value with_short_texts(const json::Value& value, size_t bytes_max) {
  if (value.is_string()) {
    const std::string& text = value.string();
    if (text.size() <= bytes_max) return value;
    return cat(whole_characters(text.substr(0, bytes_max)), "... (", text.size(), " bytes)");
  }
  if (value.is_array()) {
    json::Array result;
    for (const json::Value& one : value.array()) result.push_back(with_short_texts(one, bytes_max));
    return result;
  }
  if (value.is_object()) {
    std::vector<json::Member> members;
    members.reserve(value.object().size());
    for (const auto& [name, one] : value.object()) members.emplace_back(name, with_short_texts(one, bytes_max));
    return json::object_of(std::move(members));
  }
  return value;
}

std::string bounded(const json::Value& properties) {
  std::string text = json::write(properties);
  static constexpr std::array<size_t, 4> kTextBytesMax{4'096, 1'024, 256, 64};
  for (const size_t bytes_max : kTextBytesMax) {
    if (text.size() <= kEventPropertiesBytesMax) return text;
    text = json::write(with_short_texts(properties, bytes_max));
  }
  return text.size() <= kEventPropertiesBytesMax ? text : "{}";
}

}  // namespace

Event decode_event(std::string_view bytes) { return json::decode<Event>("event of a stack", bytes, kEventMembers); }

Time event_time(Time from, EventBy by) {
  auto time = std::chrono::ceil<std::chrono::milliseconds>(from);
  const bool is_even = time.time_since_epoch() / kEventStep % 2 == 0;
  if (is_even != (by == EventBy::engine)) time += kEventStep;
  return time;
}

Task<Time> next_event_time(store::Snapshot& reader, const StackId& stack, EventBy by, Time now) {
  Time result = now;
  co_await reader.scan(events_range(stack.place, stack.uuid), store::last(1),
                       [&](std::string_view, std::string_view bytes) {
                         result = std::max(result, Time(decode_event(bytes).time + kEventStep));
                         return false;
                       });
  co_return event_time(result, by);
}

Task<void> put_stack_event(store::Transaction& txn, const Stack& stack, Time time, Time now) {
  Event event{.id = base::new_uuid(),
              .logical_id = stack.id.name,
              .physical_id = stack.id.arn(),
              .type = std::string(kStackType),
              .time = time,
              .status = stack.status,
              .reason = stack.reason,
              .properties = std::nullopt,
              .token = stack.token};
  co_await put_event(txn, stack.id, std::move(event), true, now);
}

Task<void> put_resource_event(store::Transaction& txn, const Stack& stack, const Resource& resource,
                              std::string_view physical_id, const json::Object* properties, Time time, Time now) {
  Event event;
  event.id = properties ? cat(resource.logical_id, "-", resource.status, "-", base::iso_milliseconds(time), "Z")
                        : cat(resource.logical_id, "-", base::new_uuid());
  event.logical_id = resource.logical_id;
  event.physical_id = physical_id;
  event.type = resource.type;
  event.time = time;
  event.status = resource.status;
  event.reason = resource.reason;
  if (properties) event.properties = bounded(as_texts(*properties));
  event.token = stack.token;
  co_await put_event(txn, stack.id, std::move(event), false, now);
}

}  // namespace tidemill::cloudformation
