// The records of discarded batches that a mapping keeps until they are replayed or dropped (replay.h), since streams trim
// theirs after a while. A mapping does so if it has the tag `tidemill:pin` with the value `true`. They are written in the
// transaction that moves the checkpoint past the batch, and go with the mapping.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/mappings/failure_document.h"
#include "engine/mappings/mapping.h"

namespace tidemill::engine {

inline constexpr const char* kPinTag = "tidemill:pin";

[[nodiscard]] bool pins_records(const Mapping& mapping);

struct PinnedBatch {
  std::string last_sequence_number;
  uint64_t count = 0;
  std::string records_json;  // the events of the records, with commas between them
};

// Under the mapping, the shard, and the batch's first and last sequence number.
[[nodiscard]] std::string pinned_batch_key(std::string_view uuid, std::string_view shard_id,
                                           std::string_view first_sequence_number,
                                           std::string_view last_sequence_number);
// All that a mapping has pinned.
[[nodiscard]] store::Range all_pinned_batches(std::string_view uuid);

// Puts a batch there. The records of an aggregated record have one sequence number, so batches within it have one key:
// they stand there together. Each is put there once: nobody could tell it from another that is the same.
Task<void> pin_batch(store::Transaction& txn, std::string key, std::string_view encoded);

[[nodiscard]] std::string encode_pinned_batch(const PinnedBatch& batch);
// Throws std::runtime_error.
[[nodiscard]] PinnedBatch decode_pinned_batch(std::string_view bytes);

}  // namespace tidemill::engine
