// Inside: a pattern as a tree of keys.
#pragma once

#include <string>
#include <vector>

#include "lang/patterns/matcher.h"

namespace tidemill::lang::patterns {

struct Node {
  std::vector<Node> children;                   // all must match
  std::vector<std::vector<Node>> alternatives;  // of each "$or" one must match
  std::vector<Matcher> values;                  // if it has any, one must match
  std::vector<std::string> path;                // from the root; empty: the root

  [[nodiscard]] bool is_empty() const { return children.empty() && alternatives.empty() && values.empty(); }
};

}  // namespace tidemill::lang::patterns
