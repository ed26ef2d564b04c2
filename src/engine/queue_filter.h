// Which messages of a queue a mapping wants: its FilterCriteria (facts 1.10). A message passes if any pattern matches
// its record, in which a body that is a JSON object or array stands as that, and any other as the text it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/patterns/pattern.h"

namespace tidemill::engine {

class QueueFilter {
 public:
  // Patterns as the API has checked them; one that cannot be read matches nothing. Without any, everything passes.
  explicit QueueFilter(const std::vector<std::string>& patterns);

  [[nodiscard]] bool is_empty() const { return is_empty_; }
  // `event_json`: a message's record, as the function gets it.
  [[nodiscard]] bool passes(std::string_view event_json) const;

 private:
  bool is_empty_;
  std::vector<lang::patterns::Pattern> patterns_;
};

}  // namespace tidemill::engine
