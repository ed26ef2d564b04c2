// What a mapping tells its OnFailure destination about a batch that it gives up (facts 1.8): where the records stand,
// not what they are, except in a bucket, where the records themselves are added.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/mappings/mapping.h"
#include "engine/mappings/stream_source.h"

namespace tidemill::engine {

enum class DiscardCondition { retry_attempts_exhausted, record_age_exceeded };

struct DiscardedBatch {
  DiscardCondition condition = DiscardCondition::retry_attempts_exhausted;
  std::string shard_id;
  // Of the last invocation.
  std::string request_id;
  std::string executed_version;
  bool reported = false;     // it did not raise an error, but answered that it had failed
  uint32_t invocations = 0;  // of this batch; told as 1 if there was none, as on AWS

  store::Position first;  // several batches have the same sequence numbers if they are of one aggregated record
  std::string first_sequence_number;
  std::string last_sequence_number;
  base::Time first_arrival;
  base::Time last_arrival;
  uint64_t count = 0;
  std::string records_json;  // the events of the records, with commas between them
};

// `with_records`: the document for a bucket.
[[nodiscard]] std::string failure_document(const Mapping& mapping, const DiscardedBatch& batch, base::Time now,
                                           bool with_records);

// aws/lambda/<mapping>/<shard>/2024/11/20/2024-11-20T17.05.00-<random UUID>
[[nodiscard]] std::string failure_object_key(const Mapping& mapping, const DiscardedBatch& batch, base::Time now);

}  // namespace tidemill::engine
