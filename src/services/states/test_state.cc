// TestState: runs one state by itself, and tells what came of it and, if asked, what it became on the way.
#include "base/text.h"
#include "base/uuid.h"
#include "services/states/definition.h"
#include "services/states/errors.h"
#include "services/states/operations.h"
#include "services/states/running.h"
#include "services/states/view.h"

namespace tidemill::states {
namespace {

using base::cat;

constexpr std::string_view kStateName = "State";
constexpr std::string_view kTestMachine = "TestState";

void set_text(std::optional<std::string>& to, const asl::Document& document) {
  if (document) to = json::write(*document);
}

shapes::InspectionData inspection_of(const asl::Trace& trace, const std::string& input) {
  shapes::InspectionData data;
  data.input = input;
  set_text(data.after_input_path, trace.after_input_path);
  set_text(data.after_parameters, trace.after_parameters);
  set_text(data.after_arguments, trace.after_arguments);
  set_text(data.result, trace.result);
  set_text(data.after_result_selector, trace.after_result_selector);
  set_text(data.after_result_path, trace.after_result_path);
  return data;
}

// The state under test: a frame of an execution that is nowhere else.
struct Test {
  std::shared_ptr<const asl::Machine> machine;
  Live live;
  asl::World world;
  asl::Trace trace;
  asl::Exit exit;
  std::optional<asl::Failure> failure;
  Frame* frame = nullptr;
};

void prepare(Test& test, wire::Context& context, const shapes::TestStateInput& request, const Payload& input) {
  test.world = world_at(context.now());
  Live& live = test.live;
  live.is_kept = false;
  live.machine = test.machine;
  live.head.address = {context.account, context.region, std::string(kTestMachine), base::new_uuid()};
  live.head.role = request.role_arn.value_or("");
  live.head.started = context.now();
  live.context = context_of_execution(live.head, input.document(), live.head.address.arn(),
                                      live.head.address.machine_arn());
  test.frame = &live.add_frame(0, 0, test.machine->flow().start().name, input);
  test.frame->entered = context.now();
  test.frame->attempts.assign(test.frame->at->retriers, 0);
  if (!request.variables) return;
  auto variables = json::parse(*request.variables);
  if (!variables || !variables->is_object()) throw errors::validation_exception("Variables must be a JSON object.");
  test.frame->variables = std::move(variables->object());
}

Task<void> run_task(Service& service, Test& test) {
  const Frame& frame = *test.frame;
  auto resource = tasks::parse_resource(frame.at->resource);
  if (!resource || resource->family == tasks::Family::activity ||
      resource->pattern != tasks::Pattern::request_response) {
    throw errors::validation_exception("TestState supports Task states that are answered at once only.");
  }
  const View view(test.live, frame, test.world);
  const asl::TaskPlan plan =
      co_await service.evaluations().run([&] { return asl::task_of(*frame.at, view.scope(), &test.trace); });
  const Head& head = test.live.head;
  const tasks::TaskCall call{.resource = *std::move(resource),
                             .parameters = *plan.arguments,
                             .account = head.address.account,
                             .region = head.address.region,
                             .role_arn = plan.role_arn.value_or(head.role),
                             .execution_arn = head.address.arn(),
                             .state_name = frame.state,
                             .token = {},
                             .attempt_name = base::new_uuid()};
  tasks::TaskOutcome outcome = co_await service.caller().call(call);
  if (const auto* failed = std::get_if<tasks::Failed>(&outcome)) {
    test.failure = asl::Failure{.error = failed->error, .cause = failed->cause};
  } else if (auto* succeeded = std::get_if<tasks::Succeeded>(&outcome)) {
    test.exit = co_await service.evaluations().run([&] {
      return asl::leave(*frame.at, view.scope(), asl::make_document(std::move(succeeded->output)), &test.trace);
    });
  }
}

void evaluate(Test& test) {
  const asl::State& state = *test.frame->at;
  const View view(test.live, *test.frame, test.world);
  const asl::Scope& scope = view.scope();
  switch (state.type) {
    case asl::StateType::pass: test.exit = asl::run_pass(state, scope, &test.trace); break;
    case asl::StateType::choice: test.exit = asl::run_choice(state, scope, &test.trace); break;
    case asl::StateType::succeed: test.exit = asl::run_succeed(state, scope, &test.trace); break;
    case asl::StateType::wait:
      (void)asl::wait_until(state, scope, &test.trace);  // not waited for, as on AWS
      test.exit = asl::leave(state, scope, asl::make_document(nullptr), &test.trace);
      break;
    case asl::StateType::fail: {
      auto [error, cause] = asl::fail_of(state, scope);
      test.failure = asl::Failure{.error = error.value_or(""), .cause = cause.value_or("")};
      test.failure->has_error = error.has_value();
      test.failure->has_cause = cause.has_value();
      break;
    }
    default: throw errors::validation_exception("Tidemill does not support TestState of Parallel and Map states.");
  }
}

}  // namespace

Task<shapes::TestStateOutput> test_state(Service& service, wire::Context& context,
                                         const shapes::TestStateInput& request) {
  if (request.state_name) throw not_supported("stateName");
  if (request.reveal_secrets.value_or(false)) throw not_supported("revealSecrets");
  auto parsed = asl::parse_state(request.definition, kStateName);
  require_definition(parsed);
  const std::string input = request.input.value_or("{}");
  auto document = json::parse(input);
  if (!document) {
    throw errors::invalid_execution_input(
        cat("Invalid State Machine Execution Input: '", document.error().message, "'"));
  }
  Test test{.machine = parsed.machine};
  prepare(test, context, request, Payload(asl::make_document(*std::move(document))));
  try {
    if (test.frame->at->type == asl::StateType::task) {
      co_await run_task(service, test);
    } else {
      co_await service.evaluations().run([&] { evaluate(test); });
    }
  } catch (const asl::StateError& error) {
    test.failure = asl::Failure{.error = error.error(), .cause = error.cause(test.frame->state, 0)};
  }
  shapes::TestStateOutput out;
  out.status = "SUCCEEDED";
  if (test.failure) {
    const asl::State& state = *test.frame->at;
    const bool may_handle = state.type == asl::StateType::task;
    const View view(test.live, *test.frame, test.world);
    const auto retrial = may_handle ? asl::retry(state, *test.failure, test.frame->attempts, test.world) : std::nullopt;
    auto caught = may_handle && !retrial ? asl::catch_error(state, view.scope(), *test.failure, &test.trace)
                                         : std::nullopt;
    out.status = retrial ? "RETRIABLE" : caught ? "CAUGHT_ERROR" : "FAILED";
    if (test.failure->has_error) out.error = test.failure->error;
    if (test.failure->has_cause) out.cause = test.failure->cause;
    if (caught) test.exit = std::move(caught->exit);
  }
  if (test.exit.output) out.output = json::write(*test.exit.output);
  if (!test.exit.next.empty()) out.next_state = std::string(test.exit.next);
  if (request.inspection_level && *request.inspection_level != shapes::InspectionLevel::kInfo) {
    out.inspection_data = inspection_of(test.trace, input);
  }
  co_return out;
}

}  // namespace tidemill::states
