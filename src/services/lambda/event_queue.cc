#include "services/lambda/event_queue.h"

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

// Of the version that the reference stands for; an alias with weights stands for its first.
Task<std::string> dead_letter_target(store::Snapshot& reader, FunctionReference reference) {
  auto version = reference.is_latest() ? std::optional<uint64_t>(0) : version_of_qualifier(reference.qualifier);
  if (!version) {
    const auto alias = co_await load_alias(reader, reference.address, reference.qualifier);
    if (!alias) co_return "";
    version = alias->version;
  }
  const auto function = co_await load_function(reader, std::move(reference.address), *version);
  co_return function ? function->dead_letter_target : "";
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

EventQueue::EventQueue(store::Store& store, Run run, wire::PlatformMetrics* usage)
    : store_(store), run_(std::move(run)), usage_(usage) {}

Task<void> EventQueue::enqueue(FunctionReference function, Event event, base::Time now) {
  store::Delivery delivery;
  delivery.id = base::cat(kEventKind, "/", event.request_id);
  delivery.target_kind = kEventKind;
  delivery.target = function.arn();
  delivery.payload = encode_event(event);
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    const auto config = co_await find_event_invoke_config(txn, function);
    delivery.policy = policy_of(config.value_or(EventInvokeConfig{}));
    co_await store::enqueue_delivery(txn, delivery, now);
  });
  measure(usage_, kAsyncEventsReceived, function.address);
}

void EventQueue::register_with(engine::Deliveries& deliveries, wire::Platform& platform) {
  register_outgoing(deliveries, platform, usage_);
  deliveries.send_with(
      kEventKind,
      [this, &platform](const store::Delivery& delivery) { return attempt(delivery, platform.clock.now()); }, {},
      [this, &platform](store::Transaction& txn, const store::Delivery& delivery, std::optional<GiveUpReason> reason) {
        return end(txn, delivery, reason, platform.clock.now());
      },
      {.concurrent_max = kConcurrentEventsMax});
}

Task<store::SendOutcome> EventQueue::attempt(const store::Delivery& delivery, base::Time now) {
  const auto function = parse_function_arn(delivery.target);
  if (!function) co_return store::SendOutcome{SendStatus::rejected, "not the ARN of a function"};
  measure(usage_, kAsyncEventAge, function->address,
          std::chrono::duration<double, std::milli>(now - delivery.created).count());
  EventAttempt attempt = co_await run_(*function, decode_event(delivery.payload));
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
  Outgoing outgoing{.function_arn = function->address.arn(), .trace_header = chain_after(event, function->address)};
  const std::string destination = !config ? "" : reason ? config->on_failure : config->on_success;
  if (!destination.empty()) {
    outgoing.key = destination_key(function->address.name, now, event.request_id);
    outgoing.body = destination_record(event, end);
    co_await enqueue_outgoing(txn, OutgoingKind::destination, event.request_id, destination, outgoing, now);
  }
  if (!reason) co_return;
  std::string dead_letters = co_await dead_letter_target(txn, *function);
  if (dead_letters.empty()) co_return;
  outgoing.body = event.payload;
  outgoing.attributes = dead_letter_attributes(event, end);
  co_await enqueue_outgoing(txn, OutgoingKind::dead_letter, event.request_id, std::move(dead_letters), outgoing, now);
}

}  // namespace tidemill::lambda
