// What policies would decide, without a request: IAM's simulator. A simulation is made of what a request of
// SimulateCustomPolicy or SimulatePrincipalPolicy says, and then asked for each pair of an action and a resource.
//
// Decided is as requests are (lang/policies/decide.h); what the simulator tells beside the decision is as its answers
// on AWS have it: the statements that decided, with their places in their documents, and the condition keys that the
// statements about this action and resource ask for and nobody gave.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/policies/decide.h"
#include "lang/policies/positions.h"
#include "services/iam/held_policies.h"
#include "wire/shapes/iam.h"

namespace tidemill::iam {

// A policy, compiled, with what the simulator tells of it.
struct SimulatedPolicy {
  std::string label;  // SourcePolicyId: "PolicyInputList.1", "reading"
  lang::policies::Policy policy;
  std::vector<lang::policies::TextRange> positions;  // of its statements
};

// Documents that stand in a request: "PolicyInputList" labels them "PolicyInputList.1" and so on. Throws InvalidInput
// for those that are no policies of identities.
[[nodiscard]] std::vector<SimulatedPolicy> simulated(const std::vector<std::string>& documents,
                                                     std::string_view parameter);
// What an identity has; what cannot be evaluated allows nothing.
[[nodiscard]] std::vector<SimulatedPolicy> simulated(const std::vector<HeldPolicy>& held);
// A resource's.
[[nodiscard]] SimulatedPolicy simulated_resource_policy(const std::string& document);

class Simulation {
 public:
  // As lang::policies::Effort: some seconds, which no policy that could be attached comes near.
  static constexpr size_t kEffortMax = 1'000'000'000;

  // Who would ask, with what they have; and what the request says of the rest.
  struct Setting {
    lang::policies::Caller caller;  // of no kind but users and roles; its account is set
    lang::policies::Facts facts;    // of the caller and of the request
    std::vector<SimulatedPolicy> policies;
    std::vector<SimulatedPolicy> boundary;
    std::optional<SimulatedPolicy> resource_policy;
    std::string resource_owner;  // an account; empty: whom ARNs tell, or the caller's
  };

  explicit Simulation(Setting setting);

  // Throws InvalidInput if evaluate() might take more than kEffortMax for any of the actions and resources.
  void require_bounded(const std::vector<std::string>& actions, const std::vector<std::string>& resources) const;
  // `resource` is an ARN or "*".
  [[nodiscard]] wire::iam::EvaluationResult evaluate(const std::string& action, const std::string& resource) const;

 private:
  [[nodiscard]] std::string account_of(const std::string& resource) const;
  void add_matched(const SimulatedPolicy& from, std::string_view kind, const lang::policies::Question& question,
                   lang::policies::Effect effect, std::vector<wire::iam::Statement>& out) const;
  [[nodiscard]] std::vector<wire::iam::Statement> matched(const lang::policies::Question& question,
                                                          const lang::policies::Decision& decision) const;
  [[nodiscard]] std::vector<std::string> missing(const lang::policies::Question& question) const;

  Setting setting_;
  std::vector<lang::policies::NamedPolicy> identity_;  // of setting_
  std::vector<lang::policies::NamedPolicy> boundary_;
};

// The condition keys that the policies ask for, each once, in their order.
[[nodiscard]] std::vector<std::string> context_keys(const std::vector<SimulatedPolicy>& policies);

}  // namespace tidemill::iam
