// Policy documents: JSON to statements.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/policies/policy.h"

namespace tidemill::lang::policies {

using base::cat;

namespace {

constexpr std::string_view kVersionWithVariables = "2012-10-17";
constexpr std::string_view kVersionWithout = "2008-10-17";  // also where none is given
constexpr std::array<std::string_view, 9> kElements{"Sid",       "Effect",   "Principal",   "NotPrincipal", "Action",
                                                    "NotAction", "Resource", "NotResource", "Condition"};

}  // namespace

class StatementParser {
 public:
  explicit StatementParser(bool has_variables) : has_variables_(has_variables) {}

  // What is wrong with it; empty: nothing.
  std::string parse(const json::Value& element, Statement& out) const {
    if (!element.is_object()) return "is no object";
    for (const auto& [name, value] : element.object()) {
      if (std::ranges::find(kElements, name) == kElements.end()) return cat("unknown element ", name);
    }
    if (const json::Value* label = element.find("Sid")) {
      if (!label->is_string()) return "Sid is no text";
      out.label_ = label->string();
    }
    const json::Value* effect = element.find("Effect");
    if (!effect || !effect->is_string() || (effect->string() != "Allow" && effect->string() != "Deny")) {
      return "Effect is neither Allow nor Deny";
    }
    out.effect_ = effect->string() == "Allow" ? Effect::allow : Effect::deny;
    if (auto wrong = parse_patterns(element, "Action", {Wildcards::anywhere, false, true}, out.actions_);
        !wrong.empty()) {
      return wrong;
    }
    if (!out.actions_.is_given) return "there is no Action";
    if (auto wrong = parse_patterns(element, "Resource", {Wildcards::arn, has_variables_}, out.resources_);
        !wrong.empty()) {
      return wrong;
    }
    if (auto wrong = parse_principal(element, out); !wrong.empty()) return wrong;
    const json::Value* conditions = element.find("Condition");
    if (conditions && !parse_conditions(*conditions, has_variables_, out.conditions_)) {
      return "Condition has an operator that is none, or values that are no texts";
    }
    return "";
  }

 private:
  std::string parse_patterns(const json::Value& element, const std::string& name, GlobOptions options,
                             Statement::Patterns& out) const {
    const json::Value* positive = element.find(name);
    const json::Value* negative = element.find(cat("Not", name));
    if (positive && negative) return cat("has both ", name, " and Not", name);
    const json::Value* given = positive ? positive : negative;
    if (!given) return "";
    out.is_given = true;
    out.is_negated = negative != nullptr;
    const auto add = [&](const json::Value& value) {
      if (value.is_string()) out.globs.emplace_back(value.string(), options);
      return value.is_string();
    };
    if (given->is_array() ? !std::ranges::all_of(given->array(), add) : !add(*given)) return cat(name, " is no text");
    return out.globs.empty() ? cat(name, " is empty") : "";
  }

  static std::string parse_principal(const json::Value& element, Statement& out) {
    const json::Value* positive = element.find("Principal");
    const json::Value* negative = element.find("NotPrincipal");
    if (positive && negative) return "has both Principal and NotPrincipal";
    const json::Value* given = positive ? positive : negative;
    if (!given) return "";
    if (!out.principals_.emplace().parse(*given)) return "Principal names nobody";
    out.spares_principals_ = negative != nullptr;
    return "";
  }

  const bool has_variables_;

 public:
  static void number(Statement& statement, size_t index) { statement.index_ = index; }
};

std::expected<Policy, std::string> Policy::parse(std::string_view document) {
  if (document.size() > kDocumentBytesMax) return std::unexpected("the document is too long");
  const auto parsed = json::parse(document);
  if (!parsed || !parsed->is_object()) return std::unexpected("the document is no JSON object");
  const json::Value* version = parsed->find("Version");
  const bool is_known =
      !version ||
      (version->is_string() && (version->string() == kVersionWithVariables || version->string() == kVersionWithout));
  if (!is_known) return std::unexpected("unknown Version");
  const StatementParser parser(version && version->string() == kVersionWithVariables);
  const json::Value* statements = parsed->find("Statement");
  if (!statements) return std::unexpected("there is no Statement");
  Policy policy;
  const auto add = [&](const json::Value& element) {
    Statement& statement = policy.statements_.emplace_back();
    StatementParser::number(statement, policy.statements_.size() - 1);
    std::string wrong = parser.parse(element, statement);
    if (statement.uses_facts()) policy.uses_facts_ = true;
    policy.effort_.add(statement.effort());
    return wrong;
  };
  if (!statements->is_array()) {
    if (auto wrong = add(*statements); !wrong.empty()) return std::unexpected(cat("Statement: ", wrong));
    return policy;
  }
  for (const json::Value& element : statements->array()) {
    if (auto wrong = add(element); !wrong.empty()) {
      return std::unexpected(cat("Statement ", policy.statements_.size(), ": ", wrong));
    }
  }
  return policy;
}

std::expected<Policy, std::string> Policy::parse_of_resource(std::string_view document) {
  auto policy = parse(document);
  if (!policy) return policy;
  for (const Statement& statement : policy->statements_) {
    if (!statement.says_whom()) {
      return std::unexpected(cat("Statement ", statement.index() + 1, ": there is no Principal"));
    }
  }
  return policy;
}

}  // namespace tidemill::lang::policies
