#include "services/logs/retention.h"

#include <algorithm>

#include "base/executor.h"
#include "services/logs/stream.h"

namespace tidemill::logs {
namespace {

using namespace std::chrono_literals;

// Between two looks at a group: the shortest, and the longest, while nothing is about to outlive its time.
constexpr base::Duration kLookSoonest = 1h;
constexpr base::Duration kLookLatest = 24h;
// Deleted in one transaction.
constexpr size_t kEventsAtOnceMax = 10'000;
// Read at once: a group may have a million.
constexpr size_t kStreamsAtOnceMax = 1'000;
constexpr size_t kStepsPerStream = 10;  // microseconds to look at one that keeps all (base::slice_is_over)

struct Outlived {
  uint64_t events = 0;
  uint64_t bytes = 0;
  std::string last_key;
  std::optional<Milliseconds> first_kept;  // of the stream
  bool is_all = true;
};

// What a stream has from before `oldest_kept`, from its beginning.
Task<Outlived> look(store::Snapshot& snapshot, const LogGroup& group, const LogStream& stream, Milliseconds oldest_kept) {
  Outlived found;
  co_await snapshot.scan(events_range(group.id, stream.id), store::first(kEventsAtOnceMax + 1),
                         [&](std::string_view key, std::string_view value) {
                           const Milliseconds time = place_of_event_key(key).time;
                           if (time >= oldest_kept) {
                             found.first_kept = time;
                             return false;
                           }
                           if (found.events == kEventsAtOnceMax) {
                             found.is_all = false;
                             return false;
                           }
                           ++found.events;
                           found.bytes += decode_event({}, value).message.size() + kEventOverheadBytes;
                           found.last_key = key;
                           return true;
                         });
  co_return found;
}

// The time of the first event that the stream keeps; nothing: it keeps none.
Task<std::optional<Milliseconds>> forget_of_stream(Service& service, const LogGroup& group, const LogStream& stream) {
  while (true) {
    const auto snapshot = service.store().snapshot();
    const Outlived found = co_await look(*snapshot, group, stream, group.oldest_kept(service.clock().now()));
    if (found.events == 0) co_return found.first_kept;
    bool is_counted = false;
    co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
      const std::string key = totals_key(group.id, stream.id);
      // Both are read so that nothing is put back into what is deleted meanwhile.
      if (!co_await txn.get(group_key(group.address)) || !co_await txn.get(stream_key(group.id, stream.name))) co_return;
      const auto stored = co_await txn.get_untracked(key);
      const StreamTotals totals =
          service.totals().remove(stream.id, stored, is_counted ? 0 : found.bytes, is_counted ? 0 : found.events,
                                  found.first_kept.value_or(0));
      is_counted = true;
      txn.put(key, encode_totals(totals));
      txn.erase_range({events_range(group.id, stream.id).begin, found.last_key + '\0'});
    });
    if (found.is_all) co_return found.first_kept;
  }
}

// The same of all the group's streams.
Task<std::optional<Milliseconds>> forget_of_group(Service& service, const LogGroup& group) {
  std::optional<Milliseconds> first_kept;
  store::Range rest = streams_range(group.id);
  while (true) {
    // No snapshot lives while events go: the store keeps what one sees.
    const std::vector<LogStream> streams =
        co_await list_streams(*service.store().snapshot(), rest, store::first(kStreamsAtOnceMax));
    for (const LogStream& stream : streams) {
      const auto first = co_await forget_of_stream(service, group, stream);
      if (first && (!first_kept || *first < *first_kept)) first_kept = first;
      if (base::slice_is_over(kStepsPerStream)) co_await base::give_way();
    }
    if (streams.size() < kStreamsAtOnceMax) co_return first_kept;
    rest.begin = stream_key(group.id, streams.back().name) + '\0';
  }
}

store::Timer timer_of(const LogGroup& group, base::Time due) {
  return {.kind = std::string(kRetentionTimer.name), .id = group_key(group.address), .due = due, .payload = group.id};
}

}  // namespace

Task<void> start_retention(store::Transaction& txn, const LogGroup& group, base::Time now) {
  co_await store::set_timer(txn, timer_of(group, now));
}

Task<void> stop_retention(store::Transaction& txn, const LogGroup& group) {
  co_await store::cancel_timer(txn, kRetentionTimer, group_key(group.address));
}

Task<void> forget_outlived(Service& service, const store::Timer& timer) {
  const auto address = store::resource_of_key(kLogGroupType, timer.id);
  if (!address) co_return;
  const LogGroupPtr group = co_await service.groups().find(*service.store().snapshot(), *address);
  if (!group || group->id != timer.payload || !group->retention_days) co_return;
  const std::optional<Milliseconds> first_kept = co_await forget_of_group(service, *group);
  const base::Time now = service.clock().now();
  base::Time due = now + kLookLatest;
  if (first_kept) {
    const base::Time outlived =
        base::Time(std::chrono::milliseconds(*first_kept)) + std::chrono::days(*group->retention_days) + 1ms;
    due = std::clamp(outlived, now + kLookSoonest, now + kLookLatest);
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await store::finish_timer(txn, timer)) co_await store::set_timer(txn, timer_of(*group, due));
  });
}

}  // namespace tidemill::logs
