// What a schedule is, and how it is kept: KeySpace::schedule, account, region, group, name, as JSON. When it runs next
// is a timer whose id is the schedule's key. So a million schedules that wait are a million entries of a queue, and
// cost nothing until they are due.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "lang/schedules/schedule.h"
#include "services/scheduler/target.h"
#include "services/scheduler/time_zones.h"
#include "store/store.h"

namespace tidemill::scheduler {

inline constexpr std::string_view kTimer = "schedule";
inline constexpr std::string_view kDefaultGroup = "default";
inline constexpr std::string_view kUtc = "UTC";

struct ScheduleAddress {
  std::string account;
  std::string region;
  std::string group;
  std::string name;

  [[nodiscard]] std::string arn() const;
};

struct Schedule {
  ScheduleAddress address;
  base::Time created;
  base::Time modified;
  std::string expression;
  std::string time_zone = std::string(kUtc);
  std::optional<base::Time> start;
  std::optional<base::Time> end;
  std::optional<std::string> description;
  bool enabled = true;
  std::chrono::minutes window{0};  // it may run so much later; 0: no flexible window
  bool delete_after = false;       // its last run
  Target target;
  std::string token;  // of the client that made it; empty: none
};

[[nodiscard]] std::string schedule_key(const ScheduleAddress& address);
[[nodiscard]] store::Range schedules_range(std::string_view account, std::string_view region);
[[nodiscard]] store::Range schedules_range(std::string_view account, std::string_view region, std::string_view group);
// Of a key of these.
[[nodiscard]] ScheduleAddress schedule_of_key(std::string_view key);

[[nodiscard]] std::string encode_schedule(const Schedule& schedule);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Schedule decode_schedule(ScheduleAddress address, std::string_view bytes);

// Nothing: there is none. The read is tracked if `reader` is a transaction.
Task<std::optional<Schedule>> find_schedule(store::Snapshot& reader, ScheduleAddress address);
// The same; throws ResourceNotFoundException.
Task<Schedule> load_schedule(store::Snapshot& reader, ScheduleAddress address);

}  // namespace tidemill::scheduler
