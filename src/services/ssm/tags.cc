// AddTagsToResource, RemoveTagsFromResource and ListTagsForResource.
#include "services/ssm/tags.h"

#include <functional>

#include "base/text.h"
#include "services/ssm/operations.h"
#include "services/ssm/parameter.h"
#include "wire/tags.h"

namespace tidemill::ssm {
namespace {

namespace errors = shapes::errors;

constexpr size_t kTagsMax = 50;

template <class Request>
ParameterAddress address_of(const wire::Context& context, const Request& request) {
  if (request.resource_type != shapes::ResourceType::kParameter) {
    throw errors::invalid_resource_type(
        base::cat("Tidemill does not support tags of the resource type ", request.resource_type));
  }
  return parse_reference(context, request.resource_id).address;
}

Task<Parameter> load(store::Snapshot& reader, const ParameterAddress& address) {
  auto found = co_await find_parameter(reader, address);
  if (!found) throw errors::invalid_resource_id("");
  co_return *std::move(found);
}

Task<void> change(Service& service, ParameterAddress address, std::function<void(json::TextMap&)> change_tags) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Parameter parameter = co_await load(txn, address);
    change_tags(parameter.tags);
    txn.put(parameter_key(address), encode_parameter(parameter));
  });
}

wire::Error reserved_key() { return errors::validation_exception(wire::kReservedTagKey); }

}  // namespace

json::TextMap with_tags(json::TextMap tags, const std::vector<shapes::Tag>& added) {
  if (std::ranges::any_of(added, wire::is_reserved_tag_key, &shapes::Tag::key)) throw reserved_key();
  if (!wire::add_tags(tags, added)) throw errors::validation_exception("Duplicated tag keys are not allowed.");
  if (tags.size() > kTagsMax) throw errors::too_many_tags_error("");
  return tags;
}

Task<shapes::AddTagsToResourceOutput> add_tags_to_resource(Service& service, wire::Context& context,
                                                           const shapes::AddTagsToResourceInput& request) {
  co_await change(service, address_of(context, request),
                  [&](json::TextMap& tags) { tags = with_tags(std::move(tags), request.tags); });
  co_return shapes::AddTagsToResourceOutput{};
}

Task<shapes::RemoveTagsFromResourceOutput> remove_tags_from_resource(
    Service& service, wire::Context& context, const shapes::RemoveTagsFromResourceInput& request) {
  co_await change(service, address_of(context, request), [&](json::TextMap& tags) {
    if (!wire::may_remove_tags(tags, request.tag_keys)) throw reserved_key();
    wire::erase_tags(tags, request.tag_keys);
  });
  co_return shapes::RemoveTagsFromResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context& context,
                                                               const shapes::ListTagsForResourceInput& request) {
  const auto snapshot = service.store().snapshot();
  const Parameter parameter = co_await load(*snapshot, address_of(context, request));
  co_return shapes::ListTagsForResourceOutput{.tag_list = wire::tag_list<shapes::Tag>(parameter.tags)};
}

}  // namespace tidemill::ssm
