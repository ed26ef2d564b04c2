// What an event source mapping is and what it has done: the durable record, shared by the lambda service, which creates
// and changes mappings, and the pollers, which run them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/mappings/checkpoint.h"
#include "store/store.h"

namespace tidemill::engine {

enum class StartingPosition { trim_horizon, latest, at_timestamp };

// Which state a mapping is in, with AWS's names (facts 1.4). "Enabling", "Disabling", "Updating" are stored until the
// pollers have taken the change up, then become Enabled or Disabled.
enum class MappingState { creating, enabling, enabled, disabling, disabled, updating, deleting };

// Ranges and defaults are AWS's (facts 1.2); those of options which a source does not have are never read for it.
struct Mapping {
  std::string uuid;
  std::string account;
  std::string region;
  std::string event_source_arn;
  // Who gets the batches: a function, as given (unqualified, or with its qualifier), or a pipe.
  std::string function_arn;
  MappingState state = MappingState::creating;
  base::Time last_modified;

  // The role of what it calls as it was when that was deleted, the function, or its version or alias, under which the
  // mapping goes on telling its failures.
  // Empty: it has not been.
  std::string last_role;

  // The key of the record that the mapping is a part of, a pipe's: it goes with the mapping. Empty: none.
  std::string owner_key;

  // For every source.
  int batch_size = 100;                  // 1..10000; queues: 10 unless told
  int batching_window_seconds = 0;       // 0..300
  std::vector<std::string> filters;      // patterns (JSON text); a record passes if any matches, or there are none
  bool report_item_failures = false;     // FunctionResponseTypes: ReportBatchItemFailures
  bool count_events = false;             // MetricsConfig: EventCount
  bool count_errors = false;             // MetricsConfig: ErrorCount
  std::map<std::string, std::string> tags;

  // For streams.
  StartingPosition starting_position = StartingPosition::latest;
  std::optional<base::Time> starting_timestamp;  // with at_timestamp
  int parallelization_factor = 1;                // 1..10
  bool bisect_on_error = false;
  int retry_attempts_max = -1;      // -1: until the records expire
  int record_age_seconds_max = -1;  // -1: until the records expire
  int tumbling_window_seconds = 0;  // 0..900; 0: no windows
  std::string failure_destination;  // the ARN of a queue, topic or bucket; empty: none

  // For queues.
  std::optional<int> concurrency_max;  // ScalingConfig.MaximumConcurrency, 2..1000
  std::optional<int> pollers_min;      // ProvisionedPollerConfig, 1..200
  std::optional<int> pollers_max;      // 1..10000
};

// What LastProcessingResult says (facts 1.4). Kept under a key of its own, as plain text, so that a poller that writes
// it does not conflict with everybody who reads the mapping. Absent: kNothingProcessed.
inline constexpr std::string_view kNothingProcessed = "No records processed";
inline constexpr std::string_view kProcessedOk = "OK";
inline constexpr std::string_view kProblemFunction = "PROBLEM: Function call failed";
inline constexpr std::string_view kProblemRights =
    "PROBLEM: Cannot access stream. Please ensure the role can perform the GetRecords, GetShardIterator, DescribeStream, "
    "and ListStreams Actions on your stream in IAM.";
inline constexpr std::string_view kProblemSource = "PROBLEM: Event source not found";

// Values begin with a format version; nothing: damaged, or written by a newer format.
std::string encode_mapping(const Mapping& mapping);
std::optional<Mapping> decode_mapping(std::string_view bytes);

// Keys in the store (KeySpace::mapping).
std::string mapping_key(std::string_view uuid);
std::string result_key(std::string_view uuid);
std::string checkpoint_key(std::string_view uuid, std::string_view shard_id);
std::string window_key(std::string_view uuid, std::string_view shard_id);  // tumbling_window.h
// All mappings, in the order of their UUIDs; all checkpoints and all open windows of one mapping.
store::Range all_mappings();
store::Range all_checkpoints(std::string_view uuid);
store::Range all_windows(std::string_view uuid);
// The shard that a key of all_checkpoints() is about.
std::string checkpoint_shard(std::string_view key);

// Whether its batches are for a pipe. Such a mapping is the pipe's own affair: Lambda's operations do not know it.
[[nodiscard]] bool goes_to_pipe(const Mapping& mapping);

// Whether the mapping is to read its source, or to rest. A mapping that is being deleted does neither.
bool wants_polling(MappingState state);

// To be signalled with each change of any mapping by others than the pollers.
inline constexpr std::string_view kMappingsTopic = "mappings";
// Signalled when one of the mapping's shards has been read to its end.
std::string shards_topic(std::string_view uuid);

// What the mapping's parts are owned by (ownership.h): all of them begin with the first. A shard's, and a queue's poller.
std::string owned_prefix(std::string_view uuid);
std::string owned_shard(std::string_view uuid, std::string_view shard_id);
std::string owned_queue(std::string_view uuid);

}  // namespace tidemill::engine
