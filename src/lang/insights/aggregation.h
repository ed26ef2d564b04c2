// Inside: what a stats command gathers of one aggregation function in one group.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/distribution.h"
#include "lang/insights/node.h"

namespace tidemill::lang::insights {

// Different values that one count_distinct counts exactly; beyond, the query fails.
inline constexpr size_t kDistinctMax = 100'000;

class Aggregation {
 public:
  // `call` outlives this.
  explicit Aggregation(const Node& call) : call_(&call) {}

  void add(const Record& record);
  [[nodiscard]] Value result() const;
  // About what it holds of values.
  [[nodiscard]] size_t bytes() const { return best_.bytes() + bytes_; }
  [[nodiscard]] bool is_full() const { return distinct_.size() > kDistinctMax; }

 private:
  const Node* call_;
  double count_ = 0;
  double sum_ = 0;
  double mean_ = 0;  // with squares_: Welford's, of what has come so far
  double squares_ = 0;
  Value best_;
  double time_ = 0;  // of best_, where the earliest or latest is asked for
  std::set<std::string> distinct_;
  size_t bytes_ = 0;  // of distinct_ and values_
  std::unique_ptr<base::Distribution> values_;  // of percentiles
  double percent_ = 50;
};

}  // namespace tidemill::lang::insights
