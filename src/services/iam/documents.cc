#include "services/iam/documents.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "lang/policies/policy.h"
#include "services/iam/errors.h"

namespace tidemill::iam {

using base::cat;

namespace {

constexpr std::array<std::string_view, 2> kVersions{"2012-10-17", "2008-10-17"};
constexpr std::array<std::string_view, 9> kElements{"Sid",         "Effect",    "Principal", "NotPrincipal", "Action",
                                                    "NotAction",   "Resource",  "NotResource", "Condition"};
constexpr std::array<std::string_view, 3> kMembers{"Version", "Id", "Statement"};

wire::Error syntax_error() { return malformed("Syntax errors in policy."); }

template <size_t size>
void check_members(const json::Object& object, const std::array<std::string_view, size>& known) {
  for (const auto& [name, value] : object) {
    if (std::ranges::find(known, name) == known.end()) throw syntax_error();
  }
}

// A text, or a list of texts that is not empty; each is shown to `check`.
template <class Check>
void for_each_text(const json::Value& value, Check check) {
  if (value.is_string()) return check(value.string());
  if (!value.is_array() || value.array().empty()) throw syntax_error();
  for (const json::Value& each : value.array()) {
    if (!each.is_string()) throw syntax_error();
    check(each.string());
  }
}

void check_action(std::string_view action) {
  if (action == "*") return;
  const size_t colon = action.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == action.size()) {
    throw malformed("Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
  }
  if (action.find(':', colon + 1) != std::string_view::npos) {
    throw malformed("Actions/Condition can contain only one colon.");
  }
}

void check_resource(std::string_view resource) {
  const auto parts = std::ranges::count(resource, ':');
  if (resource != "*" && (!resource.starts_with("arn:") || parts < 5)) {
    throw malformed(cat("Resource ", resource, " must be in ARN format or \"*\"."));
  }
}

void check_principal(const json::Value& principal) {
  if (principal.is_string() && principal.string() == "*") return;
  if (!principal.is_object() || principal.object().empty()) throw syntax_error();
  constexpr std::array<std::string_view, 4> kKinds{"AWS", "Service", "Federated", "CanonicalUser"};
  check_members(principal.object(), kKinds);
  for (const auto& [kind, names] : principal.object()) {
    for_each_text(names, [&](std::string_view name) {
      if (name.empty()) throw malformed(cat("Invalid principal in policy: \"", kind, "\":\"\""));
    });
  }
}

void check_conditions(const json::Value& conditions) {
  if (!conditions.is_object()) throw syntax_error();
  for (const auto& [comparison, keys] : conditions.object()) {
    if (!keys.is_object()) throw syntax_error();
    for (const auto& [key, values] : keys.object()) {
      if (values.is_object() || values.is_null()) throw syntax_error();
    }
  }
}

// Exactly one of the two; nothing: neither.
const json::Value* one_of(const json::Value& statement, std::string_view name, std::string_view opposite) {
  const json::Value* positive = statement.find(name);
  const json::Value* negative = statement.find(opposite);
  if (positive && negative) throw syntax_error();
  return positive ? positive : negative;
}

void check_statement(DocumentKind kind, const json::Value& statement, std::set<std::string_view>& labels) {
  if (!statement.is_object()) throw syntax_error();
  check_members(statement.object(), kElements);
  if (const json::Value* label = statement.find("Sid")) {
    if (!label->is_string()) throw syntax_error();
    if (!label->string().empty() && !labels.insert(label->string()).second) {
      throw malformed("Statement IDs (SID) in a single policy must be unique.");
    }
  }
  const json::Value* effect = statement.find("Effect");
  if (!effect || !effect->is_string() || (effect->string() != "Allow" && effect->string() != "Deny")) {
    throw syntax_error();
  }
  const json::Value* actions = one_of(statement, "Action", "NotAction");
  if (!actions) throw malformed("Policy statement must contain actions.");
  for_each_text(*actions, check_action);
  const json::Value* resources = one_of(statement, "Resource", "NotResource");
  const json::Value* principal = one_of(statement, "Principal", "NotPrincipal");
  if (kind == DocumentKind::trust) {
    if (resources) throw malformed("Has prohibited field Resource.");
    if (!principal) throw malformed("Missing required field Principal.");
    check_principal(*principal);
  } else {
    if (principal) throw malformed("Policy document should not specify a principal.");
    if (!resources) throw malformed("Policy statement must contain resources.");
    for_each_text(*resources, check_resource);
  }
  if (const json::Value* conditions = statement.find("Condition")) check_conditions(*conditions);
}

void check_form(DocumentKind kind, std::string_view document) {
  const auto parsed = json::parse(document);
  if (!parsed || !parsed->is_object()) throw malformed("This policy contains invalid Json");
  check_members(parsed->object(), kMembers);
  if (const json::Value* version = parsed->find("Version")) {
    if (!version->is_string() || std::ranges::find(kVersions, version->string()) == kVersions.end()) {
      throw malformed("Policy document must be version 2012-10-17 or greater.");
    }
  }
  const json::Value* statements = parsed->find("Statement");
  if (!statements) throw syntax_error();
  std::set<std::string_view> labels;
  if (statements->is_object()) return check_statement(kind, *statements, labels);
  if (!statements->is_array() || statements->array().empty()) throw syntax_error();
  for (const json::Value& statement : statements->array()) check_statement(kind, statement, labels);
}

}  // namespace

void check_document(DocumentKind kind, std::string_view document) {
  check_form(kind, document);
  // An operator that is none, say: what cannot be judged by is refused, since left aside its denials would be, too.
  if (!lang::policies::Policy::parse(document)) throw syntax_error();
}

void check_policy_size(std::string_view document) {
  if (counted_size(document) > kPolicySizeMax) throw over_quota("PolicySize", kPolicySizeMax);
}

size_t counted_size(std::string_view document) {
  return static_cast<size_t>(std::ranges::count_if(
      document, [](char letter) { return letter != ' ' && letter != '\n' && letter != '\r' && letter != '\t'; }));
}

std::string url_encoded(std::string_view document) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(document.size() * 3);
  for (const char letter : document) {
    if (kPlain.find(letter) != std::string_view::npos) {
      out += letter;
    } else {
      const auto byte = static_cast<unsigned char>(letter);
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

}  // namespace tidemill::iam
