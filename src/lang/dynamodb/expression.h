// What all expressions of DynamoDB share: their errors, the substitutions for #names and :values, document paths.
// Where to go on: condition.h, key_condition.h, projection.h, update.h.
//
// A parsed expression refers to the values of its Substitutions and to nothing else: keep the request, which owns
// them, alive while the expression is in use.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dynamodb/value.h"

namespace tidemill::lang::dynamodb {

inline constexpr size_t kExpressionSizeMax = 4096;  // bytes
inline constexpr int kOperatorsMax = 300;           // of one expression
inline constexpr int kInOperandsMax = 100;
inline constexpr size_t kPlaceholderSizeMax = 255;     // bytes of #name and :value
inline constexpr size_t kSubstitutionsSizeMax = 2 << 20;  // bytes of all names and values of one request, together
inline constexpr uint32_t kListIndexMax = 0x7fffffff;  // larger ones are syntax errors

enum class ExpressionKind { condition, filter, key_condition, projection, update };

// "ConditionExpression", …: the parameter's name.
[[nodiscard]] std::string_view expression_name(ExpressionKind kind);

// A ValidationException. what() is AWS's exact message, without the "1 validation error detected: " prefix.
class ExpressionError : public std::runtime_error {
 public:
  explicit ExpressionError(const std::string& message, bool prefixed = false)
      : std::runtime_error(message), prefixed_(prefixed) {}
  // AWS begins this message with "1 validation error detected: " on single-item operations and Query (not on Scan, nor
  // in transactions).
  [[nodiscard]] bool prefixed() const { return prefixed_; }
  // The same on writes of single items alone.
  [[nodiscard]] bool is_prefixed_in_writes() const { return is_prefixed_in_writes_; }
  ExpressionError& prefix_in_writes() { return is_prefixed_in_writes_ = true, *this; }

 private:
  bool prefixed_;
  bool is_prefixed_in_writes_ = false;
};

// ExpressionAttributeNames and ExpressionAttributeValues of one request, and which of them its expressions used.
// Refers to the strings it is given.
class Substitutions {
 public:
  // A range of pairs (placeholder, attribute name). Throws for an empty range and for keys that are no placeholders.
  template <class Pairs>
  void set_names(const Pairs& names) {
    for (const auto& [placeholder, name] : names) add_name(placeholder, name);
    finish_names();
  }
  // The map of placeholders to values, as decode_item() gives it. Throws likewise.
  void set_values(ItemView values);

  // For parsers: looks up "#name" or ":value" and marks it used.
  [[nodiscard]] std::optional<std::string_view> name(std::string_view placeholder);
  [[nodiscard]] std::optional<ValueView> value(std::string_view placeholder);

  // Throws if something was not used: names first. Call it once all expressions of the request are parsed.
  void check_all_used() const;

 private:
  struct Name {
    std::string_view placeholder, name;
    bool used = false;
  };
  struct ValueEntry {
    std::string_view placeholder;
    ValueView value;
    bool used = false;
  };
  void add_name(std::string_view placeholder, std::string_view name);
  void finish_names();

  std::vector<Name> names_;  // sorted by placeholder, as are the values
  std::vector<ValueEntry> values_;
  size_t size_ = 0;  // of placeholders, names and values
};

// One step of a document path: into a map, or into a list.
struct PathStep {
  std::string name;
  uint32_t index = 0;
  bool is_index = false;
  bool operator==(const PathStep&) const = default;
};

// The first step is an attribute's name: a.b[1]
struct Path {
  std::vector<PathStep> steps;

  [[nodiscard]] const std::string& attribute() const { return steps.front().name; }
  // As in AWS's messages: "[a, b, [1]]".
  [[nodiscard]] std::string to_string() const;
  bool operator==(const Path&) const = default;
};

// What stands at `path`, if anything does.
[[nodiscard]] std::optional<ValueView> resolve(const Path& path, ItemView item);

// An attribute value as AWS's messages print it: "{S:abc}".
[[nodiscard]] std::string describe(ValueView value);

// Whether an attribute of this name must be written as a #name: the list "Reserved words in DynamoDB" of the developer
// guide, in any case.
[[nodiscard]] bool is_reserved_word(std::string_view word);

}  // namespace tidemill::lang::dynamodb
