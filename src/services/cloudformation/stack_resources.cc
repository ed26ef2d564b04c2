// DescribeStackResource, DescribeStackResources and ListStackResources.
#include "base/ordered.h"
#include "base/text.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/describing.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/paging.h"
#include "services/cloudformation/resource.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

constexpr size_t kResourcesPageMax = 100;

template <class Shape>
Shape describe_common(const Resource& resource) {
  Shape result;
  result.logical_resource_id = resource.logical_id;
  result.physical_resource_id = shown(resource.now.physical_id);
  result.resource_type = resource.type;
  result.resource_status = resource.status;
  result.resource_status_reason = shown(resource.reason);
  result.drift_information = shapes::StackResourceDriftInformation{.stack_resource_drift_status = std::string(kNotChecked)};
  return result;
}

shapes::StackResource describe_resource(const StackId& stack, const Resource& resource) {
  auto result = describe_common<shapes::StackResource>(resource);
  result.stack_name = stack.name;
  result.stack_id = stack.arn();
  result.timestamp = resource.changed;
  return result;
}

// The stack that a physical id belongs to. Throws ValidationError.
Task<Stack> stack_of_physical(store::Snapshot& reader, const wire::Context& context, const std::string& physical_id) {
  const store::Range range = physical_range(place_of(context), physical_id);
  std::vector<std::pair<std::string, std::string>> holders;
  co_await reader.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view) {
    base::OrderedReader parts(key.substr(range.begin.size()));
    std::string uuid = parts.string();
    holders.emplace_back(std::move(uuid), parts.string());
    return true;
  });
  std::string uuid;
  for (const auto& [of_stack, name] : holders) {
    const auto resource = co_await find_resource(reader, {place_of(context), "", of_stack}, name);
    if (!resource || resource->now.physical_id != physical_id) continue;  // it is still to be removed there
    uuid = of_stack;
    break;
  }
  auto stack = uuid.empty() ? std::nullopt : co_await load_stack(reader, place_of(context), uuid);
  if (!stack) throw errors::validation_error(cat("Stack for ", physical_id, " does not exist"));
  co_return *std::move(stack);
}

}  // namespace

Task<shapes::DescribeStackResourceOutput> describe_stack_resource(Service& service, wire::Context& context,
                                                                  const shapes::DescribeStackResourceInput& request) {
  const auto snapshot = service.store().snapshot();
  const Stack stack = co_await require_stack_in_quotes(*snapshot, context, request.stack_name);
  const auto resource = co_await find_resource(*snapshot, stack.id, request.logical_resource_id);
  if (!resource) {
    throw errors::validation_error(
        cat("Resource ", request.logical_resource_id, " does not exist for stack ", request.stack_name));
  }
  auto detail = describe_common<shapes::StackResourceDetail>(*resource);
  detail.stack_name = stack.id.name;
  detail.stack_id = stack.id.arn();
  detail.last_updated_timestamp = resource->changed;
  detail.metadata = shown(resource->metadata.empty() ? std::string("{}") : resource->metadata);
  shapes::DescribeStackResourceOutput out;
  out.stack_resource_detail = std::move(detail);
  co_return out;
}

Task<shapes::DescribeStackResourcesOutput> describe_stack_resources(
    Service& service, wire::Context& context, const shapes::DescribeStackResourcesInput& request) {
  if (request.stack_name.has_value() == request.physical_resource_id.has_value()) {
    throw errors::validation_error("You must specify either StackName or PhysicalResourceId, but not both.");
  }
  const auto snapshot = service.store().snapshot();
  const Stack stack = request.stack_name
                          ? co_await require_stack(*snapshot, context, *request.stack_name)
                          : co_await stack_of_physical(*snapshot, context, *request.physical_resource_id);
  shapes::DescribeStackResourcesOutput out;
  out.stack_resources.emplace();
  for (const auto& [name, resource] : co_await load_resources(*snapshot, stack.id)) {
    if (request.logical_resource_id && name != *request.logical_resource_id) continue;
    out.stack_resources->push_back(describe_resource(stack.id, resource));
  }
  co_return out;
}

Task<shapes::ListStackResourcesOutput> list_stack_resources(Service& service, wire::Context& context,
                                                            const shapes::ListStackResourcesInput& request) {
  const auto snapshot = service.store().snapshot();
  const Stack stack = co_await require_stack(*snapshot, context, request.stack_name);
  shapes::ListStackResourcesOutput out;
  out.stack_resource_summaries.emplace();
  out.next_token = co_await read_page_of(
      *snapshot, resources_range(stack.place(), stack.id.uuid), request.next_token, kResourcesPageMax,
      [&](std::string_view, std::string_view bytes) {
        const Resource resource = decode_resource(bytes);
        auto summary = describe_common<shapes::StackResourceSummary>(resource);
        summary.last_updated_timestamp = resource.changed;
        out.stack_resource_summaries->push_back(std::move(summary));
        return true;
      });
  co_return out;
}

}  // namespace tidemill::cloudformation
