#include "services/lambda/paging.h"

#include "base/base64.h"
#include "services/lambda/errors.h"

namespace tidemill::lambda {

Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> marker, std::optional<int32_t> max_items,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  if (marker) {
    const auto after = base::base64_decode(*marker);
    if (!after || *after < range.begin || *after >= range.end) {
      throw errors::invalid_parameter_value_exception("Invalid Marker");
    }
    range.begin = *after + '\0';
  }
  const int limit = std::min(max_items.value_or(kPageMax), kPageMax);
  int taken = 0;
  std::string last;
  std::optional<std::string> next;
  co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (taken == limit) {
      next = base::base64_encode(last);
      return false;
    }
    if (take(key, value)) {
      ++taken;
      last = key;
    }
    return true;
  });
  co_return next;
}

}  // namespace tidemill::lambda
