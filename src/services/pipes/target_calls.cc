#include "services/pipes/target_calls.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "engine/targets/internal_call.h"
#include "services/pipes/compute.h"
#include "services/pipes/source.h"
#include "wire/arn.h"
#include "wire/shapes/events.h"
#include "wire/shapes/kinesis.h"
#include "wire/shapes/logs.h"
#include "wire/shapes/sns.h"
#include "wire/shapes/sqs.h"
#include "wire/timestamp.h"

namespace tidemill::pipes {
namespace {

using base::cat;
using engine::InvokeOutcome;
using engine::InvokeStatus;

constexpr std::string_view kLogGroup = "log-group:";

std::string value_of(const std::optional<ParameterValue>& value, const Event& event, std::string otherwise = {}) {
  return value ? value->of(event) : std::move(otherwise);
}

std::optional<std::string> if_any(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

Refused refused_entry(size_t place, const std::string& code, const std::string& message) {
  return {place, status_of_code(code), cat(code, ": ", message)};
}

// Of queues and topics, which answer by the entries' ids: places.
template <class Entry>
CallResult refused_of(const std::optional<std::vector<Entry>>& failed) {
  CallResult result;
  if (!failed) return result;
  for (const Entry& entry : *failed) {
    size_t place = 0;
    const std::string id = entry.id.value_or("");
    std::from_chars(id.data(), id.data() + id.size(), place);
    result.refused.push_back(refused_entry(place, entry.code.value_or(""), entry.message.value_or("")));
  }
  return result;
}

// "2026-03-14T00:00:00Z", or seconds since 1970.
std::optional<base::Time> time_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto time = wire::parse_timestamp(text, wire::TimestampFormat::date_time)) return time;
  const auto number = json::parse(text);
  const auto seconds = number ? number->to_double() : std::nullopt;
  if (!seconds) return std::nullopt;
  return base::Time(std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(*seconds)));
}

std::string group_name(std::string_view arn) {
  std::string_view group = wire::parse_arn(arn)->resource.substr(kLogGroup.size());
  if (group.ends_with(":*")) group.remove_suffix(2);
  return std::string(group);
}

wire::logs::InputLogEvent log_event_of(const ActivePipe& pipe, const Outgoing& outgoing, base::Time now) {
  wire::logs::InputLogEvent event;
  event.timestamp = std::chrono::floor<std::chrono::milliseconds>(now).time_since_epoch().count();
  const std::string given = value_of(pipe.values.timestamp, *outgoing.event);
  if (const auto number = json::parse(given)) event.timestamp = number->to_int64().value_or(event.timestamp);
  event.message = outgoing.text;
  return event;
}

wire::events::PutEventsRequestEntry bus_entry_of(const ActivePipe& pipe, const Outgoing& outgoing) {
  const TargetValues& values = pipe.values;
  const Event& event = *outgoing.event;
  wire::events::PutEventsRequestEntry entry;
  entry.event_bus_name = pipe.pipe.settings.target;
  entry.source = value_of(values.source, event, cat("Pipe ", pipe.pipe.address.name));
  entry.detail_type = value_of(values.detail_type, event, cat("Event from ", source_name(pipe.pipe.settings)));
  entry.time = time_of(value_of(values.time, event));
  entry.resources.emplace();
  for (const ParameterValue& resource : values.resources) entry.resources->push_back(resource.of(event));
  return entry;
}

// "Calculating Amazon EventBridge PutEvents event entry size" in the user guide; of all but the detail.
size_t counted_beside_detail(const wire::events::PutEventsRequestEntry& entry) {
  constexpr size_t kTimeBytes = 14;
  size_t bytes = entry.source->size() + entry.detail_type->size() + (entry.time ? kTimeBytes : 0);
  for (const std::string& resource : *entry.resources) bytes += resource.size();
  return bytes;
}

