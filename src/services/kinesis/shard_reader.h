// Reading records of a shard, for GetRecords, for subscribers, and for event source mappings.
#pragma once

#include <vector>

#include "services/kinesis/encryption.h"
#include "services/kinesis/stream.h"
#include "wire/shapes/kinesis.h"

namespace tidemill::kinesis {

struct ReadLimits {
  size_t records = 0;
  size_t bytes = 0;  // of data and partition keys; one record is read whatever its size
};

struct ShardPage {
  std::vector<wire::kinesis::Record> records;
  size_t bytes = 0;
  store::Position after;  // where to go on
  bool at_end = true;     // there was nothing more
  int64_t behind_ms = 0;  // how long ago the first record arrived that is left unread; 0: none is
};

// Records of `shard` after `after`, and after what has been trimmed. Throws KMSDisabledException and the like for those
// that `opener` cannot open.
Task<ShardPage> read_shard(store::Snapshot& snapshot, const Stream& stream, const Shard& shard, store::Position after,
                           ReadLimits limits, base::Time now, RecordOpener& opener);

}  // namespace tidemill::kinesis
