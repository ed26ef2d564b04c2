// Reads a stream's events, forwards and backwards in time. A token is a place and a direction, "f/<digits>/s": the next
// page begins behind it, or ends before it. At the end the token that came with the request is given again.
#include <algorithm>

#include "base/text.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/page_limits.h"
#include "services/logs/stream.h"

namespace tidemill::logs {
namespace {

struct Token {
  bool is_forward = true;
  EventPlace place;
};

std::string encode_token(bool is_forward, const EventPlace& place) {
  return base::cat(is_forward ? "f/" : "b/", place.digits(), "/s");
}

Token decode_token(std::string_view text) {
  if (text.size() != EventPlace::kDigits + 4 || !text.ends_with("/s") || text[1] != '/' ||
      (text[0] != 'f' && text[0] != 'b')) {
    throw invalid_next_token();
  }
  const auto place = EventPlace::of_digits(text.substr(2, EventPlace::kDigits));
  if (!place) throw invalid_next_token();
  return {text[0] == 'f', *place};
}

}  // namespace

Task<shapes::GetLogEventsOutput> get_log_events(Service& service, wire::Context& context,
                                                const shapes::GetLogEventsInput& request) {
  const store::ResourceAddress address =
      group_called(context, request.log_group_name, request.log_group_identifier);
  std::optional<Token> token;
  if (request.next_token) token = decode_token(*request.next_token);
  const auto snapshot = service.store().snapshot();
  const LogGroupPtr group = co_await service.groups().get(*snapshot, address);
  const LogStream stream = co_await get_stream(*snapshot, *group, request.log_stream_name);

  const Milliseconds from = std::max(request.start_time.value_or(0), group->oldest_kept(context.now()));
  store::Range range = events_range(group->id, stream.id, from, request.end_time.value_or(kEndOfTime));
  const bool is_forward = token ? token->is_forward : request.start_from_head.value_or(false);
  if (token) {
    const std::string at = event_key(group->id, stream.id, token->place);
    if (is_forward) range.begin = std::max(range.begin, at + '\0');
    else range.end = std::min(range.end, at);
  }

  std::vector<Event> events;
  PageLimits limits(request.limit);
  if (range.begin < range.end) {
    co_await snapshot->scan(range, is_forward ? store::first(limits.looked_at_max()) : store::last(limits.looked_at_max()),
                            [&](std::string_view key, std::string_view value) {
                              Event event = decode_event(place_of_event_key(key), value);
                              if (!limits.take(event.message.size())) return false;
                              events.push_back(std::move(event));
                              return true;
                            });
  }
  if (!is_forward) std::ranges::reverse(events);

  shapes::GetLogEventsOutput out;
  const EventPlace nowhere = token ? token->place : EventPlace{.time = from};
  out.next_forward_token = encode_token(true, events.empty() ? nowhere : events.back().place);
  out.next_backward_token = encode_token(false, events.empty() ? nowhere : events.front().place);
  out.events.emplace();
  for (Event& event : events) {
    out.events->push_back({.timestamp = event.place.time,
                           .message = std::move(event.message),
                           .ingestion_time = event.ingested});
  }
  co_return out;
}

}  // namespace tidemill::logs
