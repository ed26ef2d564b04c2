#include "services/events/listing.h"

#include "base/base64.h"
#include "services/events/errors.h"

namespace tidemill::events {

Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range, PageRequest page,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  if (page.token) {
    const auto after = base::base64_decode(*page.token);
    if (!after || *after < range.begin || *after >= range.end)
      throw invalid_parameter("NextToken", "It is no token of this list.");
    range.begin = *after + '\0';
  }
  const size_t most = page.limit ? static_cast<size_t>(*page.limit) : kPageSize;
  size_t taken = 0;
  std::string last;
  std::optional<std::string> next;
  co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (taken == most) {
      next = base::base64_encode(last);
      return false;
    }
    if (take(key, value)) ++taken;
    last = key;
    return true;
  });
  co_return next;
}

}  // namespace tidemill::events
