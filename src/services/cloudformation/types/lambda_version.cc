// AWS::Lambda::Version. Lambda publishes nothing anew where nothing has changed since the last version: AWS refuses
// such a resource, since two would share one version.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/lambda_concurrency.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr Property kVersionProvisionedConcurrencyConfiguration[] = {
    {.name = "ProvisionedConcurrentExecutions", .kind = Kind::integer, .required = true},
};

constexpr Property kVersionProperties[] = {
    {.name = "FunctionName", .required = true, .update = Update::replaces},
    {.name = "CodeSha256", .update = Update::replaces},
    {.name = "Description", .update = Update::replaces},
    {.name = "FunctionScalingConfig", .kind = Kind::json, .refused = "there are no managed instances"},
    {.name = "ProvisionedConcurrencyConfig",
     .kind = Kind::object,
     .update = Update::replaces,
     .members = kVersionProvisionedConcurrencyConfiguration},
    {.name = "RuntimePolicy",
     .kind = Kind::json,
     .update = Update::replaces,
     .refused = "a function runs on what the host has installed"},
};

// The highest number that a version of the function has; 0: none.
Task<int64_t> last_version(Step& step, std::string function) {
  int64_t last = 0;
  std::string marker;
  do {
    json::Object request{{"FunctionName", function}};
    if (!marker.empty()) request.set("Marker", marker);
    const json::Value page = co_await step.call("lambda", "ListVersionsByFunction", std::move(request));
    for (const json::Value& one : list_of(page.object(), "Versions")) {
      const std::string version = text_of(one.object(), "Version");
      if (version != "$LATEST") last = std::max<int64_t>(last, std::stoll(version));
    }
    marker = text_of(page.object(), "NextMarker");
  } while (!marker.empty());
  co_return last;
}

// {the function's ARN without the version, the version}.
std::pair<std::string, std::string> split_version(const std::string& arn) {
  const size_t colon = arn.rfind(':');
  return {arn.substr(0, colon), arn.substr(colon + 1)};
}

Task<std::string> create_version(Step& step, const json::Object& properties) {
  const std::string function = text_of(properties, "FunctionName");
  const json::Value memory = step.memory();
  const json::Value* remembered = memory.find("LastVersion");
  const int64_t last = remembered ? remembered->to_int64().value_or(0) : co_await last_version(step, function);
  if (!remembered) co_await step.remember(json::Object{{"LastVersion", last}});
  const json::Value made =
      co_await step.call("lambda", "PublishVersion", take(properties, {"FunctionName", "CodeSha256", "Description"}));
  const std::string version = answered_text(made, "Version");
  if (std::stoll(version) <= last) {
    throw InvalidRequest(cat("A version for this Lambda function exists ( ", version,
                            " ). Modify the function to create a new version."));
  }
  const std::string arn = answered_text(made, "FunctionArn");
  co_await step.made(arn);
  co_await set_provisioned_concurrency(step, split_version(arn).first, version, {}, properties);
  co_return arn;
}

Task<void> remove_version(Step& step, std::string arn, const json::Object&) {
  const auto [function, version] = split_version(arn);
  co_await step.call_or_null("lambda", "DeleteFunction",
                             json::Object{{"FunctionName", function}, {"Qualifier", version}},
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_version(Step&, std::string arn, const json::Object&) {
  co_return json::Object{{"FunctionArn", arn}, {"Version", split_version(arn).second}};
}

}  // namespace

const ResourceType types::kLambdaVersion = {
    .name = "AWS::Lambda::Version",
    .properties = kVersionProperties,
    .create = create_version,
    .remove = remove_version,
    .attributes = describe_version,
};

}  // namespace tidemill::cloudformation
