// Inside: a parsed expression.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/metrics/expression.h"

namespace tidemill::lang::metrics {

enum class NodeKind { number, text, word, array, unary_minus, binary, call };

struct Node {
  NodeKind kind = NodeKind::number;
  double number = 0;
  std::string name;  // a text, a query's id, an operator ("+", "AND"), a function in capitals
  std::vector<std::shared_ptr<const Node>> parts;
  SearchCall search;  // of a call of SEARCH
};

// Words that stand for how something is done, not for a query: FILL(m1, REPEAT), SORT(m, MAX, DESC).
[[nodiscard]] bool is_option_word(std::string_view name);

// Whether there is a function of this name, and takes so many arguments. Throws ExpressionError.
void check_call(const std::string& name, size_t arguments);

}  // namespace tidemill::lang::metrics