// The stream is made when its first event comes.
Task<wire::logs::PutLogEventsOutput> put_into_stream(wire::Context& context,
                                                     const wire::logs::PutLogEventsInput& request) {
  bool is_missing = false;
  try {
    co_return co_await context.registry().call<wire::logs::ops::PutLogEvents>(context, request);
  } catch (const wire::Error& error) {
    is_missing = error.message.contains("log stream");
    if (!is_missing) throw;
  }
  wire::logs::CreateLogStreamInput stream;
  stream.log_group_name = request.log_group_name;
  stream.log_stream_name = request.log_stream_name;
  try {
    (void)co_await context.registry().call<wire::logs::ops::CreateLogStream>(context, stream);
  } catch (const wire::Error& error) {
    if (!error.code.starts_with("ResourceAlreadyExists")) throw;
  }
  co_return co_await context.registry().call<wire::logs::ops::PutLogEvents>(context, request);
}

// Of a request whose events stand in the order of their times: those before `old_end` and from `new_start` on are
// refused.
void add_rejected(const wire::logs::PutLogEventsOutput& answer, std::span<const size_t> places, CallResult& result) {
  if (!answer.rejected_log_events_info) return;
  const auto& info = *answer.rejected_log_events_info;
  const int old_end =
      std::max(info.too_old_log_event_end_index.value_or(0), info.expired_log_event_end_index.value_or(0));
  const int new_start = info.too_new_log_event_start_index.value_or(static_cast<int>(places.size()));
  for (int i = 0; i < static_cast<int>(places.size()); ++i) {
    if (i >= old_end && i < new_start) continue;
    result.refused.push_back({places[static_cast<size_t>(i)], InvokeStatus::function_error,
                              "the time of the log event is too old or too new"});
  }
}

// One request, whatever it ends with. What others have written of the same batch stays written, so a refusal is that of
// these events alone.
Task<void> put_some_events(wire::Context& context, const wire::logs::PutLogEventsInput& request,
                           std::span<const size_t> places, CallResult& result) {
  InvokeOutcome refusal;
  try {
    co_return add_rejected(co_await put_into_stream(context, request), places, result);
  } catch (const wire::Error& error) {
    refusal = outcome_of(error);
  } catch (const store::Overloaded& error) {
    refusal = {.status = InvokeStatus::throttled, .detail = error.what()};
  }
  for (const size_t place : places) result.refused.push_back({place, refusal.status, refusal.detail});
}

// Of events in the order of their times, how many from the front one request may have: it spans no more than a day.
size_t count_of_a_day(std::span<const wire::logs::InputLogEvent> events) {
  constexpr uint64_t kSpanMsMax = std::chrono::milliseconds(std::chrono::hours(24)).count();
  const auto first = static_cast<uint64_t>(events.front().timestamp);
  const auto is_later = [&](const wire::logs::InputLogEvent& event) {
    return static_cast<uint64_t>(event.timestamp) - first > kSpanMsMax;
  };
  return static_cast<size_t>(std::ranges::find_if(events, is_later) - events.begin());
}

}  // namespace

size_t counted_bytes(const ActivePipe& pipe, const Outgoing& event) {
  switch (pipe.target.kind) {
    case TargetKind::event_bus:
      return event.text.size() + counted_beside_detail(bus_entry_of(pipe, event));
    case TargetKind::data_stream:
      return event.text.size() + value_of(pipe.values.partition_key, *event.event).size();
    default:
      return event.text.size();
  }
}

Task<CallResult> send_messages(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events) {
  const std::string& arn = pipe.pipe.settings.target;
  wire::sqs::SendMessageBatchInput request;
  request.queue_url = arn.substr(arn.rfind(':') + 1);  // of the context's account and region
  request.entries.emplace();
  for (const Outgoing& outgoing : events) {
    wire::sqs::SendMessageBatchRequestEntry entry;
    entry.id = std::to_string(request.entries->size());
    entry.message_body = outgoing.text;
    entry.message_group_id = if_any(value_of(pipe.values.group, *outgoing.event));
    entry.message_deduplication_id = if_any(value_of(pipe.values.deduplication, *outgoing.event));
    request.entries->push_back(std::move(entry));
  }
  wire::Context context = engine::internal_context(platform, arn, principal_of(pipe.pipe));
  const auto answer = co_await platform.registry.call<wire::sqs::ops::SendMessageBatch>(context, request);
  co_return refused_of(answer.failed);
}

