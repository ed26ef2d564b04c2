// AddPermission and RemovePermission: statements of the topic's policy. The policy is kept and shown; nobody's access is
// decided by it, since every account sees only its own topics.
#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
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

json::Object read_policy(const Topic& topic) {
  auto document = json::parse(effective_topic_attribute(topic, std::string(kPolicy)).value_or("{}"));
  return document && document->is_object() ? document->object() : json::Object();
}

json::Array& statements_of(json::Object& policy) {
  json::Value* found = policy.find("Statement");
  if (!found) found = &policy.set("Statement", json::Array{});
  if (!found->is_array()) *found = json::Array{*found};
  return found->array();
}

bool has_label(const json::Value& statement, const std::string& label) {
  const json::Value* sid = statement.find("Sid");
  return sid && sid->is_string() && sid->string() == label;
}

// One alone stands by itself, as AWS writes it.
json::Value one_or_many(json::Array values) {
  return values.size() == 1 ? std::move(values.front()) : json::Value(std::move(values));
}

json::Value make_statement(const Topic& topic, const shapes::AddPermissionInput& request) {
  json::Array principals;
  for (const std::string& account : request.aws_account_id) {
    principals.emplace_back(cat("arn:aws:iam::", account, ":root"));
  }
  json::Array actions;
  for (const std::string& action : request.action_name) actions.emplace_back(cat("SNS:", action));
  return json::Object{{"Sid", std::string_view(request.label)},
                      {"Effect", "Allow"},
                      {"Principal", json::Object{{"AWS", one_or_many(std::move(principals))}}},
                      {"Action", one_or_many(std::move(actions))},
                      {"Resource", topic.address.arn()}};
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
    json::Object policy = read_policy(topic);
    json::Array& statements = statements_of(policy);
    if (std::ranges::any_of(statements, [&](const auto& one) { return has_label(one, request.label); })) {
      throw invalid_parameter("Statement already exists");
    }
    statements.push_back(make_statement(topic, request));
    topic.attributes.insert_or_assign(std::string(kPolicy), json::write(json::Value(std::move(policy))));
  });
  co_return shapes::AddPermissionOutput{};
}

Task<shapes::RemovePermissionOutput> remove_permission(Service& service, wire::Context& context,
                                                       const shapes::RemovePermissionInput& request) {
  co_await service.change_topic(topic_of(context, request.topic_arn), [&](Topic& topic) {
    json::Object policy = read_policy(topic);
    json::Array& statements = statements_of(policy);
    if (std::erase_if(statements, [&](const json::Value& one) { return has_label(one, request.label); }) == 0) return;
    topic.attributes.insert_or_assign(std::string(kPolicy), json::write(json::Value(std::move(policy))));
  });
  co_return shapes::RemovePermissionOutput{};
}

}  // namespace tidemill::sns
