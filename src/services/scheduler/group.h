// Groups of schedules: KeySpace::resource, (account, region, "scheduler", "group", name), as JSON. The group "default"
// is there without a record until somebody tags it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "store/store.h"

namespace tidemill::scheduler {

// The timer that erases the schedules of a group that is being deleted; its id is the group's key.
inline constexpr std::string_view kGroupTimer = "schedule-group";
// Schedules that one transaction of it erases.
inline constexpr size_t kErasedAtOnce = 200;

// A tag of a group that says what becomes of runs that fell due while the server was down: "run" (one of them, at the
// start; also without the tag) or "skip".
inline constexpr std::string_view kMissedTag = "tidemill:missed";
inline constexpr std::string_view kMissedRun = "run";
inline constexpr std::string_view kMissedSkip = "skip";

struct GroupAddress {
  std::string account;
  std::string region;
  std::string name;

  [[nodiscard]] std::string arn() const;
};

struct Group {
  GroupAddress address;
  base::Time created;
  base::Time modified;
  bool deleting = false;
  base::json::TextMap tags;
  std::string token;  // of the client that made it
  // What that client gave it, by which its request is known if it comes again; nothing: of an earlier version.
  std::optional<base::json::TextMap> tags_at_first;
};

// Of the group of the schedule of this ARN. It is what a schedule tells as aws:SourceArn when it acts under its role,
// as on AWS ("Confused deputy prevention" in the user guide).
[[nodiscard]] std::string group_arn_of_schedule(std::string_view schedule_arn);

[[nodiscard]] std::string group_key(const GroupAddress& address);
[[nodiscard]] store::Range groups_range(std::string_view account, std::string_view region);
[[nodiscard]] std::optional<GroupAddress> group_of_key(std::string_view key);

[[nodiscard]] std::string encode_group(const Group& group);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Group decode_group(GroupAddress address, std::string_view bytes);

Task<std::optional<Group>> find_group(store::Snapshot& reader, GroupAddress address);
// The same; throws ResourceNotFoundException.
Task<Group> load_group(store::Snapshot& reader, GroupAddress address);

// `tags` are those that will be the group's. Throws ValidationException.
void check_tags(const base::json::TextMap& tags);

}  // namespace tidemill::scheduler
