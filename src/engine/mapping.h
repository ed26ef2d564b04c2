// What an event source mapping is and what it has done: the durable record, shared by the lambda service, which creates
// and changes mappings, and the pollers, which run them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "store/store.h"

namespace tidemill::engine {

enum class StartingPosition { trim_horizon, latest };

// Which state a mapping is in, with AWS's names (facts 1.4). "Enabling", "Disabling", "Updating" are stored until the
// pollers have taken the change up, then become Enabled or Disabled.
enum class MappingState { creating, enabling, enabled, disabling, disabled, updating, deleting };

struct Mapping {
  std::string uuid;
  std::string account;
  std::string region;
  std::string event_source_arn;
  std::string function_arn;  // as given: unqualified, or with its qualifier
  int batch_size = 100;                            // 1..10000
  int batching_window_seconds = 0;                 // 0..300
  StartingPosition starting_position = StartingPosition::latest;
  int retry_attempts_max = -1;                     // -1: until the records expire
  int record_age_seconds_max = -1;                 // -1: until the records expire
  MappingState state = MappingState::creating;
  base::Time last_modified;
  std::string last_processing_result = "No records processed";
};

// How far one shard of a mapping has come, and how often the batch after `done` has been tried.
struct Checkpoint {
  store::Position done;         // everything up to here is finished
  uint32_t attempts = 0;        // failed invocations of the batch that begins after `done`
  bool shard_finished = false;  // a closed shard that was read to its end
};

std::string encode_mapping(const Mapping& mapping);
std::optional<Mapping> decode_mapping(std::string_view bytes);
std::string encode_checkpoint(const Checkpoint& checkpoint);
std::optional<Checkpoint> decode_checkpoint(std::string_view bytes);

// Keys in the store (KeySpace::mapping).
std::string mapping_key(std::string_view uuid);
std::string checkpoint_key(std::string_view uuid, std::string_view shard_id);

// Signalled with each change of any mapping.
inline constexpr std::string_view kMappingsTopic = "mappings";

}  // namespace tidemill::engine
