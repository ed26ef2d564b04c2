// The Resources section.
#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "lang/templates/contains.h"
#include "lang/templates/sections.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

constexpr std::array<std::string_view, 9> kAttributes = {
    "Type",           "Properties",     "DependsOn",    "Condition",           "Metadata",
    "DeletionPolicy", "CreationPolicy", "UpdatePolicy", "UpdateReplacePolicy",
};
constexpr std::array<std::string_view, 4> kDeletionPolicies = {"Delete", "Retain", "Snapshot", "RetainExceptOnCreate"};
constexpr std::array<std::string_view, 3> kReplacePolicies = {"Delete", "Retain", "Snapshot"};

std::vector<std::string> read_depends_on(const json::Value& resource) {
  const json::Value* given = resource.find("DependsOn");
  if (given == nullptr) return {};
  if (given->is_string()) return {given->string()};
  constexpr const char* kWanted = "DependsOn must be a string or list of strings.";
  if (!given->is_array()) refuse_format(kWanted);
  std::vector<std::string> names;
  for (const json::Value& name : given->array()) {
    if (!name.is_string()) refuse_format(kWanted);
    names.push_back(name.string());
  }
  return names;
}

std::string read_policy(const std::string& resource, const json::Value& value, std::string_view name,
                        std::span<const std::string_view> allowed) {
  std::string policy = text_member(value, name);
  if (value.find(name) != nullptr && !contains(allowed, policy)) {
    refuse_format(cat("Unrecognized ", name, " ", policy, " for resource ", resource));
  }
  return policy;
}

json::Value object_member(const std::string& resource, const json::Value& value, std::string_view name) {
  const json::Value* given = value.find(name);
  if (given == nullptr) return {};
  if (!given->is_object()) refuse_format(cat("[/Resources/", resource, "/", name, "] ", name, " must be an object."));
  return *given;
}

Resource read_resource(const std::string& name, const json::Value& value) {
  for (const auto& [key, member] : value.object()) {
    if (!contains(kAttributes, key)) throw TemplateError(cat("Invalid template resource property '", key, "'"));
  }
  Resource resource{.name = name, .type = text_member(value, "Type")};
  if (resource.type.empty())
    refuse_format(cat("[/Resources/", name, "] Every Resources object must contain a Type member."));
  if (json::Value properties = object_member(name, value, "Properties"); !properties.is_null()) {
    resource.properties = std::move(properties.object());
  }
  resource.depends_on = read_depends_on(value);
  if (value.find("Condition") != nullptr) resource.condition = text_member(value, "Condition");
  resource.deletion_policy = read_policy(name, value, "DeletionPolicy", kDeletionPolicies);
  resource.update_replace_policy = read_policy(name, value, "UpdateReplacePolicy", kReplacePolicies);
  resource.creation_policy = object_member(name, value, "CreationPolicy");
  resource.update_policy = object_member(name, value, "UpdatePolicy");
  resource.metadata = object_member(name, value, "Metadata");
  return resource;
}

}  // namespace

std::vector<Resource> read_resources(const json::Object& section) {
  if (section.empty()) refuse_format("At least one Resources member must be defined.");
  check_count("resources", section.size(), kResourcesMax);
  std::vector<Resource> resources;
  for (const auto& [name, value] : section) {
    if (!value.is_object()) refuse_format("Any Resources member must be an object.");
    if (!is_alphanumeric(name)) refuse_format(cat("Resource name ", name, " is non alphanumeric."));
    resources.push_back(read_resource(name, value));
  }
  return resources;
}

}  // namespace tidemill::lang::templates
