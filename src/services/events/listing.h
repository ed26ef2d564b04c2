// Pages of lists: up to a hundred entries, in the order of their names, and a token that says where the next page
// begins.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::events {

inline constexpr size_t kPageSize = 100;

// What a request says of the page that it wants.
struct PageRequest {
  std::optional<std::string> token;
  std::optional<int32_t> limit;
};

// `take` is called for each entry in turn and says whether it is one that counts. Returns the token of the next page;
// nothing: this was the last. Throws ValidationException for what is no token of this list.
Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range, PageRequest page,
                                           std::function<bool(std::string_view key, std::string_view value)> take);

}  // namespace tidemill::events
