// PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy.
#include "base/json.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "services/kinesis/consumer.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/policy.h"

namespace tidemill::kinesis {
namespace {

// How a resource without a policy answers for it. Deleting what is not there is refused, though.
constexpr std::string_view kNoPolicy = "{}";

// What a policy is for. Made sure to exist by require_owner().
struct Owner {
  StreamAddress stream;
  std::optional<ConsumerAddress> consumer;

  [[nodiscard]] std::string key() const { return policy_key(stream, consumer ? consumer->name : ""); }
};

Owner owner_of(const wire::Context& context, const std::string& arn) {
  if (!parse_consumer_arn(arn)) return {.stream = resolve_stream(context, std::nullopt, arn)};
  const ConsumerAddress consumer = resolve_consumer(context, arn);
  return {.stream = consumer.stream, .consumer = consumer};
}

Task<void> require_owner(Service& service, store::Snapshot& reader, const Owner& owner) {
  (void)co_await service.streams().get(reader, owner.stream);
  if (owner.consumer) (void)co_await get_consumer(reader, *owner.consumer);
}

void check_statement(const json::Value& statement) {
  if (!statement.is_object()) throw invalid_argument("Policy statement must be a JSON object.");
  for (const std::string_view member : {"Effect", "Principal", "Action", "Resource"}) {
    if (!statement.find(member)) throw invalid_argument(base::cat("Policy statement must contain ", member, "."));
  }
  const json::Value& effect = *statement.find("Effect");
  if (!effect.is_string() || (effect.string() != "Allow" && effect.string() != "Deny")) {
    throw invalid_argument("Policy statement must have the Effect Allow or Deny.");
  }
}

void check_policy(const std::string& text) {
  if (text.size() > kPolicySizeMax) {
    throw invalid_argument(base::cat("Policy must not have more than ", kPolicySizeMax, " bytes."));
  }
  const auto policy = json::parse(text);
  const json::Value* statements = policy && policy->is_object() ? policy->find("Statement") : nullptr;
  if (!statements) throw invalid_argument("Policy is not valid: it must be a JSON object with statements.");
  if (statements->is_object()) {
    check_statement(*statements);
  } else if (statements->is_array()) {
    for (const json::Value& statement : statements->array()) check_statement(statement);
  }
  if (const auto parsed = lang::policies::Policy::parse_of_resource(text); !parsed) {
    throw invalid_argument(base::cat("Policy is not valid: ", parsed.error(), "."));
  }
}

}  // namespace

Task<shapes::PutResourcePolicyOutput> put_resource_policy(Service& service, wire::Context& context,
                                                          const shapes::PutResourcePolicyInput& request) {
  const Owner owner = owner_of(context, request.resource_arn);
  check_policy(request.policy);
  const std::string policy = co_await engine::with_ids(context, request.policy, [](std::string_view principal) {
    return invalid_argument(base::cat("Policy is not valid: invalid principal ", principal, "."));
  });
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await require_owner(service, txn, owner);
    txn.put(owner.key(), policy);
  });
  co_return shapes::PutResourcePolicyOutput{};
}

Task<shapes::GetResourcePolicyOutput> get_resource_policy(Service& service, wire::Context& context,
                                                          const shapes::GetResourcePolicyInput& request) {
  const Owner owner = owner_of(context, request.resource_arn);
  const auto snapshot = service.store().snapshot();
  co_await require_owner(service, *snapshot, owner);
  const std::string key = owner.key();
  const auto policy = co_await snapshot->get(key);
  co_return shapes::GetResourcePolicyOutput{
      .policy = co_await engine::with_arns(context, policy.value_or(std::string(kNoPolicy)))};
}

Task<shapes::DeleteResourcePolicyOutput> delete_resource_policy(Service& service, wire::Context& context,
                                                                const shapes::DeleteResourcePolicyInput& request) {
  const Owner owner = owner_of(context, request.resource_arn);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await require_owner(service, txn, owner);
    const std::string key = owner.key();
    if (!co_await txn.get(key)) {
      throw errors::resource_not_found_exception(
          base::cat("Resource policy is not found for resource ", request.resource_arn));
    }
    txn.erase(key);
  });
  co_return shapes::DeleteResourcePolicyOutput{};
}

}  // namespace tidemill::kinesis
