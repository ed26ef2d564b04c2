// Reads a shard in order and gives each record to its lane.
//
// A read goes on where the lane that asks for it has come to, and serves every lane that is at least as far: usually
// all of them, so that a record is read once. A lane whose queue is full takes no more, and stays behind; it reads on
// its own behalf when it has room again. So a lane that is held up holds up no other, and none holds more than its
// share in memory.
#pragma once

#include <atomic>
#include <memory>

#include "engine/mappings/shard_state.h"

namespace tidemill::engine {

class ShardReader {
 public:
  // What a lane may keep for itself beside two batches while others read on.
  static constexpr size_t kAheadBytesMax = 1024 * 1024;

  // `shard` outlives this.
  explicit ShardReader(ShardState& shard);

  // Something has been written or has changed. Any thread may get here through the subscription.
  void raise();

  // To be called before the others: forgets what the last reads found if there is news since.
  void take_news();
  // Whether the lane has been given all there is, as far as one can tell from the last read; and for certain.
  [[nodiscard]] bool is_drained(const LaneState& lane) const { return drained_ && lane.cursor >= top_; }
  [[nodiscard]] bool is_exhausted(const LaneState& lane) const { return exhausted_ && lane.cursor >= top_; }

  // A read is under way; every lane's `news` tells its end.
  [[nodiscard]] bool is_reading() const { return reading_; }

  // Reads on from the lane's cursor: at most `count_max` records, of all lanes, and about `bytes_max`.
  Task<void> read(LaneState& lane, size_t count_max, size_t bytes_max);

 private:
  // Raised by commits, from any thread. Outlives the reader in the subscription's callback.
  struct News {
    std::atomic<bool> unread = true;
    std::vector<base::Signal> lanes;
    void raise() {
      unread.store(true, std::memory_order_release);
      for (const base::Signal& lane : lanes) lane.signal();
    }
  };

  // Whether the mapping's filters want each of them, as far as a lane has not gone past it.
  Task<std::vector<bool>> judge(const std::vector<StreamRecord>& found) const;
  void distribute(std::vector<StreamRecord> found, const std::vector<bool>& wanted, LaneState& asker,
                  store::Position from);
  // Whether a lane that did not ask takes the record, for which it then has room.
  [[nodiscard]] bool takes(LaneState& lane, const StreamRecord& record) const;
  [[nodiscard]] bool was_finished(const StreamRecord& record) const;

  ShardState& shard_;
  std::shared_ptr<News> news_ = std::make_shared<News>();
  store::Subscription watch_;
  store::Position top_;     // how far any lane has come
  bool drained_ = false;    // the last read from there found all there was then, as far as one can tell
  bool exhausted_ = false;  // a read from there since the last news found nothing
  bool reading_ = false;
  std::vector<bool> takes_;  // by lane, during distribute()
};

}  // namespace tidemill::engine
