#include "services/logs/merged_events.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/executor.h"

namespace tidemill::logs {

namespace {

constexpr size_t kStepsPerStream = 10;  // microseconds to look for a stream's first events (base::slice_is_over)

}  // namespace

MergedEvents::MergedEvents(store::Snapshot& snapshot, const LogGroup& group, Streams streams, Milliseconds from,
                           Milliseconds until, EventPlace after, size_t streams_max)
    : snapshot_(snapshot),
      group_(group),
      streams_(std::move(streams)),
      from_(from),
      until_(until),
      after_(after),
      streams_max_(streams_max) {}

Task<std::optional<MergedEvents::Found>> MergedEvents::next() {
  const bool is_at_left_out = left_out_ && (order_.empty() || *left_out_ <= order_.top()->place());
  if (!std::exchange(is_begun_, true) || is_at_left_out) co_await begin();
  if (order_.empty()) co_return std::nullopt;
  Cursor* cursor = order_.top();
  order_.pop();
  Ahead ahead = std::move(cursor->ahead[cursor->at++]);
  if (!ahead.has_message) {
    const auto bytes = co_await snapshot_.get(event_key(group_.id, cursor->stream.id, ahead.event.place));
    if (!bytes) throw std::runtime_error("an event of a snapshot is gone");
    ahead.event = decode_event(ahead.event.place, *bytes);
  }
  Found found{&cursor->stream, std::move(ahead.event)};
  if (cursor->is_empty()) co_await fill(*cursor);
  if (!cursor->is_empty()) order_.push(cursor);
  co_return found;
}

// Of a million streams most have nothing in a span of time: those are not kept.
Task<void> MergedEvents::begin() {
  order_ = {};
  cursors_.clear();
  began_at_ = std::exchange(left_out_, std::nullopt);
  if (const auto* named = std::get_if<std::vector<LogStream>>(&streams_)) {
    for (const LogStream& stream : *named) co_await look_at(stream);
  } else {
    StreamPages pages(snapshot_, group_, std::get<store::Range>(streams_));
    while (const LogStream* stream = co_await pages.next()) co_await look_at(*stream);
  }
  for (const auto& cursor : cursors_) order_.push(cursor.get());
}

Task<void> MergedEvents::look_at(const LogStream& stream) {
  std::optional<EventPlace> first;
  const store::Range range = range_of(stream);
  if (range.begin < range.end) {
    co_await snapshot_.scan(range, store::first(1), [&](std::string_view key, std::string_view) {
      first = place_of_event_key(key);
      return false;
    });
  }
  if (base::slice_is_over(kStepsPerStream)) co_await base::give_way();
  if (!first || (left_out_ && *left_out_ <= *first)) co_return;
  auto cursor = std::make_unique<Cursor>(Cursor{.stream = stream, .ahead = {}, .last = *first});
  cursor->ahead.push_back({Event{.place = *first}, false});
  cursors_.push_back(std::move(cursor));
  if (cursors_.size() == 2 * streams_max_) leave_out_last();
}

void MergedEvents::leave_out_last() {
  const auto place = [](const auto& cursor) { return cursor->place(); };
  const auto others = cursors_.begin() + static_cast<std::ptrdiff_t>(streams_max_);
  std::ranges::nth_element(cursors_, others, {}, place);
  left_out_ = place(*others);
  cursors_.erase(others, cursors_.end());
}

store::Range MergedEvents::range_of(const LogStream& stream) const {
  store::Range range = events_range(group_.id, stream.id, from_, until_);
  if (after_ != EventPlace{}) range.begin = std::max(range.begin, event_key(group_.id, stream.id, after_) + '\0');
  if (began_at_) range.begin = std::max(range.begin, event_key(group_.id, stream.id, *began_at_));
  return range;
}

Task<void> MergedEvents::fill(Cursor& cursor) {
  cursor.ahead.clear();
  cursor.at = 0;
  if (cursor.is_at_end) co_return;
  store::Range rest = range_of(cursor.stream);
  rest.begin = event_key(group_.id, cursor.stream.id, cursor.last) + '\0';
  const size_t events_max = std::max<size_t>(1, kEventsAheadMax / cursors_.size());
  const size_t bytes_max = kBytesAheadMax / cursors_.size();
  size_t bytes = 0;
  cursor.is_at_end = true;
  co_await snapshot_.scan(rest, store::first(events_max), [&](std::string_view key, std::string_view value) {
    const EventPlace place = place_of_event_key(key);
    const bool has_message = value.size() <= bytes_max;
    cursor.ahead.push_back({has_message ? decode_event(place, value) : Event{.place = place}, has_message});
    cursor.last = place;
    bytes += value.size();
    cursor.is_at_end = cursor.ahead.size() < events_max && bytes < bytes_max;
    return cursor.is_at_end;
  });
}

}  // namespace tidemill::logs
