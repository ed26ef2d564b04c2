#include "services/lambda/event_queue.h"

#include "base/future.h"
#include "base/log.h"
#include "base/text.h"
#include "services/lambda/alias.h"
#include "services/lambda/event_destinations.h"
#include "services/lambda/lineage.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::lambda {
namespace {

using namespace std::chrono_literals;
using engine::InvokeStatus;
using store::GiveUpReason;
using store::SendStatus;

constexpr std::string_view kEventKind = "lambda-event";
constexpr std::string_view kEventIds = "lambda-event/";

constexpr wire::PlatformMetric kAsyncEventsReceived{"AWS/Lambda", "AsyncEventsReceived", "Count", "FunctionName"};
constexpr wire::PlatformMetric kAsyncEventAge{"AWS/Lambda", "AsyncEventAge", "Milliseconds", "FunctionName"};
constexpr wire::PlatformMetric kAsyncEventsDropped{"AWS/Lambda", "AsyncEventsDropped", "Count", "FunctionName"};
constexpr wire::PlatformMetric kRecursiveInvocationsDropped{"AWS/Lambda", "RecursiveInvocationsDropped", "Count",
                                                            "FunctionName"};

store::RetryPolicy policy_of(const EventInvokeConfig& config) {
  return {.delays = {1min, 2min}, .attempts_max = config.retries() + 1, .age_max = config.age_max()};
}

// A function that fails has had its attempt; one that could not be asked has not.
SendStatus status_of(const EventAttempt& attempt) {
  if (attempt.is_recursive || attempt.is_switched_off) return SendStatus::rejected;
  switch (attempt.status) {
    case InvokeStatus::ok: return SendStatus::delivered;
    case InvokeStatus::function_error: return SendStatus::failed;
    case InvokeStatus::throttled:
    case InvokeStatus::failed: return SendStatus::unavailable;
    case InvokeStatus::no_function: return SendStatus::rejected;
  }
  return SendStatus::failed;
}

std::string_view condition_of(std::optional<GiveUpReason> reason, const std::optional<EventAttempt>& last) {
  if (!reason) return kSuccess;
  if (last && last->is_recursive) return kRecursiveInvocation;
  if (last && last->is_switched_off) return kZeroReservedConcurrency;
  return *reason == GiveUpReason::age_exceeded ? kEventAgeExceeded : kRetriesExhausted;
}

void measure(wire::PlatformMetrics* usage, const wire::PlatformMetric& metric, const FunctionAddress& function,
             double value = 1) {
  if (usage) usage->add(metric, function.account, function.region, function.name, value);
}

std::string qualified_arn(FunctionReference reference) {
  if (reference.qualifier.empty()) reference.qualifier = kLatest;
  return reference.arn();
}

// The chain as it goes on from the function. However often it ran with the event, that is one call.
std::string chain_after(const Event& event, const FunctionAddress& function) {
  Lineage lineage(event.trace_header);
  lineage.add(function.arn());
  return lineage.header();
}

}  // namespace

// Events whose function has a place by now, on any thread, on their way to an attempt. The platform is not quiet while
// there are any.
struct EventQueue::Called {
  explicit Called(base::Activity& of) : activity(of) {}

  void add(std::string id) {
    {
      const std::lock_guard lock(mutex);
      if (ids.empty()) busy = activity.hold();
      ids.push_back(std::move(id));
    }
    signal.signal();
  }
  std::pair<std::vector<std::string>, base::Activity::Hold> take() {
    const std::lock_guard lock(mutex);
    return {std::exchange(ids, {}), std::exchange(busy, {})};
  }

  base::Activity& activity;
  base::Signal signal;
  std::mutex mutex;
  std::vector<std::string> ids;
  base::Activity::Hold busy;
};

EventQueue::EventQueue(store::Store& store, EventRunner& runner, wire::PlatformMetrics* usage)
    : store_(store), runner_(runner), usage_(usage) {}

Task<void> EventQueue::enqueue(FunctionReference function, Event event, base::Time now) {
  store::Delivery delivery;
  delivery.id = base::cat(kEventIds, event.request_id);
  delivery.target_kind = kEventKind;
  delivery.target = function.arn();
  delivery.payload = encode_event(event);
  delivery.owner = base::cat(function.address.account, "/", function.address.region);
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    const auto config = co_await find_event_invoke_config(txn, function);
    delivery.policy = policy_of(config.value_or(EventInvokeConfig{}));
    co_await store::enqueue_delivery(txn, delivery, now);
  });
  measure(usage_, kAsyncEventsReceived, function.address);
}

void EventQueue::register_with(engine::Deliveries& deliveries, wire::Platform& platform) {
  clock_ = &platform.clock;
  called_ = std::make_shared<Called>(platform.clock.activity());
  register_outgoing(deliveries, platform, usage_);
  deliveries.send_with(
      kEventKind,
      [this, &platform](const store::Delivery& delivery) { return attempt(delivery, platform.clock.now()); }, {},
      [this, &platform](store::Transaction& txn, const store::Delivery& delivery, std::optional<GiveUpReason> reason) {
        return end(txn, delivery, reason, platform.clock.now());
      },
      {.concurrent_max = kConcurrentEventsMax,
       .is_shared_out = true,
       .on_put_off = [this](const store::Delivery& delivery) { put_off(delivery); }});
}

