#include "services/cloudformation/resource.h"

#include <algorithm>

#include "base/json_members.h"
#include "services/cloudformation/properties.h"

namespace tidemill::cloudformation {

namespace {

constexpr std::string_view kWhat = "resource of a stack";

constexpr auto kMadeMembers = [](auto& member, auto& made) {
  member.added("properties", made.properties);
  member.unless_empty("physical_id", made.physical_id);
  member("shown", made.shown);
  member.unless_empty("attributes", made.attributes);
  member.unless_empty("hides_attributes", made.hides_attributes);
  member.unless_empty("tags", made.tags);
  member.unless_empty("undone", made.undone);
  member.unless_empty("imported", made.imported);
  member("attempted", made.attempted);
  member("attempted_shown", made.attempted_shown);
};

constexpr auto kResourceMembers = [](auto& member, auto& resource) {
  member("logical_id", resource.logical_id);
  member("type", resource.type);
  member("status", resource.status);
  member("changed_us", resource.changed);
  member("operation", resource.operation);
  member.part("now", kWhat, resource.now, kMadeMembers);
  member.unless_empty("reason", resource.reason);
  member.part("before", kWhat, resource.before, kMadeMembers);
  member("attempted", resource.attempted);
  member("attempted_shown", resource.attempted_shown);
  member.unless_empty("replacing", resource.replacing);
  member.unless_empty("replaced_id", resource.replaced_id);
  member.unless_empty("undone", resource.undone);
  member.unless_empty("half_made", resource.half_made);
  member.unless_empty("gone", resource.gone);
  member.list_unless_empty("leftovers", kWhat, resource.leftovers, kMadeMembers);
  member.unless_empty("depends_on", resource.depends_on);
  member.unless_empty("deletion_policy", resource.deletion_policy);
  member.unless_empty("update_replace_policy", resource.update_replace_policy);
  member.unless_empty("metadata", resource.metadata);
  member.when(!resource.creation_policy.is_null(), "creation_policy", resource.creation_policy);
  member.unless_empty("imports", resource.imports);
  member.when(!resource.memory.is_null(), "memory", resource.memory);
  member.when(!resource.noted.is_null(), "noted", resource.noted);
};

}  // namespace

std::string encode_resource(const Resource& resource) { return json::encode(resource, kResourceMembers); }

Resource decode_resource(std::string_view bytes) { return json::decode<Resource>(kWhat, bytes, kResourceMembers); }

bool Resource::is_half_made() const {
  return half_made || status == "CREATE_FAILED" || status == "CREATE_IN_PROGRESS";
}

bool is_kept_by_policy(const Stack& stack, const Resource& resource, bool undoes_creation) {
  if (resource.is_half_made()) return false;
  if (undoes_creation && stack.retain_except_on_create) return false;
  return resource.deletion_policy == "Retain" ||
         (resource.deletion_policy == "RetainExceptOnCreate" && !undoes_creation);
}

std::vector<json::Object> what_may_stand(const Resource& resource, const Made& made) {
  const bool is_between = resource.attempted && !resource.replacing && made.physical_id == resource.now.physical_id;
  std::vector<const json::Object*> all{&made.properties};
  if (made.attempted) all.push_back(&*made.attempted);
  if (is_between) all.push_back(&*resource.attempted);
  if (is_between && resource.before && resource.before->physical_id == made.physical_id) {
    all.push_back(&resource.before->properties);
  }
  json::Object joined;
  for (const json::Object* each : all) joined = with_lists_of(std::move(joined), *each);
  std::vector<json::Object> result;
  for (const json::Object* each : all) {
    json::Object one = joined;
    for (const auto& [name, value] : *each) {
      if (!value.is_array()) one.set(name, value);
    }
    const auto is_same = [&](const json::Object& other) { return changed_properties(one, other).empty(); };
    if (std::ranges::none_of(result, is_same)) result.push_back(std::move(one));
  }
  return result;
}

namespace {

// What it has, and what it has still to remove.
std::set<std::string_view> physical_ids(const Resource& resource) {
  std::set<std::string_view> result{resource.now.physical_id};
  for (const Made& one : resource.leftovers) result.insert(one.physical_id);
  result.erase("");
  return result;
}

}  // namespace

void put_resource(store::Transaction& txn, const StackId& stack, const Resource& resource, const Resource* before) {
  const auto ids = physical_ids(resource);
  if (before) {
    for (const std::string_view id : physical_ids(*before)) {
      if (!ids.contains(id)) txn.erase(physical_key(stack.place, id, stack.uuid, resource.logical_id));
    }
  }
  for (const std::string_view id : ids) txn.put(physical_key(stack.place, id, stack.uuid, resource.logical_id), "");
  txn.put(resource_key(stack.place, stack.uuid, resource.logical_id), encode_resource(resource));
}

void erase_resource(store::Transaction& txn, const StackId& stack, const Resource& resource) {
  for (const std::string_view id : physical_ids(resource)) {
    txn.erase(physical_key(stack.place, id, stack.uuid, resource.logical_id));
  }
  txn.erase(resource_key(stack.place, stack.uuid, resource.logical_id));
}

Task<Resources> load_resources(store::Snapshot& reader, const StackId& stack) {
  Resources result;
  co_await reader.scan(resources_range(stack.place, stack.uuid), store::Direction::forward,
                       [&](std::string_view, std::string_view bytes) {
                         Resource resource = decode_resource(bytes);
                         result.emplace(resource.logical_id, std::move(resource));
                         return true;
                       });
  co_return result;
}

Task<std::optional<Resource>> find_resource(store::Snapshot& reader, const StackId& stack,
                                            std::string_view logical_id) {
  const auto bytes = co_await reader.get(resource_key(stack.place, stack.uuid, logical_id));
  if (!bytes) co_return std::nullopt;
  co_return decode_resource(*bytes);
}

}  // namespace tidemill::cloudformation
