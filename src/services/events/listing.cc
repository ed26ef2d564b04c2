#include "services/events/listing.h"

#include "services/events/errors.h"
#include "store/pages.h"

namespace tidemill::events {

Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range, PageRequest page,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  const size_t most = page.limit ? static_cast<size_t>(*page.limit) : kPageSize;
  try {
    co_return co_await store::read_page(snapshot, std::move(range), {std::move(page.token), most}, std::move(take));
  } catch (const store::NotAPageToken&) {
    throw invalid_parameter("NextToken", "It is no token of this list.");
  }
}

}  // namespace tidemill::events
