#include "services/cloudformation/stack_policy.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "services/cloudformation/asked.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

constexpr std::string_view kInvalid = "Invalid stack policy";
constexpr std::string_view kResourcePrefix = "LogicalResourceId/";
constexpr std::string_view kActions[] = {"Update:*", "Update:Modify", "Update:Replace", "Update:Delete"};

[[noreturn]] void refuse() { throw std::invalid_argument(std::string(kInvalid)); }

// '*' is any text, '?' any letter.
bool matches(std::string_view pattern, std::string_view text) {
  size_t at = 0, star = std::string_view::npos, after_star = 0, i = 0;
  while (i < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      after_star = i;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[i])) {
      ++at, ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

bool has_wildcard(std::string_view pattern) { return pattern.find_first_of("*?") != std::string_view::npos; }

std::vector<std::string> texts(const json::Value& value) {
  std::vector<std::string> result;
  if (value.is_string()) {
    result.push_back(value.string());
  } else if (value.is_array() && !value.array().empty()) {
    for (const json::Value& one : value.array()) {
      if (!one.is_string()) refuse();
      result.push_back(one.string());
    }
  } else {
    refuse();
  }
  return result;
}

void check_principal(const json::Value* principal) {
  if (!principal) refuse();
  const json::Value* of = principal->is_object() ? principal->find("AWS") : principal;
  if (!of || texts(*of) != std::vector<std::string>{"*"}) refuse();
}

}  // namespace

bool StackPolicy::List::covers(std::string_view text) const {
  return std::ranges::any_of(patterns, [&](const std::string& one) { return matches(one, text); }) != is_negated;
}

bool StackPolicy::Statement::covers(std::string_view action, std::string_view logical_id, std::string_view type) const {
  if (!actions.covers(action) || !resources.covers(cat(kResourcePrefix, logical_id))) return false;
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    const bool is_one = std::ranges::any_of(condition.types, [&](const std::string& one) {
      return condition.has_wildcards ? matches(one, type) : one == type;
    });
    return is_one != condition.is_negated;
  });
}

StackPolicy::List StackPolicy::parse_list(const json::Value& statement, std::string_view name,
                                          std::string_view negated_name) {
  const json::Value *plain = statement.find(name), *negated = statement.find(negated_name);
  if ((plain == nullptr) == (negated == nullptr)) refuse();
  return {texts(plain ? *plain : *negated), negated != nullptr};
}

std::vector<StackPolicy::Condition> StackPolicy::parse_conditions(const json::Value& value) {
  struct Operator {
    std::string_view name;
    bool is_negated, has_wildcards;
  };
  static constexpr Operator kOperators[] = {{"StringEquals", false, false},
                                            {"StringLike", false, true},
                                            {"StringNotEquals", true, false},
                                            {"StringNotLike", true, true}};
  if (!value.is_object()) refuse();
  std::vector<Condition> result;
  for (const auto& [name, keys] : value.object()) {
    const auto found = std::ranges::find(kOperators, std::string_view(name), &Operator::name);
    if (found == std::end(kOperators) || !keys.is_object()) refuse();
    for (const auto& [key, types] : keys.object()) {
      if (key != "ResourceType") refuse();
      result.push_back({texts(types), found->is_negated, found->has_wildcards});
    }
  }
  return result;
}

StackPolicy::Statement StackPolicy::parse_statement(const json::Value& value) {
  static constexpr std::string_view kMembers[] = {"Sid",      "Effect",      "Action",   "NotAction",
                                                  "Resource", "NotResource", "Principal", "Condition"};
  if (!value.is_object()) refuse();
  for (const auto& [name, one] : value.object()) {
    if (std::ranges::find(kMembers, std::string_view(name)) == std::end(kMembers)) refuse();
  }
  Statement result;
  const json::Value* effect = value.find("Effect");
  if (!effect || !effect->is_string() || (effect->string() != "Allow" && effect->string() != "Deny")) refuse();
  result.allows = effect->string() == "Allow";
  check_principal(value.find("Principal"));
  result.actions = parse_list(value, "Action", "NotAction");
  for (const std::string& action : result.actions.patterns) {
    if (std::ranges::find(kActions, action) == std::end(kActions)) refuse();
  }
  result.resources = parse_list(value, "Resource", "NotResource");
  for (const std::string& resource : result.resources.patterns) {
    if (resource != "*" && !resource.starts_with(kResourcePrefix)) refuse();
  }
  if (const json::Value* condition = value.find("Condition")) result.conditions = parse_conditions(*condition);
  return result;
}

StackPolicy::StackPolicy(std::string_view text) {
  const auto document = json::parse(text);
  const json::Value* statements = document && document->is_object() ? document->find("Statement") : nullptr;
  if (!statements) refuse();
  for (const auto& [name, one] : document->object()) {
    if (name != "Statement" && name != "Version" && name != "Id") refuse();
  }
  if (statements->is_object()) {
    statements_.push_back(parse_statement(*statements));
  } else if (statements->is_array() && !statements->array().empty()) {
    for (const json::Value& one : statements->array()) statements_.push_back(parse_statement(one));
  } else {
    refuse();
  }
}

std::string StackPolicy::why_denied(std::string_view action, std::string_view logical_id, std::string_view type) const {
  bool is_allowed = false;
  for (size_t i = 0; i < statements_.size(); ++i) {
    if (!statements_[i].covers(action, logical_id, type)) continue;
    if (statements_[i].allows) {
      is_allowed = true;
      continue;
    }
    return cat("Action denied by stack policy: Statement [#", i + 1, "] does not allow [", action, "] for resource [",
               kResourcePrefix, logical_id, "]");
  }
  if (is_allowed) return "";
  return cat("Action denied by stack policy: No statement allows [", action, "] for resource [", kResourcePrefix,
             logical_id, "]");
}

std::string StackPolicy::unknown_resource(const Plan& plan) const {
  for (const Statement& statement : statements_) {
    for (const std::string& resource : statement.resources.patterns) {
      if (has_wildcard(resource)) continue;
      if (!plan.stack.resource(std::string_view(resource).substr(kResourcePrefix.size()))) return resource;
    }
  }
  return "";
}

Task<std::optional<std::string>> stack_policy_of(wire::Context& context, std::optional<std::string> body,
                                                 std::optional<std::string> url, std::string name, const Plan* plan) {
  if (!body && !url) co_return std::nullopt;
  if (body && url) {
    throw errors::validation_error(cat("You cannot specify both ", name, "URL and ", name, "Body"));
  }
  std::string text = body ? *std::move(body) : co_await fetch_text(context, *url, cat(name, "URL"), kStackPolicyBytesMax);
  std::string problem;
  try {
    const StackPolicy policy(text);
    const std::string unknown = plan ? policy.unknown_resource(*plan) : std::string();
    if (!unknown.empty()) {
      problem = cat("Unknown logical id '", unknown,
                    "' in statement {} - stack policies can only be applied to logical ids referenced in the template");
    }
  } catch (const std::invalid_argument& error) {
    problem = error.what();
  }
  if (!problem.empty()) throw errors::validation_error(cat("Error validating stack policy: ", problem));
  co_return std::move(text);
}

}  // namespace tidemill::cloudformation
