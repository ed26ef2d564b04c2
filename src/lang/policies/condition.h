// The Condition of a statement: operators, keys and values. All of them must hold; of one key's values one must.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "lang/policies/facts.h"
#include "lang/policies/glob.h"

namespace tidemill::lang::policies {

enum class Comparison {
  text,
  text_ignoring_case,
  text_like,
  arn_like,
  number,
  date,
  boolean,
  binary,
  address,
  absence,
};
enum class Ordering { equal, less, less_or_equal, greater, greater_or_equal };  // of numbers and dates
// How the several values of a request's key are judged.
enum class Quantifier {
  none,  // as if it had one: positive operators want one that matches, negated ones none
  all,   // ForAllValues: also true of none at all
  any,   // ForAnyValue: never true of none
};

struct Operator {
  Comparison comparison = Comparison::text;
  Ordering ordering = Ordering::equal;
  Quantifier quantifier = Quantifier::none;
  bool is_negated = false;
  bool if_exists = false;
};

// Nothing: there is no such operator ("ForAnyValue:StringLikeIfExists" is one). Ignores case.
[[nodiscard]] std::optional<Operator> parse_operator(std::string_view name);

// One operator with one key.
struct Condition {
  Operator is;
  std::string name;          // of the key, as it is written
  std::string key;           // in lower case
  std::vector<Glob> values;  // as the comparison wants them: only texts and ARNs have wildcards and variables

  // Nothing: a variable has no value, so that the statement does not match.
  [[nodiscard]] std::optional<bool> holds(const FactSource& facts) const;
  // As Glob::effort().
  [[nodiscard]] size_t effort() const;
};

// Appends the conditions of a statement. False: it has not the form of such.
[[nodiscard]] bool parse_conditions(const json::Value& element, bool has_variables, std::vector<Condition>& out);

}  // namespace tidemill::lang::policies
