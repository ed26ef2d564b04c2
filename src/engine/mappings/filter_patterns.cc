#include "engine/mappings/filter_patterns.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemill::engine {

namespace {

constexpr std::array<std::string_view, 3> kAddedLater{"eventSourceARN", "eventSource", "awsRegion"};

}  // namespace

FilterPatterns::FilterPatterns(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    patterns_.push_back(lang::patterns::Pattern::parse(pattern, lang::patterns::lambda_filter()));
  }
}

bool FilterPatterns::match(json::Value record) const {
  if (record.is_object()) {
    for (const std::string_view added : kAddedLater) record.object().erase(added);
  }
  return std::ranges::any_of(patterns_, [&](const auto& pattern) { return pattern.matches(record); });
}

}  // namespace tidemill::engine
