// Labels on functions, and on event source mappings (event_source_mapping_tags.h).
#include "services/lambda/errors.h"
#include "services/lambda/event_source_mapping_tags.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {
namespace {

FunctionReference tagged_function(const wire::Context& context, const std::string& arn) {
  if (!parse_function_arn(arn)) throw not_supported("tags of " + arn);
  FunctionReference reference = parse_function_name(context, arn);
  if (!reference.qualifier.empty()) {
    throw errors::invalid_parameter_value_exception(
        "Tags on function aliases and versions are not supported. Please specify a function ARN.");
  }
  return reference;
}

// Applies `change` to the tags of the function. Not a new revision: tags are not part of what runs.
template <class Change>
Task<void> change_tags(Service& service, FunctionReference reference, Change change) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    auto function = co_await load_function(txn, reference.address);
    if (!function) throw function_not_found(reference.arn());
    change(function->tags);
    txn.put(function_key(function->address), encode_function(*function));
  });
}

}  // namespace

Task<shapes::ListTagsOutput> list_tags(Service& service, wire::Context& context, const shapes::ListTagsInput& request) {
  if (is_mapping_arn(request.resource)) {
    co_return shapes::ListTagsOutput{.tags = co_await list_mapping_tags(context, request.resource)};
  }
  const FunctionReference reference = tagged_function(context, request.resource);
  const FunctionPtr function = co_await service.functions().find(reference.address);
  if (!function) throw function_not_found(reference.arn());
  shapes::ListTagsOutput out;
  out.tags = function->tags;
  co_return out;
}

Task<shapes::TagResourceOutput> tag_resource(Service& service, wire::Context& context,
                                             const shapes::TagResourceInput& request) {
  if (is_mapping_arn(request.resource)) {
    co_await tag_mapping(context, request.resource, request.tags);
    co_return shapes::TagResourceOutput{};
  }
  if (request.tags.empty()) {
    throw errors::invalid_parameter_value_exception("An error occurred and the request cannot be processed.");
  }
  co_await change_tags(service, tagged_function(context, request.resource), [&](Tags& tags) {
    add_tags(tags, request.tags);
  });
  co_return shapes::TagResourceOutput{};
}

Task<shapes::UntagResourceOutput> untag_resource(Service& service, wire::Context& context,
                                                 const shapes::UntagResourceInput& request) {
  if (is_mapping_arn(request.resource)) {
    co_await untag_mapping(context, request.resource, request.tag_keys);
    co_return shapes::UntagResourceOutput{};
  }
  co_await change_tags(service, tagged_function(context, request.resource), [&](Tags& tags) {
    remove_tags(tags, request.tag_keys);
  });
  co_return shapes::UntagResourceOutput{};
}

}  // namespace tidemill::lambda
