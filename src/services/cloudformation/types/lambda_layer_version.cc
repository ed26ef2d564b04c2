// AWS::Lambda::LayerVersion, and AWS::Lambda::LayerVersionPermission, a statement of its policy.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kLayerNameSizeMax = 140;
constexpr size_t kLayerStatementIdSizeMax = 100;

constexpr Property kLayerContent[] = {
    {.name = "S3Bucket", .required = true},
    {.name = "S3Key", .required = true},
    {.name = "S3ObjectStorageMode"},
    {.name = "S3ObjectVersion"},
};

constexpr Property kLayerProperties[] = {
    {.name = "LayerName", .update = Update::replaces},
    {.name = "CompatibleArchitectures", .form = Form::list, .update = Update::replaces},
    {.name = "CompatibleRuntimes", .form = Form::list, .update = Update::replaces},
    {.name = "Content", .kind = Kind::object, .required = true, .update = Update::replaces, .members = kLayerContent},
    {.name = "Description", .update = Update::replaces},
    {.name = "LicenseInfo", .update = Update::replaces},
};

constexpr Property kLayerPermissionProperties[] = {
    {.name = "LayerVersionArn", .required = true, .update = Update::replaces},
    {.name = "Action", .required = true, .update = Update::replaces},
    {.name = "OrganizationId", .update = Update::replaces},
    {.name = "Principal", .required = true, .update = Update::replaces},
};

// {LayerName, VersionNumber} of "arn:aws:lambda:R:A:layer:NAME:N".
json::Object layer_key(const std::string& arn) {
  const size_t colon = arn.rfind(':');
  const auto version = json::parse(std::string_view(arn).substr(colon + 1));
  if (!version || !version->is_number()) throw InvalidRequest(cat(arn, " is no version of a layer"));
  return json::Object{{"LayerName", arn.substr(0, colon)}, {"VersionNumber", *version}};
}

// The version that a try before this one has published; empty: none. Its description cannot tell, its number can.
Task<std::string> layer_behind(Step& step, std::string name, int64_t last) {
  const json::Value found = co_await step.call("lambda", "ListLayerVersions", json::Object{{"LayerName", name}});
  for (const json::Value& one : list_of(found.object(), "LayerVersions")) {
    if (answered(one, "Version").to_int64().value_or(0) > last) co_return text_of(one.object(), "LayerVersionArn");
  }
  co_return std::string();
}

Task<int64_t> last_layer_version(Step& step, std::string name) {
  const json::Value found = co_await step.call("lambda", "ListLayerVersions", json::Object{{"LayerName", name}});
  int64_t last = 0;
  for (const json::Value& one : list_of(found.object(), "LayerVersions")) {
    last = std::max(last, answered(one, "Version").to_int64().value_or(0));
  }
  co_return last;
}

Task<std::string> create_layer(Step& step, const json::Object& properties) {
  const std::string given = text_of(properties, "LayerName");
  const std::string name = given.empty() ? step.physical_name(kLayerNameSizeMax) : given;
  const json::Value memory = step.memory();
  if (const json::Value* last = memory.find("LastVersion")) {
    const std::string made = co_await layer_behind(step, name, last->to_int64().value_or(0));
    if (!made.empty()) co_return made;
  } else {
    co_await step.remember(json::Object{{"LastVersion", co_await last_layer_version(step, name)}});
  }
  json::Object request = properties;
  request.set("LayerName", name);
  const json::Value published = co_await step.call("lambda", "PublishLayerVersion", std::move(request));
  co_return answered_text(published, "LayerVersionArn");
}

Task<void> remove_layer(Step& step, std::string arn, const json::Object&) {
  co_await step.call_or_null("lambda", "DeleteLayerVersion", layer_key(arn), {"ResourceNotFoundException"});
}

Task<json::Object> describe_layer(Step&, std::string arn, const json::Object&) {
  co_return json::Object{{"LayerVersionArn", arn}};
}

// ---- Permissions: "LAYER-VERSION-ARN#STATEMENT" ----

Task<std::string> create_layer_permission(Step& step, const json::Object& properties) {
  const std::string layer = text_of(properties, "LayerVersionArn");
  const std::string statement = step.physical_name(kLayerStatementIdSizeMax);
  json::Object request = layer_key(layer);
  request.set("StatementId", statement);
  for (const std::string_view name : {"Action", "OrganizationId", "Principal"}) copy_member(request, properties, name);
  co_await step.call_or_null("lambda", "AddLayerVersionPermission", std::move(request), {"ResourceConflictException"});
  co_return cat(layer, '#', statement);
}

Task<void> remove_layer_permission(Step& step, std::string id, const json::Object&) {
  const size_t mark = id.rfind('#');
  json::Object request = layer_key(id.substr(0, mark));
  request.set("StatementId", id.substr(mark + 1));
  co_await step.call_or_null("lambda", "RemoveLayerVersionPermission", std::move(request),
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_layer_permission(Step&, std::string id, const json::Object&) {
  co_return json::Object{{"Id", id}};
}

}  // namespace

const ResourceType types::kLambdaLayerVersion = {
    .name = "AWS::Lambda::LayerVersion",
    .properties = kLayerProperties,
    .create = create_layer,
    .remove = remove_layer,
    .attributes = describe_layer,
};

const ResourceType types::kLambdaLayerVersionPermission = {
    .name = "AWS::Lambda::LayerVersionPermission",
    .properties = kLayerPermissionProperties,
    .create = create_layer_permission,
    .remove = remove_layer_permission,
    .attributes = describe_layer_permission,
};

}  // namespace tidemill::cloudformation
