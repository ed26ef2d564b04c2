#include "services/scheduler/group.h"

#include "base/text.h"
#include "services/scheduler/errors.h"
#include "services/scheduler/schedule.h"
#include "store/resources.h"

namespace tidemill::scheduler {

using base::cat;

namespace {

constexpr store::ResourceType kGroups{"scheduler", "group"};
constexpr size_t kTagsMax = 50;

}  // namespace

std::string GroupAddress::arn() const {
  return cat("arn:aws:scheduler:", region, ":", account, ":schedule-group/", name);
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

std::string encode_group(const Group& group) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "created_us", group.created);
  json::write_member(writer, "modified_us", group.modified);
  json::write_member(writer, "deleting", group.deleting);
  json::write_member(writer, "tags", group.tags);
  if (!group.token.empty()) json::write_member(writer, "token", group.token);
  writer.end_object();
  return out;
}

Group decode_group(GroupAddress address, std::string_view bytes) {
  const json::Record record("schedule group", bytes);
  return {.address = std::move(address),
          .created = record.time("created_us"),
          .modified = record.time("modified_us"),
          .deleting = record.boolean("deleting"),
          .tags = record.map("tags"),
          .token = record.find_text("token").value_or("")};
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
