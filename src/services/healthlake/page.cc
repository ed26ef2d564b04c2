#include "services/healthlake/page.h"

#include "base/base64.h"
#include "services/healthlake/errors.h"

namespace tidemill::healthlake {

Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> token, int32_t size,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  if (token) {
    const auto after = base::base64_decode(*token);
    if (!after || *after < range.begin || *after >= range.end) throw invalid("Invalid NextToken.");
    range.begin = *after + '\0';
  }
  int32_t taken = 0;
  std::string last;
  std::optional<std::string> next;
  co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (taken == size) {
      next = base::base64_encode(last);
      return false;
    }
    if (take(key, value)) ++taken;
    last = key;
    return true;
  });
  co_return next;
}

}  // namespace tidemill::healthlake
