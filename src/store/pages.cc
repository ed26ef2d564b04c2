#include "store/pages.h"

#include "base/base64.h"

namespace tidemill::store {

Task<std::optional<std::string>> read_page(Snapshot& snapshot, Range range, PageRequest page,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  if (page.token) {
    const auto after = base::base64_decode(*page.token);
    if (!after || *after < range.begin || *after >= range.end) throw NotAPageToken();
    range.begin = *after + '\0';
  }
  size_t taken = 0;
  size_t looked_at = 0;
  std::string last = range.begin;  // also where a page has no room at all
  std::optional<std::string> next;
  co_await snapshot.scan(range, Direction::forward, [&](std::string_view key, std::string_view value) {
    if (taken == page.entries_max || looked_at++ == page.looked_at_max) {
      next = base::base64_encode(last);
      return false;
    }
    if (take(key, value)) ++taken;
    last = key;
    return true;
  });
  co_return next;
}

}  // namespace tidemill::store
