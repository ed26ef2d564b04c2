// What a state sees when it is evaluated: its input, the context object, and the variables of its flow and of those
// around.
#pragma once

#include <string>
#include <vector>

#include "lang/states/evaluate.h"
#include "services/states/live.h"

namespace tidemill::states {

class View {
 public:
  // Writes the parts of the context that are the frame's into live.context. `token` is empty: none.
  View(Live& live, const Frame& frame, const asl::World& world, const std::string& token = {});
  View(const View&) = delete;

  [[nodiscard]] const asl::Scope& scope() const { return scope_; }

 private:
  std::vector<asl::Variables> chain_;
  asl::Scope scope_;
};

// What of the context is the same for the whole execution.
[[nodiscard]] json::Value context_of_execution(const Head& head, const asl::Document& input,
                                               std::string_view execution_arn, std::string_view machine_arn);

}  // namespace tidemill::states
