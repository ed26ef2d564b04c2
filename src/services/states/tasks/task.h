// What the engine asks of the outside world: a Task state's resource is called once for each attempt, and what comes of
// it is told. Each integration lives beside this file; the engine knows only this.
//
// At least once: after a crash an attempt whose outcome was not committed is called again, with the same name. So an
// integration that can pass an idempotency name on (a nested execution's name, a deduplication id) passes this one.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/json.h"
#include "base/task.h"
#include "wire/registry.h"

namespace tidemill::states::tasks {

// Which events history tells of it: LambdaFunction* of a function's own ARN, Activity* of an activity's, Task* of all
// others.
enum class Family { lambda_function, activity, task };

enum class Pattern {
  request_response,
  sync,            // ".sync": until what was started has ended
  sync_2,          // ".sync:2": the same, and its output is read as JSON
  wait_for_token,  // ".waitForTaskToken"
};

// A task's resource, taken apart.
struct Resource {
  std::string arn;  // as the definition says it
  Family family = Family::task;
  Pattern pattern = Pattern::request_response;
  // Of Family::task, as history shows them: "sqs" and "sendMessage.waitForTaskToken"; "aws-sdk:dynamodb" and "getItem";
  // "states" and "startExecution.sync:2"; "http" and "invoke".
  std::string type;
  std::string action;
};

// Nothing: it is the ARN of nothing that could be a task. That the platform has what it names is another question
// (Caller::refusal).
[[nodiscard]] std::optional<Resource> parse_resource(std::string_view arn);

// One attempt.
struct TaskCall {
  Resource resource;
  json::Value parameters;     // evaluated; what the template makes of the token stands in them already
  std::string account;        // of the execution
  std::string region;
  std::string role_arn;       // under which it is done: the state machine's, or what Credentials says
  std::string machine_role = {};  // the state machine's, which takes the other one on
  std::string execution_arn;
  std::string state_name;
  std::string token;          // of wait_for_token; empty: another pattern
  std::string attempt_name;   // unique to the attempt, the same when it is called again after a crash; [0-9a-f-], 36 bytes
  std::optional<std::chrono::seconds> timeout;  // the engine gives up by itself then
};

struct Succeeded {
  json::Value output;
};

// How history calls the end of an attempt that failed. Of Family::lambda_function the same of LambdaFunction*.
enum class FailedAt { run, start, schedule, submission };

struct Failed {
  std::string error;  // "DynamoDB.ConditionalCheckFailedException"
  std::string cause;
  FailedAt at = FailedAt::run;
};

// The service took it (patterns other than request_response); what comes of it comes later: by the token, or by the end
// of the execution that was started.
struct Submitted {
  json::Value output;      // the service's answer, for TaskSubmitted
  std::string execution_arn;  // of sync and sync_2: which execution's end is the task's; empty: the token's answer is
};

using TaskOutcome = std::variant<Succeeded, Failed, Submitted>;

// How a nested execution has ended.
struct NestedEnd {
  // DescribeExecution's answer as a document (wire/shape_document.h): capital first letters, times as text.
  json::Value description;
  std::string status;  // "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"
};

class Caller {
 public:
  virtual ~Caller() = default;

  // Why a definition may not have it, as a sentence: AWS does not know it either (in its words), or Tidemill lacks it;
  // nothing: it may. Asked when a definition comes.
  [[nodiscard]] virtual std::optional<std::string> refusal(const Resource& resource) const = 0;

  // The same of a task's parameters, by the names of their members ("QueueUrl.$" gives QueueUrl), in AWS's words: 'The
  // field "X" is not supported by Step Functions'; empty: they are fine. call() asks it again of what came of them.
  [[nodiscard]] virtual std::string parameters_problem(const Resource& /*resource*/,
                                                       const json::Value& /*parameters*/) const {
    return "";
  }

  // Why a result that somebody made up cannot be one of the resource's, in AWS's words: "Field 'Entries' must be an
  // array"; empty: it can. `wants_all`: with all that the service always answers.
  [[nodiscard]] virtual std::string result_problem(const Resource& /*resource*/, const json::Value& /*result*/,
                                                   bool /*wants_all*/) const {
    return "";
  }

  // One attempt, on the calling executor. Never throws but for defects: what services throw becomes Failed, with the
  // integration's own prefix. If the task is destroyed, the call may go on, and its outcome is dropped. Activities are
  // never called.
  virtual Task<TaskOutcome> call(const TaskCall& call) = 0;

  // What the end of a nested execution means to the task that waits for it: Succeeded or Failed. Without I/O.
  [[nodiscard]] virtual TaskOutcome end_of_nested(const Resource& resource, const NestedEnd& end) const = 0;
};

}  // namespace tidemill::states::tasks
