// AddPermission and RemovePermission: statements of the topic's policy. The policy is kept and shown; nobody's access is
// decided by it, since every account sees only its own topics.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/policies/policy_statements.h"
#include "services/sns/errors.h"
#include "services/sns/operations.h"
#include "services/sns/topic_attributes.h"

namespace tidemill::sns {
namespace {

using base::cat;

constexpr std::string_view kPolicy = "Policy";
constexpr std::array<std::string_view, 9> kActions{
    "Publish",       "RemovePermission", "SetTopicAttributes", "DeleteTopic",  "ListSubscriptionsByTopic",
    "GetTopicAttributes", "Receive",     "AddPermission",      "Subscribe"};

lang::PolicyStatements policy_of(const Topic& topic) {
  return {effective_topic_attribute(topic, std::string(kPolicy)).value_or(""), {}};
}

json::Value make_statement(const Topic& topic, const shapes::AddPermissionInput& request) {
  std::vector<std::string> actions;
  for (const std::string& action : request.action_name) actions.push_back(cat("SNS:", action));
  return lang::allow_accounts(request.label, request.aws_account_id, actions, topic.address.arn());
}

void check_request(const shapes::AddPermissionInput& request) {
  if (request.aws_account_id.empty()) throw invalid_parameter("AWSAccountId");
  if (request.action_name.empty()) throw invalid_parameter("ActionName");
  for (const std::string& action : request.action_name) {
    if (action == "*" || std::ranges::find(kActions, action) != kActions.end()) continue;
    throw invalid_parameter("Policy statement action out of service scope!");
  }
}

}  // namespace

Task<shapes::AddPermissionOutput> add_permission(Service& service, wire::Context& context,
                                                 const shapes::AddPermissionInput& request) {
  check_request(request);
  co_await service.change_topic(topic_of(context, request.topic_arn), [&](Topic& topic) {
    lang::PolicyStatements policy = policy_of(topic);
    if (policy.has(request.label)) throw invalid_parameter("Statement already exists");
    policy.add(make_statement(topic, request));
    topic.attributes.insert_or_assign(std::string(kPolicy), policy.text());
  });
  co_return shapes::AddPermissionOutput{};
}

Task<shapes::RemovePermissionOutput> remove_permission(Service& service, wire::Context& context,
                                                       const shapes::RemovePermissionInput& request) {
  co_await service.change_topic(topic_of(context, request.topic_arn), [&](Topic& topic) {
    lang::PolicyStatements policy = policy_of(topic);
    if (policy.remove(request.label)) topic.attributes.insert_or_assign(std::string(kPolicy), policy.text());
  });
  co_return shapes::RemovePermissionOutput{};
}

}  // namespace tidemill::sns
