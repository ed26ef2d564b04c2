#include "services/scheduler/schedule.h"

#include <stdexcept>

#include "base/ordered.h"
#include "base/text.h"
#include "services/scheduler/errors.h"
#include "store/keys.h"

namespace tidemill::scheduler {

using base::cat;

namespace {

std::string prefix_of(std::string_view account, std::string_view region) {
  std::string key(1, static_cast<char>(store::KeySpace::schedule));
  base::append_string(key, account);
  base::append_string(key, region);
  return key;
}

}  // namespace

std::string ScheduleAddress::arn() const {
  return cat("arn:aws:scheduler:", region, ":", account, ":schedule/", group, "/", name);
}

std::string schedule_key(const ScheduleAddress& address) {
  std::string key = prefix_of(address.account, address.region);
  base::append_string(key, address.group);
  base::append_string(key, address.name);
  return key;
}

store::Range schedules_range(std::string_view account, std::string_view region) {
  return store::Range::prefix(prefix_of(account, region));
}

store::Range schedules_range(std::string_view account, std::string_view region, std::string_view group) {
  std::string prefix = prefix_of(account, region);
  base::append_string(prefix, group);
  return store::Range::prefix(prefix);
}

ScheduleAddress schedule_of_key(std::string_view key) {
  base::OrderedReader reader(key.substr(1));
  ScheduleAddress address{reader.string(), reader.string(), reader.string(), reader.string()};
  if (!reader.ok()) throw std::runtime_error("a schedule's key is damaged");
  return address;
}

std::string encode_schedule(const Schedule& schedule) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "created_us", schedule.created);
  json::write_member(writer, "modified_us", schedule.modified);
  json::write_member(writer, "expression", schedule.expression);
  json::write_member(writer, "time_zone", schedule.time_zone);
  if (schedule.start) json::write_member(writer, "start_us", *schedule.start);
  if (schedule.end) json::write_member(writer, "end_us", *schedule.end);
  if (schedule.description) json::write_member(writer, "description", *schedule.description);
  json::write_member(writer, "enabled", schedule.enabled);
  json::write_member(writer, "window_min", int64_t{schedule.window.count()});
  json::write_member(writer, "delete_after", schedule.delete_after);
  if (!schedule.token.empty()) json::write_member(writer, "token", schedule.token);
  writer.key("target");
  write_target(writer, schedule.target);
  writer.end_object();
  return out;
}

Schedule decode_schedule(ScheduleAddress address, std::string_view bytes) {
  const json::Record record("schedule", bytes);
  Schedule schedule{.address = std::move(address)};
  schedule.created = record.time("created_us");
  schedule.modified = record.time("modified_us");
  schedule.expression = record.text("expression");
  schedule.time_zone = record.text("time_zone");
  schedule.start = record.find_time("start_us");
  schedule.end = record.find_time("end_us");
  schedule.description = record.find_text("description");
  schedule.enabled = record.boolean("enabled");
  schedule.window = std::chrono::minutes(record.integer("window_min"));
  schedule.delete_after = record.boolean("delete_after");
  schedule.token = record.find_text("token").value_or("");
  const json::Value* target = record.find("target");
  if (!target) record.damaged("target");
  schedule.target = read_target(json::Record::part("schedule", *target));
  return schedule;
}

Task<std::optional<Schedule>> find_schedule(store::Snapshot& reader, ScheduleAddress address) {
  const auto bytes = co_await reader.get(schedule_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_schedule(std::move(address), *bytes);
}

Task<Schedule> load_schedule(store::Snapshot& reader, ScheduleAddress address) {
  const std::string name = address.name;
  auto schedule = co_await find_schedule(reader, std::move(address));
  if (!schedule) throw no_schedule(name);
  co_return *std::move(schedule);
}

}  // namespace tidemill::scheduler
