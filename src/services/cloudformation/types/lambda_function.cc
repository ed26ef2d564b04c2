// AWS::Lambda::Function. Code in the template itself becomes a package of one file (inline_code.h).
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/inline_code.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kFunctionNameSizeMax = 64;
// How long an update of a function may take to settle: more than any package needs to be unpacked.
constexpr std::chrono::minutes kFunctionSettlesMax{10};

constexpr Property kFunctionCode[] = {
    {.name = "ImageUri"},        {.name = "S3Bucket"},        {.name = "S3Key"},   {.name = "S3ObjectStorageMode"},
    {.name = "S3ObjectVersion"}, {.name = "SourceKMSKeyArn"}, {.name = "ZipFile"},
};

constexpr Property kFunctionDeadLetterConfig[] = {
    {.name = "TargetArn"},
};

constexpr Property kFunctionEnvironment[] = {
    {.name = "Variables", .form = Form::map},
};

constexpr Property kFunctionEphemeralStorage[] = {
    {.name = "Size", .kind = Kind::integer, .required = true},
};

constexpr Property kFunctionLoggingConfig[] = {
    {.name = "ApplicationLogLevel"},
    {.name = "LogFormat"},
    {.name = "LogGroup"},
    {.name = "SystemLogLevel"},
};

constexpr Property kFunctionSnapStart[] = {
    {.name = "ApplyOn", .required = true},
};

constexpr Property kFunctionTracingConfig[] = {
    {.name = "Mode"},
};

constexpr Property kFunctionVpcConfig[] = {
    {.name = "Ipv6AllowedForDualStack", .kind = Kind::boolean},
    {.name = "SecurityGroupIds", .form = Form::list},
    {.name = "SubnetIds", .form = Form::list},
};

constexpr Property kFunctionProperties[] = {
    {.name = "FunctionName", .update = Update::replaces},
    {.name = "Architectures", .form = Form::list},
    {.name = "CapacityProviderConfig", .kind = Kind::json},
    {.name = "Code", .kind = Kind::object, .required = true, .members = kFunctionCode, .write_only = true},
    {.name = "CodeSigningConfigArn"},
    {.name = "DeadLetterConfig", .kind = Kind::object, .members = kFunctionDeadLetterConfig},
    {.name = "Description"},
    {.name = "DurableConfig", .kind = Kind::json},
    {.name = "Environment", .kind = Kind::object, .members = kFunctionEnvironment},
    {.name = "EphemeralStorage", .kind = Kind::object, .members = kFunctionEphemeralStorage},
    {.name = "FileSystemConfigs", .kind = Kind::json},
    {.name = "FunctionScalingConfig", .kind = Kind::json, .refused = "there are no managed instances"},
    {.name = "Handler"},
    {.name = "ImageConfig", .kind = Kind::json},
    {.name = "KmsKeyArn"},
    {.name = "Layers", .form = Form::list},
    {.name = "LoggingConfig", .kind = Kind::object, .members = kFunctionLoggingConfig},
    {.name = "MemorySize", .kind = Kind::integer},
    {.name = "PackageType", .update = Update::replaces},
    {.name = "PublishToLatestPublished", .kind = Kind::boolean, .refused = "there are no managed instances"},
    {.name = "RecursiveLoop"},
    {.name = "ReservedConcurrentExecutions", .kind = Kind::integer},
    {.name = "Role", .required = true},
    {.name = "Runtime"},
    {.name = "RuntimeManagementConfig",
     .kind = Kind::json,
     .refused = "a function runs on what the host has installed"},
    {.name = "SnapStart", .kind = Kind::object, .members = kFunctionSnapStart},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "TenancyConfig", .kind = Kind::json, .update = Update::replaces},
    {.name = "Timeout", .kind = Kind::integer},
    {.name = "TracingConfig", .kind = Kind::object, .members = kFunctionTracingConfig},
    {.name = "VpcConfig", .kind = Kind::object, .members = kFunctionVpcConfig},
};

constexpr TagOperations kFunctionTags = {.service = "lambda",
                                         .tag = "TagResource",
                                         .untag = "UntagResource",
                                         .resource_member = "Resource",
                                         .form = TagForm::map};

json::Object function_settings(const json::Object& properties) {
  return take(properties, {"Role",
                           "Handler",
                           "Description",
                           "Timeout",
                           "MemorySize",
                           "VpcConfig",
                           "Environment",
                           "Runtime",
                           "DeadLetterConfig",
                           {"KmsKeyArn", "KMSKeyArn"},
                           "TracingConfig",
                           "Layers",
                           "FileSystemConfigs",
                           "ImageConfig",
                           "EphemeralStorage",
                           "SnapStart",
                           "LoggingConfig",
                           "CapacityProviderConfig",
                           "DurableConfig"});
}

json::Object function_code(const json::Object& properties) {
  json::Object code = object_of(properties, "Code");
  if (const std::string source = text_of(code, "ZipFile"); !source.empty()) {
    code.set("ZipFile", inline_package(text_of(properties, "Runtime"), source));
  }
  return code;
}

