// AWS::Events::EventBusPolicy: one statement of a bus' policy, "BUS|STATEMENT-ID".
#include <algorithm>

#include "base/text.h"
#include "engine/policy_principals.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr Property kBusPolicyCondition[] = {
    {.name = "Key"},
    {.name = "Type"},
    {.name = "Value"},
};

constexpr Property kBusPolicyProperties[] = {
    {.name = "EventBusName", .update = Update::replaces},
    {.name = "StatementId", .required = true, .update = Update::replaces},
    {.name = "Action"},
    {.name = "Condition", .kind = Kind::object, .members = kBusPolicyCondition},
    {.name = "Principal"},
    {.name = "Statement", .kind = Kind::json},
};

// A whole statement is written into the whole policy, which another statement's writer may do at the same time: it is
// looked whether it stands there, and written once more if it does not.
constexpr int kWritesOfStatementMax = 10;

std::string bus_of_policy(const json::Object& properties) { return text_or(properties, "EventBusName", "default"); }

// The bus' policy; an empty one if it has none.
Task<json::Object> bus_policy(Step& step, std::string bus) {
  const json::Value found = co_await step.call("events", "DescribeEventBus", json::Object{{"Name", bus}});
  const auto policy = json::parse(text_of(found.object(), "Policy"));
  if (policy && policy->is_object()) co_return policy->object();
  co_return json::Object{{"Version", "2012-10-17"}, {"Statement", json::Array()}};
}

json::Object with_statement(json::Object policy, const json::Object& statement) {
  json::Array statements = list_of(policy, "Statement");
  std::erase_if(statements,
                [&](const json::Value& one) { return text_of(one.object(), "Sid") == text_of(statement, "Sid"); });
  statements.push_back(statement);
  policy.set("Statement", std::move(statements));
  return policy;
}

// With the ids of whom it names: who reads a policy may be shown ids or ARNs, and the template may have either.
Task<json::Value> as_kept(Step& step, json::Value statement) {
  const std::string text = co_await engine::with_ids(step.context(), json::write(statement),
                                                     [](std::string_view) { return std::optional<wire::Error>(); });
  co_return json::parse(text).value();
}

Task<bool> has_statement(Step& step, json::Object policy, json::Object statement) {
  for (const json::Value& one : list_of(policy, "Statement")) {
    if (text_of(one.object(), "Sid") != text_of(statement, "Sid")) continue;
    const json::Value kept = co_await as_kept(step, one);
    if (json::equal(kept, co_await as_kept(step, json::Value(statement)))) co_return true;
  }
  co_return false;
}

Task<void> write_statement(Step& step, std::string bus, json::Object statement) {
  for (int write = 0; write < kWritesOfStatementMax; ++write) {
    const json::Object policy = with_statement(co_await bus_policy(step, bus), statement);
    co_await step.call("events", "PutPermission",
                       json::Object{{"EventBusName", bus}, {"Policy", json::write(json::Value(policy))}});
    if (co_await has_statement(step, co_await bus_policy(step, bus), statement)) co_return;
  }
  throw InvalidRequest(cat("The policy of event bus ", bus, " is being changed by somebody else."));
}

Task<void> put_bus_policy(Step& step, const json::Object& properties) {
  const std::string bus = bus_of_policy(properties);
  if (!properties.find("Statement")) {
    json::Object request = take(properties, {"Action", "Principal", "StatementId", "Condition"});
    request.set("EventBusName", bus);
    co_await step.call("events", "PutPermission", std::move(request));
    co_return;
  }
  json::Object statement = object_of(properties, "Statement");
  if (statement.empty()) throw InvalidRequest("Statement must be an object.");
  statement.set("Sid", text_of(properties, "StatementId"));
  co_await write_statement(step, bus, std::move(statement));
}

Task<std::string> create_bus_policy(Step& step, const json::Object& properties) {
  co_await put_bus_policy(step, properties);
  co_return cat(bus_of_policy(properties), '|', text_of(properties, "StatementId"));
}

Task<std::string> update_bus_policy(Step& step, std::string id, const json::Object&, const json::Object& after) {
  co_await put_bus_policy(step, after);
  co_return id;
}

Task<void> remove_bus_policy(Step& step, std::string, const json::Object& properties) {
  co_await step.call_or_null(
      "events", "RemovePermission",
      json::Object{{"EventBusName", bus_of_policy(properties)}, {"StatementId", text_of(properties, "StatementId")}},
      {"ResourceNotFoundException"});
}

}  // namespace

const ResourceType types::kEventsEventBusPolicy = {
    .name = "AWS::Events::EventBusPolicy",
    .properties = kBusPolicyProperties,
    .create = create_bus_policy,
    .update = update_bus_policy,
    .remove = remove_bus_policy,
};

}  // namespace tidemill::cloudformation
