// Inside: choice rules of JSONPath states.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/states/env.h"

namespace tidemill::lang::states {

// "a*b": an asterisk is any text, \* is an asterisk.
class Wildcard {
 public:
  explicit Wildcard(std::string_view pattern);
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  std::vector<std::string> parts_;  // between the asterisks
};

struct Rule {
  enum class Type : uint8_t {
    both,
    either,
    negation,
    compare,
    matches,
    is_present,
    is_null,
    is_numeric,
    is_string,
    is_boolean,
    is_timestamp
  };
  enum class Kind : uint8_t { string, number, boolean, timestamp };
  enum class Relation : uint8_t { equal, less, greater, less_equal, greater_equal };

  Type type = Type::compare;
  std::vector<Rule> parts;
  std::unique_ptr<const jsonpath::Path> variable;

  Kind kind = Kind::string;  // of compare
  Relation relation = Relation::equal;
  std::unique_ptr<const jsonpath::Path> comparand;  // null: the literal
  json::Value literal;                              // of compare, and of is_… whether it must be so
  std::optional<Time> time;                         // of a literal timestamp
  std::optional<Wildcard> pattern;

  // Throws StateError for a variable that is not there.
  [[nodiscard]] bool holds(const Env& env) const;
};

// What an operator of the language does; nothing: there is none of this name.
struct Operator {
  Rule::Type type;
  Rule::Kind kind;
  Rule::Relation relation;
  bool is_path;
};
[[nodiscard]] std::optional<Operator> find_operator(std::string_view name);

}  // namespace tidemill::lang::states
