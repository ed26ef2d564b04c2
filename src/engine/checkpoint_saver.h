// Writes the checkpoints of one shard behind its poller's back, so that the sync of one overlaps the next invocation.
//
// Checkpoints become durable in the order they are given, the newest standing for all before it. A crash therefore
// finds some earlier checkpoint, and delivery rewinds to it: what was not yet durable is delivered again, in the same
// order. How far that may be is bounded by kUnsavedMax: the batch in flight and the one whose checkpoint was on its
// way. An attempt of a failing batch waits for settled() before the next one, so that a crash forgets one at most.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "engine/mapping.h"
#include "store/store.h"

namespace tidemill::engine {

class CheckpointSaver {
 public:
  // Batches that a crash may bring again: finished ones whose checkpoint is not durable, and the one in flight.
  static constexpr int kUnsavedMax = 2;

  // All on one executor; what is passed by reference outlives this.
  CheckpointSaver(store::Store& store, base::Clock& clock, std::string uuid, std::string shard_id);

  // Takes `checkpoint` to be written; `result`, if any, is the mapping's new LastProcessingResult. Nothing is written
  // once the mapping has been erased.
  void save(const Checkpoint& checkpoint, std::optional<std::string_view> result = std::nullopt);

  // Returns once another batch may go, with fewer than kUnsavedMax before it that are not yet durable. Throws store::StoreFailed.
  Task<void> room();
  // Returns once everything given is durable. Throws store::StoreFailed.
  Task<void> settled();

 private:
  Task<void> write_all();
  Task<void> write(std::string checkpoint, std::optional<std::string> result);
  Task<void> until_unsaved(int below);

  store::Store& store_;
  base::Clock& clock_;
  const std::string uuid_;
  const std::string shard_id_;

  std::optional<Checkpoint> next_;
  std::optional<std::string> next_result_;
  int unsaved_ = 0;
  bool writing_ = false;
  std::optional<std::string> failure_;
  base::Signal progress_;
  base::Scope scope_;
};

}  // namespace tidemill::engine
