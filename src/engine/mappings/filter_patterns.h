// The patterns of a mapping's FilterCriteria (facts 1.10), whatever its source.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "lang/patterns/pattern.h"

namespace tidemill::engine {

class FilterPatterns {
 public:
  // JSON texts, as the API has checked them. Throws lang::patterns::PatternError: what cannot be read must not decide
  // that records go.
  explicit FilterPatterns(const std::vector<std::string>& patterns);

  [[nodiscard]] bool is_empty() const { return patterns_.empty(); }
  // Whether any of them matches what the source tells of a record. What the mapping adds to it (eventSourceARN,
  // eventSource, awsRegion) cannot be matched.
  [[nodiscard]] bool match(json::Value record) const;

 private:
  std::vector<lang::patterns::Pattern> patterns_;
};

}  // namespace tidemill::engine
