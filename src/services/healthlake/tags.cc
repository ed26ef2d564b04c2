// TagResource, UntagResource and ListTagsForResource.
#include "services/healthlake/tags.h"

#include "services/healthlake/datastore.h"
#include "services/healthlake/errors.h"
#include "services/healthlake/operations.h"
#include "wire/arn.h"
#include "wire/tags.h"

namespace tidemill::healthlake {
namespace {

// The model has checked its form.
DatastoreAddress datastore_of(std::string_view text) {
  const auto arn = wire::parse_arn(text).value_or(wire::Arn{});
  return {std::string(arn.account), std::string(arn.region),
          std::string(arn.resource.substr(arn.resource.rfind('/') + 1))};
}

template <class Change>
Task<void> change_tags(Service& service, std::string_view arn, Change change) {
  const DatastoreAddress address = datastore_of(arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Datastore datastore = co_await load_datastore(txn, address);
    change(datastore);
    save_datastore(txn, datastore);
  });
}

wire::Error reserved_key() { return invalid(wire::kReservedTagKey); }

}  // namespace

json::TextMap with_tags(json::TextMap tags, const std::vector<shapes::Tag>& added) {
  if (std::ranges::any_of(added, wire::is_reserved_tag_key, &shapes::Tag::key)) throw reserved_key();
  if (!wire::add_tags(tags, added)) throw invalid("Duplicate tag keys are not allowed.");
  check_tags(tags);
  return tags;
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context&,
                                             const shapes::TagResourceInput& request) {
  co_await change_tags(service, request.resource_arn, [&](Datastore& datastore) {
    datastore.tags = with_tags(std::move(datastore.tags), request.tags);
  });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context&,
                                                 const shapes::UntagResourceInput& request) {
  co_await change_tags(service, request.resource_arn, [&](Datastore& datastore) {
    if (!wire::may_remove_tags(datastore.tags, request.tag_keys)) throw reserved_key();
    wire::erase_tags(datastore.tags, request.tag_keys);
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context&,
                                                               const shapes::ListTagsForResourceInput& request) {
  const auto snapshot = service.store().snapshot();
  const Datastore datastore = co_await load_datastore(*snapshot, datastore_of(request.resource_arn));
  co_return shapes::ListTagsForResourceOutput{.tags = wire::tag_list<shapes::Tag>(datastore.tags)};
}

}  // namespace tidemill::healthlake
