#include "services/iam/simulated_request.h"

#include <algorithm>
#include <array>
#include <compare>

#include "base/text.h"
#include "lang/policies/condition_values.h"
#include "services/iam/errors.h"
#include "wire/arn.h"

namespace tidemill::iam {

namespace {

using base::cat;
using lang::policies::PrincipalKind;

constexpr size_t kAccountDigits = 12;

[[noreturn]] void refuse(std::string what) { throw errors::invalid_input_exception(std::move(what)); }

void check_action(const std::string& action) {
  const size_t colon = action.find(':');
  const bool is_name = colon != std::string::npos && colon > 0 && colon + 1 < action.size() &&
                       action.find(':', colon + 1) == std::string::npos &&
                       action.find_first_of("*? ") == std::string::npos;
  if (!is_name)
    refuse(cat("Invalid Action: ", action, ". Actions are written as service:Operation, without wildcards."));
}

void check_resource(const std::string& resource) {
  if (resource != "*" && !wire::parse_arn(resource)) {
    refuse(cat("Invalid Resource: ", resource, " must be in ARN format or \"*\"."));
  }
}

// Of "arn:aws:iam::111111111111:root", or the number itself.
std::string account_of(const std::string& owner) {
  std::string_view account = owner;
  if (const auto arn = wire::parse_arn_of("iam", owner)) account = arn->resource == "root" ? arn->account : "";
  const bool is_number =
      account.size() == kAccountDigits && account.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) refuse(cat("Invalid ResourceOwner: ", owner, " is not the ARN of an account."));
  return std::string(account);
}

// What its values must be, by ContextKeyType without "List".
bool is_of_type(std::string_view type, const std::string& value) {
  if (type == "numeric") return lang::policies::compare_numbers(value, value) == std::partial_ordering::equivalent;
  if (type == "date") return lang::policies::compare_dates(value, value) == std::partial_ordering::equivalent;
  if (type == "ip") return lang::policies::is_in_block(value, value);
  if (type == "binary") return lang::policies::is_same_binary(value, value);
  if (type == "boolean") {
    const std::string lowered = lang::policies::lower_case(value);
    return lowered == "true" || lowered == "false";
  }
  return true;
}

void add_entry(const wire::iam::ContextEntry& entry, lang::policies::Facts& facts) {
  constexpr std::string_view kList = "List";
  if (!entry.context_key_name) refuse("A context entry has no ContextKeyName.");
  const std::string& name = *entry.context_key_name;
  const auto values = entry.context_key_values.value_or(std::vector<std::string>());
  std::string_view type = entry.context_key_type ? std::string_view(*entry.context_key_type) : "stringList";
  const bool is_list = type.ends_with(kList);
  if (is_list) type.remove_suffix(kList.size());
  if (!is_list && values.size() != 1) refuse(cat("The context key ", name, " of type ", type, " must have one value."));
  for (const std::string& value : values) {
    if (!is_of_type(type, value)) refuse(cat("The value ", value, " of the context key ", name, " is no ", type, "."));
  }
  facts.set(name, values);
}

// What an EC2 scenario needs beside an instance, its image, a security group and a network interface.
struct Scenario {
  std::string_view name;
  bool has_subnet = false;
  bool has_volume = false;
};
constexpr std::array kScenarios{
    Scenario{"EC2-VPC-InstanceStore"},
    Scenario{.name = "EC2-VPC-InstanceStore-Subnet", .has_subnet = true},
    Scenario{.name = "EC2-VPC-EBS", .has_volume = true},
    Scenario{.name = "EC2-VPC-EBS-Subnet", .has_subnet = true, .has_volume = true},
};

void check_scenario(const std::string& name, const std::vector<std::string>& resources) {
  const auto* const scenario = std::ranges::find(kScenarios, name, &Scenario::name);
  if (scenario == kScenarios.end()) refuse(cat("Invalid ResourceHandlingOption: ", name));
  std::vector<std::string_view> kinds{"instance", "image", "security-group", "network-interface"};
  if (scenario->has_subnet) kinds.emplace_back("subnet");
  if (scenario->has_volume) kinds.emplace_back("volume");
  for (const std::string_view kind : kinds) {
    const bool is_there = std::ranges::any_of(resources, [&](const std::string& resource) {
      const auto arn = wire::parse_arn_of("ec2", resource);
      return arn && arn->resource.starts_with(cat(kind, "/"));
    });
    if (!is_there) refuse(cat("The scenario ", name, " needs a resource of type ", kind, "."));
  }
}

void be_caller(const std::string& caller_arn, Simulation::Setting& setting) {
  const auto arn = wire::parse_arn_of("iam", caller_arn);
  if (!arn || !arn->resource.starts_with("user/") || arn->account.empty()) {
    refuse(cat("Invalid CallerArn: ", caller_arn, " is not the ARN of a user."));
  }
  if (setting.caller.kind == PrincipalKind::user && setting.caller.arn == caller_arn) return;
  setting.caller = {.kind = PrincipalKind::user, .account = std::string(arn->account), .arn = caller_arn};
  setting.facts = {};
  tell_caller(setting);
}

}  // namespace

void tell_caller(Simulation::Setting& setting) {
  const auto& caller = setting.caller;
  const bool is_user = caller.kind == PrincipalKind::user;
  setting.facts.set("aws:PrincipalArn", caller.arn);
  setting.facts.set("aws:PrincipalAccount", caller.account);
  setting.facts.set("aws:PrincipalType", is_user ? "User" : "AssumedRole");
  if (!is_user) return;
  setting.facts.set("aws:username", caller.arn.substr(caller.arn.rfind('/') + 1));
  if (!caller.id.empty()) setting.facts.set("aws:userid", caller.id);
}

void apply_request(const SimulatedRequest& request, Simulation::Setting& setting) {
  std::ranges::for_each(request.action_names, check_action);
  const auto resources = request.resource_arns.value_or(std::vector<std::string>());
  std::ranges::for_each(resources, check_resource);
  if (request.resource_handling_option) check_scenario(*request.resource_handling_option, resources);
  if (request.boundaries && !request.boundaries->empty()) {
    if (request.boundaries->size() > 1) refuse("Only one permissions boundary can be simulated.");
    setting.boundary = simulated(*request.boundaries, "PermissionsBoundaryPolicyInputList");
  }
  if (request.caller_arn) be_caller(*request.caller_arn, setting);
  if (request.resource_policy) {
    if (setting.caller.arn.empty() || setting.caller.kind != PrincipalKind::user) {
      refuse("CallerArn is required when a ResourcePolicy is simulated.");
    }
    setting.resource_policy = simulated_resource_policy(*request.resource_policy);
  }
  if (request.resource_owner) setting.resource_owner = account_of(*request.resource_owner);
  for (const auto& entry : request.context_entries.value_or(std::vector<wire::iam::ContextEntry>())) {
    add_entry(entry, setting.facts);
  }
}

}  // namespace tidemill::iam
