// Events that functions are to run with and nobody waits for: InvocationType Event. Each is a delivery of the kind
// "lambda-event" (id: "lambda-event/" and the request's id; target: the function's ARN as it was named), enqueued
// before the caller is answered. A function that fails is tried again after one minute and after two; one that is
// throttled, or cannot be run for reasons of ours, until the event is too old. How an event ends is told in the
// transaction that ends it.
//
// Throttled events stand in line for their function (engine/place_turn.h) beside their pauses: a place that becomes
// free goes to the oldest at once. The line is in memory; what is unavailable in the store at a start stands in it
// again.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "engine/deliveries.h"
#include "services/lambda/event.h"
#include "services/lambda/event_invoke_config.h"
#include "services/lambda/event_record.h"
#include "services/lambda/function.h"
#include "wire/context.h"

namespace tidemill::wire {
class PlatformMetrics;
}

namespace tidemill::lambda {

// AWS's limit of an event (1 MB).
inline constexpr size_t kEventBytesMax = 1'048'576;
// Events that run at the same time: as many as an account's functions may in a region. Each account has a share in each
// region (engine/timer_service.h).
inline constexpr size_t kConcurrentEventsMax = 1000;
// Events in line; those beyond stand in it once it has become empty.
inline constexpr size_t kEventsInLineMax = 100'000;

// What an event queue runs functions with.
class EventRunner {
 public:
  virtual ~EventRunner() = default;
  // One attempt; it does not throw. `turn` is null but for one that has stood in line.
  virtual Task<EventAttempt> run_event(FunctionReference function, Event event, engine::PlaceTurnPtr turn) = 0;
  // As engine::Invoker's. Null: there is no such function.
  virtual Task<engine::PlaceTurnPtr> line_up(FunctionReference function, base::Time since,
                                             std::function<void()> called) = 0;
};

class EventQueue {
 public:
  // `usage` may be null; it, the store and the runner outlive this.
  EventQueue(store::Store& store, EventRunner& runner, wire::PlatformMetrics* usage);

  // Durable once it returns. `function` exists.
  Task<void> enqueue(FunctionReference function, Event event, base::Time now);

  // Before the timers start. All outlive this.
  void register_with(engine::Deliveries& deliveries, wire::Platform& platform);

  // Once, after register_with() if that is called at all, on the executor of the deliveries: puts in line what was
  // throttled before this start.
  void start();

 private:
  struct Called;

  Task<store::SendOutcome> attempt(const store::Delivery& delivery, base::Time now);
  Task<void> end(store::Transaction& txn, const store::Delivery& delivery, std::optional<store::GiveUpReason> reason,
                 base::Time now);

  void put_off(const store::Delivery& delivery);
  Task<void> stand_in_line(std::string id, FunctionReference function, base::Time created);
  void leave_line(const std::string& id);
  Task<void> fill_line();
  Task<void> hurry_called();

  store::Store& store_;
  EventRunner& runner_;
  wire::PlatformMetrics* const usage_;
  std::unordered_map<std::string, engine::PlaceTurnPtr> turns_;  // by the ids of events in line
  std::unordered_set<std::string> entering_;  // ids of those that are about to stand in it
  bool more_wait_ = false;  // than stand in line
  std::shared_ptr<Called> called_;
  base::Clock* clock_ = nullptr;
  base::Scope scope_;
};

}  // namespace tidemill::lambda
