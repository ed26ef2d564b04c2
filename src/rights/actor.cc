#include "rights/actor.h"

#include "base/log.h"
#include "base/text.h"
#include "services/iam/access_key.h"
#include "services/iam/held_policies.h"
#include "services/iam/identity.h"
#include "services/s3/bucket.h"
#include "wire/access_key.h"
#include "wire/arn.h"

namespace tidemill::rights {

namespace {

using base::cat;
using lang::policies::Policy;
using lang::policies::PrincipalKind;
using Document = std::shared_ptr<const NamedDocument>;

constexpr std::string_view kAssumed = "assumed-role/";

// A document that is none grants nothing; a boundary that is none bounds all, as an empty one does.
Document parsed(std::string name, std::string_view text) {
  auto policy = Policy::parse(text);
  if (!policy) {
    base::log_warning("a policy cannot be evaluated, and allows nothing",
                      {{"policy", name}, {"error", policy.error()}});
    policy = Policy::parse(R"({"Version":"2012-10-17","Statement":[]})");
    if (!policy) return std::make_shared<const NamedDocument>(std::move(name), Policy());
  }
  return std::make_shared<const NamedDocument>(std::move(name), *std::move(policy));
}

std::vector<Document> parsed_all(std::vector<iam::HeldPolicy> policies) {
  std::vector<Document> documents;
  documents.reserve(policies.size());
  for (iam::HeldPolicy& each : policies) documents.push_back(parsed(std::move(each.name), each.document));
  return documents;
}

void add_tags(const iam::Identity& identity, Actor& actor) {
  for (const auto& [key, value] : identity.tags) actor.facts.set(cat("aws:PrincipalTag/", key), value);
}

void be_root(std::string account, Actor& actor) {
  actor.caller = {
      .kind = PrincipalKind::root, .account = account, .arn = cat("arn:aws:iam::", account, ":root"), .id = account};
  actor.may_do_all = true;
}

Task<void> be_user(store::Snapshot& reader, iam::IdentityAddress address, Actor& actor) {
  const auto user = co_await iam::find_identity(reader, address);
  if (!user) co_return;
  actor.caller = {.kind = PrincipalKind::user, .account = address.account, .arn = user->arn(), .id = user->id};
  actor.user_name = address.name;
  actor.facts.set("aws:username", address.name);
  add_tags(*user, actor);
  actor.identity = parsed_all(co_await iam::policies_of(reader, *user));
  actor.boundary = parsed_all(co_await iam::boundaries_of(reader, *user));
}

// `arn`: of the role as it was written by whoever gave it away, and had the right to; another path is another role,
// which is not there. Empty: the session was begun under the role itself.
Task<void> be_role(store::Snapshot& reader, iam::IdentityAddress address, std::string session, std::string arn,
                   Actor& actor) {
  actor.caller = {.kind = PrincipalKind::role,
                  .account = address.account,
                  .arn = cat("arn:aws:sts::", address.account, ":assumed-role/", address.name, "/", session)};
  const auto role = co_await iam::find_identity(reader, address);
  if (!role || (!arn.empty() && role->arn() != arn)) co_return;
  actor.caller.role_arn = role->arn();
  actor.caller.id = cat(role->id, ":", session);
  add_tags(*role, actor);
  actor.identity = parsed_all(co_await iam::policies_of(reader, *role));
  actor.boundary = parsed_all(co_await iam::boundaries_of(reader, *role));
  actor.trust = parsed("", role->trust);
}

iam::IdentityAddress role_of(const wire::Arn& arn, std::string_view resource) {
  return {iam::Kind::role, std::string(arn.account), std::string(resource.substr(resource.rfind('/') + 1))};
}

Task<void> be_session(store::Snapshot& reader, const sts::Session& session, Actor& actor) {
  const auto arn = wire::parse_arn(session.arn);
  if (!arn) co_return;
  if (arn->service == "iam" && arn->resource == "root") co_return be_root(session.account, actor);
  if (arn->resource.starts_with("user/")) {
    const auto name = std::string(arn->resource.substr(arn->resource.rfind('/') + 1));
    co_return co_await be_user(reader, {iam::Kind::user, session.account, name}, actor);
  }
  if (!arn->resource.starts_with(kAssumed)) co_return;
  const std::string_view names = arn->resource.substr(kAssumed.size());
  const size_t slash = names.find('/');
  co_await be_role(reader, role_of(*arn, names.substr(0, slash)), std::string(names.substr(slash + 1)), "", actor);
  if (!session.policy.empty()) actor.session.push_back(parsed("", session.policy));
  for (const std::string& policy : session.policy_arns) {
    const iam::HeldPolicy held = co_await iam::managed_policy_of(reader, session.account, policy);
    actor.session.push_back(parsed(held.name, held.document));
  }
  if (!session.source_identity.empty()) actor.facts.set("aws:SourceIdentity", session.source_identity);
}

Task<void> be_holder(store::Snapshot& reader, const wire::Context& context, const std::string& root_key, Actor& actor) {
  const std::string& key = context.principal.name();
  if (!root_key.empty() && key == root_key) co_return be_root(context.account, actor);
  const auto account = wire::account_of_access_key(key);
  if (!account) co_return;
  if (key.starts_with(wire::kSessionKeys)) {
    const auto session = co_await sts::find_session(reader, *account, key, context.now());
    if (session) co_await be_session(reader, *session, actor);
    co_return;
  }
  const auto of_user = co_await iam::find_access_key(reader, *account, key);
  if (of_user) co_await be_user(reader, {iam::Kind::user, *account, of_user->user}, actor);
}

// A service acts for what its source's ARN names: `aws:SourceAccount` is that one's account, of a bucket, whose ARN does
// not tell it, the one that is said, or that has it.
// Without a service's name it is the account itself that acts, as a rule's does whose target says no role.
Task<void> be_service(store::Snapshot& reader, const wire::Standing& standing, Actor& actor) {
  if (standing.service.empty()) {
    const auto of = wire::parse_arn(standing.source_arn);
    if (of && !of->account.empty()) be_root(std::string(of->account), actor);
    co_return;
  }
  actor.caller = {.kind = PrincipalKind::service, .service = standing.service};
  if (!standing.source_account.empty()) {
    actor.facts.set("aws:SourceAccount", standing.source_account);
    co_return;
  }
  const auto source = wire::parse_arn_of("s3", standing.source_arn);
  if (!source) co_return;
  const auto bucket = co_await s3::find_bucket(reader, std::string(source->resource));
  if (bucket) actor.facts.set("aws:SourceAccount", bucket->account);
}

std::string_view type_of(PrincipalKind kind) {
  switch (kind) {
    case PrincipalKind::root:
      return "Account";
    case PrincipalKind::user:
      return "User";
    case PrincipalKind::role:
      return "AssumedRole";
    case PrincipalKind::federated:
      return "FederatedUser";
    case PrincipalKind::service:
      return "Service";
    case PrincipalKind::anonymous:
      break;
  }
  return "Anonymous";
}

void tell_who(Actor& actor) {
  if (!actor.caller.account.empty()) actor.caller.canonical_id = s3::canonical_id(actor.caller.account);
  const auto& caller = actor.caller;
  actor.facts.set("aws:PrincipalType", type_of(caller.kind));
  actor.facts.set("aws:PrincipalIsAWSService", caller.kind == PrincipalKind::service ? "true" : "false");
  if (caller.kind == PrincipalKind::service) actor.facts.set("aws:PrincipalServiceName", caller.service);
  if (caller.account.empty()) return;
  actor.facts.set("aws:PrincipalAccount", caller.account);
  actor.facts.set("aws:PrincipalArn", caller.role_arn.empty() ? caller.arn : caller.role_arn);
  if (!caller.id.empty()) actor.facts.set("aws:userid", caller.id);
}

}  // namespace

Task<std::shared_ptr<const Actor>> load_actor(store::Store& store, const wire::Context& context, std::string root_key) {
  const auto actor = std::make_shared<Actor>();
  const auto snapshot = store.snapshot();
  const wire::Principal& principal = context.principal;
  const wire::Standing* standing = principal.standing();
  switch (principal.kind()) {
    case wire::Principal::Kind::platform:
      actor->may_do_all = true;
      break;
    case wire::Principal::Kind::anonymous:
      break;
    case wire::Principal::Kind::access_key:
      co_await be_holder(*snapshot, context, root_key, *actor);
      break;
    case wire::Principal::Kind::service:
      co_await be_service(*snapshot, *standing, *actor);
      break;
    case wire::Principal::Kind::role: {
      const auto arn = wire::parse_arn_of("iam", standing->role_arn);
      if (!arn) break;
      co_await be_role(*snapshot, role_of(*arn, arn->resource), standing->session_name, standing->role_arn, *actor);
      break;
    }
  }
  tell_who(*actor);
  co_return actor;
}

Task<std::shared_ptr<const NamedDocument>> load_trust(store::Store& store, std::string role_arn) {
  const auto arn = wire::parse_arn_of("iam", role_arn);
  if (!arn) co_return nullptr;
  const auto snapshot = store.snapshot();
  const auto role = co_await iam::find_identity(*snapshot, role_of(*arn, arn->resource));
  if (!role || role->arn() != role_arn) co_return nullptr;
  co_return parsed("", role->trust);
}

void append_actor_key(std::string& out, const wire::Principal& principal) {
  const wire::Standing* standing = principal.standing();
  if (!standing) {
    out += principal.name();
    return;
  }
  for (const std::string* part :
       {&standing->role_arn, &standing->session_name, &standing->service, &standing->source_account}) {
    out.append(*part).push_back('\n');
  }
  out += standing->source_arn;
}

std::string actor_key(const wire::Principal& principal) {
  std::string key;
  append_actor_key(key, principal);
  return key;
}

}  // namespace tidemill::rights
