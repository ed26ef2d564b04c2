// TagResource, UntagResource and ListTagsForResource.
#include "services/pipes/tags.h"

#include "services/pipes/errors.h"
#include "services/pipes/operations.h"

namespace tidemill::pipes {
namespace {

constexpr size_t kTagsMax = 50;

PipeAddress pipe_of(std::string_view arn) {
  auto address = parse_pipe_arn(arn);
  if (!address) throw invalid("resourceArn", "The ARN is not that of a pipe.");
  return *std::move(address);
}

template <class Change>
Task<void> change_tags(Service& service, std::string_view arn, Change change) {
  const PipeAddress address = pipe_of(arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    FedPipe fed = co_await load_pipe(txn, address);
    auto& tags = fed.pipe.settings.tags;
    if (!tags) tags.emplace();
    change(*tags);
    if (tags->size() > kTagsMax) throw invalid("tags", "A pipe can have at most 50 tags.");
    if (tags->empty()) tags.reset();
    txn.put(pipe_key(address), encode_pipe(fed.pipe));
  });
}

}  // namespace

void check_tags(const wire::TagMap& tags) {
  for (const auto& [key, value] : tags) {
    if (wire::is_reserved_tag_key(key)) throw invalid("tags", wire::kReservedTagKey);
    if (wire::is_tag_text(key) && wire::is_tag_text(value)) continue;
    throw invalid("tags", "Tags can only include letters, digits, spaces, and _ . : / = + - @");
  }
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context&,
                                             const shapes::TagResourceInput& request) {
  check_tags(request.tags);
  co_await change_tags(service, request.resource_arn, [&](auto& tags) {
    for (const auto& [key, value] : request.tags) tags.insert_or_assign(key, value);
  });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context&,
                                                 const shapes::UntagResourceInput& request) {
  co_await change_tags(service, request.resource_arn, [&](auto& tags) {
    if (!wire::may_remove_tags(tags, request.tag_keys)) throw invalid("tagKeys", wire::kReservedTagKey);
    wire::erase_tags(tags, request.tag_keys);
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context&,
                                                               const shapes::ListTagsForResourceInput& request) {
  const FedPipe fed = co_await load_pipe(*service.store().snapshot(), pipe_of(request.resource_arn));
  co_return shapes::ListTagsForResourceOutput{
      .tags = fed.pipe.settings.tags.value_or(std::map<std::string, std::string>())};
}

}  // namespace tidemill::pipes
