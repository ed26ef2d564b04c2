// Searches the events of a group's streams, in the order of their times. A request looks at so many events and no more:
// what it has found till then is answered with a token to go on with, also if that is nothing.
#include <algorithm>

#include "base/base64.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/merged_events.h"
#include "services/logs/operations.h"
#include "services/logs/page_limits.h"
#include "services/logs/patterns.h"

namespace tidemill::logs {
namespace {

// What one request looks at.
constexpr size_t kEventsSearchedMax = 100'000;
constexpr size_t kBytesSearchedMax = 16 << 20;
// How much of its searching takes about a microsecond (base::slice_is_over).
constexpr size_t kBytesPerStep = 512;

// A token is the place of the last event that was looked at.
EventPlace decode_token(const std::string& token) {
  const auto digits = base::base64_decode(token);
  const auto place = digits ? EventPlace::of_digits(*digits) : std::nullopt;
  if (!place) throw invalid_next_token();
  return *place;
}

Task<MergedEvents::Streams> chosen_streams(store::Snapshot& snapshot, const LogGroup& group,
                                           const shapes::FilterLogEventsInput& request) {
  if (!request.log_stream_names) co_return streams_range(group.id, request.log_stream_name_prefix.value_or(""));
  std::vector<std::string> names = *request.log_stream_names;
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  std::vector<LogStream> streams;
  for (const std::string& name : names) streams.push_back(co_await get_stream(snapshot, group, name));
  co_return streams;
}

}  // namespace

Task<shapes::FilterLogEventsOutput> filter_log_events(Service& service, wire::Context& context,
                                                      const shapes::FilterLogEventsInput& request) {
  if (request.log_stream_names && request.log_stream_name_prefix) {
    throw errors::invalid_parameter_exception("LogStreamNames and LogStreamNamePrefix cannot be specified together.");
  }
  const lang::logs::FilterPattern pattern = parse_pattern(request.filter_pattern.value_or(""));
  const EventPlace after = request.next_token ? decode_token(*request.next_token) : EventPlace{};
  const store::ResourceAddress address =
      group_called(context, request.log_group_name, request.log_group_identifier);
  const auto snapshot = service.store().snapshot();
  const LogGroupPtr group = co_await service.groups().get(*snapshot, address);
  MergedEvents::Streams streams = co_await chosen_streams(*snapshot, *group, request);

  const Milliseconds from = std::max(request.start_time.value_or(0), group->oldest_kept(context.now()));
  // The end is included.
  const Milliseconds until = std::min(request.end_time.value_or(kEndOfTime), kEndOfTime - 1) + 1;
  MergedEvents events(*snapshot, *group, std::move(streams), from, until, after);
  shapes::FilterLogEventsOutput out;
  out.events.emplace();
  out.searched_log_streams.emplace();  // AWS has left it empty since 2020
  PageLimits limits(request.limit);
  size_t searched = 0;
  size_t searched_bytes = 0;
  EventPlace last = after;
  while (auto found = co_await events.next()) {
    const bool matches = co_await service.matching().matches(pattern, found->event.message);
    if (searched == kEventsSearchedMax || searched_bytes > kBytesSearchedMax ||
        (matches && !limits.take(found->event.message.size()))) {
      out.next_token = base::base64_encode(last.digits());
      break;
    }
    last = found->event.place;
    searched_bytes += found->event.message.size();
    ++searched;
    const size_t steps = PatternMatching::slice_steps(pattern, found->event.message);
    if (base::slice_is_over(1 + found->event.message.size() / kBytesPerStep + steps)) co_await base::give_way();
    if (!matches) continue;
    out.events->push_back({.log_stream_name = found->stream->name,
                           .timestamp = last.time,
                           .message = std::move(found->event.message),
                           .ingestion_time = found->event.ingested,
                           .event_id = last.digits()});
  }
  co_return out;
}

}  // namespace tidemill::logs
