// Forming a batch: which of the records at the front of a shard go to the function together (facts 1.5). Pure
// functions; what is read when, and how long one waits for more, is the poller's (shard_poller.h).
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "engine/mappings/stream_source.h"

namespace tidemill::engine {

// What an invocation's payload may have: 6 MB for the whole event, {"Records":[...]} included. Not configurable on AWS.
inline constexpr size_t kPayloadBytesMax = 6 * 1024 * 1024;

struct BatchLimits {
  size_t count_max = 100;
  // Only records up to here: the end of a batch that is being tried again.
  std::optional<store::Position> last;
  // Only records that arrived before: the end of a tumbling window.
  std::optional<base::Time> arrival_end;
  size_t payload_extra = 0;  // bytes of the event beside its records
  size_t payload_max = kPayloadBytesMax;
};

struct Batch {
  size_t count = 0;          // of records, from the front
  size_t payload_bytes = 0;  // of the event made of them
  bool full = false;         // one more record, whatever it is, would not be taken
};

// The batch that the records make. A record that alone exceeds the payload is a batch of its own, for the invocation
// to refuse.
Batch cut_batch(const std::deque<StreamRecord>& records, const BatchLimits& limits);

// The event for the first `batch.count` records. `members`: what stands behind "Records", beginning with a comma.
std::string batch_payload(const std::deque<StreamRecord>& records, const Batch& batch, std::string_view members = {});

// The events of the first `count` records, with commas between them.
std::string record_list(const std::deque<StreamRecord>& records, size_t count);

// How many records at the front are of age `age_max` or above. A younger record ends the run, whatever follows it.
size_t expired_prefix(const std::deque<StreamRecord>& records, base::Time now, base::Duration age_max);

}  // namespace tidemill::engine
