// What the mappings of pipes call: by a pipe's ARN, with a batch of its source.
#pragma once

#include <string>
#include <unordered_map>

#include "engine/invoker.h"
#include "engine/workers/function_logs.h"
#include "services/pipes/active_pipe.h"
#include "services/pipes/compute.h"
#include "wire/context.h"

namespace tidemill::pipes {

// All on one executor, the mappings'.
class PipeInvoker final : public engine::Invoker {
 public:
  static constexpr size_t kActiveMax = 1000;  // pipes that are kept; beyond, all are made anew

  // Both outlive this. `logs` may be null: pipes then tell nothing.
  PipeInvoker(wire::Platform& platform, engine::Invoker& functions, engine::FunctionLogs* logs)
      : platform_(platform), compute_(platform, functions), logs_(logs) {}

  Task<engine::InvokeOutcome> invoke(std::string_view pipe_arn, std::string batch) override;
  Task<engine::InvokeOutcome> invoke_in_turn(std::string_view pipe_arn, std::string batch,
                                             engine::PlaceTurnPtr turn) override;
  // In the line of the function that was throttled last.
  Task<engine::PlaceTurnPtr> wait_for_place(std::string_view pipe_arn, base::Time since,
                                            std::function<void()> called) override;
  // As long as its enrichment and its target may take together.
  Task<std::optional<std::chrono::seconds>> timeout(std::string_view pipe_arn) override;

 private:
  Task<engine::InvokeOutcome> run(std::string pipe_arn, std::string batch, engine::PlaceTurnPtr turn);
  Task<std::optional<std::chrono::seconds>> timeout_of(std::string pipe_arn);
  Task<ActivePipePtr> find(std::string pipe_arn);

  wire::Platform& platform_;
  Compute compute_;
  engine::FunctionLogs* logs_;
  std::unordered_map<std::string, ActivePipePtr> active_;   // by ARN
  std::unordered_map<std::string, std::string> throttled_;  // a pipe's function, by the pipe's ARN
};

}  // namespace tidemill::pipes
