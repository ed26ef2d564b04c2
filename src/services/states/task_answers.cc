// SendTaskSuccess, SendTaskFailure and SendTaskHeartbeat.
#include "base/text.h"
#include "services/states/errors.h"
#include "services/states/operations.h"
#include "services/states/token.h"

namespace tidemill::states {
namespace {

wire::Error task_is_over() {
  return errors::task_timed_out("Task Timed Out: 'Provided task does not exist anymore'");
}

}  // namespace

Task<shapes::SendTaskSuccessOutput> send_task_success(Service& service, wire::Context& context,
                                                      const shapes::SendTaskSuccessInput& request) {
  const TaskToken token = parse_token(context.account, request.task_token);
  if (const auto output = json::parse(request.output); !output) {
    throw errors::invalid_output(base::cat("Invalid Output: '", output.error().message, "'"));
  }
  TaskAnswer answer{.is_success = true, .output = request.output};
  if (!co_await service.running().answer(token, std::move(answer))) throw task_is_over();
  co_return shapes::SendTaskSuccessOutput{};
}

Task<shapes::SendTaskFailureOutput> send_task_failure(Service& service, wire::Context& context,
                                                      const shapes::SendTaskFailureInput& request) {
  const TaskToken token = parse_token(context.account, request.task_token);
  TaskAnswer answer{.is_success = false, .output = {}, .error = request.error, .cause = request.cause};
  if (!co_await service.running().answer(token, std::move(answer))) throw task_is_over();
  co_return shapes::SendTaskFailureOutput{};
}

Task<shapes::SendTaskHeartbeatOutput> send_task_heartbeat(Service& service, wire::Context& context,
                                                          const shapes::SendTaskHeartbeatInput& request) {
  const TaskToken token = parse_token(context.account, request.task_token);
  if (!co_await service.running().heartbeat(token)) throw task_is_over();
  co_return shapes::SendTaskHeartbeatOutput{};
}

}  // namespace tidemill::states
