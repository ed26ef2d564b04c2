// Inside: expressions and commands, parsed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/insights/query.h"
#include "lang/insights/record.h"

namespace re2 {
class RE2;
}

namespace tidemill::lang::insights {

using Regex = std::shared_ptr<const re2::RE2>;

enum class NodeKind { constant, field, call, binary, negation, opposite, like, among, aggregate };

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  NodeKind kind = NodeKind::constant;
  Value value;                 // of a constant
  std::string name;            // a field, an operator, a function in small letters
  std::vector<NodePtr> parts;  // operands, arguments, what it may be among
  Regex regex;                 // of like, and of functions' arguments
  size_t aggregate = 0;        // its number among those of its command
};

struct Named {
  NodePtr node;
  std::string name;  // in results
};

struct SortKey {
  NodePtr node;
  bool is_descending = false;
};

enum class CommandKind { fields, display, filter, parse, stats, sort, limit, dedup };

struct Command {
  CommandKind kind = CommandKind::fields;
  std::vector<Named> columns;       // fields, display, stats' values, dedup's fields
  std::vector<Named> by;            // of stats
  std::vector<NodePtr> aggregates;  // of stats: calls, in the order of their numbers
  NodePtr condition;                // of a filter; what is parsed
  std::vector<SortKey> keys;        // of sort
  size_t limit = 0;
  Regex pattern;                   // of parse: one group for each name
  std::vector<std::string> names;  // of parse
};

[[nodiscard]] bool is_aggregate(std::string_view name);
// Whether there is a function of this name, and takes so many arguments.
[[nodiscard]] bool is_function(std::string_view name);
[[nodiscard]] bool takes(std::string_view name, size_t arguments);

// What an expression comes to for a record. `aggregates`: of those in it.
[[nodiscard]] Value evaluate(const Node& node, const Record& record, const std::vector<Value>* aggregates = nullptr);

}  // namespace tidemill::lang::insights
