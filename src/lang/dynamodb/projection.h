// ProjectionExpression, and any other set of document paths to cut out of an item.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dynamodb/expression.h"

namespace tidemill::lang::dynamodb {

// Paths as a tree: each node is a step, its children are what follows. Siblings are sorted: names by bytes, indexes by
// number. A node without children is the end of a path.
struct PathTree {
  struct Node {
    PathStep step;
    std::vector<Node> children;
    uint32_t path = 0;  // the number of the path that ends here
  };
  std::vector<Node> roots;

  // What is wrong with two paths of an expression: one is, or lies in, the other; or one takes for a list what the
  // other takes for a map.
  enum class Clash { none, overlap, conflict };
  // Adds a path; on a clash the tree may keep a part of it, and `other` becomes the number of the path it clashes with.
  Clash add(const Path& path, uint32_t number, uint32_t& other);

  // Where a step stands, or would stand, among siblings.
  static std::vector<Node>::iterator position(std::vector<Node>& siblings, const PathStep& step);
};

struct Projection {
  std::vector<Path> paths;
  PathTree tree;
};

// Throws ExpressionError.
[[nodiscard]] Projection parse_projection(std::string_view text, Substitutions& substitutions);

// Of attribute names alone (AttributesToGet, an index's projected attributes); duplicates are ignored.
[[nodiscard]] Projection projection_of(std::vector<std::string> attributes);

// Throws for overlaps and conflicts among the paths; overlaps come first, as on AWS.
void add_paths(PathTree& tree, const std::vector<Path>& paths, ExpressionKind kind);

// The part of the item that the paths name. Chosen elements of a list close up, in the order of the list.
[[nodiscard]] Item apply(const Projection& projection, ItemView item);

}  // namespace tidemill::lang::dynamodb
