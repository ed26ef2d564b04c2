// Tags, by the group's name (the older operations) and by its ARN.
#include "services/logs/tags.h"

#include "base/text.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "wire/tags.h"

namespace tidemill::logs {
namespace {

wire::Error reserved_key(std::string_view key) {
  return errors::invalid_parameter_exception(base::cat("Tag key ", key, " begins with the reserved prefix aws:"));
}

Task<void> add_tags(Service& service, store::ResourceAddress address, const TagMap& tags) {
  co_await service.change_group(std::move(address), [&](store::Transaction&, LogGroup& group) -> Task<void> {
    group.tags = with_tags(std::move(group.tags), tags);
    co_return;
  });
}

Task<void> remove_tags(Service& service, store::ResourceAddress address, const std::vector<std::string>& keys) {
  co_await service.change_group(std::move(address), [&](store::Transaction&, LogGroup& group) -> Task<void> {
    for (const std::string& key : keys) {
      if (!wire::may_remove_tag(group.tags, key)) throw reserved_key(key);
    }
    wire::erase_tags(group.tags, keys);
    co_return;
  });
}

Task<TagMap> tags_of(Service& service, store::ResourceAddress address) {
  const auto snapshot = service.store().snapshot();
  const LogGroupPtr group = co_await service.groups().get(*snapshot, std::move(address));
  co_return group->tags;
}

}  // namespace

TagMap with_tags(TagMap tags, const TagMap& more) {
  for (const auto& [key, value] : more) {
    if (wire::is_reserved_tag_key(key)) throw reserved_key(key);
    if (!wire::is_tag_text(key) || !wire::is_tag_text(value)) {
      throw errors::invalid_parameter_exception(base::cat("Tag ", key, " has characters that tags cannot have"));
    }
    tags.insert_or_assign(key, value);
  }
  if (tags.size() > kTagsMax) {
    throw errors::too_many_tags_exception(base::cat("A log group can have at most ", kTagsMax, " tags"));
  }
  return tags;
}

Task<shapes::TagLogGroupOutput> tag_log_group(Service& service, wire::Context& context,
                                              const shapes::TagLogGroupInput& request) {
  co_await add_tags(service, group_called(context, request.log_group_name), request.tags);
  co_return shapes::TagLogGroupOutput{};
}

Task<shapes::UntagLogGroupOutput> untag_log_group(Service& service, wire::Context& context,
                                                  const shapes::UntagLogGroupInput& request) {
  co_await remove_tags(service, group_called(context, request.log_group_name), request.tags);
  co_return shapes::UntagLogGroupOutput{};
}

Task<shapes::ListTagsLogGroupOutput> list_tags_log_group(Service& service, wire::Context& context,
                                                         const shapes::ListTagsLogGroupInput& request) {
  co_return shapes::ListTagsLogGroupOutput{
      .tags = co_await tags_of(service, group_called(context, request.log_group_name))};
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  co_await add_tags(service, group_of_arn(context, request.resource_arn), request.tags);
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  co_await remove_tags(service, group_of_arn(context, request.resource_arn), request.tag_keys);
  co_return shapes::UntagResourceOutput{};
}

Task<shapes::ListTagsForResourceOutput> list_tags_for_resource(Service& service, wire::Context& context,
                                                               const shapes::ListTagsForResourceInput& request) {
  co_return shapes::ListTagsForResourceOutput{
      .tags = co_await tags_of(service, group_of_arn(context, request.resource_arn))};
}

}  // namespace tidemill::logs
