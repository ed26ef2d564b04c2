#include "services/sns/listing.h"

#include "base/base64.h"
#include "services/sns/errors.h"

namespace tidemill::sns {

Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> token,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  if (token && !token->empty()) {
    const auto after = base::base64_decode(*token);
    if (!after || *after < range.begin || *after >= range.end) throw invalid_parameter("NextToken");
    range.begin = *after + '\0';
  }
  size_t taken = 0;
  std::string last;
  std::optional<std::string> next;
  co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (taken == kPageSize) {
      next = base::base64_encode(last);
      return false;
    }
    if (take(key, value)) ++taken;
    last = key;
    return true;
  });
  co_return next;
}

}  // namespace tidemill::sns
