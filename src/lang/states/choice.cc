#include "lang/states/choice.h"

#include <algorithm>
#include <compare>

#include "base/find.h"
#include "base/text.h"
#include "lang/states/timestamp.h"

namespace tidemill::lang::states {

Wildcard::Wildcard(std::string_view pattern) : parts_(1) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool is_escaped =
        pattern[i] == '\\' && i + 1 < pattern.size() && (pattern[i + 1] == '*' || pattern[i + 1] == '\\');
    if (is_escaped)
      parts_.back().push_back(pattern[++i]);
    else if (pattern[i] == '*')
      parts_.emplace_back();
    else
      parts_.back().push_back(pattern[i]);
  }
}

bool Wildcard::matches(std::string_view text) const {
  if (parts_.size() == 1) return text == parts_.front();
  if (!text.starts_with(parts_.front())) return false;
  text.remove_prefix(parts_.front().size());
  if (!text.ends_with(parts_.back())) return false;
  text.remove_suffix(parts_.back().size());
  for (size_t i = 1; i + 1 < parts_.size(); ++i) {
    const size_t found = base::find(text, parts_[i]);
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + parts_[i].size());
  }
  return true;
}

namespace {

bool stands(Rule::Relation relation, std::partial_ordering order) {
  switch (relation) {
    case Rule::Relation::equal:
      return order == 0;
    case Rule::Relation::less:
      return order < 0;
    case Rule::Relation::greater:
      return order > 0;
    case Rule::Relation::less_equal:
      return order <= 0;
    case Rule::Relation::greater_equal:
      return order >= 0;
  }
  return false;
}

std::optional<Time> time_of(const json::Value& value) {
  return value.is_string() ? parse_timestamp(value.string()) : std::nullopt;
}

bool compare(const Rule& rule, const json::Value& value, const json::Value& comparand) {
  switch (rule.kind) {
    case Rule::Kind::string:
      return value.is_string() && comparand.is_string() && stands(rule.relation, value.string() <=> comparand.string());
    case Rule::Kind::number: {
      const auto left = value.to_double();
      const auto right = comparand.to_double();
      return left && right && stands(rule.relation, *left <=> *right);
    }
    case Rule::Kind::boolean:
      return value.is_boolean() && comparand.is_boolean() && value.boolean() == comparand.boolean();
    case Rule::Kind::timestamp: {
      const auto left = time_of(value);
      const auto right = rule.time ? rule.time : time_of(comparand);
      return left && right && stands(rule.relation, *left <=> *right);
    }
  }
  return false;
}

Document present(const jsonpath::Path& path, const Env& env) {
  Document found = resolve(path, env);
  if (!found) {
    throw StateError(
        error_name::kRuntime,
        base::cat("Invalid path '", path.text(), "': The choice state's condition path references an invalid value."));
  }
  return found;
}

bool is_of_type(Rule::Type type, const json::Value& value) {
  switch (type) {
    case Rule::Type::is_null:
      return value.is_null();
    case Rule::Type::is_numeric:
      return value.is_number();
    case Rule::Type::is_string:
      return value.is_string();
    case Rule::Type::is_boolean:
      return value.is_boolean();
    default:
      return time_of(value).has_value();
  }
}

// A variable that nobody has assigned is not present.
bool is_present(const jsonpath::Path& path, const Env& env) {
  if (path.root() == jsonpath::Path::Root::variable &&
      !(env.scope.variables && env.scope.variables->find(path.variable()))) {
    return false;
  }
  return resolve(path, env) != nullptr;
}

}  // namespace

bool Rule::holds(const Env& env) const {
  switch (type) {
    case Type::both:
      return std::ranges::all_of(parts, [&](const Rule& part) { return part.holds(env); });
    case Type::either:
      return std::ranges::any_of(parts, [&](const Rule& part) { return part.holds(env); });
    case Type::negation:
      return !parts.front().holds(env);
    case Type::is_present:
      return is_present(*variable, env) == literal.boolean();
    case Type::matches: {
      const Document value = present(*variable, env);
      return value->is_string() && pattern->matches(value->string());
    }
    case Type::compare: {
      const Document value = present(*variable, env);
      return compare(*this, *value, comparand ? *present(*comparand, env) : literal);
    }
    default:
      return is_of_type(type, *present(*variable, env)) == literal.boolean();
  }
}

std::optional<Operator> find_operator(std::string_view name) {
  using Type = Rule::Type;
  constexpr std::pair<std::string_view, Type> kTests[] = {
      {"IsPresent", Type::is_present}, {"IsNull", Type::is_null},       {"IsNumeric", Type::is_numeric},
      {"IsString", Type::is_string},   {"IsBoolean", Type::is_boolean}, {"IsTimestamp", Type::is_timestamp},
      {"StringMatches", Type::matches}};
  constexpr std::pair<std::string_view, Rule::Kind> kKinds[] = {{"String", Rule::Kind::string},
                                                                {"Numeric", Rule::Kind::number},
                                                                {"Boolean", Rule::Kind::boolean},
                                                                {"Timestamp", Rule::Kind::timestamp}};
  constexpr std::pair<std::string_view, Rule::Relation> kRelations[] = {
      {"Equals", Rule::Relation::equal},
      {"LessThan", Rule::Relation::less},
      {"GreaterThan", Rule::Relation::greater},
      {"LessThanEquals", Rule::Relation::less_equal},
      {"GreaterThanEquals", Rule::Relation::greater_equal}};
  for (const auto& [test, type] : kTests) {
    if (name == test) return Operator{type, Rule::Kind::string, Rule::Relation::equal, false};
  }
  const bool is_path = name.ends_with("Path");
  if (is_path) name.remove_suffix(4);
  for (const auto& [prefix, kind] : kKinds) {
    if (!name.starts_with(prefix)) continue;
    for (const auto& [suffix, relation] : kRelations) {
      const bool is_possible = kind != Rule::Kind::boolean || relation == Rule::Relation::equal;
      if (name.substr(prefix.size()) == suffix && is_possible) return Operator{Type::compare, kind, relation, is_path};
    }
  }
  return std::nullopt;
}

}  // namespace tidemill::lang::states
