// AWS::Events::ApiDestination.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kDestinationNameSizeMax = 64;
constexpr int kDestinationRateByDefault = 300;

constexpr Property kDestinationProperties[] = {
    {.name = "Name", .update = Update::replaces},
    {.name = "ConnectionArn", .required = true},
    {.name = "Description"},
    {.name = "HttpMethod", .required = true},
    {.name = "InvocationEndpoint", .required = true},
    {.name = "InvocationRateLimitPerSecond", .kind = Kind::integer},
};

Task<std::string> create_destination(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "Name", kDestinationNameSizeMax);
  if (properties.find("Name")) {
    co_await claim(step, name,
                   {"events", "DescribeApiDestination", json::Object{{"Name", name}}, {"ResourceNotFoundException"}});
  }
  json::Object request = properties;
  request.set("Name", name);
  co_await step.call_or_null("events", "CreateApiDestination", std::move(request), {"ResourceAlreadyExistsException"});
  co_return name;
}

Task<std::string> update_destination(Step& step, std::string name, const json::Object& before,
                                     const json::Object& after) {
  json::Object request = after;
  set_removed(request, before, {{"Description", ""}, {"InvocationRateLimitPerSecond", kDestinationRateByDefault}});
  request.set("Name", name);
  co_await step.call("events", "UpdateApiDestination", std::move(request));
  co_return name;
}

Task<void> remove_destination(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("events", "DeleteApiDestination", json::Object{{"Name", name}},
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_destination(Step& step, std::string name, const json::Object&) {
  const json::Value found = co_await step.call("events", "DescribeApiDestination", json::Object{{"Name", name}});
  json::Object result = take(found.object(), {{"ApiDestinationArn", "Arn"}});
  result.set("ArnForPolicy", step.arn("events", base::cat("api-destination/", name)));
  co_return result;
}

}  // namespace

const ResourceType types::kEventsApiDestination = {
    .name = "AWS::Events::ApiDestination",
    .properties = kDestinationProperties,
    .create = create_destination,
    .update = update_destination,
    .remove = remove_destination,
    .attributes = describe_destination,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
