#include "engine/mappings/shard_reader.h"

#include <algorithm>

#include "base/executor.h"
#include "engine/mappings/batch.h"
#include "engine/mappings/mapping_events.h"

namespace tidemill::engine {

namespace {

constexpr size_t kBytesPerStep = 128;  // of a record that is compared with patterns (base::slice_is_over)

}  // namespace

ShardReader::ShardReader(ShardState& shard) : shard_(shard), takes_(shard.lanes.size()) {
  for (const LaneState& lane : shard.lanes) {
    news_->lanes.push_back(lane.news);
    top_ = std::max(top_, lane.cursor);
  }
  watch_ =
      shard.run.source.watch_shard(shard.config->event_source_arn, shard.shard_id, [news = news_] { news->raise(); });
}

void ShardReader::raise() { news_->raise(); }

void ShardReader::take_news() {
  // A read under way may have looked before the news, and says in the end what it found: the news waits for that.
  if (reading_) return;
  if (news_->unread.exchange(false, std::memory_order_acquire)) drained_ = exhausted_ = false;
}

Task<void> ShardReader::read(LaneState& lane, size_t count_max, size_t bytes_max) {
  struct Reading {
    ShardReader& reader;
    LaneState& lane;
    ~Reading() {
      reader.reading_ = false;
      for (LaneState& other : reader.shard_.lanes) {
        if (&other != &lane) other.news.signal();
      }
    }
  };
  reading_ = true;
  const Reading reading{*this, lane};
  const store::Position from = lane.cursor;
  const auto config = shard_.run.config;  // an update may replace it meanwhile
  std::vector<StreamRecord> found =
      co_await shard_.run.source.read(*config, shard_.shard_id, from, count_max, bytes_max);
  const std::vector<bool> wanted = co_await judge(found);
  const store::Position end = found.empty() ? std::max(top_, from) : found.back().position;
  if (end >= top_) {
    size_t bytes = 0;
    for (const StreamRecord& record : found) bytes += record.event_json.size();
    top_ = end;
    // A read may also end because of the bytes; whether it did shows for certain only when the next finds nothing.
    drained_ = found.size() < count_max && bytes < bytes_max / 2;
    exhausted_ = found.empty();
  }
  if (found.empty()) {
    lane.cursor = end;  // what other lanes have been given from there on has been trimmed meanwhile
  } else {
    distribute(std::move(found), wanted, lane, from);
  }
}

// Thousands of records and patterns take many slices.
Task<std::vector<bool>> ShardReader::judge(const std::vector<StreamRecord>& found) const {
  std::vector<bool> wanted(found.size(), true);
  if (!shard_.filter) co_return wanted;
  const auto lane_count = static_cast<uint8_t>(shard_.lanes.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const StreamRecord& record = found[i];
    if (record.position <= shard_.lanes[lane_of(record.ordering_key, lane_count)].cursor) continue;
    wanted[i] = shard_.filter->passes(record.event_json);
    if (base::slice_is_over(1 + record.event_json.size() / kBytesPerStep)) co_await base::give_way();
  }
  co_return wanted;
}

void ShardReader::distribute(std::vector<StreamRecord> found, const std::vector<bool>& wanted, LaneState& asker,
                             store::Position from) {
  const auto lane_count = static_cast<uint8_t>(shard_.lanes.size());
  for (const LaneState& lane : shard_.lanes) takes_[lane.index] = lane.cursor >= from;
  const store::Position end = found.back().position;
  size_t polled = 0;
  size_t filtered = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    StreamRecord& record = found[i];
    LaneState& lane = shard_.lanes[lane_of(record.ordering_key, lane_count)];
    if (!takes_[lane.index] || record.position <= lane.cursor) continue;
    if (!shard_.finished.empty() && was_finished(record)) continue;
    if (&lane != &asker && !takes(lane, record)) {
      takes_[lane.index] = false;
      lane.cursor = store::before(record.position);
      continue;
    }
    ++polled;
    if (!wanted[i]) {
      ++filtered;
      continue;
    }
    lane.bytes += record.event_json.size();
    lane.records.push_back(std::move(record));
  }
  for (LaneState& lane : shard_.lanes) {
    if (takes_[lane.index]) lane.cursor = std::max(lane.cursor, end);
  }
  add_events(shard_.run.usage, *shard_.config, kPolledEvents, polled);
  if (shard_.filter) add_events(shard_.run.usage, *shard_.config, kFilteredOutEvents, filtered);
}

// For the batch after the one in hand, and, where batches are small, for lanes that are not quite as fast as others.
bool ShardReader::takes(LaneState& lane, const StreamRecord& record) const {
  if (lane.bytes >= kPayloadBytesMax) return false;
  const bool is_wanted =
      lane.records.size() < 2 * static_cast<size_t>(shard_.run.config->batch_size) || lane.bytes < kAheadBytesMax;
  return is_wanted && lane.room.grow(lane.room.size() + record.event_json.size());
}

bool ShardReader::was_finished(const StreamRecord& record) const {
  return std::ranges::any_of(shard_.finished, [&](const LaneProgress& progress) {
    return record.position <= progress.done && lane_of(record.ordering_key, progress.lane_count) == progress.lane;
  });
}

}  // namespace tidemill::engine
