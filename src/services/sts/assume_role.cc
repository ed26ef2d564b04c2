// AssumeRole: temporary credentials of a role. The role must be there; what its trust policy says has been judged
// before where rights are needed (src/rights).
#include "base/text.h"
#include "lang/policies/policy.h"
#include "services/sts/caller.h"
#include "services/sts/credentials.h"
#include "services/sts/operations.h"
#include "wire/arn.h"
#include "wire/credential_scope.h"
#include "wire/pipeline/authorize.h"
#include "wire/shapes/iam.h"

namespace tidemill::sts {
namespace {

using base::cat;
namespace errors = wire::sts::errors;

constexpr int32_t kUsualSeconds = 3600;
constexpr int32_t kChainedSecondsMax = 3600;
constexpr std::string_view kResource = "role/";
constexpr size_t kPolicyArnsMax = 10;
constexpr std::string_view kSetSourceIdentity = "sts:SetSourceIdentity";

struct RoleName {
  std::string account;
  std::string name;  // without its path
};

RoleName parse_role_arn(const std::string& text) {
  const auto arn = wire::parse_arn_of("iam", text);
  if (!arn || !arn->region.empty() || !wire::is_account(arn->account) || !arn->resource.starts_with(kResource) ||
      arn->resource.ends_with('/')) {
    throw errors::validation_exception(cat(text, " is invalid"));
  }
  return {std::string(arn->account), std::string(arn->resource.substr(arn->resource.rfind('/') + 1))};
}

// Who may not assume a role is not told whether it is there.
wire::Error denied(const CallerIdentity& caller, const std::string& arn, std::string_view action = "sts:AssumeRole") {
  return errors::access_denied_exception(
      cat("User: ", caller.arn, " is not authorized to perform: ", action, " on resource: ", arn));
}

Task<wire::iam::Role> load_role(const wire::Context& context, const CallerIdentity& caller, const std::string& arn) {
  const RoleName name = parse_role_arn(arn);
  wire::Context asking(context.platform(), name.account, context.region, context.request_id,
                       wire::Principal::platform());
  try {
    wire::iam::GetRoleInput request{.role_name = name.name};
    auto found = co_await context.registry().call<wire::iam::ops::GetRole>(asking, request);
    if (found.role.arn != arn) throw denied(caller, arn);
    co_return std::move(found.role);
  } catch (const wire::Error& error) {
    if (error.code != "NoSuchEntityException") throw;
  }
  throw denied(caller, arn);
}

int32_t check_duration(const CallerIdentity& caller, const wire::iam::Role& role, std::optional<int32_t> wanted) {
  const int32_t seconds = wanted.value_or(kUsualSeconds);
  if (caller.is_role && seconds > kChainedSecondsMax) {
    throw errors::validation_exception(
        "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining");
  }
  if (seconds > role.max_session_duration.value_or(kUsualSeconds)) {
    throw errors::validation_exception(
        "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.");
  }
  return seconds;
}

// The session's own policies.
void take_policies(const shapes::AssumeRoleInput& request, Session& session) {
  if (request.policy) {
    const auto parsed = lang::policies::Policy::parse(*request.policy);
    if (!parsed) throw errors::malformed_policy_document_exception(parsed.error());
    session.policy = *request.policy;
  }
  if (!request.policy_arns) return;
  if (request.policy_arns->size() > kPolicyArnsMax) {
    throw errors::validation_exception(cat("PolicyArns: at most ", kPolicyArnsMax, " policies"));
  }
  for (const auto& each : *request.policy_arns) {
    if (!each.arn || !wire::parse_arn_of("iam", *each.arn) || each.arn->find('\n') != std::string::npos) {
      throw errors::validation_exception(cat(each.arn.value_or(""), " is invalid"));
    }
    session.policy_arns.push_back(*each.arn);
  }
}

// What a session was begun with goes on with all that are begun by it, and no other takes its place (IAM User Guide,
// "Monitor and control actions taken with assumed roles"). Where the request says nothing of it, nobody has asked yet
// whether the role may be taken on with it.
Task<std::string> source_identity_of(const wire::Context& context, const CallerIdentity& caller,
                                     const shapes::AssumeRoleInput& request) {
  if (caller.source_identity.empty()) co_return request.source_identity.value_or("");
  if (request.source_identity && *request.source_identity != caller.source_identity) {
    throw denied(caller, request.role_arn, kSetSourceIdentity);
  }
  if (request.source_identity) co_return caller.source_identity;
  try {
    co_await wire::authorize_deed(context, {std::string(kSetSourceIdentity), request.role_arn,
                                            {{"sts:SourceIdentity", caller.source_identity}}});
  } catch (const wire::Error& error) {
    if (error.code != "AccessDeniedException") throw;
    throw errors::access_denied_exception(error.message);
  }
  co_return caller.source_identity;
}

}  // namespace

Task<shapes::AssumeRoleOutput> assume_role(Service& service, wire::Context& context,
                                           const shapes::AssumeRoleInput& request) {
  const std::string account = parse_role_arn(request.role_arn).account;
  const CallerIdentity caller = co_await find_caller(service, context);
  const wire::iam::Role role = co_await load_role(context, caller, request.role_arn);
  const std::chrono::seconds lasts(check_duration(caller, role, request.duration_seconds));
  Session session = new_session(account, context.now() + lasts);
  session.issued = context.now();
  session.user_id = cat(role.role_id, ":", request.role_session_name);
  session.arn = cat("arn:aws:sts::", account, ":assumed-role/", role.role_name, "/", request.role_session_name);
  take_policies(request, session);
  session.source_identity = co_await source_identity_of(context, caller, request);
  co_await service.store().transact(
      [&](store::Transaction& txn) -> Task<void> { co_await put_session(txn, session); });
  shapes::AssumeRoleOutput out;
  out.credentials = credentials_of(session);
  out.assumed_role_user = shapes::AssumedRoleUser{.assumed_role_id = session.user_id, .arn = session.arn};
  if (!session.source_identity.empty()) out.source_identity = session.source_identity;
  co_return out;
}

}  // namespace tidemill::sts
