// TagResource, UntagResource and ListTagsForResource.
#include "services/events/tags.h"

#include "services/events/bus.h"
#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/rule.h"
#include "wire/tags.h"

namespace tidemill::events {
namespace {

Task<json::TextMap> load_tags(store::Snapshot& reader, std::string arn) {
  if (const auto rule = parse_rule_arn(arn)) co_return (co_await load_rule(reader, *rule)).tags;
  if (const auto bus = parse_bus_arn(arn)) co_return (co_await load_bus(reader, *bus)).tags;
  throw invalid_parameter("ResourceARN", "Provided Arn is not in correct format.");
}

template <class Change>
Task<void> change_tags(store::Transaction& txn, std::string arn, base::Time now, Change change) {
  if (const auto address = parse_rule_arn(arn)) {
    Rule rule = co_await load_rule(txn, *address);
    rule.tags = change(std::move(rule.tags));
    txn.put(rule_key(*address), encode_rule(rule));
    co_return;
  }
  const auto address = parse_bus_arn(arn);
  if (!address) throw invalid_parameter("ResourceARN", "Provided Arn is not in correct format.");
  Bus bus = co_await load_bus(txn, *address);
  bus.tags = change(std::move(bus.tags));
  save_bus(txn, std::move(bus), now);
}

wire::Error reserved_key() { return invalid_parameter("Tags", wire::kReservedTagKey); }

}  // namespace

json::TextMap with_tags(json::TextMap tags, const std::vector<wire::events::Tag>& added) {
  for (const auto& tag : added) {
    if (wire::is_reserved_tag_key(tag.key)) throw reserved_key();
    if (!wire::is_tag_text(tag.key) || !wire::is_tag_text(tag.value)) {
      throw invalid_parameter("Tags", "Tags can only include letters, digits, spaces, and _ . : / = + - @");
    }
  }
  if (!wire::add_tags(tags, added)) throw invalid_parameter("Tags", "Duplicated keys are not allowed.");
  if (tags.size() > kTagsMax) throw limit_exceeded();
  return tags;
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) {
    return change_tags(txn, request.resource_arn, context.now(),
                       [&](json::TextMap tags) { return with_tags(std::move(tags), request.tags); });
  });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) {
    return change_tags(txn, request.resource_arn, context.now(), [&](json::TextMap tags) {
      if (!wire::may_remove_tags(tags, request.tag_keys)) throw reserved_key();
      wire::erase_tags(tags, request.tag_keys);
      return tags;
    });
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context&,
                                                               const shapes::ListTagsForResourceInput& request) {
  const auto snapshot = service.store().snapshot();
  const auto tags = co_await load_tags(*snapshot, request.resource_arn);
  co_return shapes::ListTagsForResourceOutput{.tags = wire::tag_list<shapes::Tag>(tags)};
}

}  // namespace tidemill::events
