// A pipe as its batches meet it: templates and paths parsed. Kept from batch to batch, and made anew when its
// description in the store is another.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/workers/function_logs.h"
#include "services/pipes/http_values.h"
#include "services/pipes/input.h"
#include "services/pipes/target.h"

namespace tidemill::pipes {

// Parameters of a target; those that it does not have are nothing.
struct TargetValues {
  std::optional<ParameterValue> group;
  std::optional<ParameterValue> deduplication;
  std::optional<ParameterValue> partition_key;
  std::optional<ParameterValue> detail_type;
  std::optional<ParameterValue> source;
  std::optional<ParameterValue> time;
  std::vector<ParameterValue> resources;
  std::optional<ParameterValue> log_stream;
  std::optional<ParameterValue> timestamp;
  HttpValues http;
};

struct ActivePipe {
  Pipe pipe;
  const TargetRules& target;
  std::optional<PipeTemplate> enrichment_template;
  HttpValues enrichment_http;
  std::optional<PipeTemplate> target_template;
  TargetValues values;
  bool in_order = false;                              // of its source: what comes after a failure must wait for it
  std::string encoded;                                // the description
  std::unique_ptr<engine::FunctionLogs::Stream> log;  // null: it tells nothing
};
using ActivePipePtr = std::shared_ptr<const ActivePipe>;

// `logs` may be null: then no pipe tells anything. Throws lang::inputs::InputError for what CreatePipe refuses.
[[nodiscard]] ActivePipePtr activate(Pipe pipe, std::string encoded, engine::FunctionLogs* logs);

// Whether the pipe says what it does, and in its own account and region: one may be older than check_log().
[[nodiscard]] bool has_log(const Pipe& pipe);

}  // namespace tidemill::pipes
