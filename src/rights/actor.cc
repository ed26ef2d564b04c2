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

// What cannot be read (it is refused when it is put, but has not always been) denies all.
Document parsed(std::string name, std::string_view text) {
  auto policy = Policy::parse(text);
  if (!policy) {
    base::log_warning("a policy cannot be evaluated, and denies all", {{"policy", name}, {"error", policy.error()}});
    policy = Policy::parse(lang::policies::kDeniesAll);
  }
  return std::make_shared<const NamedDocument>(std::move(name), std::move(policy).value(), text.size() * kParsedPerByte);
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

// `id`: of the user whose session it is; another of the same name is nobody's. Empty: whoever has the name.
Task<void> be_user(store::Snapshot& reader, iam::IdentityAddress address, std::string id, Actor& actor) {
  const auto user = co_await iam::find_identity(reader, address);
  if (!user || (!id.empty() && user->id != id)) co_return;
  actor.caller = {.kind = PrincipalKind::user, .account = address.account, .arn = user->arn(), .id = user->id};
  actor.user_name = address.name;
  actor.facts.set("aws:username", address.name);
  add_tags(*user, actor);
  actor.identity = parsed_all(co_await iam::policies_of(reader, *user));
  actor.boundary = parsed_all(co_await iam::boundaries_of(reader, *user));
}

// Which role of this name is meant; another is another role, and the one that is meant is not there.
struct RoleMeant {
  std::string arn = {};  // as it was written by whoever gave it away, and had the right to; empty: with any path
  std::string id = {};   // under which a session was begun; empty: whichever there is
};

Task<void> be_role(store::Snapshot& reader, iam::IdentityAddress address, std::string session, RoleMeant meant,
                   Actor& actor) {
  actor.caller = {.kind = PrincipalKind::role,
                  .account = address.account,
                  .arn = cat("arn:aws:sts::", address.account, ":assumed-role/", address.name, "/", session)};
  const auto role = co_await iam::find_identity(reader, address);
  if (!role || (!meant.arn.empty() && role->arn() != meant.arn)) co_return;
  if (!meant.id.empty() && role->id != meant.id) co_return;
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
  // Of sessions that were begun before it was kept nobody knows when: they count as the oldest.
  actor.facts.set("aws:TokenIssueTime", base::iso_milliseconds(session.issued.value_or(base::Time{})) + "Z");
  actor.facts.set("aws:MultiFactorAuthPresent", "false");  // nobody has a second factor
  if (arn->service == "iam" && arn->resource == "root") co_return be_root(session.account, actor);
  if (arn->resource.starts_with("user/")) {
    const auto name = std::string(arn->resource.substr(arn->resource.rfind('/') + 1));
    co_return co_await be_user(reader, {iam::Kind::user, session.account, name}, session.user_id, actor);
  }
  if (!arn->resource.starts_with(kAssumed)) co_return;
  const std::string_view names = arn->resource.substr(kAssumed.size());
  const size_t slash = names.find('/');
  RoleMeant meant{.id = session.user_id.substr(0, session.user_id.find(':'))};
  co_await be_role(reader, role_of(*arn, names.substr(0, slash)), std::string(names.substr(slash + 1)), std::move(meant),
                   actor);
  if (!session.policy.empty()) actor.session.push_back(parsed("", session.policy));
  for (const std::string& policy : session.policy_arns) {
    const iam::HeldPolicy held = co_await iam::managed_policy_of(reader, session.account, policy);
    actor.session.push_back(parsed(held.name, held.document));
  }
  if (!session.source_identity.empty()) actor.facts.set("aws:SourceIdentity", session.source_identity);
}

// The root is of its own account, wherever it asks.
Task<void> be_holder(store::Snapshot& reader, const wire::Context& context, const Root& root, Actor& actor) {
  const std::string& key = context.principal.name();
  if (!root.access_key_id.empty() && key == root.access_key_id) co_return be_root(root.account, actor);
  const auto account = wire::account_of_access_key(key);
  if (!account) co_return;
  if (key.starts_with(wire::kSessionKeys)) {
    // Requests of one that has expired are refused before. What was begun before goes on: exports, imports, stacks.
    const auto session = co_await sts::find_session_or_ended(reader, *account, key);
    if (session) co_await be_session(reader, *session, actor);
    co_return;
  }
  const auto of_user = co_await iam::find_access_key(reader, *account, key);
  if (of_user) co_await be_user(reader, {iam::Kind::user, *account, of_user->user}, "", actor);
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
  actor.facts.set("kms:CallerAccount", caller.account);
  actor.facts.set("aws:PrincipalArn", caller.role_arn.empty() ? caller.arn : caller.role_arn);
  if (!caller.id.empty()) actor.facts.set("aws:userid", caller.id);
}

}  // namespace

Task<std::shared_ptr<const Actor>> load_actor(store::Store& store, const wire::Context& context, Root root) {
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
      co_await be_holder(*snapshot, context, root, *actor);
      break;
    case wire::Principal::Kind::service:
      co_await be_service(*snapshot, *standing, *actor);
      break;
    case wire::Principal::Kind::role: {
      const auto arn = wire::parse_arn_of("iam", standing->role_arn);
      if (!arn) break;
      co_await be_role(*snapshot, role_of(*arn, arn->resource), standing->session_name, {.arn = standing->role_arn},
                       *actor);
      break;
    }
  }
  tell_who(*actor);
  co_return actor;
}

size_t bytes_of(const Actor& actor) {
  size_t bytes = sizeof(Actor) + (actor.trust ? actor.trust->bytes : 0);
  for (const auto* documents : {&actor.identity, &actor.boundary, &actor.session}) {
    for (const auto& document : *documents) bytes += sizeof(NamedDocument) + document->name.size() + document->bytes;
  }
  return bytes;
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
  for (const std::string* part : {&standing->role_arn, &standing->session_name, &standing->service,
                                  &standing->source_account, &standing->taken_by}) {
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
