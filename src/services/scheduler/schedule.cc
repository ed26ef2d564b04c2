#include "services/scheduler/schedule.h"

#include <stdexcept>

#include "base/json_members.h"
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

constexpr auto kScheduleMembers = [](auto& member, auto& schedule) {
  member("created_us", schedule.created);
  member("modified_us", schedule.modified);
  member("expression", schedule.expression);
  member("time_zone", schedule.time_zone);
  member("start_us", schedule.start);
  member("end_us", schedule.end);
  member("description", schedule.description);
  member("enabled", schedule.enabled);
  member("window_min", schedule.window);
  member("delete_after", schedule.delete_after);
  member.unless_empty("token", schedule.token);
  member.part("target", "schedule", schedule.target, kTargetMembers);
};

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

std::string encode_schedule(const Schedule& schedule) { return json::encode(schedule, kScheduleMembers); }

Schedule decode_schedule(ScheduleAddress address, std::string_view bytes) {
  return json::decode("schedule", bytes, kScheduleMembers, Schedule{.address = std::move(address)});
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
