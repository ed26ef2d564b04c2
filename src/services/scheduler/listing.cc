#include "services/scheduler/listing.h"

#include "base/base64.h"
#include "services/scheduler/errors.h"

namespace tidemill::scheduler {

Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> token, std::optional<int32_t> max_results,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  if (token) {
    const auto after = base::base64_decode(*token);
    if (!after || *after < range.begin || *after >= range.end) throw invalid("Invalid NextToken.");
    range.begin = *after + '\0';
  }
  const int32_t page = max_results.value_or(kPageMax);
  int32_t taken = 0;
  std::string last = range.begin;  // also where a page has no room at all
  std::optional<std::string> next;
  co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (taken == page) {
      next = base::base64_encode(last);
      return false;
    }
    if (take(key, value)) ++taken;
    last = key;
    return true;
  });
  co_return next;
}

}  // namespace tidemill::scheduler