Task<store::SendOutcome> EventQueue::attempt(const store::Delivery& delivery, base::Time now) {
  const auto function = parse_function_arn(delivery.target);
  if (!function) co_return store::SendOutcome{SendStatus::rejected, "not the ARN of a function"};
  measure(usage_, kAsyncEventAge, function->address,
          std::chrono::duration<double, std::milli>(now - delivery.created).count());
  const auto turn = turns_.find(delivery.id);
  engine::PlaceTurnPtr own = turn == turns_.end() ? nullptr : std::move(turn->second);
  leave_line(delivery.id);
  EventAttempt attempt = co_await runner_.run_event(*function, decode_event(delivery.payload), std::move(own));
  store::SendOutcome outcome{status_of(attempt), attempt.detail};
  if (outcome.error.empty() && !attempt.function_error.empty()) {
    outcome.error = "the function failed: " + attempt.function_error;
  }
  outcome.answer = encode_attempt(attempt);
  co_return outcome;
}

Task<void> EventQueue::end(store::Transaction& txn, const store::Delivery& delivery,
                           std::optional<GiveUpReason> reason, base::Time now) {
  const auto function = parse_function_arn(delivery.target);
  if (!function) co_return;
  leave_line(delivery.id);
  const Event event = decode_event(delivery.payload);
  EventEnd end;
  end.function_arn = qualified_arn(*function);
  if (!delivery.last_answer.empty()) end.last = decode_attempt(delivery.last_answer);
  end.condition = condition_of(reason, end.last);
  // What was rejected has not run, and what is delivered is not among the attempts that failed.
  end.invoke_count = delivery.attempts + (!reason ? 1 : *reason == GiveUpReason::rejected ? -1 : 0);
  end.at = now;
  if (reason) measure(usage_, kAsyncEventsDropped, function->address);
  if (reason && end.last && end.last->is_recursive) measure(usage_, kRecursiveInvocationsDropped, function->address);

  const auto config = co_await find_event_invoke_config(txn, *function);
  const std::string destination = !config ? "" : reason ? config->on_failure : config->on_success;
  if (destination.empty() && !reason) co_return;
  const auto version = co_await load_referred(txn, *function);
  Outgoing outgoing{.function_arn = function->address.arn(),
                    .role = version ? version->role : "",
                    .trace_header = chain_after(event, function->address)};
  if (!destination.empty()) {
    outgoing.key = destination_key(function->address.name, now, event.request_id);
    outgoing.body = destination_record(event, end);
    co_await enqueue_outgoing(txn, OutgoingKind::destination, event.request_id, destination, outgoing, now);
  }
  if (!reason) co_return;
  if (!version || version->dead_letter_target.empty()) co_return;
  outgoing.body = event.payload;
  outgoing.attributes = dead_letter_attributes(event, end);
  co_await enqueue_outgoing(txn, OutgoingKind::dead_letter, event.request_id, version->dead_letter_target, outgoing, now);
}

// ---- Those that were throttled ----

// Its pause goes on meanwhile: whatever becomes of its turn, it is tried then.
void EventQueue::put_off(const store::Delivery& delivery) {
  auto function = parse_function_arn(delivery.target);
  if (!function || decode_attempt(delivery.last_answer).status != InvokeStatus::throttled) return;
  scope_.spawn(stand_in_line(delivery.id, *std::move(function), delivery.created));
}

Task<void> EventQueue::stand_in_line(std::string id, FunctionReference function, base::Time created) {
  if (turns_.size() >= kEventsInLineMax) {
    more_wait_ = true;
    co_return;
  }
  entering_.insert(id);
  auto turn = co_await runner_.line_up(std::move(function), created, [called = called_, id] { called->add(id); });
  // If it was tried meanwhile, nobody would take it out again.
  if (entering_.erase(id) != 0 && turn) turns_.insert_or_assign(id, std::move(turn));
}

void EventQueue::leave_line(const std::string& id) {
  entering_.erase(id);
  turns_.erase(id);
  if (turns_.empty() && std::exchange(more_wait_, false)) scope_.spawn(fill_line());
}

void EventQueue::start() {
  if (!called_) return;  // nobody sends events here
  scope_.spawn(hurry_called());
  scope_.spawn(fill_line());
}

Task<void> EventQueue::fill_line() {
  const auto busy = called_->activity.hold();
  try {
    std::vector<store::Delivery> waiting;
    {
      const auto snapshot = store_.snapshot();
      waiting = co_await store::unavailable_deliveries(*snapshot, kEventIds, kEventsInLineMax);
    }
    more_wait_ = waiting.size() >= kEventsInLineMax;
    for (store::Delivery& delivery : waiting) {
      const auto function = parse_function_arn(delivery.target);
      if (!function || turns_.contains(delivery.id)) continue;
      co_await stand_in_line(delivery.id, *function, delivery.created);
      // Some end while the others are read and put in line.
      const auto snapshot = store_.snapshot();
      if (!co_await store::delivery_stands(*snapshot, delivery.id)) leave_line(delivery.id);
    }
  } catch (const std::exception& error) {
    base::log_warning("throttled events wait for their pauses", {{"reason", error.what()}});
  }
}

// Each makes an attempt now, instead of when its pause is over. The place of one that is no more goes to who is next.
Task<void> EventQueue::hurry_called() {
  for (;;) {
    co_await called_->signal;
    const auto [ids, busy] = called_->take();
    std::vector<std::string> gone;
    try {
      co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
        gone.clear();
        for (const std::string& id : ids) {
          if (!co_await store::hurry_delivery(txn, id, clock_->now())) gone.push_back(id);
        }
      });
      for (const std::string& id : gone) leave_line(id);
    } catch (const std::exception& error) {
      base::log_warning("throttled events wait for their pauses", {{"reason", error.what()}});
    }
  }
}

}  // namespace tidemill::lambda
