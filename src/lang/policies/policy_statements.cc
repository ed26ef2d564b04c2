#include "lang/policies/policy_statements.h"

#include <algorithm>

#include "base/text.h"

namespace tidemill::lang {

namespace {

namespace json = base::json;

bool has_label(const json::Value& statement, std::string_view label) {
  const json::Value* sid = statement.find("Sid");
  return sid && sid->is_string() && sid->string() == label;
}

// One alone stands by itself, as AWS writes it.
json::Value one_or_many(json::Array values) {
  return values.size() == 1 ? std::move(values.front()) : json::Value(std::move(values));
}

}  // namespace

PolicyStatements::PolicyStatements(std::string_view policy, json::Object otherwise) : policy_(std::move(otherwise)) {
  if (auto document = json::parse(policy); document && document->is_object()) policy_ = std::move(document->object());
}

json::Array& PolicyStatements::statements() {
  json::Value* found = policy_.find("Statement");
  if (!found) found = &policy_.set("Statement", json::Array{});
  if (!found->is_array()) *found = json::Array{*found};
  return found->array();
}

bool PolicyStatements::has(std::string_view label) {
  return std::ranges::any_of(statements(), [&](const auto& statement) { return has_label(statement, label); });
}

void PolicyStatements::add(json::Value statement) { statements().push_back(std::move(statement)); }

bool PolicyStatements::remove(std::string_view label) {
  return std::erase_if(statements(), [&](const json::Value& one) { return has_label(one, label); }) > 0;
}

bool PolicyStatements::empty() { return statements().empty(); }

std::string PolicyStatements::text() const { return json::write(json::Value(policy_)); }

json::Value allow_accounts(std::string_view label, std::span<const std::string> accounts,
                           std::span<const std::string> actions, std::string_view resource) {
  json::Array principals;
  for (const std::string& account : accounts) principals.emplace_back(base::cat("arn:aws:iam::", account, ":root"));
  json::Array allowed(actions.begin(), actions.end());
  return json::Object{{"Sid", label},
                      {"Effect", "Allow"},
                      {"Principal", json::Object{{"AWS", one_or_many(std::move(principals))}}},
                      {"Action", one_or_many(std::move(allowed))},
                      {"Resource", resource}};
}

}  // namespace tidemill::lang
