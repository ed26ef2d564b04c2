// Event patterns: which JSON documents somebody wants. The language of EventBridge rules, of the filters of Lambda's
// event source mappings, and of SNS's filter policies, which differ in limits and in a few rules (Options).
//
//   const Pattern pattern = Pattern::parse(R"({"kind":["order"],"price":[{"numeric":[">",10]}]})", event_bridge());
//   if (pattern.matches(*json::parse(event))) …
//
// Keys must all match; each has a list of values of which one must match. A value is a literal (string, number, true,
// false, null) or an operator: prefix, suffix (both also {"equals-ignore-case": …}), equals-ignore-case, wildcard,
// anything-but (a string, a number, a list of them, or prefix, suffix, equals-ignore-case, wildcard of one or several
// strings), numeric, cidr, exists. "$or" lists alternatives. In the event an array stands for each of its elements;
// what is required of several members of an object must hold in the same element of an array. "a.b" and {"a":{"b":…}}
// are the same, in patterns and in events. Numbers compare by value (300 is 300.0), as double.
//
// Rules: the EventBridge user guide ("Comparison operators for use in event patterns"), event-ruler's README, the SNS
// developer guide ("Filter policy constraints").
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.h"

namespace tidemill::lang::patterns {

inline constexpr int kPatternDepthMax = 64;     // "a.b" is two deep
inline constexpr size_t kPatternNodesMax = 2048;  // keys in all; their dots count as further ones

// How the users of the language differ.
struct Options {
  bool allows_nesting = true;         // SNS on attributes has flat policies only
  bool allows_empty = false;          // {} matches everything
  size_t bytes_max = 4096;            // of the pattern's text
  size_t keys_max = 0;                // that have values, however deep; of alternatives the one with most counts. 0: any
  size_t combinations_max = 0;        // numbers of values multiplied, each by its depth; 0: any
  size_t wildcard_points_max = 0;     // 0: any. A wildcard with one '*' counts 1, one with several 3, an anything-but 1;
                                      // those of a key are added up and multiplied by their number, and those of all
                                      // keys added up
  size_t stars_max = 0;               // in one wildcard; 0: any number
  bool excludes_all_texts = true;     // anything-but takes suffix and equals-ignore-case, too
};
[[nodiscard]] Options event_bridge();
[[nodiscard]] Options lambda_filter();
[[nodiscard]] Options sns_attributes();
[[nodiscard]] Options sns_body();
// For a pattern that was accepted once, under other limits maybe.
[[nodiscard]] Options without_limits(Options options);

// what() is the reason in AWS's words, without what its callers put around it.
class PatternError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A key within another where there are flat patterns only.
class NestedPatternError : public PatternError {
 public:
  NestedPatternError() : PatternError("Filter policy scope MessageAttributes does not support nested filter policy") {}
};

struct Node;

class Pattern {
 public:
  // Throws PatternError.
  static Pattern parse(std::string_view text, const Options& options);

  // Any JSON document; what is no object matches only the empty pattern.
  [[nodiscard]] bool matches(const json::Value& event) const;

  // Whether it asks for nothing.
  [[nodiscard]] bool is_empty() const;

  // For what asks many patterns at once (pattern_set.h).
  [[nodiscard]] const Node& root() const { return *root_; }

 private:
  explicit Pattern(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace tidemill::lang::patterns
