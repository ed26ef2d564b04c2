#include "services/lambda/layer_policy.h"

#include <algorithm>

#include "base/json_record.h"
#include "base/ordered.h"
#include "base/text.h"
#include "base/uuid.h"
#include "store/resources.h"
#include "wire/error.h"

namespace tidemill::lambda {
namespace {

namespace json = base::json;
using base::cat;

constexpr store::ResourceType kPolicies{"lambda", "layer-policy"};
constexpr int kForbidden = 403;

std::string policy_key(const LayerReference& reference) {
  const LayerAddress& address = reference.address;
  std::string key = store::resource_key(kPolicies, address.account, address.region, address.name);
  base::append_u64(key, static_cast<uint64_t>(reference.number));
  return key;
}

// As AddLayerVersionPermission writes its statements.
bool allows(const json::Value& statement, std::string_view account) {
  if (statement.find("Condition")) return false;
  const json::Value* principal = statement.find("Principal");
  if (!principal) return false;
  if (principal->is_string()) return principal->string() == "*";
  const json::Value* named = principal->find("AWS");
  return named && named->is_string() && named->string() == cat("arn:aws:iam::", account, ":root");
}

bool allows_account(const std::string& policy, std::string_view account) {
  const auto document = json::parse(policy);
  const json::Value* statements = document ? document->find("Statement") : nullptr;
  if (!statements || !statements->is_array()) return false;
  return std::ranges::any_of(statements->array(), [&](const auto& statement) { return allows(statement, account); });
}

}  // namespace

Task<LayerPolicy> load_layer_policy(store::Snapshot& reader, LayerReference reference) {
  const auto bytes = co_await reader.get(policy_key(reference));
  std::string document;
  std::string revision;
  if (bytes) {
    const json::Record record("layer policy", *bytes);
    document = record.text("policy");
    revision = record.text("revision");
  }
  co_return LayerPolicy{lang::PolicyStatements(document, {{"Version", "2012-10-17"}, {"Id", "default"}}),
                        std::move(revision)};
}

void save_layer_policy(store::Transaction& txn, const LayerReference& reference, LayerPolicy& policy) {
  policy.revision = base::new_uuid();
  if (policy.statements.empty()) return erase_layer_policy(txn, reference);
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "revision", policy.revision);
  json::write_member(writer, "policy", policy.statements.text());
  writer.end_object();
  txn.put(policy_key(reference), out);
}

void erase_layer_policy(store::Transaction& txn, const LayerReference& reference) { txn.erase(policy_key(reference)); }

Task<void> check_may_read(store::Snapshot& reader, std::string account, LayerReference reference) {
  if (reference.address.account == account) co_return;
  const LayerPolicy policy = co_await load_layer_policy(reader, reference);
  if (allows_account(policy.statements.text(), account)) co_return;
  throw wire::Error("AccessDeniedException", kForbidden,
                    cat("User: arn:aws:iam::", account, ":root is not authorized to perform: lambda:GetLayerVersion on "
                        "resource: ", reference.arn(),
                        " because no resource-based policy allows the lambda:GetLayerVersion action"));
}

}  // namespace tidemill::lambda
