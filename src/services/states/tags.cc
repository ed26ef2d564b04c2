// TagResource, UntagResource and ListTagsForResource.
#include "services/states/tags.h"

#include "base/text.h"
#include "services/states/activity.h"
#include "services/states/errors.h"
#include "services/states/machine.h"
#include "services/states/operations.h"
#include "wire/tags.h"

namespace tidemill::states {
namespace {

using base::cat;

bool is_activity(std::string_view arn) { return arn.contains(":activity:"); }

wire::Error no_resource(std::string_view arn) {
  return errors::resource_not_found(cat("Resource not found: '", arn, "'"), {.resource_name = std::string(arn)});
}

// Of the machine or the activity, with its record's key. `change` may be null: it only reads.
template <class Change>
Task<json::TextMap> change_tags(store::Transaction& txn, std::string arn, Change change) {
  try {
    if (is_activity(arn)) {
      const ActivityRef ref = parse_activity_arn(arn);
      Activity activity = co_await load_activity(txn, ref);
      if (change(activity.tags)) txn.put(activity_key(ref), encode_activity(activity));
      co_return activity.tags;
    }
    const MachineRef ref = parse_machine_arn(arn);
    if (!ref.qualifier.empty()) throw invalid_arn(arn);
    StateMachine machine = co_await load_machine(txn, ref);
    if (change(machine.tags)) txn.put(machine_key(ref), encode_machine(machine));
    co_return machine.tags;
  } catch (const wire::Error& error) {
    if (error.code.ends_with("DoesNotExist")) throw no_resource(arn);
    throw;
  }
}

wire::Error reserved_key() { return errors::validation_exception(wire::kReservedTagKey); }

}  // namespace

json::TextMap with_tags(json::TextMap tags, const std::vector<wire::states::Tag>& added) {
  for (const auto& tag : added) {
    if (!tag.key) continue;
    const std::string value = tag.value.value_or("");
    if (wire::is_reserved_tag_key(*tag.key)) throw reserved_key();
    if (!wire::is_tag_text(*tag.key) || !wire::is_tag_text(value)) {
      throw errors::validation_exception(
          "Tags may only contain letters, digits, white space, and _ . : / = + - @");
    }
    tags.insert_or_assign(*tag.key, value);
  }
  if (tags.size() > kTagsMax) throw errors::too_many_tags(cat("A resource has at most ", kTagsMax, " tags."));
  return tags;
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context&,
                                             const shapes::TagResourceInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    (void)co_await change_tags(txn, request.resource_arn, [&](json::TextMap& tags) {
      tags = with_tags(std::move(tags), request.tags);
      return true;
    });
  });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context&,
                                                 const shapes::UntagResourceInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    (void)co_await change_tags(txn, request.resource_arn, [&](json::TextMap& tags) {
      if (!wire::may_remove_tags(tags, request.tag_keys)) throw reserved_key();
      wire::erase_tags(tags, request.tag_keys);
      return true;
    });
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context&,
                                                               const shapes::ListTagsForResourceInput& request) {
  const auto tags = co_await service.store().transact([&](store::Transaction& txn) -> Task<json::TextMap> {
    co_return co_await change_tags(txn, request.resource_arn, [](json::TextMap&) { return false; });
  });
  co_return shapes::ListTagsForResourceOutput{.tags = wire::tag_list<shapes::Tag>(tags)};
}

}  // namespace tidemill::states
