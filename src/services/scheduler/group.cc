#include "services/scheduler/group.h"

#include "base/json_members.h"
#include "base/text.h"
#include "services/scheduler/errors.h"
#include "services/scheduler/schedule.h"
#include "store/resources.h"
#include "wire/arn.h"

namespace tidemill::scheduler {

using base::cat;

namespace {

constexpr store::ResourceType kGroups{"scheduler", "group"};
constexpr size_t kTagsMax = 50;

constexpr auto kGroupMembers = [](auto& member, auto& group) {
  member("created_us", group.created);
  member("modified_us", group.modified);
  member("deleting", group.deleting);
  member("tags", group.tags);
  member.unless_empty("token", group.token);
  member("tags_at_first", group.tags_at_first);
};

}  // namespace

std::string GroupAddress::arn() const {
  return cat("arn:aws:scheduler:", region, ":", account, ":schedule-group/", name);
}

std::string group_arn_of_schedule(std::string_view schedule_arn) {
  const auto arn = wire::parse_arn(schedule_arn);
  if (!arn) return "";
  const std::string_view group_and_name = arn->resource.substr(arn->resource.find('/') + 1);  // of "schedule/g/s"
  return GroupAddress{std::string(arn->account), std::string(arn->region),
                      std::string(group_and_name.substr(0, group_and_name.find('/')))}
      .arn();
}

std::string group_key(const GroupAddress& address) {
  return store::resource_key(kGroups, address.account, address.region, address.name);
}

store::Range groups_range(std::string_view account, std::string_view region) {
  return store::resources_range(kGroups, account, region);
}

std::optional<GroupAddress> group_of_key(std::string_view key) {
  auto found = store::resource_of_key(kGroups, key);
  if (!found) return std::nullopt;
  return GroupAddress{std::move(found->account), std::move(found->region), std::move(found->name)};
}

std::string encode_group(const Group& group) { return json::encode(group, kGroupMembers); }

Group decode_group(GroupAddress address, std::string_view bytes) {
  return json::decode("schedule group", bytes, kGroupMembers, Group{.address = std::move(address)});
}

Task<std::optional<Group>> find_group(store::Snapshot& reader, GroupAddress address) {
  const auto bytes = co_await reader.get(group_key(address));
  if (bytes) co_return decode_group(std::move(address), *bytes);
  if (address.name == kDefaultGroup) co_return Group{.address = std::move(address)};
  co_return std::nullopt;
}

Task<Group> load_group(store::Snapshot& reader, GroupAddress address) {
  const std::string name = address.name;
  auto group = co_await find_group(reader, std::move(address));
  if (!group) throw no_group(name);
  co_return *std::move(group);
}

void check_tags(const json::TextMap& tags) {
  if (tags.size() > kTagsMax) throw invalid(cat("A schedule group has at most ", kTagsMax, " tags."));
  const auto missed = tags.find(std::string(kMissedTag));
  if (missed != tags.end() && missed->second != kMissedRun && missed->second != kMissedSkip) {
    throw invalid(cat("The tag ", kMissedTag, " must be ", kMissedRun, " or ", kMissedSkip, "."));
  }
}

}  // namespace tidemill::scheduler
