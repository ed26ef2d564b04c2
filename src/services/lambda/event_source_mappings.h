// The operations on event source mappings, assembled. What the mappings then do is engine/mappings/mappings.h.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mappings/stream_source.h"
#include "services/lambda/function_name.h"
#include "wire/registry.h"

namespace tidemill::lambda {

class FunctionCache;
struct NotYetRun;

// Whether the function is there, and its version or alias.
using FunctionExists = std::function<Task<bool>(FunctionReference)>;
// Makes the UUID of a new mapping.
using NewUuid = std::function<std::string()>;

// Made once in main; outlives the registry's use. Any thread.
class EventSourceMappings {
 public:
  // The sources outlive this.
  EventSourceMappings(FunctionCache& functions, std::vector<engine::StreamSource*> sources);
  EventSourceMappings(FunctionExists function_exists, NewUuid new_uuid, std::vector<engine::StreamSource*> sources,
                      std::span<const NotYetRun> not_yet_run);

  void register_operations(wire::Registry& registry);

  [[nodiscard]] Task<bool> function_exists(FunctionReference function) const {
    return function_exists_(std::move(function));
  }
  [[nodiscard]] std::string new_uuid() const { return new_uuid_(); }
  // nullptr: nothing here reads such a source.
  [[nodiscard]] engine::StreamSource* source_of(std::string_view arn) const;
  [[nodiscard]] std::span<const NotYetRun> not_yet_run() const { return not_yet_run_; }

 private:
  FunctionExists function_exists_;
  NewUuid new_uuid_;
  std::vector<engine::StreamSource*> sources_;
  std::span<const NotYetRun> not_yet_run_;
};

}  // namespace tidemill::lambda
