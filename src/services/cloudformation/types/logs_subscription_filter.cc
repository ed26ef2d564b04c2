// AWS::Logs::SubscriptionFilter.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kSubscriptionNameSizeMax = 512;

constexpr Property kSubscriptionProperties[] = {
    {.name = "ApplyOnTransformedLogs", .kind = Kind::boolean},
    {.name = "DestinationArn", .required = true},
    {.name = "Distribution"},
    {.name = "EmitSystemFields", .form = Form::list},
    {.name = "FieldSelectionCriteria"},
    {.name = "FilterName", .update = Update::replaces},
    {.name = "FilterPattern", .required = true},
    {.name = "LogGroupName", .required = true, .update = Update::replaces},
    {.name = "RoleArn"},
};

Task<bool> subscription_exists(Step& step, std::string group, std::string name) {
  const json::Value answer =
      co_await step.call("logs", "DescribeSubscriptionFilters",
                         json::Object{{"LogGroupName", group}, {"FilterNamePrefix", name}, {"Limit", 1}});
  for (const json::Value& filter : list_of(answer.object(), "SubscriptionFilters")) {
    if (text_of(filter.object(), "FilterName") == name) co_return true;
  }
  co_return false;
}

Task<void> put_subscription(Step& step, std::string name, const json::Object& properties) {
  json::Object request = properties;
  request.set("FilterName", name);
  co_await step.call("logs", "PutSubscriptionFilter", std::move(request));
}

Task<std::string> create_subscription(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "FilterName", kSubscriptionNameSizeMax);
  if (properties.find("FilterName") && !has_claimed(step)) {
    if (co_await subscription_exists(step, text_of(properties, "LogGroupName"), name)) refuse_existing(step, name);
    co_await remember_claim(step);
  }
  co_await put_subscription(step, name, properties);
  co_return name;
}

Task<std::string> update_subscription(Step& step, std::string name, const json::Object&, const json::Object& after) {
  co_await put_subscription(step, name, after);
  co_return name;
}

Task<void> remove_subscription(Step& step, std::string name, const json::Object& properties) {
  const json::Object key{{"LogGroupName", text_of(properties, "LogGroupName")}, {"FilterName", name}};
  co_await step.call_or_null("logs", "DeleteSubscriptionFilter", key, {"ResourceNotFoundException"});
}

}  // namespace

const ResourceType types::kLogsSubscriptionFilter = {
    .name = "AWS::Logs::SubscriptionFilter",
    .properties = kSubscriptionProperties,
    .create = create_subscription,
    .update = update_subscription,
    .remove = remove_subscription,
    .name_property = "FilterName",
};

}  // namespace tidemill::cloudformation
