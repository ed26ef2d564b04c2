// Which messages of a queue a mapping wants: its FilterCriteria (facts 1.10). A message passes if any pattern matches
// its record, in which a body that is a JSON object or array stands as that, and any other as the text it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/mappings/filter_patterns.h"

namespace tidemill::engine {

class QueueFilter {
 public:
  // Without patterns everything passes. Throws lang::patterns::PatternError.
  explicit QueueFilter(const std::vector<std::string>& patterns) : patterns_(patterns) {}

  [[nodiscard]] bool is_empty() const { return patterns_.is_empty(); }
  // `event_json`: a message's record, as the function gets it.
  [[nodiscard]] bool passes(std::string_view event_json) const;

 private:
  FilterPatterns patterns_;
};

}  // namespace tidemill::engine
