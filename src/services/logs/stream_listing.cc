#include "services/logs/stream_listing.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <queue>
#include <stdexcept>

#include "base/text.h"
#include "services/logs/stream_totals.h"

namespace tidemill::logs {
namespace {

// Kept of every stream while a page by time is made, so it is small.
struct LastEvent {
  std::array<char, kIdSize> stream_id;
  Milliseconds time;
};

std::array<char, kIdSize> packed(std::string_view id) {
  if (id.size() != kIdSize) throw std::runtime_error(base::cat("the record of a log stream is damaged: its id is ", id));
  std::array<char, kIdSize> bytes;
  std::memcpy(bytes.data(), id.data(), kIdSize);
  return bytes;
}

bool is_before(const std::array<char, kIdSize>& a, const std::array<char, kIdSize>& b) {
  return std::memcmp(a.data(), b.data(), kIdSize) < 0;
}

// By streams, in the order of their ids: that of the keys.
Task<std::vector<LastEvent>> last_events(store::Snapshot& reader, const LogGroup& group) {
  std::vector<LastEvent> all;
  co_await reader.scan(totals_range(group.id), store::Direction::forward,
                       [&](std::string_view key, std::string_view value) {
                         all.push_back({packed(stream_id_of_totals_key(key)), decode_totals(value).last_event});
                         return true;
                       });
  co_return all;
}

Milliseconds last_event_of(const LogStream& stream, const std::vector<LastEvent>& all) {
  const auto id = packed(stream.id);
  const auto found = std::ranges::lower_bound(all, id, is_before, &LastEvent::stream_id);
  return found != all.end() && found->stream_id == id ? found->time : 0;
}

Task<std::vector<ListedStream>> list_by_name(store::Snapshot& reader, const LogGroup& group,
                                             const StreamListing& listing) {
  store::Range range = streams_range(group.id, listing.name_prefix);
  if (listing.after) {
    const std::string key = stream_key(group.id, listing.after->name);
    if (listing.descending)
      range.end = std::min(range.end, key);
    else
      range.begin = std::max(range.begin, key + '\0');
  }
  std::vector<ListedStream> page;
  if (range.begin >= range.end) co_return page;
  const auto direction = listing.descending ? store::Direction::reverse : store::Direction::forward;
  for (LogStream& stream : co_await list_streams(reader, range, {direction, listing.count})) {
    page.push_back({0, std::move(stream)});
  }
  co_return page;
}

Task<std::vector<ListedStream>> list_by_time(store::Snapshot& reader, const LogGroup& group,
                                             const StreamListing& listing) {
  const auto comes_first = [descending = listing.descending](const auto& a, const auto& b) {
    return descending ? b.order() < a.order() : a.order() < b.order();
  };
  const std::vector<LastEvent> times = co_await last_events(reader, group);
  // The last of them on top.
  std::priority_queue<ListedStream, std::vector<ListedStream>, decltype(comes_first)> best(comes_first);
  co_await reader.scan(streams_range(group.id, listing.name_prefix), store::Direction::forward,
                       [&](std::string_view key, std::string_view value) {
                         ListedStream one{0, decode_stream(stream_name_of_key(key), value)};
                         one.time = last_event_of(one.stream, times);
                         if (listing.after && !comes_first(*listing.after, one)) return true;
                         if (best.size() == listing.count && !comes_first(one, best.top())) return true;
                         best.push(std::move(one));
                         if (best.size() > listing.count) best.pop();
                         return true;
                       });
  std::vector<ListedStream> page;
  for (; !best.empty(); best.pop()) page.push_back(best.top());
  std::ranges::reverse(page);
  co_return page;
}

}  // namespace

Task<std::vector<ListedStream>> list_page(store::Snapshot& reader, const LogGroup& group, StreamListing listing) {
  if (listing.by_time) co_return co_await list_by_time(reader, group, listing);
  co_return co_await list_by_name(reader, group, listing);
}

}  // namespace tidemill::logs
