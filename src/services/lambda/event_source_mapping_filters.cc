#include "services/lambda/event_source_mapping_filters.h"

#include "base/text.h"
#include "lang/patterns/pattern.h"
#include "services/lambda/errors.h"

namespace tidemill::lambda {

namespace {

bool is_pattern(const std::string& text) {
  try {
    (void)lang::patterns::Pattern::parse(text, lang::patterns::lambda_filter());
    return true;
  } catch (const lang::patterns::PatternError&) {
    return false;
  }
}

}  // namespace

void check_filters(const std::optional<shapes::FilterCriteria>& criteria) {
  if (!criteria || !criteria->filters) return;
  if (criteria->filters->size() > kFiltersMax) {
    throw errors::invalid_parameter_value_exception(
        base::cat("Too many filters: an event source mapping can have at most ", kFiltersMax, "."));
  }
  for (const shapes::Filter& filter : *criteria->filters) {
    if (filter.pattern && is_pattern(*filter.pattern)) continue;
    throw errors::invalid_parameter_value_exception("Invalid filter pattern definition.");
  }
}

std::vector<std::string> filters_of(const shapes::FilterCriteria& criteria) {
  std::vector<std::string> patterns;
  if (!criteria.filters) return patterns;
  for (const shapes::Filter& filter : *criteria.filters) patterns.push_back(filter.pattern.value_or(""));
  return patterns;
}

std::optional<shapes::FilterCriteria> describe_filters(const std::vector<std::string>& filters) {
  if (filters.empty()) return std::nullopt;
  shapes::FilterCriteria criteria;
  auto& shown = criteria.filters.emplace();
  for (const std::string& pattern : filters) shown.push_back({.pattern = pattern});
  return criteria;
}

}  // namespace tidemill::lambda
