// AWS::Serverless::Function: the function, its role, what is published of it, its URL and what calls it.
#include <array>

#include "base/text.h"
#include "lang/serverless/events.h"
#include "lang/serverless/resources.h"
#include "lang/serverless/role.h"

namespace tidemill::lang::serverless {
namespace {

using base::cat;

constexpr std::string_view kType = "AWS::Serverless::Function";
// That the function takes as they are.
constexpr auto kCopied = std::to_array<std::string_view>({"Architectures",    "CodeSigningConfigArn",
                                                          "Description",      "Environment",
                                                          "EphemeralStorage", "FileSystemConfigs",
                                                          "FunctionName",     "Handler",
                                                          "ImageConfig",      "KmsKeyArn",
                                                          "Layers",           "LoggingConfig",
                                                          "MemorySize",       "PackageType",
                                                          "RecursiveLoop",    "ReservedConcurrentExecutions",
                                                          "Runtime",          "RuntimeManagementConfig",
                                                          "SnapStart",        "Timeout",
                                                          "VpcConfig"});
constexpr auto kOwn = std::to_array<std::string_view>({"AssumeRolePolicyDocument",
                                                       "AutoPublishAlias",
                                                       "AutoPublishAliasAllProperties",
                                                       "AutoPublishCodeSha256",
                                                       "CodeUri",
                                                       "DeadLetterQueue",
                                                       "DeploymentPreference",
                                                       "EventInvokeConfig",
                                                       "Events",
                                                       "FunctionUrlConfig",
                                                       "ImageUri",
                                                       "InlineCode",
                                                       "PermissionsBoundary",
                                                       "Policies",
                                                       "PropagateTags",
                                                       "ProvisionedConcurrencyConfig",
                                                       "Role",
                                                       "RolePath",
                                                       "Tags",
                                                       "Tracing",
                                                       "VersionDeletionPolicy",
                                                       "VersionDescription"});
constexpr std::string_view kCreatedBy = "lambda:createdBy";

json::Object code_of(const Application& application, const Source& source) {
  const json::Value* inline_code = source.find("InlineCode");
  const json::Value* image = source.find("ImageUri");
  const json::Value* uri = source.find("CodeUri");
  if (inline_code != nullptr) return {{"ZipFile", *inline_code}};
  if (image != nullptr) return {{"ImageUri", *image}};
  if (uri == nullptr) throw ResourceError("One of 'InlineCode', 'CodeUri' and 'ImageUri' is required.");
  return location_of(application, *uri, "CodeUri", {"S3Bucket", "S3Key", "S3ObjectVersion"});
}

// The mode, as it is or in a map of the function's own property.
std::string tracing_mode(const Application& application, const Source& source) {
  const json::Value* given = source.find("Tracing");
  if (given == nullptr) return {};
  const std::string mode = text_of(application, *given, "Tracing");
  if (mode != "Active" && mode != "PassThrough" && mode != "Disabled") {
    throw ResourceError(cat("Invalid tracing mode provided: ", mode, "."));
  }
  return mode;
}

void add_dead_letters(json::Object& function, const Source& source, EventNeeds& needs) {
  const json::Value* given = source.find("DeadLetterQueue");
  if (given == nullptr) return;
  const json::Value* type = given->find("Type");
  const json::Value* arn = given->find("TargetArn");
  const bool is_known = type != nullptr && type->is_string() && (type->string() == "SQS" || type->string() == "SNS");
  if (!is_known || arn == nullptr)
    throw ResourceError("'DeadLetterQueue' requires Type and TargetArn properties to be specified.");
  function.set("DeadLetterConfig", json::Object{{"TargetArn", *arn}});
  needs.statements.push_back(allow(type->string() == "SQS" ? "sqs:SendMessage" : "sns:Publish", *arn));
}

// OnSuccess and OnFailure of EventInvokeConfig: where to, and what the role needs for that. What has no destination is
// made.
json::Value destination(Application& application, const Source& source, std::string_view which,
                        const json::Value& given, EventNeeds& needs) {
  const json::Value* type = given.find("Type");
  const json::Value* arn = given.find("Destination");
  const std::string kind = type != nullptr && type->is_string() ? type->string() : "";
  const std::string id = cat(source.id, "EventInvokeConfig", which, kind == "SQS" ? "Queue" : "Topic");
  json::Value to = arn == nullptr ? json::Value() : *arn;
  if (arn == nullptr && kind == "SQS") {
    application.add(source, id, "AWS::SQS::Queue", {});
    to = get_att(id, "Arn");
  } else if (arn == nullptr && kind == "SNS") {
    application.add(source, id, "AWS::SNS::Topic", {});
    to = ref_to(id);
  } else if (arn == nullptr) {
    throw ResourceError(cat("'", which, "' requires a Destination, or Type SQS or SNS."));
  }
  if (kind == "SQS") needs.statements.push_back(allow("sqs:SendMessage", to));
  if (kind == "SNS") needs.statements.push_back(allow("sns:publish", to));
  if (kind == "Lambda") needs.statements.push_back(allow("lambda:InvokeFunction", to));
  if (kind == "EventBridge") needs.statements.push_back(allow("events:PutEvents", to));
  return json::Object{{"Destination", std::move(to)}};
}

void add_invoke_config(Application& application, const Source& source, const std::string& alias, EventNeeds& needs) {
  static constexpr auto kLimits = std::to_array<std::string_view>({"MaximumEventAgeInSeconds", "MaximumRetryAttempts"});
  const json::Value* given = source.find("EventInvokeConfig");
  if (given == nullptr) return;
  if (!given->is_object()) throw ResourceError("Type of property 'EventInvokeConfig' is invalid.");
  json::Object config{{"FunctionName", ref_to(source.id)}, {"Qualifier", alias.empty() ? "$LATEST" : alias}};
  copy_members(config, given->object(), kLimits);
  if (const json::Value* destinations = given->find("DestinationConfig")) {
    json::Object out;
    for (const char* which : {"OnSuccess", "OnFailure"}) {
      const json::Value* each = destinations->find(which);
      if (each != nullptr) out.set(which, destination(application, source, which, *each, needs));
    }
    config.set("DestinationConfig", std::move(out));
  }
  application.add(source, source.id + "EventInvokeConfig", "AWS::Lambda::EventInvokeConfig", std::move(config));
  if (!alias.empty())
    application.set_attribute(source.id + "EventInvokeConfig", "DependsOn", json::Array{source.id + "Alias" + alias});
}

// What a new version is published for; functions in it as far as their values are known, so that another value of a
// parameter counts. Code alone stands for itself: it tells versions from one another where nothing else is set.
json::Value published_for(const Application& application, const Source& source, const json::Object& function) {
  if (is_true(application, source.find("AutoPublishAliasAllProperties"))) return application.as_far_as_known(function);
  static constexpr auto kBesideCode = std::to_array<std::string_view>({"Environment", "MemorySize", "SnapStart"});
  json::Object all{{"Code", *function.find("Code")}};
  copy_members(all, function, kBesideCode);
  const json::Value* snap_start = all.find("SnapStart");
  const json::Value* apply_on = snap_start == nullptr ? nullptr : snap_start->find("ApplyOn");
  const auto known = apply_on == nullptr ? std::nullopt : application.evaluate(*apply_on);
  if (apply_on == nullptr || (known && known->is_string() && known->string() == "None")) all.erase("SnapStart");
  return application.as_far_as_known(all.size() == 1 ? *all.find("Code") : json::Value(all));
}

// A version per code and configuration, and an alias that points to the newest.
void add_alias(Application& application, const Source& source, const std::string& alias, const json::Object& function) {
  const json::Value* sha = source.find("AutoPublishCodeSha256");
  const std::string hash = sha != nullptr ? text_of(application, *sha, "AutoPublishCodeSha256").substr(0, 10)
                                          : short_hash(published_for(application, source, function));
  const std::string version = source.id + "Version" + hash;
  json::Object properties{{"FunctionName", ref_to(source.id)}};
  set_if(properties, "Description", source.find("VersionDescription"));
  application.add(source, version, "AWS::Lambda::Version", std::move(properties));
  if (source.attributes.find("DeletionPolicy") == nullptr) {
    const json::Value* policy = source.find("VersionDeletionPolicy");
    application.set_attribute(version, "DeletionPolicy", policy == nullptr ? json::Value("Retain") : *policy);
  }
  json::Object pointer{
      {"Name", alias}, {"FunctionName", ref_to(source.id)}, {"FunctionVersion", get_att(version, "Version")}};
  set_if(pointer, "ProvisionedConcurrencyConfig", source.find("ProvisionedConcurrencyConfig"));
  const std::string id = source.id + "Alias" + alias;
  application.add(source, id, "AWS::Lambda::Alias", std::move(pointer));
  application.rename(source.id + ".Version", version);
  application.rename(source.id + ".Alias", id);
}

void add_url(Application& application, const Source& source, const std::string& alias) {
  static constexpr auto kUrl = std::to_array<std::string_view>({"AuthType", "Cors", "InvokeMode"});
  const json::Value* given = source.find("FunctionUrlConfig");
  if (given == nullptr) return;
  const json::Value* auth = given->find("AuthType");
  if (auth == nullptr) throw ResourceError("AuthType is required to configure function property `FunctionUrlConfig`.");
  check_known({.id = source.id, .properties = given->object()}, "FunctionUrlConfig", {kUrl});
  json::Object url{{"TargetFunctionArn", ref_to(source.id)}};
  copy_members(url, given->object(), kUrl);
  if (!alias.empty()) url.set("Qualifier", alias);
  const std::string id = source.id + "Url";
  application.add(source, id, "AWS::Lambda::Url", std::move(url));
  const std::string pointer = source.id + "Alias" + alias;
  if (!alias.empty()) application.set_attribute(id, "DependsOn", json::Array{pointer});
  if (text_of(application, *auth, "AuthType") != "NONE") return;
  const json::Value name = ref_to(alias.empty() ? source.id : pointer);
  application.add(source, id + "PublicPermissions", "AWS::Lambda::Permission",
                  {{"Action", "lambda:InvokeFunctionUrl"},
                   {"FunctionName", name},
                   {"Principal", "*"},
                   {"FunctionUrlAuthType", "NONE"}});
  application.add(source, source.id + "URLInvokeAllowPublicAccess", "AWS::Lambda::Permission",
                  {{"Action", "lambda:InvokeFunction"},
                   {"FunctionName", name},
                   {"Principal", "*"},
                   {"InvokedViaFunctionUrl", true}});
}

void refuse_deployments(const Application& application, const Source& source) {
  const json::Value* given = source.find("DeploymentPreference");
  if (given == nullptr) return;
  const json::Value* enabled = given->find("Enabled");
  if (enabled != nullptr && !is_true(application, enabled)) return;
  throw ResourceError("'DeploymentPreference' is not supported: there is no CodeDeploy here.");
}

RolePlan role_plan(const Source& source, const std::string& tracing, EventNeeds needs) {
  RolePlan plan{.id = source.id + "Role", .principal = "lambda"};
  plan.managed.emplace_back("service-role/AWSLambdaBasicExecutionRole");
  if (tracing == "Active") plan.managed.emplace_back("AWSXRayDaemonWriteAccess");
  if (source.find("VpcConfig") != nullptr) plan.managed.emplace_back("service-role/AWSLambdaVPCAccessExecutionRole");
  plan.managed.insert(plan.managed.end(), needs.managed.begin(), needs.managed.end());
  plan.statements = std::move(needs.statements);
  plan.tags = tag_list(source.find("Tags"), kCreatedBy);
  return plan;
}

}  // namespace

void make_function(Application& application, const Source& source) {
  check_known(source, kType, {kCopied, kOwn});
  refuse_deployments(application, source);
  const json::Value* alias_given = source.find("AutoPublishAlias");
  const std::string alias = alias_given == nullptr ? "" : text_of(application, *alias_given, "AutoPublishAlias");
  if (alias.empty() && source.find("ProvisionedConcurrencyConfig") != nullptr) {
    throw ResourceError("To set ProvisionedConcurrencyConfig AutoPublishALias must be defined on the function");
  }
  const std::string tracing = tracing_mode(application, source);
  json::Object function{{"Code", code_of(application, source)}};
  copy_members(function, source.properties, kCopied);
  function.set("Tags", tag_list(source.find("Tags"), kCreatedBy));
  if (!tracing.empty() && tracing != "Disabled") function.set("TracingConfig", json::Object{{"Mode", tracing}});

  const std::string pointer = alias.empty() ? source.id : source.id + "Alias" + alias;
  EventNeeds needs;
  add_dead_letters(function, source, needs);
  const json::Value* role = source.find("Role");
  function.set("Role", role == nullptr ? get_att(source.id + "Role", "Arn") : *role);
  application.add_main(source, source.id, "AWS::Lambda::Function", function);
  if (!alias.empty()) add_alias(application, source, alias, function);
  EventNeeds of_events = make_events(application, source,
                                     {.kind = Target::Kind::function,
                                      .id = source.id,
                                      .name = ref_to(pointer),
                                      .arn = alias.empty() ? get_att(source.id, "Arn") : ref_to(pointer)});
  needs.managed = std::move(of_events.managed);
  needs.statements.insert(needs.statements.end(), of_events.statements.begin(), of_events.statements.end());
  add_invoke_config(application, source, alias, needs);
  add_url(application, source, alias);
  if (role == nullptr) add_role(application, source, role_plan(source, tracing, std::move(needs)));
}

}  // namespace tidemill::lang::serverless
