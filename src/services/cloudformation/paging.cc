#include "services/cloudformation/paging.h"

#include "base/base64.h"
#include "wire/shapes/cloudformation.h"

namespace tidemill::cloudformation {

Task<std::optional<std::string>> read_page_of(store::Snapshot& reader, store::Range range,
                                              std::optional<std::string> token, size_t entries_max,
                                              std::function<bool(std::string_view key, std::string_view value)> take,
                                              store::Direction direction) {
  if (token) {
    const auto key = base::base64_decode(*token);
    if (!key || *key < range.begin || *key >= range.end) {
      throw wire::cloudformation::errors::validation_error("The specified NextToken is not valid.");
    }
    // The last key of the page before.
    if (direction == store::Direction::forward) range.begin = *key + '\0';
    else range.end = *key;
  }
  size_t count = 0;
  std::string last;
  bool more = false;
  co_await reader.scan(range, store::ScanOptions(direction), [&](std::string_view key, std::string_view value) {
    if (count == entries_max) {
      more = true;
      return false;
    }
    if (take(key, value)) ++count;
    last = key;
    return true;
  });
  if (!more) co_return std::nullopt;
  co_return base::base64_encode(last);
}

}  // namespace tidemill::cloudformation
