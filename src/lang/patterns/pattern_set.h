// Many patterns at once: which of them an event matches, in time that hardly grows with their number. All rules of an
// event bus are one such set.
//
//   PatternSet::Builder builder;
//   for (const Rule& rule : rules) builder.add(rule.pattern);
//   while (builder.step()) if (base::slice_is_over()) co_await base::give_way();
//   const PatternSet set = std::move(builder).finish();
//   for (uint32_t place : set.match(event)) …        // of the patterns, in the order in which they were added
//
// How: a pattern demands several things at once; of each (a key with its values, a "$or") some value of the event must
// satisfy one. The set files a pattern under the demand that the fewest others share: exact values before beginnings
// and ends of texts before mere presence. An event is walked once, along the paths that are filed under, which gives
// the things it satisfies; what is filed there may match, and is asked about all that it
// demands (in full, Pattern::matches, unless its demands are all that it says and the event is without arrays of
// objects). Where many patterns share their rarest demand, they are filed anew among themselves by their next one, so
// it is a tree of such files.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lang/patterns/pattern.h"

namespace tidemill::lang::patterns {

// Immutable; cheap to copy. Any thread.
class PatternSet {
 public:
  class Builder;
  class Matching;

  // Of no patterns.
  PatternSet();

  // Places of the patterns that match, ascending.
  [[nodiscard]] std::vector<uint32_t> match(const json::Value& event) const;

  // Places of those that are asked in full: a superset, and what a match costs. For tests and measurements.
  [[nodiscard]] std::vector<uint32_t> candidates(const json::Value& event) const;

 private:
  struct Index;
  explicit PatternSet(std::shared_ptr<const Index> index);
  std::shared_ptr<const Index> index_;
};

// What match() does, a pattern at a time: each may go through all of the event.
//
//   PatternSet::Matching matching(set, event);
//   while (matching.step()) if (base::slice_is_over(steps)) co_await base::give_way();
//   for (uint32_t place : std::move(matching).finish()) …
class PatternSet::Matching {
 public:
  // `event` outlives this; the set need not.
  Matching(const PatternSet& set, const json::Value& event);
  ~Matching();

  // Asks one pattern that may match. False: all have been asked.
  bool step();
  // As match(). Asks those that are left.
  [[nodiscard]] std::vector<uint32_t> finish() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class PatternSet::Builder {
 public:
  Builder();
  ~Builder();

  // All before the first step.
  void add(Pattern pattern);
  // Files one pattern, about a microsecond of work. False: all are filed.
  bool step();
  // Files what is left.
  [[nodiscard]] PatternSet finish() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::lang::patterns
