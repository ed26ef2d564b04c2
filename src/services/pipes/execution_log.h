// What a pipe tells of its executions, a JSON record for each step (user guide, "Logging EventBridge Pipes
// performance").
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/pipes/active_pipe.h"

namespace tidemill::pipes {

// Of one execution: a batch on its way through a pipe. Says nothing if the pipe does not.
class ExecutionLog {
 public:
  // From what LogConfiguration.Level on a step is told.
  enum class Level { error, info, trace };

  // Both outlive this.
  ExecutionLog(const ActivePipe& pipe, base::Clock& clock);

  // `payload`: the events as the step has them, shown if the pipe includes execution data.
  void step(Level level, std::string_view step, std::string_view payload = {});
  // A step that failed, with what the service said. Told at every level.
  void failed(std::string_view step, std::string_view error, std::string_view payload = {});

 private:
  void write(std::string_view step, std::string_view error, std::string_view payload);

  const ActivePipe& pipe_;
  base::Clock& clock_;
  std::string id_;
};

}  // namespace tidemill::pipes
