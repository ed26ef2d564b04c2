// How far a mapping has come in one shard of its stream: the durable record, and what follows from it.
//
// A shard's records are worked off by one to ten lanes (ParallelizationFactor): a record's lane is drawn from its
// ordering key, so that the records of one key stay behind one another. Each lane goes at its own pace; `done` is where
// the slowest of them is, and what the others have done beyond it stands in `lanes`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace tidemill::engine {

inline constexpr int kLanesMax = 10;  // ParallelizationFactor's greatest value

// Part of a batch that failed, to be delivered as it is: a half of it, what a function has left of it, or all of it.
// Pieces lie one behind the other; each begins where the one before it ends.
struct BatchPiece {
  store::Position last;   // of its last record
  uint32_t attempts = 0;  // invocations of exactly these records that failed
  bool reported = false;  // the last of them did not raise an error but answered that it had failed
  auto operator<=>(const BatchPiece&) const = default;
};

// The records with lane_of(ordering key, lane_count) == lane.
struct LaneProgress {
  uint8_t lane_count = 1;
  uint8_t lane = 0;
  store::Position done;            // every one of them up to here is finished
  std::vector<BatchPiece> pieces;  // next after `done`; none: nothing has failed
  auto operator<=>(const LaneProgress&) const = default;
};

// A shard without a checkpoint begins with its oldest record: the checkpoints that LATEST needs are written when the
// mapping is created.
struct Checkpoint {
  store::Position done;         // everything up to here is finished
  bool shard_finished = false;  // a closed shard that was read to its end
  std::string incarnation;      // StreamShard's, of the shard that was; empty before that, and if it was not noted
  // Lanes that are ahead of `done` or have pieces. With another lane count than today's: what was finished before the
  // ParallelizationFactor changed.
  std::vector<LaneProgress> lanes;

  // Whether the record was finished. Its key matters only if there are lanes.
  [[nodiscard]] bool is_finished(store::Position position, std::string_view ordering_key) const;

  auto operator<=>(const Checkpoint&) const = default;
};

// Which of `lane_count` lanes the records of a key are for. Durable: checkpoints depend on it.
[[nodiscard]] uint8_t lane_of(std::string_view ordering_key, uint8_t lane_count);

// Begins with a format version; nothing: damaged, or written by a newer format.
std::string encode_checkpoint(const Checkpoint& checkpoint);
std::optional<Checkpoint> decode_checkpoint(std::string_view bytes);

}  // namespace tidemill::engine
