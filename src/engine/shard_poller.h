// Reads one shard for one mapping and gives its records to the function, batch after batch, in order.
//
//   gather ──> expired? discard ──> attempts used up? discard ──> deliver ──> settle ──┐
//     ^                                                                                │
//     └────────────────────────── after a failure: back off ──────────────────────────-┘
//
// At most one batch of a shard is in flight, so the order of a shard, and with it of each item, holds. While a batch
// is with the function, the next is read; when it is done, its checkpoint is written while the next batch is already
// on its way (checkpoint_saver.h says what a crash then brings again).
//
// A failed batch is tried again as it was, and its attempts are durable before the next one: a crash may add one
// attempt, never start the count anew. Only a function that ran and failed uses up attempts; one that was throttled,
// is not there or could not be started is tried again until the records expire (facts 1.7).
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "engine/batch.h"
#include "engine/checkpoint_saver.h"
#include "engine/mapping_run.h"

namespace tidemill::engine {

class ShardPoller {
 public:
  enum class State {
    polling,
    stopped,       // by stop()
    finished,      // the shard is closed and was read to its end
    store_failed,  // no checkpoint can be written any more, so nothing is delivered any more
  };

  // `run` outlives this. Everything on one executor.
  ShardPoller(MappingRun& run, std::string shard_id, Checkpoint checkpoint);
  ~ShardPoller();
  ShardPoller(const ShardPoller&) = delete;

  // Works until it leaves State::polling, and then raises run.changed. The task must end or be destroyed before this.
  Task<void> poll();

  // Ends it after the invocation that is under way, with its checkpoint durable.
  void stop();
  // No record will come any more: what is there is the rest.
  void shard_closed();
  // run.config is another: what it waits for may have changed.
  void reconsider();

  [[nodiscard]] State state() const { return state_; }

 private:
  // Raised by commits, from any thread. Outlives the poller in the subscription's callback.
  struct News {
    std::atomic<bool> unread = true;
    base::Signal signal;
    void raise() {
      unread.store(true, std::memory_order_release);
      signal.signal();
    }
  };

  Task<void> work();
  Task<bool> gather();
  [[nodiscard]] Batch cut() const;
  [[nodiscard]] bool ripe(const Batch& batch) const;
  [[nodiscard]] base::Time window_end() const;
  Task<void> read(size_t count_max, size_t bytes_max);
  Task<void> read_ahead(const Batch& batch);
  Task<InvokeOutcome> deliver(const Batch& batch);
  Task<void> invoke(std::shared_ptr<const Mapping> config, std::string payload, base::Future<InvokeOutcome> done);
  void settle(const Batch& batch, const InvokeOutcome& outcome);
  Task<void> back_off();
  bool discard_expired();
  void discard(const Batch& batch, std::string_view reason);
  void drop_front(size_t count);
  void save(std::optional<std::string_view> result = std::nullopt);
  Task<bool> rest(base::Signal signal, std::optional<base::Time> until);
  void recover(std::string_view what);

  MappingRun& run_;
  const std::string shard_id_;
  State state_ = State::polling;
  bool stopping_ = false;
  bool closed_ = false;

  Checkpoint checkpoint_;             // newest, perhaps not yet durable
  std::deque<StreamRecord> records_;  // after checkpoint_.done, in order: the batch in hand, then what is read ahead
  bool drained_ = false;              // the last read found all there was then, as far as one can tell
  bool exhausted_ = false;            // a read since the last news found nothing
  uint32_t failures_ = 0;             // in a row, of any kind: what the back-off counts
  base::Time free_since_;             // when the last batch was done
  ReadAheadBudget::Grant read_ahead_;

  std::shared_ptr<News> news_ = std::make_shared<News>();
  base::Signal control_;  // stop() and reconsider(), during a back-off
  store::Subscription watch_;
  base::Activity::Hold busy_;
  CheckpointSaver saver_;
  base::Scope invocation_;
};

}  // namespace tidemill::engine
