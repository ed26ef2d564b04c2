// Writes the progress of one shard behind its lanes' backs, so that the sync of one overlaps the next invocation.
//
// Changes become durable in the order they are given, the newest checkpoint standing for all before it, and what goes
// with them (the open window, failure documents) in the same transaction. A crash therefore finds some earlier
// checkpoint, and delivery rewinds to it: what was not yet durable is delivered again, in the same order. How far that
// may be is up to the lanes, which wait for what they have saved (shard_lane.h).
//
// All of it is written behind the fence of the shard's tenure: what comes after another process has taken the shard over
// is not written, and that is the end of it here. So it is when the store takes no writes any more (store::StoreFailed).
// Whatever else keeps a change from being written, as a file that cannot be opened, passes: it is tried again and again.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/seldom_log.h"
#include "engine/mappings/mapping.h"
#include "engine/mappings/mapping_rights.h"
#include "engine/ownership.h"
#include "store/delivery.h"
#include "store/store.h"

namespace tidemill::engine {

struct ShardChange {
  Checkpoint checkpoint;
  std::optional<std::string> result;  // the mapping's new LastProcessingResult
  std::optional<std::string> window;  // the open window's record; empty: there is none any more; nothing: as it was
  std::vector<store::Delivery> deliveries;
  std::vector<std::pair<std::string, std::string>> pins;  // keys and values of pinned batches
};

class CheckpointSaver {
 public:
  // The place of a change among all that were given.
  using Ticket = uint64_t;

  // All on one executor; what is passed outlives this. `rights` says who tells of failures; null: the platform itself.
  CheckpointSaver(store::Store& store, base::Clock& clock, std::shared_ptr<const Tenure> tenure, std::string uuid,
                  std::string shard_id, MappingRights* rights = nullptr);

  // Takes the change to be written. Nothing is written once the mapping has been erased.
  Ticket save(ShardChange change);

  // Returns once everything up to `ticket` is durable. Any number may wait. Throws store::StoreFailed and NotOwner.
  Task<void> durable(Ticket ticket);

  // The last change that was given.
  [[nodiscard]] Ticket newest() const { return given_; }

 private:
  void merge(ShardChange change);
  Task<void> write_all();
  // Nothing: it is written, or never will be (failure_). Else when to try again.
  Task<std::optional<std::chrono::milliseconds>> try_to_write(ShardChange& change);
  Task<void> write(ShardChange& change);
  [[nodiscard]] size_t pinned_by(const std::optional<std::string>& checkpoint) const;

  store::Store& store_;
  base::Clock& clock_;
  const std::shared_ptr<const Tenure> tenure_;
  const std::string uuid_;
  const std::string shard_id_;
  MappingRights* const rights_;

  // A commit of the change that is tried again which may have been made all the same.
  struct Unsure {
    std::string checkpoint;  // encoded
    size_t pins = 0;         // of the change's, the first
  };

  std::optional<ShardChange> next_;
  std::vector<Unsure> unsure_;
  Ticket given_ = 0;
  Ticket durable_ = 0;
  bool writing_ = false;
  std::exception_ptr failure_;
  base::SeldomLog troubles_{"a mapping's checkpoint is not written for now"};
  std::vector<base::Signal> waiting_;
  base::Scope scope_;
};

}  // namespace tidemill::engine
