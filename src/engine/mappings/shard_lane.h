// One lane of a shard: gives its records to the function, batch after batch, in order.
//
//   gather ──> expired? discard ──> attempts used up? discard ──> deliver ──> settle ──┐
//     ^                                                                                │
//     └────────────────────────── after a failure: back off ──────────────────────────-┘
//
// At most one batch of a lane is in flight, so the order of the lane's keys holds. While a batch is with the function,
// the next is read; when it is done, its progress is written while the next batch is already on its way. A crash brings
// again at most kUnsavedMax batches of a lane: the one in flight and one whose progress was on its way.
//
// A failed batch is tried again as it was, or in halves (BisectBatchOnFunctionError), or what the function has left of
// it (ReportBatchItemFailures). Its attempts are durable before the next one: a crash may add one, never start the
// count anew. Only a function that ran and failed uses up attempts; one that was throttled, is not there or could not
// be started is tried again until the records expire (facts 1.7).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/mappings/batch.h"
#include "engine/mappings/checkpoint_saver.h"
#include "engine/mappings/failure_document.h"
#include "engine/mappings/shard_reader.h"
#include "engine/place_wait.h"

namespace tidemill::engine {

class ShardLane {
 public:
  // Batches that a crash may bring again.
  static constexpr int kUnsavedMax = 2;

  // What is passed outlives this. Everything on one executor.
  ShardLane(ShardState& shard, LaneState& lane, ShardReader& reader, CheckpointSaver& saver);
  ~ShardLane();
  ShardLane(const ShardLane&) = delete;

  // Works until the shard is ending, or closed and read to its end, and everything is durable. Throws
  // store::StoreFailed, and NotOwner once another process has the shard; anything else it throws is a defect.
  Task<void> run();
  // Behind run(): from now on the platform may be quiet.
  void leave() { busy_ = {}; }

  // Before run(): ends a window that was opened under another configuration.
  Task<void> close_old_window();

 private:
  enum class Next { batch, window_end, nothing };
  enum class Verdict { finished, partly, failed, not_run };
  struct Answer {
    Verdict verdict = Verdict::finished;
    size_t finished = 0;               // records from the front, with partly
    bool reported = false;             // with failed: it did not raise an error
    std::optional<std::string> state;  // the window's
  };

  // shard_lane.cc: gathering and delivering
  Task<bool> may_read();
  Task<Next> gather();
  [[nodiscard]] Batch cut();
  [[nodiscard]] bool is_ripe(const Batch& batch) const;
  [[nodiscard]] base::Time batching_end() const;
  Task<void> read(const Batch& batch);
  [[nodiscard]] size_t share(size_t wanted) const;
  Task<void> read_ahead(size_t batch_count);
  [[nodiscard]] size_t room_for_batch();
  Task<void> deliver(const Batch& batch);
  Task<InvokeOutcome> call(std::string payload, size_t batch_count);
  Task<void> invoke(std::shared_ptr<const Mapping> config, std::string payload, base::Future<InvokeOutcome> done);
  Task<bool> rest(base::Signal signal, std::optional<base::Time> until);
  [[nodiscard]] const Mapping& config() const { return *shard_.run.config; }
  [[nodiscard]] base::Time now() const { return shard_.run.clock.now(); }

  // shard_lane_outcome.cc: what an invocation has come to
  [[nodiscard]] Answer read_answer(const Batch& batch, const InvokeOutcome& outcome) const;
  void settle(const Batch& batch, InvokeOutcome outcome);
  void settle_finished(const Batch& batch);
  void settle_failed(const Batch& batch, const Answer& answer);
  void log_failure(size_t records, uint32_t attempts, const InvokeOutcome& outcome) const;
  Task<void> back_off();
  bool discard_expired();
  void discard(const Batch& batch, DiscardCondition condition);
  void give_up(DiscardedBatch discarded);
  void drop_front(size_t count, bool succeeded);
  void save(std::optional<std::string_view> result = std::nullopt);
  void save_skipped();

  // shard_lane_window.cc: tumbling windows
  [[nodiscard]] base::Duration window_size() const;
  [[nodiscard]] OpenWindow& window_for_front();
  [[nodiscard]] std::string window_members_within();
  [[nodiscard]] bool is_window_over() const;
  void take_state(size_t count, std::string state);
  Task<void> close_window();
  void settle_window(WindowCall call, const InvokeOutcome& outcome);
  void give_up_window(WindowCall call, DiscardCondition condition);
  void leave_window(WindowCall call);

  ShardState& shard_;
  LaneState& lane_;
  ShardReader& reader_;
  CheckpointSaver& saver_;

  uint32_t failures_ = 0;  // in a row, of any kind: what the back-off counts
  bool throttled_ = false;  // the last call was
  PlaceWait place_;
  base::Time free_since_;  // when the last batch was done
  bool lean_ = false;     // there was no room for more than a lean batch (mapping_run.h)
  size_t with_function_ = 0;  // bytes of the event that is
  std::vector<store::Delivery> deliveries_;  // failure documents to go with the next save
  std::vector<std::pair<std::string, std::string>> pins_;  // and the records of their batches, if the mapping pins them
  std::optional<OpenWindow> next_window_;    // of the records at the front, while none is open
  bool window_changed_ = false;              // since the last save
  std::string last_request_id_;              // of the last invocation, and who took it
  std::string last_version_;
  CheckpointSaver::Ticket saved_ = 0;  // the last save of this lane, and the one before
  CheckpointSaver::Ticket saved_before_ = 0;
  base::Activity::Hold busy_;
  base::Scope invocation_;
};

}  // namespace tidemill::engine
