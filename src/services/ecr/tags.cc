// TagResource, UntagResource and ListTagsForResource.
#include "services/ecr/tags.h"

#include <functional>

#include "base/text.h"
#include "services/ecr/operations.h"
#include "services/ecr/repository.h"
#include "wire/arn.h"
#include "wire/tags.h"

namespace tidemill::ecr {
namespace {

namespace errors = shapes::errors;

constexpr size_t kTagsMax = 50;
constexpr std::string_view kResource = "repository/";

Task<Repository> load_by_arn(store::Snapshot& reader, const wire::Context& context, std::string text) {
  const auto arn = wire::parse_arn_of("ecr", text);
  if (!arn || !arn->resource.starts_with(kResource) || arn->region != context.region) {
    throw errors::invalid_parameter_exception(
        "Invalid parameter at 'resourceArn' failed to satisfy constraint: 'Invalid ARN'");
  }
  co_return co_await load_repository(reader, context, std::string(arn->resource.substr(kResource.size())),
                                     std::string(arn->account));
}

Task<void> change(Service& service, const wire::Context& context, const std::string& arn,
                  std::function<void(json::TextMap&)> change_tags) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Repository repository = co_await load_by_arn(txn, context, arn);
    change_tags(repository.tags);
    save_repository(txn, repository);
  });
}

}  // namespace

json::TextMap with_tags(json::TextMap tags, const std::vector<shapes::Tag>& added) {
  for (const shapes::Tag& tag : added) {
    if (wire::is_reserved_tag_key(tag.key)) throw errors::invalid_tag_parameter_exception(wire::kReservedTagKey);
    tags.insert_or_assign(tag.key, tag.value);
  }
  if (tags.size() > kTagsMax) {
    throw errors::too_many_tags_exception(base::cat("A repository has at most ", kTagsMax, " tags."));
  }
  return tags;
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await change(service, context, request.resource_arn,
                  [&](json::TextMap& tags) { tags = with_tags(std::move(tags), request.tags); });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await change(service, context, request.resource_arn, [&](json::TextMap& tags) {
    wire::erase_tags(tags, request.tag_keys);
  });
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context& context,
                                                               const shapes::ListTagsForResourceInput& request) {
  const auto snapshot = service.store().snapshot();
  const Repository repository = co_await load_by_arn(*snapshot, context, request.resource_arn);
  co_return shapes::ListTagsForResourceOutput{.tags = wire::tag_list<shapes::Tag>(repository.tags)};
}

}  // namespace tidemill::ecr
