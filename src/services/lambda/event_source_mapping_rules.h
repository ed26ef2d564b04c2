// What each kind of event source has of a mapping's options, as one table. Sources: the developer guide's pages on each
// source, and what was recorded of AWS's answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/mappings/mapping.h"

namespace tidemill::lambda {

// Sets of kinds of sources.
using SourceKinds = uint8_t;
inline constexpr SourceKinds kTableStream = 1;
inline constexpr SourceKinds kDataStream = 2;  // a Kinesis stream, or a consumer of one
inline constexpr SourceKinds kQueue = 4;
inline constexpr SourceKinds kStreams = kTableStream | kDataStream;
inline constexpr SourceKinds kEverySource = kStreams | kQueue;

struct SourceRules {
  SourceKinds kind;
  std::string_view arn_prefix;
  int batch_size;                      // unless told
  std::string_view transition_reason;  // StateTransitionReason of what a user did
  bool has_processing_result;          // LastProcessingResult is shown

  [[nodiscard]] bool is_stream() const { return (kind & kStreams) != 0; }
};

// nullptr: no source that mappings of Tidemill can have.
[[nodiscard]] const SourceRules* find_source_rules(std::string_view event_source_arn);
// Throws std::runtime_error: a stored mapping has such a source.
[[nodiscard]] const SourceRules& source_rules(const engine::Mapping& mapping);

// An option that not every source has.
struct OptionRule {
  SourceKinds sources;
  std::string_view refusal_name;  // as AWS's refusal spells it: older options otherwise than newer ones
};

namespace option_rules {
inline constexpr OptionRule kParallelizationFactor{kStreams, "ParallelizationFactor"};
inline constexpr OptionRule kBisectBatchOnFunctionError{kStreams, "BisectBatchOnFunctionError"};
inline constexpr OptionRule kMaximumRetryAttempts{kStreams, "MaximumRetryAttempts"};
inline constexpr OptionRule kMaximumRecordAgeInSeconds{kStreams, "MaximumRecordAgeInSeconds"};
inline constexpr OptionRule kDestinationConfig{kStreams, "DestinationConfig"};
inline constexpr OptionRule kTumblingWindowInSeconds{kStreams, "'tumblingWindowInSeconds'"};
inline constexpr OptionRule kScalingConfig{kQueue, "'scalingConfig'"};
inline constexpr OptionRule kProvisionedPollerConfig{kQueue, "'provisionedPollerConfig'"};
inline constexpr OptionRule kKafkaMetrics{0, "'metricsConfig'"};
inline constexpr OptionRule kOnSuccess{0, "DestinationConfig"};
}  // namespace option_rules

// Throws "Unsupported … parameter for given event source mapping type." if the option was given and the source has none.
void check_has(const SourceRules& source, const OptionRule& option, bool is_given);

// Queues whose names end with .fifo, and topics.
[[nodiscard]] bool is_fifo(std::string_view arn);

}  // namespace tidemill::lambda