Task<bool> function_is_settled(Step& step, std::string name) {
  const json::Value found =
      co_await step.call("lambda", "GetFunctionConfiguration", json::Object{{"FunctionName", name}});
  const json::Value state = answered(found, "State"), update = answered(found, "LastUpdateStatus");
  if (update.is_string() && update.string() == "Failed") {
    throw InvalidRequest(text_or(found.object(), "LastUpdateStatusReason", "The function's update failed."));
  }
  if (state.is_string() && state.string() == "Failed") {
    throw InvalidRequest(text_or(found.object(), "StateReason", "The function's creation failed."));
  }
  const bool waits =
      (state.is_string() && state.string() == "Pending") || (update.is_string() && update.string() == "InProgress");
  co_return !waits;
}

Task<void> await_function(Step& step, std::string name) {
  if (!co_await step.wait_until([&] { return function_is_settled(step, name); }, kFunctionSettlesMax)) {
    throw InvalidRequest("The function did not become active in time.");
  }
}

// What has operations of its own.
Task<void> change_function_limits(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (!same_member(before, after, "ReservedConcurrentExecutions")) {
    const json::Value* reserved = after.find("ReservedConcurrentExecutions");
    json::Object request{{"FunctionName", name}};
    if (reserved) request.set("ReservedConcurrentExecutions", *reserved);
    co_await step.call("lambda", reserved ? "PutFunctionConcurrency" : "DeleteFunctionConcurrency", std::move(request));
  }
  if (!same_member(before, after, "RecursiveLoop")) {
    const std::string loop = text_or(after, "RecursiveLoop", "Terminate");
    co_await step.call("lambda", "PutFunctionRecursionConfig",
                       json::Object{{"FunctionName", name}, {"RecursiveLoop", loop}});
  }
}

Task<std::string> create_function(Step& step, const json::Object& properties) {
  std::string name = text_of(properties, "FunctionName");
  if (name.empty()) {
    name = step.physical_name(kFunctionNameSizeMax);
  } else {
    co_await claim(
        step, name,
        {"lambda", "GetFunctionConfiguration", json::Object{{"FunctionName", name}}, {"ResourceNotFoundException"}});
  }
  json::Object request = function_settings(properties);
  request.set("FunctionName", name);
  request.set("Code", function_code(properties));
  copy_member(request, properties, "PackageType");
  copy_member(request, properties, "Architectures");
  copy_member(request, properties, "CodeSigningConfigArn");
  copy_member(request, properties, "TenancyConfig");
  request.set("Tags", tag_map(step, properties));
  co_await step.call_or_null("lambda", "CreateFunction", std::move(request), {"ResourceConflictException"});
  co_await step.made(name);
  co_await await_function(step, name);
  co_await change_function_limits(step, name, {}, properties);
  co_return name;
}

Task<void> change_function_code(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  // Code in the template is a file that its runtime's language names.
  const bool is_inline = !text_of(object_of(after, "Code"), "ZipFile").empty();
  const bool other_file = is_inline && !same_member(before, after, "Runtime");
  if (!other_file && !differ(before, after, {"Code", "Architectures"})) co_return;
  json::Object request = function_code(after);
  request.set("FunctionName", name);
  const json::Value* architectures = after.find("Architectures");
  request.set("Architectures", architectures ? *architectures : json::Array{"x86_64"});
  co_await step.call("lambda", "UpdateFunctionCode", std::move(request));
  co_await await_function(step, name);
}

// UpdateFunctionConfiguration keeps the members that it is not told: with what each is without being said.
json::Object whole_logging(std::string_view function, const json::Object& settings) {
  json::Object logging = object_of(settings, "LoggingConfig");
  const auto fill = [&](std::string_view member, std::string_view standard) {
    if (!logging.find(member)) logging.set(std::string(member), std::string(standard));
  };
  fill("LogFormat", "Text");
  fill("LogGroup", base::cat("/aws/lambda/", function));
  if (text_of(logging, "LogFormat") != "JSON") return logging;  // text has no levels
  fill("ApplicationLogLevel", "INFO");
  fill("SystemLogLevel", "INFO");
  return logging;
}

