// Documents on their way to data streams. Those of one filter and log stream go one behind the other, so that a shard
// has a stream's events in their order; each is put at least once, also through a crash, and dropped after a day, or
// when the data stream refuses it for what it is.
//
//   KeySpace::log_event, the group's id, 'q', string(filter's name), stream id, position of the first event     a
//   document; those of a stream are a queue (store/queue.h)
//
// Whoever writes one sets a timer of its own, which conflicts with nobody. The first that runs takes all that wait
// there; while a data stream cannot be asked, one timer stands for all.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ownership.h"
#include "services/logs/log_keys.h"
#include "services/logs/subscription_filter.h"
#include "store/queue.h"
#include "store/timer.h"
#include "wire/context.h"

namespace tidemill::logs {

// Id: the document's key.
inline constexpr store::TimerKind kSubscriptionTimer{"logs-subscription"};

// For a day; between two attempts.
inline constexpr base::Duration kSubscriptionAgeMax = std::chrono::hours(24);
inline constexpr base::Duration kSubscriptionWaitFirst = std::chrono::milliseconds(200);
inline constexpr base::Duration kSubscriptionWaitMax = std::chrono::minutes(1);

void enqueue_document(store::Transaction& txn, const LogGroup& group, const SubscriptionFilter& filter,
                      std::string_view stream_id, EventPosition first, std::string_view document, base::Time now);

// All that waits for a filter.
void erase_documents(store::Transaction& txn, std::string_view group_id, std::string_view filter_name);

// With a stream; what still waits goes out all the same.
void forget_floors(store::Transaction& txn, const LogGroup& group, std::string_view stream_id);

// On the executor of the timers.
class SubscriptionQueues {
 public:
  static constexpr size_t kPacesMax = 10'000;  // queues whose takes are counted; beyond, counting begins anew

  // Outlives this.
  explicit SubscriptionQueues(wire::Platform& platform) : platform_(platform) {}

  // The timer's handler.
  Task<void> deliver(const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure);

 private:
  // Of one filter and log stream.
  struct Lane {
    bool is_busy = false;
    bool has_more = false;               // came while it was busy
    std::optional<base::Time> retry_at;  // a timer stands for then
    base::Duration wait = kSubscriptionWaitFirst;
  };
  // False: the data stream cannot be asked now.
  Task<bool> drain(const store::Queue& queue, const engine::Tenure& tenure);
  store::FloorPace& pace_of(const store::Queue& queue);
  Task<void> try_later(const store::Timer& timer, Lane& lane);

  wire::Platform& platform_;
  std::map<std::string, Lane> lanes_;              // by the beginning of their keys
  std::map<std::string, store::FloorPace> paces_;  // by the same
};

}  // namespace tidemill::logs
