// What a subscription filter is: a pattern, and who gets the events that match it. Filters stand in their group's
// record. User guide, "Log group-level subscription filters".
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "lang/logs/filter_pattern.h"

namespace tidemill::logs {

inline constexpr size_t kSubscriptionFiltersMax = 2;  // of a group

struct SubscriptionFilter {
  std::string name;
  std::string pattern_text;
  base::Time created;
  std::string destination;  // the ARN of a function or a data stream
  std::string role;         // of data streams: as whom records are put
  bool is_random = false;   // records of a log stream go to any shard

  std::shared_ptr<const lang::logs::FilterPattern> pattern;  // of pattern_text

  [[nodiscard]] bool is_function() const { return destination.starts_with("arn:aws:lambda:"); }
};

inline constexpr auto kSubscriptionFilterMembers = [](auto& member, auto& filter) {
  member("name", filter.name);
  member("pattern", filter.pattern_text);
  member("created_us", filter.created);
  member("destination", filter.destination);
  member("role", filter.role);
  member("is_random", filter.is_random);
};

}  // namespace tidemill::logs
