#include "rights/accounts.h"

#include "rights/passed_roles.h"
#include "wire/arn.h"
#include "wire/credential_scope.h"

namespace tidemill::rights {

namespace {

constexpr std::string_view kAllowsAll =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]})";

// AWS's own resources ("arn:aws:iam::aws:policy/…") are no account's.
bool is_another(std::string_view account, std::string_view of_resource) {
  return wire::is_account(of_resource) && of_resource != account;
}

}  // namespace

std::string account_acting(const wire::Context& context) {
  const wire::Standing* standing = context.principal.standing();
  if (!standing) return context.account;
  if (!standing->source_account.empty() && standing->role_arn.empty()) return standing->source_account;
  const auto arn = wire::parse_arn(standing->role_arn.empty() ? standing->source_arn : standing->role_arn);
  return arn ? std::string(arn->account) : std::string();
}

std::string account_of(const wire::Context& context, const Actor& actor) {
  if (!actor.caller.account.empty()) return actor.caller.account;
  std::string account = account_acting(context);
  const auto* told = account.empty() ? actor.facts.find("aws:sourceaccount") : nullptr;
  return told && !told->empty() ? told->front() : account;
}

bool is_within(std::string_view account, const Ask& ask) {
  const auto arn = wire::parse_arn(ask.resource);
  if (!arn) return true;  // names are made into ARNs of the caller's account
  return arn->service != "s3" && !is_another(account, arn->account);
}

bool passes_role_of_another(std::string_view account, const Ask& ask) {
  const auto arn = passes_role(ask) ? wire::parse_arn(ask.resource) : std::nullopt;
  return arn && is_another(account, arn->account);
}

std::shared_ptr<const Actor> let_by_own_account(const Actor& actor) {
  static const auto kAll = std::make_shared<const NamedDocument>(
      "", lang::policies::Policy::parse(kAllowsAll).value(), kAllowsAll.size() * kParsedPerByte);
  auto free = std::make_shared<Actor>(actor);
  free->identity = {kAll};
  free->boundary.clear();
  free->session.clear();
  return free;
}

}  // namespace tidemill::rights
