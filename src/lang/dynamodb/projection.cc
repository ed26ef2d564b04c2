#include "lang/dynamodb/projection.h"

#include <algorithm>

#include "lang/dynamodb/encoding.h"
#include "lang/dynamodb/syntax.h"

namespace tidemill::lang::dynamodb {

using namespace detail;

namespace {

bool step_before(const PathStep& a, const PathStep& b) { return a.is_index ? a.index < b.index : a.name < b.name; }

// The least number of the paths that end in or below a node.
uint32_t first_path(const PathTree::Node& node) {
  if (node.children.empty()) return node.path;
  uint32_t least = UINT32_MAX;
  for (const PathTree::Node& child : node.children) least = std::min(least, first_path(child));
  return least;
}

using Nodes = std::vector<PathTree::Node>;

// Appends what the nodes choose of one value. False: nothing was chosen, and nothing was appended.
bool append_chosen(std::string& out, const PathTree::Node& node, ValueView value);

// Members and nodes are both sorted by name: they are merged.
bool append_members(std::string& out, const Nodes& nodes, MemberRange members) {
  const size_t size_before = out.size();
  auto node = nodes.begin();
  for (const Member member : members) {
    while (node != nodes.end() && node->step.name < member.name) ++node;
    if (node == nodes.end()) break;
    if (node->step.name != member.name) continue;
    const size_t entry = out.size();
    append_sized(out, member.name);
    if (!append_chosen(out, *node, member.value)) out.resize(entry);
  }
  return out.size() != size_before;
}

bool append_elements(std::string& out, const Nodes& nodes, ElementRange elements) {
  const size_t size_before = out.size();
  auto node = nodes.begin();
  uint32_t index = 0;
  for (const ValueView element : elements) {
    if (node == nodes.end()) break;
    if (node->step.index == index) append_chosen(out, *node++, element);
    ++index;
  }
  return out.size() != size_before;
}

bool append_chosen(std::string& out, const PathTree::Node& node, ValueView value) {
  if (node.children.empty()) {
    append_value(out, value);
    return true;
  }
  const bool list = node.children.front().step.is_index;
  if (value.type() != (list ? Type::L : Type::M)) return false;
  const size_t place = open_container(out, list ? kList : kMap);
  const bool any = list ? append_elements(out, node.children, value.elements())
                        : append_members(out, node.children, value.members());
  if (any) {
    close_container(out, place);
  } else {
    out.resize(place);
  }
  return any;
}

}  // namespace

Nodes::iterator PathTree::position(Nodes& siblings, const PathStep& step) {
  return std::lower_bound(siblings.begin(), siblings.end(), step,
                          [](const Node& node, const PathStep& wanted) { return step_before(node.step, wanted); });
}

PathTree::Clash PathTree::add(const Path& path, uint32_t number, uint32_t& other) {
  Nodes* siblings = &roots;
  for (size_t i = 0; i < path.steps.size(); ++i) {
    const PathStep& step = path.steps[i];
    const bool last = i + 1 == path.steps.size();
    if (!siblings->empty() && siblings->front().step.is_index != step.is_index) {
      other = UINT32_MAX;
      for (const Node& sibling : *siblings) other = std::min(other, first_path(sibling));
      return Clash::conflict;
    }
    auto found = position(*siblings, step);
    if (found == siblings->end() || found->step != step) {
      found = siblings->insert(found, Node{step, {}, number});
    } else if (last || found->children.empty()) {
      other = first_path(*found);
      return Clash::overlap;
    }
    siblings = &found->children;
  }
  return Clash::none;
}

void add_paths(PathTree& tree, const std::vector<Path>& paths, ExpressionKind kind) {
  std::string conflict;
  for (uint32_t number = 0; number < paths.size(); ++number) {
    uint32_t other = 0;
    const PathTree::Clash clash = tree.add(paths[number], number, other);
    if (clash == PathTree::Clash::none) continue;
    const bool overlap = clash == PathTree::Clash::overlap;
    std::string message =
        "Two document paths " + std::string(overlap ? "overlap" : "conflict") +
        " with each other; must remove or rewrite one of these paths; path one: " + paths[other].to_string() +
        ", path two: " + paths[number].to_string();
    if (overlap) refuse_expression(kind, message, true);
    if (conflict.empty()) conflict = std::move(message);
  }
  if (!conflict.empty()) refuse_expression(kind, conflict);
}

Projection parse_projection(std::string_view text, Substitutions& substitutions) {
  const Syntax syntax = Syntax::of_projection(text);
  Projection projection;
  projection.paths.reserve(syntax.projected.size());
  for (const uint32_t path : syntax.projected) projection.paths.push_back(syntax.resolve_path(path, substitutions));
  add_paths(projection.tree, projection.paths, ExpressionKind::projection);
  return projection;
}

Projection projection_of(std::vector<std::string> attributes) {
  Projection projection;
  for (std::string& attribute : attributes) {
    Path path{{PathStep{std::move(attribute)}}};
    uint32_t other = 0;
    const auto number = static_cast<uint32_t>(projection.paths.size());
    if (projection.tree.add(path, number, other) == PathTree::Clash::none) projection.paths.push_back(std::move(path));
  }
  return projection;
}

Item apply(const Projection& projection, ItemView item) {
  std::string bytes;
  append_members(bytes, projection.tree.roots, item.members());
  return Item::from_encoded(std::move(bytes));
}

}  // namespace tidemill::lang::dynamodb
