#include "services/states/status_lists.h"

#include <optional>
#include <string>
#include <vector>

#include "services/states/execution.h"
#include "services/states/keys.h"
#include "store/timer.h"

namespace tidemill::states {
namespace {

// One for all machines.
constexpr std::string_view kTimerId = "all";

// Up to `most` executions that stand in lists behind `after`, which becomes the last one's key; nothing: there are no
// more.
Task<std::vector<ExecutionAddress>> next_listed(store::Snapshot& snapshot, std::optional<std::string>& after,
                                                size_t most) {
  std::vector<ExecutionAddress> found;
  store::Range range = store::Range::prefix(listings_prefix());
  if (!after->empty()) range.begin = *after + '\0';
  after.reset();
  co_await snapshot.scan(range, store::first(most), [&](std::string_view key, std::string_view) {
    found.push_back(address_of_listing_key(key));
    after = std::string(key);
    return true;
  });
  if (found.size() < most) after.reset();
  co_return found;
}

}  // namespace

Task<void> begin_relisting(store::Store& store, base::Clock& clock) {
  if (co_await store.snapshot()->get(relisted_key())) co_return;
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await txn.get(relisted_key())) co_return;
    if (co_await store::timer_due(txn, {kRelistTimer}, kTimerId)) co_return;
    std::optional<std::string> after = "";
    if ((co_await next_listed(txn, after, 1)).empty()) {
      txn.put(relisted_key(), "");
      co_return;
    }
    co_await store::set_timer(txn, {std::string(kRelistTimer), std::string(kTimerId), clock.now(), ""});
  });
}

Task<void> relist(store::Store& store, base::Clock& clock, const store::Timer& timer) {
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    // Untracked, so that new executions do not disturb it; each that is found is read for itself.
    std::optional<std::string> after = timer.payload;
    const auto snapshot = store.snapshot();
    for (const ExecutionAddress& address : co_await next_listed(*snapshot, after, kRelistedAtOnce)) {
      if (const auto record = co_await find_execution(txn, address)) list_by_status(txn, *record);
    }
    if (after) {
      co_await store::set_timer(txn, {timer.kind, timer.id, clock.now(), *after});
    } else {
      txn.put(relisted_key(), "");
    }
  });
}

}  // namespace tidemill::states
