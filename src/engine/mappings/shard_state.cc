#include "engine/mappings/shard_state.h"

#include <algorithm>

#include "store/position.h"

namespace tidemill::engine {

ShardState::ShardState(MappingRun& mapping_run, const Tenure& shard_tenure, const std::string& shard,
                       const Checkpoint& checkpoint, std::optional<OpenWindow> open_window, bool is_closed)
    : run(mapping_run),
      tenure(shard_tenure),
      shard_id(shard),
      config(run.config),
      filter(run.filter.of(config->filters, config->event_source_arn)),
      lanes(static_cast<size_t>(std::clamp(config->parallelization_factor, 1, kLanesMax))),
      window(std::move(open_window)),
      closed(is_closed) {
  for (size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].index = static_cast<uint8_t>(i);
    lanes[i].cursor = checkpoint.done;
    lanes[i].room = run.batches.none();
  }
  for (const LaneProgress& progress : checkpoint.lanes) {
    if (progress.lane_count == lanes.size()) {
      lanes[progress.lane].cursor = std::max(progress.done, checkpoint.done);
      lanes[progress.lane].pieces = progress.pieces;
    } else if (progress.done > checkpoint.done) {
      finished.push_back({progress.lane_count, progress.lane, progress.done, {}});
    }
  }
}

Checkpoint ShardState::checkpoint() const {
  Checkpoint checkpoint;
  checkpoint.done = lanes.front().done();
  for (const LaneState& lane : lanes) checkpoint.done = std::min(checkpoint.done, lane.done());
  for (const LaneState& lane : lanes) {
    const store::Position done = lane.done();
    if (done == checkpoint.done && lane.pieces.empty()) continue;
    checkpoint.lanes.push_back({static_cast<uint8_t>(lanes.size()), lane.index, done, lane.pieces});
  }
  for (const LaneProgress& progress : finished) {
    if (progress.done > checkpoint.done) checkpoint.lanes.push_back(progress);
  }
  return checkpoint;
}

bool ShardState::is_outdated(const Mapping& now) const {
  return now.parallelization_factor != config->parallelization_factor || now.filters != config->filters ||
         now.tumbling_window_seconds != config->tumbling_window_seconds;
}

void ShardState::wake() {
  for (LaneState& lane : lanes) {
    lane.control.signal();
    lane.news.signal();
  }
}

}  // namespace tidemill::engine
