#include "services/dynamodb/policy.h"

#include <algorithm>
#include <array>

#include "base/ordered.h"
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "services/dynamodb/descriptor_json.h"
#include "services/dynamodb/errors.h"
#include "store/resources.h"

namespace tidemill::dynamodb {

namespace {

constexpr store::ResourceType kPolicies{"dynamodb", "policy"};
constexpr int kFormatVersion = 1;
constexpr std::string_view kOldestLanguage = "2008-10-17";  // what a document without Version is written in
constexpr std::array<std::string_view, 3> kDocumentMembers{"Version", "Id", "Statement"};
constexpr std::array<std::string_view, 9> kStatementMembers{
    "Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource", "NotResource", "Condition"};

std::string policies_prefix(const TableAddress& table) {
  return store::resource_key(kPolicies, table.account, table.region, table.name);
}

wire::Error malformed(std::string_view reason) {
  return invalid_parameters(std::string("Invalid policy document: ").append(reason));
}

const json::Value& require(const json::Value& statement, std::string_view member, std::string_view alternative = "") {
  if (const json::Value* value = statement.find(member)) return *value;
  if (!alternative.empty()) {
    if (const json::Value* value = statement.find(alternative)) return *value;
  }
  throw malformed("Missing required field " + std::string(member));
}

// ["a"] and "a" mean the same.
json::Value without_list_of_one(const json::Value& value) {
  if (value.is_array() && value.array().size() == 1) return value.array().front();
  return value;
}

// The members in the order given; others are none of a policy.
template <size_t N>
void check_members(const json::Value& object, const std::array<std::string_view, N>& known) {
  for (const auto& [name, value] : object.object()) {
    if (std::ranges::find(known, name) == known.end()) throw malformed("Unknown field " + name);
  }
}

json::Value canonical_statement(const json::Value& statement) {
  if (!statement.is_object()) throw malformed("Could not parse the policy: a statement must be an object");
  check_members(statement, kStatementMembers);
  const json::Value& effect = require(statement, "Effect");
  if (!effect.is_string() || (effect.string() != "Allow" && effect.string() != "Deny")) {
    throw malformed("Effect must be Allow or Deny");
  }
  require(statement, "Principal", "NotPrincipal");
  require(statement, "Action", "NotAction");
  require(statement, "Resource", "NotResource");
  json::Object canonical;
  for (const std::string_view member : kStatementMembers) {
    if (const json::Value* value = statement.find(member))
      canonical.set(std::string(member), without_list_of_one(*value));
  }
  return canonical;
}

json::Value canonical_statements(const json::Value& document) {
  const json::Value& given = require(document, "Statement");
  json::Array statements;
  if (given.is_object()) statements.push_back(canonical_statement(given));
  if (given.is_array()) {
    for (const json::Value& statement : given.array()) statements.push_back(canonical_statement(statement));
  }
  if (statements.empty()) throw malformed("Could not parse the policy: Statement is empty!");
  return statements;
}

}  // namespace

std::string policy_key(const PolicyOwner& owner) {
  std::string key = policies_prefix(owner.table);
  base::append_string(key, owner.stream_label);
  return key;
}

Task<std::optional<Policy>> load_policy(store::Snapshot& snapshot, const PolicyOwner& owner) {
  const auto bytes = co_await snapshot.get(policy_key(owner));
  if (!bytes) co_return std::nullopt;
  const auto json = json::parse(*bytes);
  if (!json || integer_at(*json, "version") != kFormatVersion) co_return std::nullopt;
  co_return Policy{text_at(*json, "document"), text_at(*json, "revision")};
}

void save_policy(store::Transaction& txn, const PolicyOwner& owner, const Policy& policy) {
  txn.put(policy_key(owner),
          json::write(
              json::Object{{"version", kFormatVersion}, {"document", policy.document}, {"revision", policy.revision}}));
}

void erase_policies(store::Transaction& txn, const TableAddress& table) {
  txn.erase_range(store::Range::prefix(policies_prefix(table)));
}

Policy first_policy(std::string document, base::Time now) {
  const auto revision = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch());
  return {std::move(document), std::to_string(revision.count())};
}

std::string canonical_policy(std::string_view document) {
  if (document.size() > kPolicySizeMax) {
    throw invalid_parameters("Maximum policy size of " + std::to_string(kPolicySizeMax) + " bytes exceeded");
  }
  const auto json = json::parse(document);
  if (!json || !json->is_object()) throw malformed("This policy contains invalid Json");
  check_members(*json, kDocumentMembers);
  const json::Value* version = json->find("Version");
  json::Object canonical{{"Version", version ? *version : json::Value(kOldestLanguage)}};
  if (const json::Value* id = json->find("Id")) canonical.set("Id", *id);
  canonical.set("Statement", canonical_statements(*json));
  if (const auto parsed = lang::policies::Policy::parse_of_resource(document); !parsed) throw malformed(parsed.error());
  return json::write(canonical);
}

Task<std::string> kept_policy(const wire::Context& context, std::string_view document) {
  co_return co_await engine::with_ids(context, canonical_policy(document), [](std::string_view) {
    return invalid_parameters("Invalid principal in policy document");
  });
}

}  // namespace tidemill::dynamodb
