// For tests: integrations over operations that the test plays.
//
//   World world;
//   world.answer<wire::sqs::ops::SendMessage>([](const auto& request) { return …; });
//   EXPECT_EQ(world.run("arn:aws:states:::sqs:sendMessage", R"({"QueueUrl":"q","MessageBody":{"a":1}})"),
//             "Succeeded {…}");
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/states/tasks/integrations.h"
#include "services/test_world.h"

namespace tidemill::states::tasks::testing {

// "Succeeded {…}", "Failed Name: cause", "Submitted {…}", and what the latter waits for.
inline std::string told(const TaskOutcome& outcome) {
  if (const auto* failed = std::get_if<Failed>(&outcome))
    return base::cat("Failed ", failed->error, ": ", failed->cause);
  if (const auto* succeeded = std::get_if<Succeeded>(&outcome)) {
    return base::cat("Succeeded ", json::write(succeeded->output));
  }
  const auto& submitted = std::get<Submitted>(outcome);
  return base::cat("Submitted ", json::write(submitted.output), submitted.execution_arn.empty() ? "" : " for ",
                   submitted.execution_arn);
}

class World : public services::testing::TestWorld {
 public:
  static constexpr std::string_view kExecution = "arn:aws:states:us-east-1:000000000000:execution:machine:run";
  static constexpr std::string_view kRole = "arn:aws:iam::000000000000:role/r";
  static constexpr std::string_view kAttempt = "00000000-0000-4000-8000-000000000001";

  World() : TestWorld({}, 1, store::SimFaults::none()) { boot(); }
  ~World() { shut_down(); }

  // What an operation answers from now on; it may throw. Once for each operation.
  template <class Op>
  void answer(std::function<typename Op::Response(const typename Op::Request&)> handler) {
    registry->add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      callers.push_back(context.principal);
      return Task<typename Op::Response>::ready(handler(request));
    });
  }

  TaskOutcome outcome_of(std::string_view resource, std::string_view parameters) {
    TaskCall call{.resource = parse_resource(resource).value(),
                  .parameters = json::parse(parameters).value(),
                  .account = std::string(kAccount),
                  .region = std::string(kRegion),
                  .role_arn = credentials.value_or(std::string(kRole)),
                  .machine_role = std::string(kRole),
                  .execution_arn = std::string(kExecution),
                  .state_name = "State",
                  .token = "",
                  .attempt_name = std::string(kAttempt)};
    return await(caller->call(call));
  }
  std::string run(std::string_view resource, std::string_view parameters) {
    return told(outcome_of(resource, parameters));
  }
  // The output of what succeeds, or is submitted, without the metadata of its answer.
  std::string output(std::string_view resource, std::string_view parameters) {
    const TaskOutcome outcome = outcome_of(resource, parameters);
    const auto* succeeded = std::get_if<Succeeded>(&outcome);
    if (!succeeded) return told(outcome);
    json::Value shown = succeeded->output;
    if (shown.is_object()) {
      shown.object().erase("SdkHttpMetadata");
      shown.object().erase("SdkResponseMetadata");
    }
    return json::write(shown);
  }

  std::optional<std::string> credentials;  // the role that the task names
  std::unique_ptr<Caller> caller;
  std::vector<wire::Principal> callers;
  std::vector<net::HttpCall> http_calls;
  net::HttpAnswer http_answer{.status = 200, .reason = "OK"};
  std::string http_failure;  // empty: there is an answer
  std::optional<engine::ConnectionParts> connection = engine::ConnectionParts{};
  std::string connection_failure;  // empty: it is found

 private:
  Task<std::optional<engine::ConnectionParts>> find_connection() {
    co_await base::yield();
    if (!connection_failure.empty()) throw net::HttpFailed(connection_failure);
    co_return connection;
  }
  Task<net::HttpAnswer> send(net::HttpCall call) {
    co_await base::yield();
    http_calls.push_back(std::move(call));
    if (!http_failure.empty()) throw net::HttpFailed(http_failure);
    co_return http_answer;
  }
  void make_services() override {
    caller = make_integrations(
        *platform, {.send = [this](net::HttpCall call) { return send(std::move(call)); },
                    .find_connection = [this](std::string) { return find_connection(); },
                    .endpoint = std::string(kEndpoint)});
  }
  void drop_services() override { caller.reset(); }
};

}  // namespace tidemill::states::tasks::testing
