// Pages of lists: what stands in a range, with tokens that fit into text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::cloudformation {

// As store::read_page(); throws ValidationError for a token that is none of this list. `reverse` goes from the end.
Task<std::optional<std::string>> read_page_of(store::Snapshot& reader, store::Range range,
                                              std::optional<std::string> token, size_t entries_max,
                                              std::function<bool(std::string_view key, std::string_view value)> take,
                                              store::Direction direction = store::Direction::forward);

}  // namespace tidemill::cloudformation
