#include "services/cloudformation/role.h"

#include "base/text.h"
#include "base/uuid.h"
#include "lang/policies/policy.h"
#include "net/http.h"
#include "services/cloudformation/asked.h"
#include "services/cloudformation/failure.h"
#include "wire/arn.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::cloudformation {

using base::cat;
namespace policies = lang::policies;

namespace {

constexpr std::string_view kOurselves = "cloudformation.amazonaws.com";
constexpr std::string_view kSessionName = "AWSCloudFormation";
constexpr std::chrono::minutes kRoleKnown{30};  // that a role which was there is taken to be there

std::string cannot_assume(std::string_view arn) { return cat("Role ", arn, " is invalid or cannot be assumed"); }

// A trust policy without its conditions: those are judged with each call that is made under the role, where rights are.
// What denies under a condition is left to that too.
json::Value without_conditions(json::Value policy) {
  if (!policy.is_object()) return policy;
  const json::Value* statements = policy.find("Statement");
  if (!statements) return policy;
  const json::Array all = statements->is_array() ? statements->array() : json::Array{*statements};
  json::Array left;
  for (json::Value one : all) {
    if (one.is_object() && one.object().erase("Condition")) {
      const json::Value* effect = one.find("Effect");
      if (!effect || !effect->is_string() || effect->string() != "Allow") continue;
    }
    left.push_back(std::move(one));
  }
  policy.object().set("Statement", std::move(left));
  return policy;
}

bool lets_us_assume(json::Value trust, std::string_view role) {
  const auto policy = policies::Policy::parse_of_resource(json::write(without_conditions(std::move(trust))));
  if (!policy) return false;
  const policies::Caller we{.kind = policies::PrincipalKind::service, .service = std::string(kOurselves)};
  const policies::Facts nothing;
  const policies::Verdict verdict = policy->judge({we, "sts:AssumeRole", role, nothing});
  return verdict.allows && !verdict.denies;
}

std::optional<std::string> role_name(std::string_view text, std::string_view account) {
  const auto arn = wire::parse_arn_of("iam", text);
  if (!arn || !arn->region.empty() || arn->account != account || !arn->resource.starts_with("role/"))
    return std::nullopt;
  return std::string(arn->resource.substr(arn->resource.rfind('/') + 1));
}

wire::Context as_platform(wire::Platform& platform, const std::string& account, const std::string& region) {
  return {platform, account, region, base::new_uuid(), wire::Principal::platform()};
}

Task<bool> may_assume(wire::Context context, std::string arn) {
  const auto name = role_name(arn, context.account);
  if (!name) co_return false;
  try {
    const json::Value found =
        co_await context.registry().call(context, "iam", "GetRole", json::Object{{"RoleName", *name}});
    const json::Value* role = found.find("Role");
    const json::Value* document = role ? role->find("AssumeRolePolicyDocument") : nullptr;
    if (!document || role->find("Arn")->string() != arn) co_return false;
    auto trust = json::parse(net::percent_decode(document->string()).value_or(""));
    co_return trust && lets_us_assume(*std::move(trust), arn);
  } catch (const wire::Error& error) {
    if (error.http_status >= 500) throw;
  }
  co_return false;
}

}  // namespace

Task<void> require_role(const wire::Context& context, std::string arn) {
  if (arn.empty()) co_return;
  if (!co_await may_assume(as_platform(context.platform(), context.account, context.region), arn)) {
    throw shapes::errors::validation_error(cannot_assume(arn));
  }
}

Task<void> require_role_of(const wire::Context& context, const Stack& stack, const std::optional<std::string>& given) {
  return require_role(context, given.value_or(stack.settings().role));
}

Task<wire::Principal> Acting::principal(wire::Platform& platform, const Stack& stack) {
  const std::string role = stack.settings().role;
  if (role.empty()) co_return stack.caller.principal();
  if (role != role_ || platform.clock.now() >= until_) {
    wire::Context asking = as_platform(platform, stack.place().account, stack.place().region);
    if (!co_await may_assume(std::move(asking), role)) throw StepFailed(cannot_assume(role));
    role_ = role;
    until_ = platform.clock.now() + kRoleKnown;
  }
  co_return wire::Principal::role({.role_arn = role,
                                   .session_name = std::string(kSessionName),
                                   .service = std::string(kOurselves),
                                   .source_arn = stack.id.arn()});
}

}  // namespace tidemill::cloudformation
