#include "services/scheduler/listing.h"

#include "services/scheduler/errors.h"
#include "store/pages.h"

namespace tidemill::scheduler {

Task<std::optional<std::string>> read_page(store::Snapshot& snapshot, store::Range range,
                                           std::optional<std::string> token, std::optional<int32_t> max_results,
                                           std::function<bool(std::string_view key, std::string_view value)> take) {
  const auto most = static_cast<size_t>(max_results.value_or(kPageMax));
  try {
    co_return co_await store::read_page(snapshot, std::move(range), {std::move(token), most, kLookedAtMax}, std::move(take));
  } catch (const store::NotAPageToken&) {
    throw invalid("Invalid NextToken.");
  }
}

}  // namespace tidemill::scheduler
