#include "rights/authorizer.h"

#include <algorithm>

#include "base/executor.h"
#include "base/log.h"
#include "base/text.h"
#include "rights/accounts.h"
#include "rights/denial.h"
#include "rights/dynamodb_facts.h"
#include "rights/member_facts.h"
#include "services/sts/session.h"
#include "wire/access_key.h"
#include "wire/arn.h"
#include "wire/pipeline/identify.h"

namespace tidemill::rights {

namespace {

using base::cat;
using lang::policies::Decision;
using lang::policies::NamedPolicy;
using lang::policies::Outcome;
using lang::policies::PolicyKind;

constexpr size_t kStepsOfJudgment = 16;       // base::slice_is_over()
constexpr size_t kEffortOnTheLoop = 300'000;  // what takes more is judged beside it
constexpr std::string_view kAssumeRole = "sts:AssumeRole";
constexpr std::string_view kFunctions = "lambda.amazonaws.com";
constexpr int kForbidden = 403;

const wire::OperationInfo& no_operation() {
  static const wire::OperationInfo kNoOperation{.service = "", .protocol = wire::Protocol::rest_json};
  return kNoOperation;
}

// What credentials of GetSessionToken may not, who never have a second factor here (STS, "GetSessionToken"). That it is
// not for sessions itself, it says in words of its own.
bool is_closed_to_session_tokens(const wire::OperationInfo& operation) {
  constexpr std::string_view kOpen[] = {"AssumeRole", "GetCallerIdentity", "GetSessionToken"};
  if (operation.service == "iam") return true;
  return operation.service == "sts" && std::ranges::find(kOpen, operation.name) == std::end(kOpen);
}

// The bucket that it asks about is one that is not there yet. If the name is taken that is told, and nothing happens to
// the bucket that has it: what its policy says of the caller does not count.
bool makes_bucket(const wire::OperationInfo& operation) {
  return operation.service == "s3" && operation.name == "CreateBucket";
}

Judgment denied_with(Ask ask, PolicyKind kind, std::string_view message) {
  return {.ask = std::move(ask), .kind = kind, .message = std::string(message)};
}

bool reads_only(std::string_view name) {
  return name.starts_with("Get") || name.starts_with("List") || name.starts_with("Describe") ||
         name.starts_with("Simulate");
}

// Makes or ends something that has a policy of its own.
bool is_about_owner_of_policy(std::string_view name) {
  constexpr std::string_view kOwners[] = {"Queue", "QueueAttributes", "Topic",      "TopicAttributes", "Bucket",
                                          "Table", "Stream",          "Function",   "Alias",           "EventBus",
                                          "Key",   "Secret",          "Repository", "LayerVersion"};
  constexpr std::string_view kVerbs[] = {"Create", "Delete", "Set", "Update", "Restore", "Publish", "Schedule"};
  for (const std::string_view verb : kVerbs) {
    if (name.starts_with(verb) && std::ranges::find(kOwners, name.substr(verb.size())) != std::end(kOwners))
      return true;
  }
  // Whether a bucket has access control lists at all, its controls of ownership say, and its block of public access
  // whether a public policy counts for everybody.
  return name.find("Policy") != std::string_view::npos || name.find("Permission") != std::string_view::npos ||
         name.find("OwnershipControls") != std::string_view::npos ||
         name.find("PublicAccessBlock") != std::string_view::npos;
}

bool may_change_rights(const wire::OperationInfo& operation) {
  if (reads_only(operation.name)) return false;
  return operation.service == "iam" || is_about_owner_of_policy(operation.name);
}

std::vector<NamedPolicy> named(const std::vector<std::shared_ptr<const NamedDocument>>& documents) {
  std::vector<NamedPolicy> result;
  result.reserve(documents.size());
  for (const auto& document : documents) result.push_back({document->name, &document->policy});
  return result;
}

bool is_by_trust(const Ask& ask) {
  return ask.action == kAssumeRole || ask.action == "sts:TagSession" || ask.action == "sts:SetSourceIdentity";
}

Judgment judgment_of(const Actor& actor, Ask ask, const Decision& decision) {
  Judgment judgment{.outcome = decision.outcome, .kind = decision.kind, .policy = std::string(decision.policy)};
  if (decision.statement) {
    const std::string& label = decision.statement->label();
    judgment.statement = label.empty() ? cat("statement ", decision.statement->index() + 1) : label;
  }
  if (!decision.is_allowed()) judgment.message = denial_message(actor, ask, decision);
  judgment.ask = std::move(ask);
  return judgment;
}

// Nothing lets the service take the role on.
Judgment distrusted(const std::string& role, std::string service) {
  Actor taker;
  taker.caller.service = std::move(service);
  return judgment_of(taker, {std::string(kAssumeRole), role}, Decision{.kind = PolicyKind::trust});
}

// Who took a role on: a function's session is Lambda's work, though the function itself acts.
std::string taker_of(const wire::Standing& standing) {
  return standing.service.empty() ? std::string(kFunctions) : standing.service;
}

// The root of an account may do everything in it unless the resource's own policy denies that. What is another account's
// must say itself that it lets the root's account, as for everybody.
bool may_anyway(const Actor& actor, const lang::policies::Policies& policies) {
  if (!actor.may_do_all || policies.resource_is_trust || policies.resource) return false;
  return policies.resource_account.empty() || policies.resource_account == actor.caller.account;
}

// Whether is_trusted() may come to something else the next time.
bool trust_depends(const Actor& actor, const wire::Standing& standing) {
  return actor.trust && standing.taken_by.empty() && actor.trust->policy.uses_facts();
}

}  // namespace

template <class F>
Task<std::invoke_result_t<F&>> PolicyAuthorizer::with_effort(size_t effort, F judge) {
  if (effort <= kEffortOnTheLoop) co_return judge();
  co_return co_await long_judgments_.run_joined(std::move(judge));
}

bool lets(const lang::policies::Policy& policy, const wire::Context& context, const Actor& actor, const Ask& ask) {
  const auto resource = wire::parse_arn(ask.resource);
  const RequestFacts facts(context, actor, ask, resource ? resource->account : std::string_view(), nullptr);
  const auto verdict = policy.judge({actor.caller, ask.action, ask.resource, facts});
  return verdict.allows && !verdict.denies;
}

PolicyAuthorizer::PolicyAuthorizer(store::Store& store, const wire::Registry& registry, Reach reach)
    : store_(store), table_(registry), reach_(reach), known_(std::make_shared<Known>(0)) {
  for (const wire::Registry::Operation* operation : registry.all()) {
    if (may_change_rights(operation->info)) changing_.insert(OperationKey(operation->info));
  }
}

void PolicyAuthorizer::ended(const wire::OperationInfo& operation) noexcept {
  if (changing_.contains(OperationKey(operation))) ++generation_;
}

std::shared_ptr<Known> PolicyAuthorizer::known() {
  const uint64_t generation = generation_.load();
  const std::lock_guard lock(mutex_);
  if (known_->generation < generation) known_ = std::make_shared<Known>(generation);
  return known_;
}

std::optional<PolicyAuthorizer::Judgments> PolicyAuthorizer::recall(Known& known, const wire::Principal& who,
                                                                    const std::vector<Ask>& asks) {
  thread_local std::string key;  // what has been asked before allocates nothing
  key.clear();
  append_actor_key(key, who);
  const size_t end_of_actor = key.size();
  Judgments judgments;
  judgments.reserve(asks.size());
  for (const Ask& ask : asks) {
    if (ask.lookup != Lookup::none) return std::nullopt;
    key.resize(end_of_actor);
    append_ask_key(key, ask);
    auto found = known.judgments.find(key);
    if (!found) return std::nullopt;
    judgments.push_back(std::move(found));
    if (!judgments.back()->is_allowed()) break;
  }
  return judgments;
}

Task<void> PolicyAuthorizer::authorize(const wire::Access& access) {
  const bool is_session = access.context.principal.kind() == wire::Principal::Kind::access_key &&
                          access.context.principal.name().starts_with(wire::kSessionKeys);
  if (!is_session || !is_closed_to_session_tokens(access.operation)) return Task<void>::ready();
  return refuse_session_token(access);
}

Task<void> PolicyAuthorizer::refuse_session_token(wire::Access access) {
  const std::string& key = access.context.principal.name();
  const auto account = wire::account_of_access_key(key);
  if (!account) co_return;
  const auto snapshot = store_.snapshot();
  const auto session = co_await sts::find_session_or_ended(*snapshot, *account, key);
  if (!session || wire::parse_arn_of("sts", session->arn)) co_return;  // of a role
  if (access.operation.service == "iam") {
    throw wire::Error("InvalidClientTokenId", kForbidden, "The security token included in the request is invalid");
  }
  throw denial_error(access.operation, cat("Cannot call ", access.operation.name, " with session credentials"));
}

void PolicyAuthorizer::leave_what_is_beyond(const wire::Context& context, std::vector<Ask>& asks) const {
  if (reach_ != Reach::account) return;
  if (context.principal.kind() == wire::Principal::Kind::anonymous) return asks.clear();  // who has a token instead
  const std::string account = account_acting(context);
  std::erase_if(asks, [&](const Ask& ask) { return is_within(account, ask); });
}

Task<void> PolicyAuthorizer::authorize_request(const wire::Access& access) {
  const wire::Context& context = access.context;
  if (context.principal.kind() == wire::Principal::Kind::platform) return Task<void>::ready();
  if (reach_ == Reach::account && makes_bucket(access.operation)) return Task<void>::ready();
  const Row* row = table_.find(access.operation);
  if (!row) {
    throw denial_error(access.operation,
                       cat("nobody has said which rights ", name_of(access.operation), " needs"));
  }
  if (row->needs_nothing()) return Task<void>::ready();
  std::vector<Ask> asks = row->asks(context, access.request);
  const bool passes_roles = std::ranges::any_of(asks, passes_role);
  if (passes_roles) check_passed_roles(access.operation, access.request);
  leave_what_is_beyond(context, asks);
  if (asks.empty()) return Task<void>::ready();
  std::shared_ptr<Known> now = known();
  const bool is_judged_anew = makes_bucket(access.operation) || (reach_ == Reach::rights && passes_roles);
  if (auto judgments = is_judged_anew ? std::nullopt : recall(*now, context.principal, asks)) {
    settle_with(context, &access.operation, *std::move(judgments));
    return Task<void>::ready();
  }
  return judge_all(access, std::move(asks), std::move(now));
}

Task<void> PolicyAuthorizer::judge_all(wire::Access access, std::vector<Ask> asks, std::shared_ptr<Known> known) {
  const auto actor = co_await actor_of(access.context, known);
  std::vector<PassedRole> passed;
  if (reach_ == Reach::rights) passed = roles_to_try(access.operation, asks);
  Judgments judgments;
  for (Ask& ask : asks) {
    if (base::slice_is_over(kStepsOfJudgment)) co_await base::give_way();  // a request may ask thousands of times
    if (ask.lookup != Lookup::none) co_await settle(store_, access.context, *actor, ask);
    judgments.push_back(co_await judge(access, *actor, std::move(ask), known));
    if (!judgments.back()->is_allowed()) break;
  }
  const bool is_allowed = judgments.back()->is_allowed();
  const auto role = is_allowed ? co_await first_distrusted(access.context, std::move(passed), known) : std::nullopt;
  if (!role) co_return settle_with(access.context, &access.operation, std::move(judgments));
  judgments.push_back(std::make_shared<const Judgment>(distrusted(role->arn, role->service)));
  const wire::Error refused = distrust_error(access.operation, *role);
  settle_with(access.context, &access.operation, std::move(judgments), &refused);
}

Task<std::optional<PassedRole>> PolicyAuthorizer::first_distrusted(const wire::Context& context,
                                                                   std::vector<PassedRole> roles,
                                                                   std::shared_ptr<Known> known) {
  for (PassedRole& role : roles) {
    if (base::slice_is_over(kStepsOfJudgment)) co_await base::give_way();
    const wire::Context taking(
        context.platform(), context.account, context.region, context.request_id,
        wire::Principal::role({.role_arn = role.arn, .service = role.service, .source_arn = role.source}));
    const auto actor = co_await actor_of(taking, known);
    if (!co_await is_trusted(taking, *actor, *taking.principal.standing())) co_return std::move(role);
  }
  co_return std::nullopt;
}

Task<void> PolicyAuthorizer::authorize_deed(const wire::Context& context, wire::Deed deed) {
  if (context.principal.kind() == wire::Principal::Kind::platform) co_return;
  const auto now = known();
  const auto actor = co_await actor_of(context, now);
  std::vector<Ask> asks{{std::move(deed.action), std::move(deed.resource)}};
  for (auto& [key, value] : deed.facts) asks.front().facts.push_back({std::move(key), {std::move(value)}});
  if (reach_ == Reach::account && asks.front().action == wire::kAdminister) {
    co_return check_administrator(context, asks.front(), *actor);
  }
  leave_what_is_beyond(context, asks);
  if (asks.empty()) co_return;
  Judgments judgments{co_await judge({context, no_operation()}, *actor, std::move(asks.front()), now)};
  // What services do in somebody's name all the time would leave no room for what people ask about.
  if (context.principal.standing() && judgments.front()->is_allowed()) co_return;
  settle_with(context, nullptr, std::move(judgments));
}

// What the server is made to do reaches all accounts, and files of the machine.
void PolicyAuthorizer::check_administrator(const wire::Context& context, const Ask& ask, const Actor& actor) const {
  if (!root_.access_key_id.empty() && context.principal.name() == root_.access_key_id) return;
  throw denial_error(no_operation(), denial_message(actor, ask, Decision{.kind = PolicyKind::identity}));
}

Task<bool> PolicyAuthorizer::would_let(const wire::Context& context, wire::Deed deed, std::string policy) {
  if (reach_ == Reach::account || context.principal.kind() == wire::Principal::Kind::platform) co_return true;
  const auto parsed = lang::policies::Policy::parse_of_resource(policy);
  if (!parsed) co_return false;
  const auto actor = co_await actor_of(context, known());
  const Ask ask{std::move(deed.action), std::move(deed.resource)};
  const size_t bytes_of_facts = RequestFacts(context, *actor, ask, "", nullptr).bytes();
  const size_t effort = parsed->effort().of(ask.action.size() + ask.resource.size(), bytes_of_facts);
  co_return co_await with_effort(effort, [&] { return lets(*parsed, context, *actor, ask); });
}

Task<bool> PolicyAuthorizer::is_trusted(const wire::Context& context, const Actor& actor,
                                        const wire::Standing& standing) {
  if (!actor.trust) co_return false;
  if (!standing.taken_by.empty()) co_return true;
  const lang::policies::Caller service{.kind = lang::policies::PrincipalKind::service, .service = taker_of(standing)};
  const Ask ask{std::string(kAssumeRole), standing.role_arn};
  const Actor nobody;
  lang::policies::Facts more;
  if (const auto source = wire::parse_arn(standing.source_arn)) {
    more.set("aws:SourceArn", standing.source_arn);
    if (!source->account.empty()) more.set("aws:SourceAccount", source->account);
  }
  const RequestFacts facts(context, nobody, ask, actor.caller.account, &more);
  lang::policies::Policies policies;
  policies.resource = &actor.trust->policy;
  policies.resource_is_trust = true;
  const Decision decision = co_await decision_on(service, ask, facts, policies);
  co_return decision.is_allowed();
}

Task<Decision> PolicyAuthorizer::decision_on(const lang::policies::Caller& caller, const Ask& ask,
                                             const RequestFacts& facts, const lang::policies::Policies& policies) {
  const size_t effort = effort_of(policies).of(ask.action.size() + ask.resource.size(), facts.bytes());
  return with_effort(effort, [&] { return decide({caller, ask.action, ask.resource, facts}, policies); });
}

Task<std::shared_ptr<const Actor>> PolicyAuthorizer::actor_of(wire::Context context, std::shared_ptr<Known> known) {
  std::string key = actor_key(context.principal);
  if (auto found = known->actors.find(key)) co_return found;
  auto actor = co_await load_actor(store_, context, root_);
  if (reach_ == Reach::account) actor = let_by_own_account(*actor);
  known->actors.put(std::move(key), actor, bytes_of(*actor));
  co_return actor;
}

Task<std::shared_ptr<const ResourceSide>> PolicyAuthorizer::side_of(const wire::Context& context, const Ask& ask,
                                                                    std::shared_ptr<Known> known) {
  std::string key = side_key(ask.resource);
  if (auto found = known->sides.find(key)) co_return found;
  auto side = co_await load_resource_side(store_, context, ask.resource, version_of(ask));
  if (!side->may_change) known->sides.put(std::move(key), side, sizeof(ResourceSide) + side->bytes);
  co_return side;
}

Task<std::shared_ptr<const Judgment>> PolicyAuthorizer::judge(wire::Access access, const Actor& actor, Ask ask,
                                                              std::shared_ptr<Known> known) {
  const wire::Context& context = access.context;
  std::string key = actor_key(context.principal);
  append_ask_key(key, ask);
  // What it asks, others ask about the bucket that has the name.
  const bool is_of_none_yet = makes_bucket(access.operation);
  if (auto found = is_of_none_yet ? nullptr : known->judgments.find(key)) co_return found;
  const wire::Standing* standing = context.principal.standing();
  const bool acts_under_role = standing && !standing->role_arn.empty();
  if (reach_ == Reach::rights && acts_under_role && !co_await is_trusted(context, actor, *standing)) {
    co_return std::make_shared<const Judgment>(distrusted(standing->role_arn, taker_of(*standing)));
  }
  if (ask.action == kAssumeRole && actor.may_do_all) {
    co_return std::make_shared<const Judgment>(
        denied_with(std::move(ask), PolicyKind::trust, "Roles may not be assumed by root accounts."));
  }
  const std::string account = account_of(context, actor);
  if (passes_role_of_another(account, ask)) {
    co_return std::make_shared<const Judgment>(
        denied_with(std::move(ask), PolicyKind::identity, "Cross-account pass role is not allowed."));
  }
  const auto side = is_of_none_yet ? std::make_shared<const ResourceSide>() : co_await side_of(context, ask, known);
  const auto trust = is_by_trust(ask) ? co_await load_trust(store_, ask.resource) : nullptr;
  const auto identity = named(actor.identity);
  const auto boundary = named(actor.boundary);
  const auto session = named(actor.session);
  lang::policies::Policies policies{.identity = identity, .boundary = boundary, .session = session};
  policies.resource = trust ? &trust->policy : policy_for(*side, ask.action);
  policies.resource_account = account_for(*side, ask.action);
  policies.resource_is_trust = is_by_trust(ask);
  policies.resource_must_allow = side->must_allow || policies.resource_is_trust;
  const bool is_own = reach_ == Reach::account &&
                      (policies.resource_account.empty() || policies.resource_account == account);
  const bool asks_facts = !is_own && uses_facts(policies);
  // Conditions of a trust policy are asked anew each time that somebody acts under the role.
  const bool depends = asks_facts || (standing && trust_depends(actor, *standing));
  lang::policies::Facts more;
  if (asks_facts) {
    add_member_facts(access.operation, access.request, ask, more);
    co_await add_facts(context, access.operation, access.request, ask, more);
    co_await add_object_tags(store_, ask, more);
    co_await add_upload_headers(store_, ask, upload_of(access.operation, access.request), more);
  }
  const RequestFacts facts(context, actor, ask, side->account, &more);
  Decision decision{Outcome::allowed};
  if (!is_own && !may_anyway(actor, policies)) {
    decision = co_await decision_on(actor.caller, ask, facts, policies);
  }
  auto judgment = std::make_shared<const Judgment>(judgment_of(actor, std::move(ask), decision));
  const bool is_kept = !depends && !side->may_change && !is_of_none_yet;
  if (is_kept) known->judgments.put(std::move(key), judgment, bytes_of(*judgment));
  co_return judgment;
}

void PolicyAuthorizer::settle_with(const wire::Context& context, const wire::OperationInfo* operation,
                                   Judgments judgments, const wire::Error* refused) {
  const auto denied = std::ranges::find_if(judgments, [](const auto& judgment) { return !judgment->is_allowed(); });
  const std::shared_ptr<const Judgment> refusal = denied == judgments.end() ? nullptr : *denied;
  if (refusal) {
    base::log_info("denied", {{"operation", operation ? name_of(*operation) : std::string()},
                              {"request_id", context.request_id},
                              {"principal", context.principal.name()},
                              {"action", refusal->ask.action},
                              {"resource", refusal->ask.resource},
                              {"because", because_of(*refusal)}});
  }
  if (reach_ == Reach::rights) {
    explanations_.add({context.request_id, operation, context.principal.name(), std::move(judgments)});
  }
  if (!refusal) return;
  throw refused ? *refused : denial_error(operation ? *operation : no_operation(), refusal->message);
}

}  // namespace tidemill::rights
