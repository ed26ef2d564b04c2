// Pages of what stands in a range of the store: 100 at a time, and a token that says where the next begins.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::sns {

inline constexpr size_t kPageSize = 100;

// `take` is called for each entry and says whether it is one that counts. Returns the token of the next page; nothing:
// this was the last. Throws InvalidParameter for what is no token of this range.
Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> token,
                                           std::function<bool(std::string_view key, std::string_view value)> take);

}  // namespace tidemill::sns
