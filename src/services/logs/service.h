// CloudWatch Logs, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "base/clock.h"
#include "engine/deliveries.h"
#include "engine/timer_service.h"
#include "services/logs/group.h"
#include "services/logs/live_tails.h"
#include "services/logs/log_keys.h"
#include "services/logs/pattern_matching.h"
#include "services/logs/query_run.h"
#include "services/logs/stream_totals.h"
#include "services/logs/subscription_queue.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::logs {

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  // `uses_thread` false: for simulations.
  Service(store::Store& store, base::Clock& clock, bool uses_thread = true)
      : store_(store), clock_(clock), matching_(uses_thread), query_matching_(uses_thread), live_tails_(matching_) {}

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Registers the handlers of its timers. Before the timers start; `platform` outlives them.
  void register_timers(engine::TimerService& timers, wire::Platform& platform);
  // Registers the senders of what filters find. Before the timers start.
  void register_senders(engine::Deliveries& deliveries, wire::Platform& platform);

  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] base::Clock& clock() { return clock_; }
  [[nodiscard]] GroupCache& groups() { return groups_; }
  [[nodiscard]] TotalsCache& totals() { return totals_; }
  [[nodiscard]] EventPositions& positions() { return positions_; }
  [[nodiscard]] PatternMatching& matching() { return matching_; }
  [[nodiscard]] PatternMatching& query_matching() { return query_matching_; }
  [[nodiscard]] LiveTails& live_tails() { return live_tails_; }
  [[nodiscard]] RunningQueries& queries() { return queries_; }

  // Changes a group's record by `apply`, (Transaction&, LogGroup&) -> Task<void>. Throws ResourceNotFoundException.
  template <class Apply>
  Task<void> change_group(store::ResourceAddress address, Apply apply) {
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      const LogGroupPtr current = co_await groups_.get(txn, address);
      LogGroup group = *current;
      co_await apply(txn, group);
      txn.put(group_key(address), encode_group(group));
    });
  }

 private:
  store::Store& store_;
  base::Clock& clock_;
  GroupCache groups_;
  TotalsCache totals_;
  EventPositions positions_;
  PatternMatching matching_;
  PatternMatching query_matching_;  // a thread of their own: queries keep no writers waiting
  LiveTails live_tails_;
  RunningQueries queries_;
  std::optional<SubscriptionQueues> subscriptions_;  // on the executor of the timers
};

}  // namespace tidemill::logs
