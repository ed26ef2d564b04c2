#include "services/logs/merged_events.h"

#include <algorithm>
#include <stdexcept>

#include "base/executor.h"

namespace tidemill::logs {

namespace {

constexpr size_t kStepsPerStream = 10;  // microseconds to look for a stream's first events (base::slice_is_over)

}  // namespace

MergedEvents::MergedEvents(store::Snapshot& snapshot, const LogGroup& group, const std::vector<LogStream>& streams,
                           Milliseconds from, Milliseconds until, EventPlace after)
    : snapshot_(snapshot),
      group_id_(group.id),
      streams_(streams),
      from_(from),
      until_(until),
      after_(after),
      events_ahead_max_(std::max<size_t>(1, kEventsAheadMax / std::max<size_t>(1, streams.size()))),
      bytes_ahead_max_(kBytesAheadMax / std::max<size_t>(1, streams.size())) {}

// Of a million streams most have nothing in a span of time: those are not kept.
Task<void> MergedEvents::begin() {
  for (const LogStream& stream : streams_) {
    auto cursor = std::make_unique<Cursor>();
    cursor->stream = &stream;
    cursor->rest = events_range(group_id_, stream.id, from_, until_);
    if (after_ != EventPlace{}) {
      cursor->rest.begin = std::max(cursor->rest.begin, event_key(group_id_, stream.id, after_) + '\0');
    }
    co_await fill(*cursor);
    if (base::slice_is_over(kStepsPerStream)) co_await base::give_way();
    if (cursor->ahead.empty()) continue;
    order_.push(cursor.get());
    cursors_.push_back(std::move(cursor));
  }
}

Task<std::optional<MergedEvents::Found>> MergedEvents::next() {
  if (!is_begun_) {
    is_begun_ = true;
    co_await begin();
  }
  if (order_.empty()) co_return std::nullopt;
  Cursor* cursor = order_.top();
  order_.pop();
  Ahead ahead = std::move(cursor->ahead.front());
  cursor->ahead.pop_front();
  if (!ahead.has_message) {
    const auto bytes = co_await snapshot_.get(event_key(group_id_, cursor->stream->id, ahead.event.place));
    if (!bytes) throw std::runtime_error("an event of a snapshot is gone");
    ahead.event = decode_event(ahead.event.place, *bytes);
  }
  Found found{cursor->stream, std::move(ahead.event)};
  if (cursor->ahead.empty()) co_await fill(*cursor);
  if (!cursor->ahead.empty()) order_.push(cursor);
  co_return found;
}

Task<void> MergedEvents::fill(Cursor& cursor) {
  if (cursor.is_at_end || cursor.rest.begin >= cursor.rest.end) co_return;
  size_t bytes = 0;
  std::string last;
  cursor.is_at_end = true;
  co_await snapshot_.scan(cursor.rest, store::first(events_ahead_max_), [&](std::string_view key, std::string_view value) {
    const EventPlace place = place_of_event_key(key);
    const bool has_message = value.size() <= bytes_ahead_max_;
    cursor.ahead.push_back({has_message ? decode_event(place, value) : Event{.place = place}, has_message});
    bytes += value.size();
    if (cursor.ahead.size() < events_ahead_max_ && bytes < bytes_ahead_max_) return true;
    cursor.is_at_end = false;
    last = key;
    return false;
  });
  if (!cursor.is_at_end) cursor.rest.begin = last + '\0';
}

}  // namespace tidemill::logs