Task<CallResult> publish_messages(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events) {
  wire::sns::PublishBatchInput request;
  request.topic_arn = pipe.pipe.settings.target;
  for (const Outgoing& outgoing : events) {
    wire::sns::PublishBatchRequestEntry entry;
    entry.id = std::to_string(request.publish_batch_request_entries.size());
    entry.message = outgoing.text;
    request.publish_batch_request_entries.push_back(std::move(entry));
  }
  wire::Context context = engine::internal_context(platform, request.topic_arn, principal_of(pipe.pipe));
  const auto answer = co_await platform.registry.call<wire::sns::ops::PublishBatch>(context, request);
  co_return refused_of(answer.failed);
}

Task<CallResult> put_records(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events) {
  wire::kinesis::PutRecordsInput request;
  request.stream_arn = pipe.pipe.settings.target;
  for (const Outgoing& outgoing : events) {
    wire::kinesis::PutRecordsRequestEntry entry;
    entry.data = outgoing.text;
    entry.partition_key = value_of(pipe.values.partition_key, *outgoing.event);
    request.records.push_back(std::move(entry));
  }
  wire::Context context = engine::internal_context(platform, *request.stream_arn, principal_of(pipe.pipe));
  const auto answer = co_await platform.registry.call<wire::kinesis::ops::PutRecords>(context, request);
  CallResult result;
  for (size_t place = 0; place < answer.records.size(); ++place) {
    const auto& entry = answer.records[place];
    if (entry.error_code)
      result.refused.push_back(refused_entry(place, *entry.error_code, entry.error_message.value_or("")));
  }
  co_return result;
}

Task<CallResult> put_events(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events) {
  wire::events::PutEventsInput request;
  for (const Outgoing& outgoing : events) {
    request.entries.push_back(bus_entry_of(pipe, outgoing));
    request.entries.back().detail = outgoing.text;
  }
  wire::Context context = engine::internal_context(platform, pipe.pipe.settings.target, principal_of(pipe.pipe));
  const auto answer = co_await platform.registry.call<wire::events::ops::PutEvents>(context, request);
  CallResult result;
  for (size_t place = 0; answer.entries && place < answer.entries->size(); ++place) {
    const auto& entry = answer.entries->at(place);
    if (entry.error_code)
      result.refused.push_back(refused_entry(place, *entry.error_code, entry.error_message.value_or("")));
  }
  co_return result;
}

// A request for each stream that the events name, and each of its days, with its events in the order of their times.
Task<CallResult> put_log_events(wire::Platform& platform, const ActivePipe& pipe, std::span<const Outgoing> events) {
  const base::Time now = platform.clock.now();
  const auto stream_of = [&](size_t place) {
    return value_of(pipe.values.log_stream, *events[place].event, pipe.pipe.address.name);
  };
  std::map<std::string, std::vector<size_t>> streams;
  for (size_t place = 0; place < events.size(); ++place) streams[stream_of(place)].push_back(place);

  CallResult result;
  wire::Context context = engine::internal_context(platform, pipe.pipe.settings.target, principal_of(pipe.pipe));
  for (auto& [name, places] : streams) {
    std::map<size_t, wire::logs::InputLogEvent> made;
    for (const size_t place : places) made[place] = log_event_of(pipe, events[place], now);
    std::ranges::sort(places, {}, [&](size_t place) { return std::pair(made[place].timestamp, place); });
    std::vector<wire::logs::InputLogEvent> all;
    for (const size_t place : places) all.push_back(std::move(made[place]));
    for (size_t first = 0, count = 0; first < all.size(); first += count) {
      const auto rest = std::span(all).subspan(first);
      count = count_of_a_day(rest);
      wire::logs::PutLogEventsInput request;
      request.log_group_name = group_name(pipe.pipe.settings.target);
      request.log_stream_name = name;
      std::ranges::move(rest.first(count), std::back_inserter(request.log_events));
      co_await put_some_events(context, request, std::span(places).subspan(first, count), result);
    }
  }
  co_return result;
}

}  // namespace tidemill::pipes
