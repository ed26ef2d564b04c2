// Lists, page by page, in the order of their keys. A marker is the last key of the page before, in base64.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::lambda {

// AWS gives at most 50 to a page, however many are asked for.
inline constexpr int kPageMax = 50;

// Calls `take` with each entry of the range behind the marker; it says whether the entry is listed. Returns the marker
// of the next page, if there is one. Throws InvalidParameterValueException for a marker that is none.
Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> marker, std::optional<int32_t> max_items,
                                           std::function<bool(std::string_view key, std::string_view value)> take);

}  // namespace tidemill::lambda
