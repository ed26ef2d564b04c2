// Pages of what stands in a range of the store, and a token that says where the next begins.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::states {

inline constexpr int32_t kPageDefault = 100;
inline constexpr int32_t kPageMax = 1000;
inline constexpr size_t kLookedAtMax = 10'000;  // entries for one page; then it ends, though it has room

// 0 asks for the default, as on AWS.
[[nodiscard]] size_t page_size(std::optional<int32_t> max_results);

// `take` is called for each entry and says whether it is one that counts. Returns the token of the next page; nothing:
// this was the last. Throws InvalidToken for what is no token of this range.
Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> token, size_t page, store::Direction direction,
                                           std::function<bool(std::string_view key, std::string_view value)> take);

}  // namespace tidemill::states
