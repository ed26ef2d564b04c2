// Tasks that call an endpoint over HTTP (arn:aws:states:::http:invoke): with what a connection of EventBridge adds, so
// that no definition holds a secret.
#pragma once

#include "engine/targets/connection.h"
#include "engine/targets/http_target.h"
#include "services/states/tasks/task.h"
#include "wire/context.h"

namespace tidemill::states::tasks {

// Of the whole answer; beyond, the task fails with States.Http.Socket ("HTTP Task quotas" in the developer guide).
inline constexpr std::chrono::seconds kHttpTimeout{60};

class HttpTasks {
 public:
  HttpTasks(engine::HttpSend send, engine::FindConnection find_connection)
      : send_(std::move(send)), find_connection_(std::move(find_connection)) {}

  // `context`: of the role under which the task is done. The connection is one of the machine's account, and what AWS
  // asks of the role is asked: states:InvokeHTTPEndpoint on the machine, events:RetrieveConnectionCredentials on the
  // connection.
  Task<TaskOutcome> call(const TaskCall& call, const wire::Context& context) const;

 private:
  engine::HttpSend send_;
  engine::FindConnection find_connection_;
};

// The call, as it leaves. Throws std::invalid_argument, whose text says why the parameters are none.
[[nodiscard]] net::HttpCall http_call(const json::Value& parameters, const engine::ConnectionParts& connection);

// "a=1&b%5B0%5D=x": as application/x-www-form-urlencoded has it. `array_format`: INDICES, REPEAT, COMMAS, BRACKETS,
// NONE. Throws std::invalid_argument.
[[nodiscard]] std::string url_encoded(const json::Value& body, std::string_view array_format);

}  // namespace tidemill::states::tasks
