#include "services/states/listing.h"

#include "base/base64.h"
#include "services/states/errors.h"

namespace tidemill::states {

size_t page_size(std::optional<int32_t> max_results) {
  const int32_t asked = max_results.value_or(0);
  return static_cast<size_t>(asked == 0 ? kPageDefault : asked);
}

Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> token, size_t page, store::Direction direction,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  if (token) {
    const auto after = base::base64_decode(*token);
    if (!after || *after < range.begin || *after >= range.end) {
      throw errors::invalid_token("Invalid Token: 'Invalid token'");
    }
    if (direction == store::Direction::forward) {
      range.begin = *after + '\0';
    } else {
      range.end = *after;
    }
  }
  size_t taken = 0;
  size_t looked_at = 0;
  std::string last;
  std::optional<std::string> next;
  co_await snapshot.scan(range, direction, [&](std::string_view key, std::string_view value) {
    if (taken == page || looked_at++ == kLookedAtMax) {
      next = base::base64_encode(last);
      return false;
    }
    if (take(key, value)) ++taken;
    last = key;
    return true;
  });
  co_return next;
}

}  // namespace tidemill::states
