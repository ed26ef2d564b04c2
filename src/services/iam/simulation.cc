#include "services/iam/simulation.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "services/iam/documents.h"
#include "services/iam/errors.h"
#include "wire/arn.h"

namespace tidemill::iam {

namespace {

using base::cat;
using lang::policies::Decision;
using lang::policies::Effect;
using lang::policies::NamedPolicy;
using lang::policies::Naming;
using lang::policies::Outcome;
using lang::policies::Policy;
using lang::policies::Question;
using lang::policies::Statement;
namespace EvaluationDecision = wire::iam::EvaluationDecision;

// Kinds of policies as the simulator calls them.
constexpr std::string_view kOfIdentity = "IAM Policy";
constexpr std::string_view kOfBoundary = "Permissions Boundary Policy";
constexpr std::string_view kOfResource = "Resource Policy";

wire::Error invalid_input(std::string_view what) { return errors::invalid_input_exception(std::string(what)); }

std::vector<NamedPolicy> named(const std::vector<SimulatedPolicy>& policies) {
  std::vector<NamedPolicy> list;
  list.reserve(policies.size());
  for (const SimulatedPolicy& each : policies) list.push_back({each.label, &each.policy});
  return list;
}

std::string decision_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::allowed:
      return std::string(EvaluationDecision::kAllowed);
    case Outcome::explicitly_denied:
      return std::string(EvaluationDecision::kExplicitDeny);
    case Outcome::implicitly_denied:
      break;
  }
  return std::string(EvaluationDecision::kImplicitDeny);
}

wire::iam::Position position_of(const lang::policies::TextPosition& position) {
  return {.line = position.line, .column = position.column};
}

// What policies of one kind say, whatever the others do.
Outcome alone(std::span<const NamedPolicy> policies, const Question& question) {
  bool is_allowed = false;
  for (const NamedPolicy& each : policies) {
    const auto verdict = each.policy->judge(question);
    if (verdict.denies) return Outcome::explicitly_denied;
    if (verdict.allows) is_allowed = true;
  }
  return is_allowed ? Outcome::allowed : Outcome::implicitly_denied;
}

// `known`: those in `keys`, in lower case; a policy may have thousands.
void add_new(std::vector<std::string>& keys, std::unordered_set<std::string>& known, std::string key) {
  if (known.insert(lang::policies::lower_case(key)).second) keys.push_back(std::move(key));
}

}  // namespace

std::vector<SimulatedPolicy> simulated(const std::vector<std::string>& documents, std::string_view parameter) {
  std::vector<SimulatedPolicy> policies;
  for (const std::string& document : documents) {
    try {
      check_document(DocumentKind::identity, document);
    } catch (const wire::Error& error) {
      throw invalid_input(error.message);
    }
    policies.push_back({cat(parameter, ".", policies.size() + 1), Policy::parse(document).value(),
                        lang::policies::statement_positions(document)});
  }
  return policies;
}

std::vector<SimulatedPolicy> simulated(const std::vector<HeldPolicy>& held) {
  std::vector<SimulatedPolicy> policies;
  for (const HeldPolicy& each : held) {
    std::string_view document = each.document;
    auto policy = Policy::parse(document);
    if (!policy) {
      base::log_warning("a policy cannot be evaluated, and denies all",
                        {{"policy", each.name}, {"error", policy.error()}});
      document = lang::policies::kDeniesAll;
      policy = Policy::parse(document);
    }
    policies.push_back({each.label, std::move(policy).value(), lang::policies::statement_positions(document)});
  }
  return policies;
}

SimulatedPolicy simulated_resource_policy(const std::string& document) {
  auto policy = Policy::parse(document);
  if (!policy) throw invalid_input(policy.error());
  return {"ResourcePolicy", *std::move(policy), lang::policies::statement_positions(document)};
}

Simulation::Simulation(Setting setting)
    : setting_(std::move(setting)), identity_(named(setting_.policies)), boundary_(named(setting_.boundary)) {}

// Policies of resources are never looked up: where none is given, and no owner, all is taken for the caller's own.
std::string Simulation::account_of(const std::string& resource) const {
  if (!setting_.resource_policy && setting_.resource_owner.empty()) return setting_.caller.account;
  const auto arn = wire::parse_arn(resource);
  if (arn && !arn->account.empty()) return std::string(arn->account);
  return setting_.resource_owner.empty() ? setting_.caller.account : setting_.resource_owner;
}

void Simulation::add_matched(const SimulatedPolicy& from, std::string_view kind, const Question& question,
                             Effect effect, std::vector<wire::iam::Statement>& out) const {
  for (const Statement& statement : from.policy.statements()) {
    if (statement.effect() != effect || statement.match(question) == Naming::none) continue;
    wire::iam::Statement& told = out.emplace_back();
    told.source_policy_id = from.label;
    told.source_policy_type = std::string(kind);
    if (statement.index() >= from.positions.size()) continue;
    told.start_position = position_of(from.positions[statement.index()].start);
    told.end_position = position_of(from.positions[statement.index()].end);
  }
}

