#include "services/sns/listing.h"

#include "services/sns/errors.h"
#include "store/pages.h"

namespace tidemill::sns {

Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> token,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  if (token && token->empty()) token.reset();
  try {
    co_return co_await store::read_page(snapshot, std::move(range), {std::move(token), kPageSize}, std::move(take));
  } catch (const store::NotAPageToken&) {
    throw invalid_parameter("NextToken");
  }
}

}  // namespace tidemill::sns
