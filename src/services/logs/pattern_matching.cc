#include "services/logs/pattern_matching.h"

namespace tidemill::logs {

Task<bool> PatternMatching::matches(const lang::logs::FilterPattern& pattern, const std::string& message) {
  if (!uses_thread_ || !pattern.has_regex() || message.size() <= kBytesAtOnceMax) {
    return Task<bool>::ready(pattern.matches(message));
  }
  // Copies: whoever waits may leave before it has ended.
  return work_.run([pattern, message] { return pattern.matches(message); });
}

}  // namespace tidemill::logs