Task<void> change_function_settings(Step& step, std::string name, const json::Object& before,
                                    const json::Object& after) {
  const json::Object old_settings = function_settings(before);
  json::Object request = function_settings(after);
  if (json::equal(old_settings, request)) co_return;
  set_removed(request, old_settings,
              {{"Description", ""},
               {"Timeout", 3},
               {"MemorySize", 128},
               {"VpcConfig", json::Object{{"SubnetIds", json::Array()}, {"SecurityGroupIds", json::Array()}}},
               {"Environment", json::Object{{"Variables", json::Object()}}},
               {"DeadLetterConfig", json::Object{{"TargetArn", ""}}},
               {"KMSKeyArn", ""},
               {"TracingConfig", json::Object{{"Mode", "PassThrough"}}},
               {"Layers", json::Array()},
               {"FileSystemConfigs", json::Array()},
               {"EphemeralStorage", json::Object{{"Size", 512}}},
               {"SnapStart", json::Object{{"ApplyOn", "None"}}}});
  // To UpdateFunctionConfiguration this would be one that changes nothing.
  if (const json::Value* environment = request.find("Environment"); environment && environment->object().empty()) {
    request.set("Environment", json::Object{{"Variables", json::Object()}});
  }
  if (!same_member(old_settings, request, "LoggingConfig")) request.set("LoggingConfig", whole_logging(name, request));
  request.set("FunctionName", name);
  co_await step.call("lambda", "UpdateFunctionConfiguration", std::move(request));
  co_await await_function(step, name);
}

Task<std::string> update_function(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (differ(before, after, {"CodeSigningConfigArn"})) {
    co_await step.call(
        "lambda", "PutFunctionCodeSigningConfig",
        json::Object{{"FunctionName", name}, {"CodeSigningConfigArn", text_of(after, "CodeSigningConfigArn")}});
  }
  co_await change_function_code(step, name, before, after);
  co_await change_function_settings(step, name, before, after);
  co_await change_function_limits(step, name, before, after);
  co_await change_tags(step, kFunctionTags, step.arn("lambda", "function:" + name), before, after);
  co_return name;
}

Task<void> remove_function(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("lambda", "DeleteFunction", json::Object{{"FunctionName", name}},
                             {"ResourceNotFoundException"});
}

Task<json::Object> describe_function(Step& step, std::string name, const json::Object&) {
  const json::Value found =
      co_await step.call("lambda", "GetFunctionConfiguration", json::Object{{"FunctionName", name}});
  const json::Object snap_start = object_of(found.object(), "SnapStart");
  const std::string apply_on = text_or(snap_start, "ApplyOn", "None");
  const std::string status = text_or(snap_start, "OptimizationStatus", "Off");
  co_return json::Object{
      {"Arn", step.arn("lambda", "function:" + name)},
      {"SnapStartResponse", json::Object{{"ApplyOn", apply_on}, {"OptimizationStatus", status}}},
      {"SnapStartResponse.ApplyOn", apply_on},
      {"SnapStartResponse.OptimizationStatus", status},
  };
}

// Without its code, which nobody can read as it was given.
Task<json::Object> read_function(Step& step, std::string name) {
  const json::Object key{{"FunctionName", name}};
  const json::Value found = co_await step.call("lambda", "GetFunction", key);
  const json::Object configuration = object_of(found.object(), "Configuration");
  json::Object result = take(configuration, {"FunctionName", "Runtime", "Role", "Handler", "Timeout", "MemorySize",
                                             "PackageType", "Architectures", "EphemeralStorage", "TracingConfig",
                                             "LoggingConfig"});
  for (const auto& [member, property] : {std::pair("Description", "Description"), std::pair("KMSKeyArn", "KmsKeyArn")}) {
    if (const std::string text = text_of(configuration, member); !text.empty()) result.set(property, text);
  }
  const json::Object variables = take(object_of(configuration, "Environment"), {"Variables"});
  if (!variables.empty()) result.set("Environment", variables);
  const json::Object dead_letters = object_of(configuration, "DeadLetterConfig");
  if (!text_of(dead_letters, "TargetArn").empty()) result.set("DeadLetterConfig", take(dead_letters, {"TargetArn"}));
  const json::Object network =
      take(object_of(configuration, "VpcConfig"), {"Ipv6AllowedForDualStack", "SecurityGroupIds", "SubnetIds"});
  if (!list_of(network, "SubnetIds").empty()) result.set("VpcConfig", network);
  if (!list_of(configuration, "FileSystemConfigs").empty()) copy_member(result, configuration, "FileSystemConfigs");
  json::Array layers;
  for (const json::Value& layer : list_of(configuration, "Layers")) layers.push_back(answered(layer, "Arn"));
  if (!layers.empty()) result.set("Layers", std::move(layers));
  copy_member(result, object_of(found.object(), "Concurrency"), "ReservedConcurrentExecutions");
  const json::Value recursion = co_await step.call("lambda", "GetFunctionRecursionConfig", key);
  copy_member(result, recursion.object(), "RecursiveLoop");
  set_tags(result, found.find("Tags"));
  co_return result;
}

Task<std::vector<std::string>> list_functions(Step& step) {
  return list_all(step, "lambda", "ListFunctions", "Functions", "FunctionName", {}, {"NextMarker", "Marker"});
}

}  // namespace

const ResourceType types::kLambdaFunction = {
    .name = "AWS::Lambda::Function",
    .properties = kFunctionProperties,
    .create = create_function,
    .update = update_function,
    .remove = remove_function,
    .attributes = describe_function,
    .read = read_function,
    .list = list_functions,
    .name_property = "FunctionName",
};

}  // namespace tidemill::cloudformation
