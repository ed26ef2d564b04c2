#include "services/states/tasks/target.h"

#include <algorithm>

#include "base/text.h"
#include "services/states/tasks/sdk_names.h"
#include "wire/arn.h"
#include "wire/shape_table.h"

namespace tidemill::states::tasks {
namespace {

using base::cat;

constexpr std::string_view kStates = "arn:aws:states:::";
constexpr std::string_view kSdk = "aws-sdk:";
constexpr std::string_view kHttpType = "http";
constexpr std::string_view kHttpAction = "invoke";
constexpr std::string_view kFunction = "function:";
constexpr std::string_view kActivity = "activity:";
constexpr std::string_view kHttpParameters[] = {"ApiEndpoint", "Method",          "Authentication", "InvocationConfig",
                                                "Headers",     "QueryParameters", "RequestBody",    "Transform"};
constexpr std::string_view kHttpRequired[] = {"ApiEndpoint", "Method"};

struct Suffix {
  std::string_view text;
  Pattern pattern;
};
constexpr Suffix kSuffixes[] = {
    {".waitForTaskToken", Pattern::wait_for_token}, {".sync:2", Pattern::sync_2}, {".sync", Pattern::sync}};

const Suffix* suffix_of(std::string_view action) {
  const auto found =
      std::ranges::find_if(kSuffixes, [&](const Suffix& suffix) { return action.ends_with(suffix.text); });
  return found == std::end(kSuffixes) ? nullptr : &*found;
}

// "sendMessage"
std::string_view plain_action(const Resource& resource) {
  std::string_view action = resource.action;
  if (const Suffix* suffix = suffix_of(action)) action.remove_suffix(suffix->text.size());
  return action;
}

std::string not_recognized(const Resource& resource) {
  return cat("The resource provided ", resource.arn,
             " is not recognized. The value is not a valid resource ARN, or the resource is not available in this "
             "region.");
}

std::string not_supported(const Resource& resource, std::string_view reason) {
  return cat("Tidemill does not support the resource ", resource.arn, ": ", reason);
}

bool waits_for_execution(const Resource& resource) {
  return resource.pattern == Pattern::sync || resource.pattern == Pattern::sync_2;
}

bool is_small(char c) { return c >= 'a' && c <= 'z'; }

std::expected<Target, std::string> sdk_target(const wire::Registry& registry, const Resource& resource) {
  const ServiceNames* names = names_of_sdk(std::string_view(resource.type).substr(kSdk.size()));
  std::string operation(plain_action(resource));
  if (!names || operation.empty() || !is_small(operation.front()) || waits_for_execution(resource)) {
    return std::unexpected(not_recognized(resource));
  }
  operation.front() = static_cast<char>(operation.front() - 'a' + 'A');
  const auto* found = registry.find(names->service, operation);
  if (!found) return std::unexpected(not_recognized(resource));
  if (!found->info.unsupported_reason.empty()) {
    return std::unexpected(not_supported(resource, found->info.unsupported_reason));
  }
  if (found->info.event_stream) {
    return std::unexpected(not_supported(resource, "its answer is a stream of events"));
  }
  return Target{TargetKind::sdk, std::string(names->service), std::move(operation)};
}

std::expected<Target, std::string> optimised_target(const wire::Registry& registry, const Resource& resource) {
  if (resource.type == kHttpType && resource.action == kHttpAction) return Target{TargetKind::http};
  const Integration* integration = find_integration(resource.type, plain_action(resource));
  if (!integration) {
    const bool is_other = is_integrated_by_aws(resource.type) && !names_of(resource.type);
    return std::unexpected(is_other ? not_supported(resource, "there is no such service") : not_recognized(resource));
  }
  const bool fits = (integration->takes_token || resource.pattern != Pattern::wait_for_token) &&
                    (integration->takes_sync || !waits_for_execution(resource));
  if (!fits) return std::unexpected(not_recognized(resource));
  if (!registry.find(integration->service, integration->operation)) {
    return std::unexpected(not_supported(resource, "there is no such service"));
  }
  return Target{TargetKind::optimised, std::string(integration->service), std::string(integration->operation),
                integration};
}

// Those whose values are paths or intrinsic functions end in ".$".
std::string_view name_given(std::string_view name) {
  return name.ends_with(".$") ? name.substr(0, name.size() - 2) : name;
}

std::string unknown_field(std::string_view name) {
  return cat("The field \"", name, "\" is not supported by Step Functions");
}

std::string listed_problem(const json::Object& parameters, std::span<const std::string_view> known,
                           std::span<const std::string_view> required) {
  for (const auto& [name, value] : parameters) {
    if (std::ranges::find(known, name_given(name)) == known.end()) return unknown_field(name_given(name));
  }
  for (const std::string_view wanted : required) {
    const auto is_wanted = [&](const auto& one) { return name_given(one.first) == wanted; };
    if (std::ranges::none_of(parameters, is_wanted))
      return cat("The field \"", wanted, "\" is required but was missing");
  }
  return "";
}

std::string sdk_problem(const wire::Registry& registry, const Target& target, const json::Object& parameters) {
  const auto* operation = registry.find(target.service, target.operation);
  for (const auto& [name, value] : parameters) {
    const auto is_member = [&](const auto& member) { return sdk_name(member.name) == name_given(name); };
    if (std::ranges::none_of(operation->info.input->members, is_member)) return unknown_field(name_given(name));
  }
  return "";
}

}  // namespace

std::optional<Resource> parse_resource(std::string_view arn) {
  Resource resource{.arn = std::string(arn)};
  if (arn.starts_with(kStates)) {
    const std::string_view rest = arn.substr(kStates.size());
    const size_t from = rest.starts_with(kSdk) ? kSdk.size() : 0;
    const size_t colon = rest.find(':', from);
    if (colon == std::string_view::npos || colon == from || colon + 1 == rest.size()) return std::nullopt;
    resource.type = rest.substr(0, colon);
    resource.action = rest.substr(colon + 1);
    if (const Suffix* suffix = suffix_of(resource.action)) resource.pattern = suffix->pattern;
    return resource;
  }
  const auto parsed = wire::parse_arn(arn);
  if (!parsed || parsed->partition != wire::kPartition || parsed->region.empty() || parsed->account.empty()) {
    return std::nullopt;
  }
  if (parsed->service == "lambda" && parsed->resource.starts_with(kFunction)) {
    resource.family = Family::lambda_function;
    return resource;
  }
  if (parsed->service == "states" && parsed->resource.starts_with(kActivity)) {
    resource.family = Family::activity;
    return resource;
  }
  return std::nullopt;
}

std::expected<Target, std::string> find_target(const wire::Registry& registry, const Resource& resource) {
  if (resource.family == Family::activity) return Target{TargetKind::activity};
  if (resource.family == Family::lambda_function) return Target{TargetKind::function, "lambda", "Invoke"};
  return resource.type.starts_with(kSdk) ? sdk_target(registry, resource) : optimised_target(registry, resource);
}

std::string names_problem(const wire::Registry& registry, const Target& target, const json::Value& parameters) {
  if (target.kind == TargetKind::function || target.kind == TargetKind::activity) return "";
  if (!parameters.is_object()) return "The parameters of the task are no object";
  const json::Object& members = parameters.object();
  if (target.kind == TargetKind::http) return listed_problem(members, kHttpParameters, kHttpRequired);
  if (target.kind == TargetKind::sdk) return sdk_problem(registry, target, members);
  return listed_problem(members, target.integration->parameters, target.integration->required);
}

}  // namespace tidemill::states::tasks
