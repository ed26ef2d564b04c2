#include "services/logs/pattern_matching.h"

namespace tidemill::logs {

Task<bool> PatternMatching::matches(const lang::logs::FilterPattern& pattern, const std::string& message) {
  if (!is_long(pattern, message)) return Task<bool>::ready(pattern.matches(message));
  // Copies: whoever waits may leave before it has ended.
  return work_.run([pattern, message] { return pattern.matches(message); });
}

Task<lang::logs::Extracted> PatternMatching::extract(const lang::logs::FilterPattern& pattern,
                                                     const std::string& message) {
  if (!is_long(pattern, message)) return Task<lang::logs::Extracted>::ready(pattern.extract(message));
  return work_.run([pattern, message] { return pattern.extract(message); });
}

}  // namespace tidemill::logs
