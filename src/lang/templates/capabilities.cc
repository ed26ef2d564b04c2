// What a template's resources ask the caller to acknowledge. User guide, "Acknowledging IAM resources".
#include <array>
#include <utility>

#include "lang/templates/contains.h"
#include "lang/templates/template.h"

namespace tidemill::lang::templates {
namespace {

// Types that grant something, and the property that names one; empty: a name is not the account's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kGranting = {{
    {"AWS::IAM::AccessKey", ""},
    {"AWS::IAM::Group", "GroupName"},
    {"AWS::IAM::InstanceProfile", "InstanceProfileName"},
    {"AWS::IAM::ManagedPolicy", "ManagedPolicyName"},
    {"AWS::IAM::Policy", ""},
    {"AWS::IAM::Role", "RoleName"},
    {"AWS::IAM::RolePolicy", ""},
    {"AWS::IAM::User", "UserName"},
    {"AWS::IAM::UserPolicy", ""},
    {"AWS::IAM::UserToGroupAddition", ""},
}};

}  // namespace

Capabilities required_capabilities(const Template& stack) {
  Capabilities required;
  bool is_named = false;
  for (const Resource& resource : stack.resources()) {
    for (const auto& [type, name] : kGranting) {
      if (resource.type != type) continue;
      if (!contains(required.resource_types, type)) required.resource_types.emplace_back(type);
      if (!name.empty() && resource.properties.find(name) != nullptr) is_named = true;
    }
  }
  if (!required.resource_types.empty())
    required.names.emplace_back(is_named ? "CAPABILITY_NAMED_IAM" : "CAPABILITY_IAM");
  return required;
}

}  // namespace tidemill::lang::templates
