#include "services/cloudformation/role.h"

#include <algorithm>

#include "base/text.h"
#include "base/uuid.h"
#include "net/http.h"
#include "services/cloudformation/asked.h"
#include "services/cloudformation/failure.h"
#include "wire/arn.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

constexpr std::string_view kOurselves = "cloudformation.amazonaws.com";
constexpr std::string_view kSessionName = "AWSCloudFormation";
constexpr std::chrono::minutes kRoleKnown{30};  // that a role which was there is taken to be there

std::string cannot_assume(std::string_view arn) { return cat("Role ", arn, " is invalid or cannot be assumed"); }

// Whether a value that is one text or a list of them has one that `is_meant`.
bool has_text(const json::Value* value, auto is_meant) {
  if (!value) return false;
  if (value->is_string()) return is_meant(value->string());
  if (!value->is_array()) return false;
  return std::ranges::any_of(value->array(),
                             [&](const json::Value& one) { return one.is_string() && is_meant(one.string()); });
}

bool is_about_us(const json::Value& statement) {
  const bool is_action = has_text(statement.find("Action"), [](std::string_view action) {
    return action == "*" || action == "sts:*" || action == "sts:AssumeRole";
  });
  const json::Value* principal = statement.find("Principal");
  if (!is_action || !principal) return false;
  if (principal->is_string()) return principal->string() == "*";
  return has_text(principal->find("Service"),
                  [](std::string_view service) { return service == kOurselves || service == "*"; });
}

// Of a trust policy, whatever its conditions are: those are judged with each call that is made under the role, where
// rights are. A statement that denies counts for more than one that allows.
bool lets_us_assume(const json::Value& policy) {
  const json::Value* statements = policy.find("Statement");
  if (!statements) return false;
  const json::Array all = statements->is_array() ? statements->array() : json::Array{*statements};
  bool is_allowed = false;
  for (const json::Value& one : all) {
    if (!is_about_us(one)) continue;
    const json::Value* effect = one.find("Effect");
    const bool allows = effect && effect->is_string() && effect->string() == "Allow";
    if (!allows && !one.find("Condition")) return false;
    is_allowed = is_allowed || allows;
  }
  return is_allowed;
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
    const auto policy = json::parse(net::percent_decode(document->string()).value_or(""));
    co_return policy&& lets_us_assume(*policy);
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
