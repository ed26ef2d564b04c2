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

// Kept of many streams while a page by time is made, so it is small.
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

// The last events of all streams, so many at a time: of those whose ids lie within a stretch, streams without events
// among them.
class LastEvents {
 public:
  LastEvents(store::Snapshot& reader, const LogGroup& group, size_t at_once)
      : reader_(reader), rest_(totals_range(group.id)), at_once_(at_once) {}

  // The first stretch, or the next. False: that was the last.
  Task<bool> next() {
    if (is_last_) co_return false;
    if (!all_.empty()) behind_ = all_.back().stream_id;
    all_.clear();
    std::string last_key;
    co_await reader_.scan(rest_, store::first(at_once_), [&](std::string_view key, std::string_view value) {
      all_.push_back({packed(stream_id_of_totals_key(key)), decode_totals(value).last_event});
      if (all_.size() == at_once_) last_key = key;
      return true;
    });
    is_last_ = all_.size() < at_once_;
    if (!is_last_) rest_.begin = last_key + '\0';
    co_return true;
  }

  // 0 for a stream without. Nothing: its id lies in another stretch.
  [[nodiscard]] std::optional<Milliseconds> of(const LogStream& stream) const {
    const auto id = packed(stream.id);
    if (behind_ && !is_before(*behind_, id)) return std::nullopt;
    if (!is_last_ && is_before(all_.back().stream_id, id)) return std::nullopt;
    const auto found = std::ranges::lower_bound(all_, id, is_before, &LastEvent::stream_id);
    return found != all_.end() && found->stream_id == id ? found->time : 0;
  }

 private:
  store::Snapshot& reader_;
  store::Range rest_;
  const size_t at_once_;
  std::optional<std::array<char, kIdSize>> behind_;  // the last id of the stretch before
  std::vector<LastEvent> all_;                       // by ids, which is the order of the keys
  bool is_last_ = false;
};

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
  // The last of them on top.
  std::priority_queue<ListedStream, std::vector<ListedStream>, decltype(comes_first)> best(comes_first);
  LastEvents times(reader, group, listing.times_at_once);
  while (co_await times.next()) {
    co_await reader.scan(streams_range(group.id, listing.name_prefix), store::Direction::forward,
                         [&](std::string_view key, std::string_view value) {
                           ListedStream one{0, decode_stream(stream_name_of_key(key), value)};
                           const auto time = times.of(one.stream);
                           if (!time) return true;
                           one.time = *time;
                           if (listing.after && !comes_first(*listing.after, one)) return true;
                           if (best.size() == listing.count && !comes_first(one, best.top())) return true;
                           best.push(std::move(one));
                           if (best.size() > listing.count) best.pop();
                           return true;
                         });
  }
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
