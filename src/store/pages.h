// Pages of what stands in a range: what lists of resources are answered by.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::store {

// What a request says of the page that it wants.
struct PageRequest {
  std::optional<std::string> token;  // what the page before gave; nothing: this is the first
  size_t entries_max = 0;
  size_t looked_at_max = SIZE_MAX;  // then the page ends, though it has room: of lists that leave much out
};

class NotAPageToken : public std::runtime_error {
 public:
  NotAPageToken() : std::runtime_error("no token of this list") {}
};

// `take` is called for each entry in turn and says whether it is one that counts. Returns the token of the next page;
// nothing: this was the last. Throws NotAPageToken for what is no token of this range.
Task<std::optional<std::string>> read_page(Snapshot& snapshot, Range range, PageRequest page,
                                           std::function<bool(std::string_view key, std::string_view value)> take);

}  // namespace tidemill::store
