// Writes events into a stream. Only new keys are written, and only records are read that writers do not change, so
// writers conflict with nobody.
#include <algorithm>
#include <span>

#include "base/text.h"
#include "services/logs/embedded_metrics.h"
#include "services/logs/errors.h"
#include "services/logs/filtered_metrics.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/stream.h"
#include "services/logs/subscribed_events.h"

namespace tidemill::logs {
namespace {

using namespace std::chrono_literals;

// "PutLogEvents" in the API reference. The number of events is in the model.
constexpr size_t kRequestBytesMax = 1'048'576;
constexpr size_t kEventBytesMax = 1'048'576;
constexpr size_t kBytesPerStep = 1024;  // written in about a microsecond (base::slice_is_over)
constexpr Milliseconds kSpanMax = std::chrono::milliseconds(24h).count();
constexpr Milliseconds kFutureMax = std::chrono::milliseconds(2h).count();
constexpr Milliseconds kPastMax = std::chrono::milliseconds(14 * 24h).count();

void check_batch(const std::vector<shapes::InputLogEvent>& events) {
  size_t bytes = 0;
  for (const shapes::InputLogEvent& event : events) {
    const size_t size = event.message.size() + kEventOverheadBytes;
    if (size > kEventBytesMax) {
      throw errors::invalid_parameter_exception(
          base::cat("Log event too large: ", size, " bytes exceeds limit of ", kEventBytesMax));
    }
    bytes += size;
  }
  if (bytes > kRequestBytesMax) {
    throw errors::invalid_parameter_exception(
        base::cat("Upload too large: ", bytes, " bytes exceeds limit of ", kRequestBytesMax));
  }
  if (!std::ranges::is_sorted(events, {}, &shapes::InputLogEvent::timestamp)) {
    throw errors::invalid_parameter_exception(
        "Log events in a single PutLogEvents request must be in chronological order.");
  }
  if (events.back().timestamp - events.front().timestamp > kSpanMax) {
    throw errors::invalid_parameter_exception(
        "The batch of log events in a single PutLogEvents request cannot span more than 24 hours.");
  }
}

// Which of the events, which are in order, are taken: begin <= index < end.
struct Accepted {
  size_t begin = 0;
  size_t end = 0;
  std::optional<shapes::RejectedLogEventsInfo> rejected;
};

Accepted accept(const std::vector<shapes::InputLogEvent>& events, const LogGroup& group, base::Time now) {
  const auto first_at = [&](Milliseconds time) {
    const auto found = std::ranges::lower_bound(events, time, {}, &shapes::InputLogEvent::timestamp);
    return static_cast<size_t>(found - events.begin());
  };
  const size_t expired = first_at(group.oldest_kept(now));
  const size_t too_old = first_at(milliseconds(now) - kPastMax);
  const size_t too_new = first_at(milliseconds(now) + kFutureMax + 1);
  Accepted result{.begin = std::max(expired, too_old), .end = too_new};
  if (expired > 0 || too_old > 0 || too_new < events.size()) {
    result.rejected.emplace();
    if (expired > 0) result.rejected->expired_log_event_end_index = static_cast<int32_t>(expired);
    if (too_old > 0) result.rejected->too_old_log_event_end_index = static_cast<int32_t>(too_old);
    if (too_new < events.size()) result.rejected->too_new_log_event_start_index = static_cast<int32_t>(too_new);
  }
  result.begin = std::min(result.begin, result.end);
  return result;
}

StreamTotals totals_of(std::span<const shapes::InputLogEvent> events, Milliseconds now) {
  StreamTotals totals{.last_ingestion = now, .events = events.size()};
  if (events.empty()) return {};
  totals.first_event = events.front().timestamp;
  totals.last_event = events.back().timestamp;
  for (const shapes::InputLogEvent& event : events) totals.stored_bytes += event.message.size() + kEventOverheadBytes;
  return totals;
}

}  // namespace

Task<shapes::PutLogEventsOutput> put_log_events(Service& service, wire::Context& context,
                                                const shapes::PutLogEventsInput& request) {
  check_batch(request.log_events);
  const store::ResourceAddress address = group_called(context, request.log_group_name);
  const base::Time now = context.now();
  const Milliseconds ingested = milliseconds(now);
  shapes::PutLogEventsOutput out;
  bool is_counted = false;
  LogGroupPtr group;
  std::span<const shapes::InputLogEvent> events;
  const EmbeddedMetrics embedded = co_await EmbeddedMetrics::find(request.log_events);
  FilteredMetrics metrics;
  SubscribedEvents subscribed;
  bool is_current = false;  // what the group's filters find is
  const auto write = [&](store::Transaction& txn) -> Task<void> {
    group = co_await service.groups().get(txn, address);
    is_current = metrics.is_of(*group) && subscribed.is_of(*group);
    if (!is_current) co_return;
    const LogStream stream = co_await get_stream(txn, *group, request.log_stream_name);
    const Accepted accepted = accept(request.log_events, *group, now);
    events = std::span(request.log_events).subspan(accepted.begin, accepted.end - accepted.begin);
    const EventPosition first = service.positions().take(txn.version(), static_cast<uint32_t>(events.size() + 1));
    EventPlace place{.position = first};
    for (const shapes::InputLogEvent& event : events) {
      place.time = event.timestamp;
      txn.put(event_key(group->id, stream.id, place), encode_event(ingested, event.message));
      ++place.position.index;
      if (base::slice_is_over(1 + event.message.size() / kBytesPerStep)) co_await base::give_way();
    }
    if (!events.empty()) {
      const std::string key = totals_key(group->id, stream.id);
      const auto stored = co_await txn.get_untracked(key);
      const StreamTotals batch = is_counted ? StreamTotals{} : totals_of(events, ingested);
      txn.put(key, encode_totals(service.totals().add(stream.id, stored, batch)));
      is_counted = true;
    }
    // Clients of old want one to give with the next request, where it is ignored.
    out.next_sequence_token = place.digits();
    out.rejected_log_events_info = accepted.rejected;
    MetricValues values;
    metrics.add(request.log_events, accepted.begin, accepted.end, values);
    co_await embedded.add(accepted.begin, accepted.end, values);
    co_await values.enqueue(txn, group->arn(), now);
    co_await subscribed.enqueue(txn, stream, request.log_events, accepted.begin, accepted.end, first, now);
  };
  while (true) {
    co_await service.store().transact(write);
    if (is_current) break;
    // The group has filters, or others than before: what they find is found outside of the transaction.
    metrics = co_await FilteredMetrics::find(service.matching(), group, request.log_events);
    subscribed = co_await SubscribedEvents::find(service.matching(), group, request.log_events);
  }
  co_await service.live_tails().publish(group, request.log_stream_name, events, ingested);
  co_return out;
}

}  // namespace tidemill::logs
