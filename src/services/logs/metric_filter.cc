#include "services/logs/metric_filter.h"

#include <stdexcept>

namespace tidemill::logs {

std::shared_ptr<const lang::logs::FilterPattern> parsed_pattern(std::string_view text) {
  auto pattern = lang::logs::FilterPattern::parse(text);
  if (!pattern) throw std::runtime_error("a stored log group is damaged: pattern");
  return std::make_shared<const lang::logs::FilterPattern>(*std::move(pattern));
}

}  // namespace tidemill::logs
