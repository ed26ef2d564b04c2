#include "services/sts/caller.h"

#include "base/text.h"
#include "services/sts/session.h"
#include "wire/access_key.h"
#include "wire/arn.h"
#include "wire/error.h"
#include "wire/shapes/iam.h"

namespace tidemill::sts {
namespace {

constexpr int kForbidden = 403;

// Nothing: IAM knows no user of this key.
Task<std::optional<CallerIdentity>> find_user(wire::Context& context) {
  namespace iam = wire::iam;
  wire::Context asking(context.platform(), context.account, context.region, context.request_id,
                       wire::Principal::platform());
  try {
    iam::GetAccessKeyLastUsedInput of_key{.access_key_id = context.principal.name()};
    const auto key = co_await context.registry().call<iam::ops::GetAccessKeyLastUsed>(asking, of_key);
    iam::GetUserInput of_user;
    of_user.user_name = key.user_name;
    const auto found = co_await context.registry().call<iam::ops::GetUser>(asking, of_user);
    co_return CallerIdentity{CallerKind::user, found.user.user_id, found.user.arn};
  } catch (const wire::Error& error) {
    if (error.code != "NoSuchEntityException") throw;
  }
  co_return std::nullopt;
}

// A function's session of its role.
Task<CallerIdentity> find_role(const wire::Context& context, const wire::Standing& standing) {
  namespace iam = wire::iam;
  const auto arn = wire::parse_arn_of("iam", standing.role_arn);
  const std::string account(arn ? arn->account : std::string_view(context.account));
  const std::string name = standing.role_arn.substr(standing.role_arn.rfind('/') + 1);
  CallerIdentity caller{CallerKind::session, "",
                        base::cat("arn:aws:sts::", account, ":assumed-role/", name, "/", standing.session_name), true};
  wire::Context asking(context.platform(), account, context.region, context.request_id, wire::Principal::platform());
  try {
    iam::GetRoleInput of_role{.role_name = name};
    const auto found = co_await context.registry().call<iam::ops::GetRole>(asking, of_role);
    caller.user_id = base::cat(found.role.role_id, ":", standing.session_name);
  } catch (const wire::Error& error) {
    if (error.code != "NoSuchEntityException") throw;
  }
  co_return caller;
}

bool may_be_account(const Service& service, const wire::Principal& principal) {
  if (!service.root_key()) return true;
  switch (principal.kind()) {
    case wire::Principal::Kind::access_key:
      return principal.name() == *service.root_key();
    case wire::Principal::Kind::platform:
      return true;
    case wire::Principal::Kind::service:  // without a name it is the account itself that acts
      return principal.standing()->service.empty();
    case wire::Principal::Kind::anonymous:
    case wire::Principal::Kind::role:
      break;
  }
  return false;
}

}  // namespace

Task<CallerIdentity> find_caller(Service& service, wire::Context& context) {
  if (const wire::Standing* standing = context.principal.standing(); standing && !standing->role_arn.empty()) {
    co_return co_await find_role(context, *standing);
  }
  const std::string& key = context.principal.name();
  if (key.starts_with(wire::kSessionKeys)) {
    const auto snapshot = service.store().snapshot();
    const auto session = co_await find_session(*snapshot, context.account, key, context.now());
    if (session) {
      const auto arn = wire::parse_arn_of("sts", session->arn);
      co_return CallerIdentity{CallerKind::session, session->user_id, session->arn,
                               arn && arn->resource.starts_with("assumed-role/"), session->source_identity};
    }
  }
  if (key.starts_with(wire::kUserKeys) && wire::account_of_access_key(key)) {
    if (auto user = co_await find_user(context)) co_return *std::move(user);
  }
  if (!may_be_account(service, context.principal)) {
    throw wire::Error("InvalidClientTokenId", kForbidden, "The security token included in the request is invalid.");
  }
  co_return CallerIdentity{CallerKind::account, context.account,
                           base::cat("arn:aws:iam::", context.account, ":root")};
}

}  // namespace tidemill::sts
