// Inside: the steps of a path, and filters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/jsonpath/jsonpath.h"

namespace re2 {
class RE2;
}

namespace tidemill::lang::jsonpath {

struct Operand;

// A filter: (@.a == 1 && !(@.b)).
struct Filter {
  enum class Op : uint8_t {
    both,
    either,
    negation,
    exists,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    matches,
    in,
    nin,
    subset_of,
    any_of,
    none_of,
    size,
    empty,
  };

  Op op = Op::exists;
  std::vector<Filter> parts;  // of both, either, negation
  std::shared_ptr<const Operand> left;
  std::shared_ptr<const Operand> right;
  std::shared_ptr<const re2::RE2> pattern;  // of matches
};

struct Step {
  enum class Type : uint8_t { members, elements, slice, all, descend, filter, function };
  enum class Function : uint8_t { length, keys, min, max, avg, sum, stddev, first, last, index };

  Type type = Type::members;
  std::vector<std::string> names;   // of members
  std::vector<int64_t> indexes;     // of elements; of index()
  std::optional<int64_t> from, to;  // of a slice
  int64_t stride = 1;
  std::shared_ptr<const Filter> filter;
  Function function = Function::length;

  // It leads to one node at most.
  [[nodiscard]] bool is_definite() const {
    return (type == Type::members && names.size() == 1) || (type == Type::elements && indexes.size() == 1);
  }
};

// What is compared: a value, or a path from the element (@) or from the document ($).
struct Operand {
  std::optional<json::Value> literal;  // nothing: a path
  std::vector<Step> steps;
  bool is_definite = true;
  bool is_relative = false;
};

// Counts nodes, so that a path ends whatever it is given.
struct Budget {
  size_t left = kNodesVisitedMax;

  void visit(size_t nodes = 1) {
    if (left < nodes) throw PathError("The path visits too many nodes.");
    left -= nodes;
  }
};

// As how many nodes a value counts that is compared or copied as a whole.
[[nodiscard]] size_t weight_of(const json::Value& value);
// So many bytes of a text, or so many names that are looked through, count as one node.
inline constexpr size_t kBytesPerNode = 64;
inline constexpr size_t kNamesPerNode = 16;

// Of definite steps, from `first` on. Null: they lead nowhere.
[[nodiscard]] const json::Value* find(const std::vector<Step>& steps, const json::Value& from, size_t first = 0);
[[nodiscard]] const json::Value* find(const std::vector<Step>& steps, const json::Value& from, Budget& budget);
[[nodiscard]] bool accepts(const Filter& filter, const json::Value& element, const json::Value& root, Budget& budget);
[[nodiscard]] Selection select(const std::vector<Step>& steps, bool is_definite, const json::Value& from,
                               const json::Value& root, Budget& budget);
// The element, if it is there; negative ones count from the end.
[[nodiscard]] const json::Value* element_of(const json::Array& array, int64_t index);

}  // namespace tidemill::lang::jsonpath
