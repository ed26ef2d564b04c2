// What a pipe calls: which services there are as targets and for an enrichment, how much each takes at once, and what
// can be said of it.
#pragma once

#include <string_view>

#include "base/task.h"
#include "services/pipes/pipe.h"
#include "wire/registry.h"

namespace tidemill::pipes {

enum class TargetKind { function, state_machine, queue, topic, data_stream, event_bus, log_group, api_destination };

struct TargetRules {
  TargetKind kind;
  std::string_view service;        // of the ARN
  std::string_view resource_part;  // that its resource begins with
  int batch_max;                   // records at once, as AWS has it
  bool takes_json;                 // what it is sent must be JSON

  // The whole batch as one JSON array; the others take each record by itself.
  [[nodiscard]] bool takes_arrays() const { return kind == TargetKind::function || kind == TargetKind::state_machine; }
};

// These throw ValidationException, by name for what AWS has and Tidemill lacks.
[[nodiscard]] const TargetRules& target_rules(std::string_view target_arn);
// How many records of the source the target and the enrichment take at once.
[[nodiscard]] int batch_max(const shapes::CreatePipeInput& settings);
void check_target(const wire::Registry& registry, const shapes::CreatePipeInput& settings);
void check_enrichment(const wire::Registry& registry, const shapes::CreatePipeInput& settings);

[[nodiscard]] bool is_api_destination(std::string_view arn);
// Whether the target is called without waiting for what comes of it.
[[nodiscard]] bool is_asynchronous(const shapes::CreatePipeInput& settings);
[[nodiscard]] inline bool has_enrichment(const shapes::CreatePipeInput& settings) {
  return settings.enrichment && !settings.enrichment->empty();
}

}  // namespace tidemill::pipes
