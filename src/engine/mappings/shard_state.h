// One shard at work for one mapping, in memory: what has been read and is not finished, lane by lane. It is made of a
// checkpoint and gives one at any time. Everything on the mapping's executor.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/future.h"
#include "engine/mappings/checkpoint.h"
#include "engine/mappings/mapping_run.h"
#include "engine/mappings/record_filter.h"
#include "engine/mappings/stream_source.h"
#include "engine/mappings/tumbling_window.h"
#include "store/position.h"

namespace tidemill::engine {

struct LaneState {
  uint8_t index = 0;
  std::deque<StreamRecord> records;  // in order: the batch in hand, then what is read ahead
  size_t bytes = 0;                  // of their events
  base::Budget::Share room;          // for these, and for the event that is with the function
  store::Position cursor;            // the lane's records up to here are in `records` or behind it
  std::vector<BatchPiece> pieces;    // at the front of `records`
  // There may be more to do: records, the shard's end, another configuration, a read that somebody else has ended.
  base::Signal news;
  base::Signal control;  // other than records: what a back-off waits for

  // Counts what is there: the records, and so many bytes beside them.
  void count_room(size_t beside = 0) { room.resize(bytes + beside); }

  // Every record of the lane up to here is finished.
  [[nodiscard]] store::Position done() const {
    return records.empty() ? cursor : store::before(records.front().position);
  }
};

struct ShardState {
  // With the configuration that `run` has now; lanes, filters and windows stay as they are for its life.
  ShardState(MappingRun& run, const Tenure& tenure, const std::string& shard_id, const Checkpoint& checkpoint,
             std::optional<OpenWindow> window, bool closed);

  // What is finished now.
  [[nodiscard]] Checkpoint checkpoint() const;

  // Whether `config` asks for other lanes, filters or windows than these.
  [[nodiscard]] bool is_outdated(const Mapping& config) const;

  // For all lanes.
  void wake();

  MappingRun& run;
  const Tenure& tenure;  // of the shard
  const std::string& shard_id;
  const std::shared_ptr<const Mapping> config;       // as it was at the beginning
  const std::shared_ptr<const RecordFilter> filter;  // null: every record passes
  std::vector<LaneState> lanes;
  std::vector<LaneProgress> finished;  // by lanes of other counts
  std::optional<OpenWindow> window;    // with one lane only
  bool closed;                         // no record will come any more
  bool ending = false;                 // each lane ends after the invocation that is under way
};

}  // namespace tidemill::engine
