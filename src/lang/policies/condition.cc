#include "lang/policies/condition.h"

#include <algorithm>
#include <array>

#include "lang/policies/condition_values.h"

namespace tidemill::lang::policies {

namespace {

struct Named {
  std::string_view name;
  Comparison comparison;
  Ordering ordering = Ordering::equal;
  bool is_negated = false;
};

// As IAM's reference of condition operators has them, in lower case.
constexpr std::array kOperators{
    Named{"stringequals", Comparison::text},
    Named{"stringnotequals", Comparison::text, Ordering::equal, true},
    Named{"stringequalsignorecase", Comparison::text_ignoring_case},
    Named{"stringnotequalsignorecase", Comparison::text_ignoring_case, Ordering::equal, true},
    Named{"stringlike", Comparison::text_like},
    Named{"stringnotlike", Comparison::text_like, Ordering::equal, true},
    Named{"numericequals", Comparison::number},
    Named{"numericnotequals", Comparison::number, Ordering::equal, true},
    Named{"numericlessthan", Comparison::number, Ordering::less},
    Named{"numericlessthanequals", Comparison::number, Ordering::less_or_equal},
    Named{"numericgreaterthan", Comparison::number, Ordering::greater},
    Named{"numericgreaterthanequals", Comparison::number, Ordering::greater_or_equal},
    Named{"dateequals", Comparison::date},
    Named{"datenotequals", Comparison::date, Ordering::equal, true},
    Named{"datelessthan", Comparison::date, Ordering::less},
    Named{"datelessthanequals", Comparison::date, Ordering::less_or_equal},
    Named{"dategreaterthan", Comparison::date, Ordering::greater},
    Named{"dategreaterthanequals", Comparison::date, Ordering::greater_or_equal},
    Named{"bool", Comparison::boolean},
    Named{"binaryequals", Comparison::binary},
    Named{"ipaddress", Comparison::address},
    Named{"notipaddress", Comparison::address, Ordering::equal, true},
    Named{"arnequals", Comparison::arn_like},
    Named{"arnlike", Comparison::arn_like},
    Named{"arnnotequals", Comparison::arn_like, Ordering::equal, true},
    Named{"arnnotlike", Comparison::arn_like, Ordering::equal, true},
    Named{"null", Comparison::absence},
};

bool take_start(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

bool take_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

GlobOptions options_of(Comparison comparison, bool has_variables) {
  switch (comparison) {
    case Comparison::text:
      return {Wildcards::none, has_variables};
    case Comparison::text_ignoring_case:
      return {Wildcards::none, has_variables, true};
    case Comparison::text_like:
      return {Wildcards::anywhere, has_variables};
    case Comparison::arn_like:
      return {Wildcards::arn, has_variables};
    default:
      return {Wildcards::none, false};
  }
}

// Texts, and what JSON has beside them: true, 5.
std::optional<std::string> text_of(const json::Value& value) {
  if (value.is_string()) return value.string();
  if (value.is_boolean()) return value.boolean() ? "true" : "false";
  if (value.is_number()) return value.number_text();
  return std::nullopt;
}

bool is_as_ordered(Ordering ordering, std::partial_ordering found) {
  switch (ordering) {
    case Ordering::equal:
      return found == std::partial_ordering::equivalent;
    case Ordering::less:
      return found == std::partial_ordering::less;
    case Ordering::less_or_equal:
      return found <= 0;
    case Ordering::greater:
      return found == std::partial_ordering::greater;
    case Ordering::greater_or_equal:
      return found >= 0;
  }
  return false;
}

// Whether one value of the request is what one of the policy says, without the operator's negation.
std::optional<bool> matches(const Operator& is, const Glob& wanted, const std::string& value, const FactSource& facts) {
  const auto literal = [&] { return wanted.text(facts).value_or(""); };
  switch (is.comparison) {
    case Comparison::number:
      return is_as_ordered(is.ordering, compare_numbers(value, literal()));
    case Comparison::date:
      return is_as_ordered(is.ordering, compare_dates(value, literal()));
    case Comparison::boolean:
      return lower_case(value) == lower_case(literal());
    case Comparison::binary:
      return is_same_binary(value, literal());
    case Comparison::address:
      return is_in_block(value, literal());
    default:
      return wanted.matches(value, facts);
  }
}

std::optional<bool> matches_any(const Condition& condition, const std::string& value, const FactSource& facts) {
  for (const Glob& wanted : condition.values) {
    const auto found = matches(condition.is, wanted, value, facts);
    if (!found || *found) return found;
  }
  return false;
}

bool is_absent_as_said(const Condition& condition, bool is_absent, const FactSource& facts) {
  return std::ranges::any_of(condition.values, [&](const Glob& value) {
    return lower_case(value.text(facts).value_or("")) == (is_absent ? "true" : "false");
  });
}

}  // namespace

std::optional<Operator> parse_operator(std::string_view name) {
  const std::string lowered = lower_case(name);
  std::string_view rest = lowered;
  Operator is;
  if (take_start(rest, "forallvalues:"))
    is.quantifier = Quantifier::all;
  else if (take_start(rest, "foranyvalue:"))
    is.quantifier = Quantifier::any;
  is.if_exists = take_end(rest, "ifexists");
  const auto* const found = std::ranges::find(kOperators, rest, &Named::name);
  if (found == kOperators.end()) return std::nullopt;
  if (found->comparison == Comparison::absence && (is.if_exists || is.quantifier != Quantifier::none)) {
    return std::nullopt;
  }
  is.comparison = found->comparison;
  is.ordering = found->ordering;
  is.is_negated = found->is_negated;
  return is;
}

std::optional<bool> Condition::holds(const FactSource& facts) const {
  const Values* present = facts.find(key);
  const bool is_absent = !present || present->empty();
  if (is.comparison == Comparison::absence) return is_absent_as_said(*this, is_absent, facts);
  if (is_absent) {
    if (is.if_exists || is.quantifier == Quantifier::all) return true;
    return is.quantifier == Quantifier::none && is.is_negated;
  }
  size_t fitting = 0;  // the values that are as the operator wants them
  for (const std::string& value : *present) {
    const auto found = matches_any(*this, value, facts);
    if (!found) return std::nullopt;
    if (*found != is.is_negated) ++fitting;
  }
  const bool wants_all = is.quantifier == Quantifier::all || (is.quantifier == Quantifier::none && is.is_negated);
  return wants_all ? fitting == present->size() : fitting > 0;
}

size_t Condition::effort() const {
  size_t effort = 0;
  for (const Glob& value : values) effort += value.effort();
  const bool compares_letters = is.comparison == Comparison::text || is.comparison == Comparison::text_ignoring_case ||
                                is.comparison == Comparison::text_like || is.comparison == Comparison::arn_like;
  return compares_letters ? effort : values.size();  // the others read what the request has anew for each
}

bool parse_conditions(const json::Value& element, bool has_variables, std::vector<Condition>& out) {
  if (!element.is_object()) return false;
  for (const auto& [name, keys] : element.object()) {
    const auto is = parse_operator(name);
    if (!is || !keys.is_object()) return false;
    for (const auto& [key, values] : keys.object()) {
      Condition& condition = out.emplace_back(Condition{*is, key, lower_case(key), {}});
      const auto add = [&](const json::Value& value) {
        const auto text = text_of(value);
        if (text) condition.values.emplace_back(*text, options_of(is->comparison, has_variables));
        return text.has_value();
      };
      if (!values.is_array()) {
        if (!add(values)) return false;
      } else if (!std::ranges::all_of(values.array(), add)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace tidemill::lang::policies
