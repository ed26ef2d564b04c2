#include "lang/serverless/globals.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "lang/serverless/serverless.h"

namespace tidemill::lang::serverless {
namespace {

// What may stand in a section for all resources of its type, as the documentation of SAM lists it.
constexpr auto kFunction = std::to_array<std::string_view>({"Handler",
                                                            "Runtime",
                                                            "CodeUri",
                                                            "DeadLetterQueue",
                                                            "Description",
                                                            "MemorySize",
                                                            "Timeout",
                                                            "VpcConfig",
                                                            "Environment",
                                                            "Tags",
                                                            "PropagateTags",
                                                            "Tracing",
                                                            "KmsKeyArn",
                                                            "AutoPublishAlias",
                                                            "AutoPublishAliasAllProperties",
                                                            "Layers",
                                                            "DeploymentPreference",
                                                            "RolePath",
                                                            "PermissionsBoundary",
                                                            "ReservedConcurrentExecutions",
                                                            "ProvisionedConcurrencyConfig",
                                                            "AssumeRolePolicyDocument",
                                                            "EventInvokeConfig",
                                                            "FileSystemConfigs",
                                                            "CodeSigningConfigArn",
                                                            "Architectures",
                                                            "SnapStart",
                                                            "EphemeralStorage",
                                                            "FunctionUrlConfig",
                                                            "RuntimeManagementConfig",
                                                            "LoggingConfig",
                                                            "RecursiveLoop",
                                                            "SourceKMSKeyArn",
                                                            "TenancyConfig",
                                                            "DurableConfig",
                                                            "CapacityProviderConfig",
                                                            "FunctionScalingConfig",
                                                            "PublishToLatestPublished",
                                                            "VersionDeletionPolicy"});
constexpr auto kLayerVersion = std::to_array<std::string_view>({"PublishLambdaVersion"});
constexpr auto kSimpleTable = std::to_array<std::string_view>({"SSESpecification"});
constexpr auto kStateMachine = std::to_array<std::string_view>({"PropagateTags"});

struct Section {
  std::string_view name;
  std::span<const std::string_view> properties;
};
constexpr auto kSections = std::to_array<Section>({
    {"Function", kFunction},
    {"LayerVersion", kLayerVersion},
    {"SimpleTable", kSimpleTable},
    {"StateMachine", kStateMachine},
});

bool is_function(const json::Value& value) {
  if (!value.is_object() || value.object().size() != 1) return false;
  const std::string& name = value.object().begin()->first;
  return name == "Ref" || name.starts_with("Fn::");
}

json::Value merged(const json::Value& global, const json::Value& local) {
  if (global.is_array() && local.is_array()) {
    json::Array list = global.array();
    list.insert(list.end(), local.array().begin(), local.array().end());
    return list;
  }
  if (!global.is_object() || !local.is_object() || is_function(global) || is_function(local)) return local;
  json::Object map = global.object();
  for (const auto& [name, value] : local.object()) {
    const json::Value* present = map.find(name);
    map.set(name, present == nullptr ? value : merged(*present, value));
  }
  return map;
}

}  // namespace

json::Object with_globals(const json::Value* globals, std::string_view type, const json::Object& properties) {
  const json::Value* section = globals == nullptr ? nullptr : globals->find(type.substr(type.rfind(':') + 1));
  if (section == nullptr || !section->is_object()) return properties;
  return merged(*section, properties).object();
}

void check_globals(const json::Value& globals) {
  const auto refuse = [](const std::string& why) {
    throw Error(
        "Invalid Serverless Application Specification document. Number of errors found: 1. 'Globals' section is "
        "invalid. " +
        why);
  };
  if (!globals.is_object()) refuse("It must be a non-empty dictionary");
  for (const auto& [name, section] : globals.object()) {
    const auto known = std::ranges::find(kSections, name, &Section::name);
    if (known == kSections.end()) refuse(base::cat("'", name, "' is not supported"));
    if (!section.is_object()) refuse(base::cat("Value of ", name, " must be a dictionary"));
    for (const auto& [property, value] : section.object()) {
      if (std::ranges::find(known->properties, property) == known->properties.end()) {
        refuse(base::cat("'", property, "' is not a supported property of '", name, "'"));
      }
    }
  }
}

}  // namespace tidemill::lang::serverless
