// PutPermission and RemovePermission: a bus's policy. It is kept with the ids of whom it names, and shown; `--auth iam`
// enforces it (src/rights).
#include "base/json.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "services/events/bus.h"
#include "services/events/errors.h"
#include "services/events/operations.h"

namespace tidemill::events {
namespace {

using base::cat;

constexpr size_t kPolicyBytesMax = 10 << 10;

json::Value principal_of(const std::string& principal) {
  if (principal == "*") return principal;
  return json::Object{{"AWS", cat("arn:aws:iam::", principal, ":root")}};
}

json::Object statement_of(const shapes::PutPermissionInput& request, const BusAddress& bus) {
  if (!request.action || !request.principal || !request.statement_id) {
    throw invalid("Parameters Action, Principal and StatementId, or Policy, must be specified.");
  }
  json::Object statement{{"Sid", *request.statement_id},
                         {"Effect", "Allow"},
                         {"Principal", principal_of(*request.principal)},
                         {"Action", *request.action},
                         {"Resource", bus.arn()}};
  if (request.condition) {
    statement.set("Condition", json::Object{{request.condition->type,
                                             json::Object{{request.condition->key, request.condition->value}}}});
  }
  return statement;
}

bool is_statement(const json::Value& statement, const std::string& id) {
  const json::Value* sid = statement.find("Sid");
  return sid && sid->is_string() && sid->string() == id;
}

json::Array statements_of(const std::string& policy) {
  const auto document = json::parse(policy);
  const json::Value* statements = document ? document->find("Statement") : nullptr;
  if (!statements) return {};
  return statements->is_array() ? statements->array() : json::Array{*statements};
}

std::string policy_of(json::Array statements) {
  if (statements.empty()) return "";
  return json::write(json::Object{{"Version", "2012-10-17"}, {"Statement", std::move(statements)}});
}

std::string with_statement(const std::string& policy, json::Object statement) {
  json::Array statements = statements_of(policy);
  const std::string id = statement.find("Sid")->string();
  std::erase_if(statements, [&](const json::Value& one) { return is_statement(one, id); });
  statements.emplace_back(std::move(statement));
  return policy_of(std::move(statements));
}

std::string checked_policy(std::string policy) {
  if (policy.size() > kPolicyBytesMax) {
    throw errors::policy_length_exceeded_exception("The policy is longer than 10,240 bytes.");
  }
  if (const auto parsed = lang::policies::Policy::parse_of_resource(policy); !parsed) {
    throw invalid_parameter("Policy", parsed.error());
  }
  return policy;
}

// As it is kept. Who is gone may stay in what takes the place of `before`: stacks change one of its statements.
Task<std::string> with_principals(const wire::Context& context, std::string policy, const std::string& before) {
  co_return co_await engine::with_ids(
      context, std::move(policy), [&](std::string_view principal) -> std::optional<wire::Error> {
        if (before.contains(cat("\"", principal, "\""))) return std::nullopt;
        return invalid_parameter("Policy", cat("invalid principal ", principal));
      });
}

std::string without_statement(const std::string& policy, const std::string& id) {
  json::Array statements = statements_of(policy);
  if (std::erase_if(statements, [&](const json::Value& one) { return is_statement(one, id); }) == 0) {
    throw errors::resource_not_found_exception("Statement with the provided id does not exist.");
  }
  return policy_of(std::move(statements));
}

}  // namespace

Task<shapes::PutPermissionOutput> put_permission(Service& service, wire::Context& context,
                                                 const shapes::PutPermissionInput& request) {
  const BusAddress address = bus_of(context, request.event_bus_name);
  std::optional<std::string> whole;
  if (request.policy) {
    const Bus bus = co_await load_bus(*service.store().snapshot(), address);
    whole = co_await with_principals(context, checked_policy(*request.policy), bus.policy);
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Bus bus = co_await load_bus(txn, address);
    bus.policy = whole ? *whole : with_statement(bus.policy, statement_of(request, address));
    bus.policy = checked_policy(std::move(bus.policy));
    save_bus(txn, std::move(bus), context.now());
  });
  co_return shapes::PutPermissionOutput{};
}

Task<shapes::RemovePermissionOutput> remove_permission(Service& service, wire::Context& context,
                                                       const shapes::RemovePermissionInput& request) {
  const BusAddress address = bus_of(context, request.event_bus_name);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Bus bus = co_await load_bus(txn, address);
    if (bus.policy.empty()) throw errors::resource_not_found_exception("EventBus does not have a policy.");
    if (request.remove_all_permissions.value_or(false))
      bus.policy.clear();
    else if (request.statement_id)
      bus.policy = without_statement(bus.policy, *request.statement_id);
    else
      throw invalid("Parameter StatementId or RemoveAllPermissions must be specified.");
    save_bus(txn, std::move(bus), context.now());
  });
  co_return shapes::RemovePermissionOutput{};
}

}  // namespace tidemill::events
