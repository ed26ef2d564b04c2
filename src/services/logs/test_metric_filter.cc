// Tries a pattern on messages.
#include "base/executor.h"
#include "base/text.h"
#include "services/logs/errors.h"
#include "services/logs/operations.h"
#include "services/logs/patterns.h"

namespace tidemill::logs {

lang::logs::FilterPattern parse_pattern(const std::string& text) {
  auto pattern = lang::logs::FilterPattern::parse(text);
  if (!pattern) throw errors::invalid_parameter_exception(base::cat("Invalid filter pattern: ", pattern.error()));
  return *std::move(pattern);
}

Task<shapes::TestMetricFilterOutput> test_metric_filter(Service& service, wire::Context&,
                                                        const shapes::TestMetricFilterInput& request) {
  const lang::logs::FilterPattern pattern = parse_pattern(request.filter_pattern);
  shapes::TestMetricFilterOutput out;
  out.matches.emplace();
  int64_t number = 0;
  for (const std::string& message : request.log_event_messages) {
    if (number++ > 0) co_await base::yield();  // each may be long
    if (!co_await service.matching().matches(pattern, message)) continue;
    auto extracted = co_await service.matching().extract(pattern, message);
    out.matches->push_back(
        {.event_number = number, .event_message = message, .extracted_values = std::move(extracted)});
  }
  co_return out;
}

}  // namespace tidemill::logs
