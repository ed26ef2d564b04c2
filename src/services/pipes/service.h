// EventBridge Pipes, assembled: what its operations share, and how they come into the registry. What moves the pipes is
// engine/mappings.
#pragma once

#include <string_view>
#include <vector>

#include "engine/mappings/queue_source.h"
#include "engine/mappings/stream_source.h"
#include "services/pipes/pipe_invoker.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::pipes {

// Made once in main; outlives the registry's use and the mappings. Any thread.
class Service {
 public:
  // What is passed outlives this. `functions` calls functions by their ARNs; `logs` may be null: pipes then tell
  // nothing.
  Service(wire::Platform& platform, std::vector<engine::StreamSource*> streams,
          std::vector<engine::QueueSource*> queues, engine::Invoker& functions, engine::FunctionLogs* logs);

  // Registers every operation.
  void register_operations(wire::Registry& registry);

  // What the mappings of pipes call; on their executor.
  [[nodiscard]] PipeInvoker& invoker() { return invoker_; }

  [[nodiscard]] store::Store& store() { return platform_.store; }
  [[nodiscard]] wire::Registry& registry() { return platform_.registry; }
  // Null: nothing here reads such a source.
  [[nodiscard]] engine::StreamSource* stream_of(std::string_view arn) const;
  [[nodiscard]] engine::QueueSource* queue_of(std::string_view arn) const;

 private:
  wire::Platform& platform_;
  std::vector<engine::StreamSource*> streams_;
  std::vector<engine::QueueSource*> queues_;
  PipeInvoker invoker_;
};

}  // namespace tidemill::pipes