// Of an allowance all statements that allow, but for the boundary's, which only bounds; of a denial all that deny.
std::vector<wire::iam::Statement> Simulation::matched(const Question& question, const Decision& decision) const {
  std::vector<wire::iam::Statement> out;
  if (decision.outcome == Outcome::implicitly_denied) return out;
  const Effect effect = decision.is_allowed() ? Effect::allow : Effect::deny;
  for (const SimulatedPolicy& each : setting_.policies) add_matched(each, kOfIdentity, question, effect, out);
  if (effect == Effect::deny) {
    for (const SimulatedPolicy& each : setting_.boundary) add_matched(each, kOfBoundary, question, effect, out);
  }
  if (setting_.resource_policy) add_matched(*setting_.resource_policy, kOfResource, question, effect, out);
  return out;
}

void Simulation::require_bounded(const std::vector<std::string>& actions,
                                 const std::vector<std::string>& resources) const {
  const auto longest = [](const std::vector<std::string>& texts) {
    return texts.empty() ? 0 : std::ranges::max(texts, {}, &std::string::size).size();
  };
  lang::policies::Policies all{.identity = identity_, .boundary = boundary_};
  if (setting_.resource_policy) all.resource = &setting_.resource_policy->policy;
  const size_t effort = effort_of(all).of(longest(actions) + longest(resources), setting_.facts.bytes());
  if (effort > kEffortMax) throw invalid_input("The policies and the context entries are too long to be simulated.");
}

std::vector<std::string> Simulation::missing(const Question& question) const {
  std::vector<std::string> keys;
  std::unordered_set<std::string> known;
  const auto look_at = [&](const SimulatedPolicy& from) {
    for (const Statement& statement : from.policy.statements()) {
      if (!statement.concerns(question).value_or(true)) continue;
      for (std::string& key : statement.keys()) {
        if (!question.facts.find(lang::policies::lower_case(key))) add_new(keys, known, std::move(key));
      }
    }
  };
  std::ranges::for_each(setting_.policies, look_at);
  std::ranges::for_each(setting_.boundary, look_at);
  if (setting_.resource_policy) look_at(*setting_.resource_policy);
  return keys;
}

wire::iam::EvaluationResult Simulation::evaluate(const std::string& action, const std::string& resource) const {
  const Question question{setting_.caller, action, resource, setting_.facts};
  const std::string account = account_of(resource);
  lang::policies::Policies policies{.identity = identity_, .boundary = boundary_};
  if (setting_.resource_policy) policies.resource = &setting_.resource_policy->policy;
  policies.resource_account = account;
  const Decision decision = decide(question, policies);

  wire::iam::EvaluationResult result;
  result.eval_action_name = action;
  result.eval_resource_name = resource;
  result.eval_decision = decision_of(decision.outcome);
  result.matched_statements = matched(question, decision);
  if (!boundary_.empty()) {
    result.permissions_boundary_decision_detail.emplace().allowed_by_permissions_boundary =
        alone(boundary_, question) == Outcome::allowed;
  }
  std::vector<std::string> keys = missing(question);
  if (resource == "*") {
    result.missing_context_values = std::move(keys);
    return result;
  }
  result.missing_context_values.emplace();
  wire::iam::ResourceSpecificResult specific;
  specific.eval_resource_name = resource;
  specific.eval_resource_decision = result.eval_decision;
  specific.matched_statements = result.matched_statements;
  specific.missing_context_values = std::move(keys);
  specific.permissions_boundary_decision_detail = result.permissions_boundary_decision_detail;
  auto& details = result.eval_decision_details.emplace();
  if (account != setting_.caller.account) {
    details[std::string(kOfIdentity)] = decision_of(alone(identity_, question));
    if (!boundary_.empty()) details[std::string(kOfBoundary)] = decision_of(alone(boundary_, question));
    const std::array of_resource{NamedPolicy{{}, policies.resource}};
    details[std::string(kOfResource)] =
        decision_of(policies.resource ? alone(of_resource, question) : Outcome::implicitly_denied);
    specific.eval_decision_details = details;
  }
  result.resource_specific_results.emplace().push_back(std::move(specific));
  return result;
}

std::vector<std::string> context_keys(const std::vector<SimulatedPolicy>& policies) {
  std::vector<std::string> keys;
  std::unordered_set<std::string> known;
  for (const SimulatedPolicy& each : policies) {
    for (const Statement& statement : each.policy.statements()) {
      for (std::string& key : statement.keys()) add_new(keys, known, std::move(key));
    }
  }
  return keys;
}

}  // namespace tidemill::iam
