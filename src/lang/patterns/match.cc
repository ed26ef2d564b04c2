// Walks pattern and event together.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "lang/patterns/node.h"
#include "lang/patterns/pattern.h"

namespace tidemill::lang::patterns {
namespace {

// A place in the event. With `rest`, the place is within a member whose name has dots: an object with the one member
// `rest`, which is `value`.
struct Place {
  std::string_view rest;
  const json::Value* value;

  [[nodiscard]] bool is_array() const { return rest.empty() && value->is_array(); }
  [[nodiscard]] bool is_leaf() const { return rest.empty() && !value->is_array() && !value->is_object(); }
};

// The part of `name` behind `segment` if it names it or something in it; "" is itself.
std::optional<std::string_view> rest_behind(std::string_view name, std::string_view segment) {
  if (!name.starts_with(segment)) return std::nullopt;
  name.remove_prefix(segment.size());
  if (name.empty()) return name;
  if (name.front() != '.' || name.size() == 1) return std::nullopt;
  return name.substr(1);
}

// Calls `visit` for each member of the place that is called `segment`, until it returns true.
bool any_member(const Place& place, std::string_view segment, auto visit) {
  if (!place.rest.empty()) {
    const auto rest = rest_behind(place.rest, segment);
    return rest && visit(Place{*rest, place.value});
  }
  if (!place.value->is_object()) return false;
  for (const auto& [name, value] : place.value->object()) {
    const auto rest = rest_behind(name, segment);
    if (rest && visit(Place{*rest, &value})) return true;
  }
  return false;
}

bool any_element(const Place& array, auto visit) {
  return std::ranges::any_of(array.value->array(),
                             [&](const json::Value& element) { return visit(Place{{}, &element}); });
}

// Whether anything but objects stands at the path, counted from `depth` on.
bool exists(const Place& place, const std::vector<std::string>& path, size_t depth) {
  if (place.is_array()) return any_element(place, [&](const Place& element) { return exists(element, path, depth); });
  if (depth == path.size()) return place.is_leaf();
  return any_member(place, path[depth], [&](const Place& member) { return exists(member, path, depth + 1); });
}

class Matching {
 public:
  explicit Matching(const json::Value& event) : root_{{}, &event} {}

  bool matches(const Node& node) const { return matches(node, root_); }

 private:
  bool matches(const Node& node, const Place& place) const {
    if (place.is_array()) return any_element(place, [&](const Place& element) { return matches(node, element); });
    if (!node.values.empty() && !matches_value(node, place)) return false;
    return std::ranges::all_of(node.children,
                               [&](const Node& child) { return matches_member(child, place); }) &&
           std::ranges::all_of(node.alternatives, [&](const std::vector<Node>& alternatives) {
             return std::ranges::any_of(alternatives, [&](const Node& one) { return matches(one, place); });
           });
  }

  static bool matches_value(const Node& node, const Place& place) {
    return place.is_leaf() &&
           std::ranges::any_of(node.values, [&](const Matcher& matcher) { return matcher.matches(*place.value); });
  }

  bool matches_member(const Node& node, const Place& place) const {
    return any_member(place, node.path.back(), [&](const Place& member) { return matches(node, member); }) || is_absent(node);
  }

  // Whether the node is content with there being nothing.
  bool is_absent(const Node& node) const {
    const auto wants_absence = [](const Matcher& matcher) { return matcher.kind == Matcher::Kind::absent; };
    if (!node.values.empty() &&
        (std::ranges::none_of(node.values, wants_absence) || is_there(node))) {
      return false;
    }
    return std::ranges::all_of(node.children, [&](const Node& child) { return is_absent(child); }) &&
           std::ranges::all_of(node.alternatives, [&](const std::vector<Node>& alternatives) {
             return std::ranges::any_of(alternatives, [&](const Node& one) { return is_absent(one); });
           });
  }

  // Whether the whole event has something at the node's path. Remembered: it is asked for each element of an array.
  bool is_there(const Node& node) const {
    const auto [found, is_new] = there_.try_emplace(&node, false);
    if (is_new) found->second = exists(root_, node.path, 0);
    return found->second;
  }

  const Place root_;
  mutable std::unordered_map<const Node*, bool> there_;
};

}  // namespace

bool Pattern::matches(const json::Value& event) const {
  if (is_empty()) return true;
  return event.is_object() && Matching(event).matches(*root_);
}

bool Pattern::is_empty() const { return root_->is_empty(); }

}  // namespace tidemill::lang::patterns
