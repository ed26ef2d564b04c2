// Pages of what stands in a range of the store, and a token that says where the next begins.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::healthlake {

// Of the native API's lists.
inline constexpr int32_t kListMax = 500;

// `take` is called for each entry and says whether it is one that counts. Returns the token of the next page; nothing:
// this was the last. Throws ValidationException for what is no token of this range.
Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> token, int32_t size,
                                           std::function<bool(std::string_view key, std::string_view value)> take);

}  // namespace tidemill::healthlake
