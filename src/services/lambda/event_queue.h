// Events that functions are to run with and nobody waits for: InvocationType Event. Each is a delivery of the kind
// "lambda-event" (id: "lambda-event/" and the request's id; target: the function's ARN as it was named), enqueued before
// the caller is answered. A function that fails is tried again after one minute and after two; one that is throttled, or
// cannot be run for reasons of ours, until the event is too old. How an event ends is told in the transaction that ends it.
#pragma once

#include <functional>
#include <memory>

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
// Events that run at the same time: as many as an account's functions may.
inline constexpr size_t kConcurrentEventsMax = 1000;

class EventQueue {
 public:
  // One attempt; it does not throw.
  using Run = std::function<Task<EventAttempt>(FunctionReference function, Event event)>;

  // `usage` may be null; it and the store outlive this.
  EventQueue(store::Store& store, Run run, wire::PlatformMetrics* usage);

  // Durable once it returns. `function` exists.
  Task<void> enqueue(FunctionReference function, Event event, base::Time now);

  // Before the timers start. All outlive this.
  void register_with(engine::Deliveries& deliveries, wire::Platform& platform);

 private:
  Task<store::SendOutcome> attempt(const store::Delivery& delivery, base::Time now);
  Task<void> end(store::Transaction& txn, const store::Delivery& delivery, std::optional<store::GiveUpReason> reason,
                 base::Time now);

  store::Store& store_;
  const Run run_;
  wire::PlatformMetrics* const usage_;
};

}  // namespace tidemill::lambda
