// From a pattern's text to its tree.
#include <algorithm>

#include "base/text.h"
#include "lang/patterns/node.h"
#include "lang/patterns/operators.h"
#include "lang/patterns/pattern.h"

namespace tidemill::lang::patterns {
namespace {

using base::cat;

constexpr size_t kEventBridgeBytesMax = 4096;
constexpr size_t kSnsBytesMax = 256 << 10;
constexpr size_t kSnsKeysMax = 5;
constexpr size_t kSnsCombinationsMax = 150;
constexpr size_t kSnsWildcardPointsMax = 100;
constexpr size_t kSnsStarsMax = 3;
constexpr size_t kCombinationsCounted = 1'000'000;  // beyond, it is only ever more

bool is_or(std::string_view key, const json::Value& value) {
  if (key != "$or" || !value.is_array() || value.array().size() < 2) return false;
  return std::ranges::all_of(value.array(), [](const json::Value& one) {
    return one.is_object() &&
           std::ranges::none_of(one.object(), [](const json::Member& member) { return is_operator(member.first); });
  });
}

// How much a pattern asks for, up to one of its keys.
struct Extent {
  size_t combinations = 1;
  size_t keys = 0;
};

class Builder {
 public:
  explicit Builder(const Options& options) : options_(options) {}

  // `extent` is that of what stands before.
  Extent add_object(Node& node, const json::Object& object, size_t depth, Extent extent) {
    if (object.empty() && !(depth == 1 && options_.allows_empty)) throw PatternError("Empty objects are not allowed");
    for (const auto& [key, value] : object) {
      if (is_or(key, value)) {
        extent = add_alternatives(node, value.array(), depth, extent);
      } else {
        extent = add_key(node, key, value, depth, extent);
      }
      extent.combinations = std::min(extent.combinations, kCombinationsCounted);
    }
    return extent;
  }
  [[nodiscard]] size_t wildcard_points() const { return wildcard_points_; }

 private:
  Extent add_alternatives(Node& node, const json::Array& array, size_t depth, Extent extent) {
    std::vector<Node> alternatives;
    Extent all{.combinations = 0};
    for (const json::Value& one : array) {
      if (one.object().empty()) throw PatternError("Empty objects are not allowed");
      Node alternative;
      alternative.path = node.path;
      const Extent its = add_object(alternative, one.object(), depth, extent);
      all.combinations += its.combinations;
      all.keys = std::max(all.keys, its.keys);
      alternatives.push_back(std::move(alternative));
    }
    node.alternatives.push_back(std::move(alternatives));
    return all;
  }

  Extent add_key(Node& node, std::string_view key, const json::Value& value, size_t depth, Extent extent) {
    if (!value.is_object() && !value.is_array()) throw PatternError(cat("\"", key, "\" must be an object or an array"));
    Node& child = descend(node, key);
    if (value.is_object()) {
      extent = add_object(child, value.object(), depth + 1, extent);
      if (!options_.allows_nesting) throw NestedPatternError();
      return extent;
    }
    if (value.array().empty()) throw PatternError("Empty arrays are not allowed");
    child.values.clear();
    size_t points = 0;
    size_t wildcards = 0;
    for (const json::Value& element : value.array()) {
      child.values.push_back(parse_matcher(element, options_));
      const size_t counted = points_of(child.values.back());
      points += counted;
      if (counted > 0) ++wildcards;
    }
    wildcard_points_ += points * wildcards;
    return {.combinations = extent.combinations * value.array().size() * depth, .keys = extent.keys + 1};
  }

  static size_t points_of(const Matcher& matcher) {
    constexpr size_t kPointsOfSeveral = 3;
    if (matcher.kind == Matcher::Kind::anything_but) return 1;
    if (matcher.kind != Matcher::Kind::wildcard || matcher.pieces.size() < 2) return 0;
    return matcher.pieces.size() == 2 ? 1 : kPointsOfSeveral;
  }

  // "a.b" is b in a.
  Node& descend(Node& node, std::string_view key) {
    Node* current = &node;
    for (size_t begin = 0; begin <= key.size();) {
      const size_t end = std::min(key.find('.', begin), key.size());
      const std::string_view segment = key.substr(begin, end - begin);
      auto found = std::ranges::find_if(current->children,
                                        [&](const Node& child) { return child.path.back() == segment; });
      if (found == current->children.end()) {
        if (current->path.size() == kPatternDepthMax) throw PatternError("Filter policy is nested too deeply");
        if (++nodes_ > kPatternNodesMax) throw PatternError("Filter policy has too many keys");
        Node child;
        child.path = current->path;
        child.path.emplace_back(segment);
        current->children.push_back(std::move(child));
        found = current->children.end() - 1;
      }
      current = &*found;
      begin = end + 1;
    }
    return *current;
  }

  const Options& options_;
  size_t nodes_ = 0;
  size_t wildcard_points_ = 0;
};

}  // namespace

Options event_bridge() { return {.bytes_max = kEventBridgeBytesMax}; }
Options lambda_filter() { return {.bytes_max = kEventBridgeBytesMax}; }
Options sns_attributes() {
  return {.allows_nesting = false,
          .allows_empty = true,
          .bytes_max = kSnsBytesMax,
          .keys_max = kSnsKeysMax,
          .combinations_max = kSnsCombinationsMax,
          .wildcard_points_max = kSnsWildcardPointsMax,
          .stars_max = kSnsStarsMax,
          .excludes_all_texts = false};
}
Options sns_body() {
  Options options = sns_attributes();
  options.allows_nesting = true;
  return options;
}

Options without_limits(Options options) {
  options.keys_max = options.combinations_max = options.wildcard_points_max = options.stars_max = 0;
  options.excludes_all_texts = true;
  return options;
}

Pattern Pattern::parse(std::string_view text, const Options& options) {
  if (text.size() > options.bytes_max) throw PatternError("Filter policy is too large");
  const auto document = json::parse(text, kPatternDepthMax);
  if (!document) throw PatternError("failed to parse JSON.");
  if (!document->is_object()) throw PatternError("Filter is not an object");
  auto root = std::make_shared<Node>();
  Builder builder(options);
  const Extent extent = builder.add_object(*root, document->object(), 1, {});
  if (options.keys_max > 0 && extent.keys > options.keys_max) {
    throw PatternError(cat("Filter policy can not have more than ", options.keys_max, " keys"));
  }
  const bool is_wild = options.wildcard_points_max > 0 && builder.wildcard_points() > options.wildcard_points_max;
  if (is_wild || (options.combinations_max > 0 && extent.combinations > options.combinations_max)) {
    throw PatternError("Filter policy is too complex");
  }
  return Pattern(std::move(root));
}

}  // namespace tidemill::lang::patterns
