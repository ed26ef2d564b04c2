// TestState: runs one state by itself, and tells what came of it and, if asked, what it became on the way. What it
// would call, or run below it, may be made up (mock.h).
#include "base/json_objects.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/states/definition.h"
#include "services/states/errors.h"
#include "services/states/mock.h"
#include "services/states/operations.h"
#include "services/states/running.h"
#include "services/states/tested_map.h"
#include "services/states/view.h"
#include "wire/arn.h"

namespace tidemill::states {
namespace {

using base::cat;
using errors::validation_exception;

constexpr std::string_view kStateName = "StateName";  // of a state that is given without a machine
constexpr std::string_view kTestMachine = "TestState";

void set_text(std::optional<std::string>& to, const asl::Document& document) {
  if (document) to = json::write(*document);
}

// The state under test, and what it sees: it is in no execution.
struct Test {
  const shapes::TestStateInput& request;
  std::shared_ptr<const asl::Machine> machine;
  const asl::State* state = nullptr;
  std::optional<Mock> mock;
  ExecutionAddress address;
  asl::Document input;
  json::Value context;
  json::Object variables;
  asl::Variables chain{.values = &variables};
  asl::World world;

  asl::Trace trace;
  TestedMap map;
  asl::Exit exit;
  std::optional<asl::Failure> failure;
  std::optional<shapes::InspectionErrorDetails> handled;

  Test(const shapes::TestStateInput& asked) : request(asked) {}
  Test(const Test&) = delete;  // it points into itself

  [[nodiscard]] asl::Scope scope() const {
    return {.input = input, .context = &context, .variables = &chain, .world = &world};
  }
  [[nodiscard]] shapes::TestStateConfiguration configuration() const {
    return request.state_configuration.value_or(shapes::TestStateConfiguration());
  }
};

bool may_handle(asl::StateType type) {
  return type == asl::StateType::task || type == asl::StateType::parallel || type == asl::StateType::map;
}

// ---- What is asked ----

void find_state(Test& test) {
  const auto& name = test.request.state_name;
  auto parsed =
      name ? asl::parse_machine(test.request.definition) : asl::parse_state(test.request.definition, kStateName);
  require_definition(parsed);
  test.machine = std::move(parsed.machine);
  test.state = name ? test.machine->find(*name) : &test.machine->flow().start();
  if (!test.state) throw validation_exception("State not found in definition");
}

// Whether the state is somewhere below the other.
bool is_below(const asl::State* state, const asl::State& other) {
  for (; state; state = state->flow->owner()) {
    if (state == &other) return true;
  }
  return false;
}

void check_configuration(const Test& test) {
  const shapes::TestStateConfiguration configuration = test.configuration();
  const bool is_map = test.state->type == asl::StateType::map;
  if (configuration.error_caused_by_state) {
    const asl::State* const cause = test.machine->find(*configuration.error_caused_by_state);
    if (!cause || cause == test.state || !is_below(cause, *test.state)) {
      throw validation_exception("The state that errorCausedByState names is not in the state under test");
    }
  }
  if (configuration.map_iteration_failure_count && !is_map) {
    throw validation_exception("mapIterationFailureCount can only be specified for Map states");
  }
  if (configuration.map_item_reader_data && !test.state->has_reader) {
    throw validation_exception("mapItemReaderData can only be specified for Map states with an ItemReader");
  }
}

void check_request(Service& service, Test& test) {
  const shapes::TestStateInput& request = test.request;
  if (request.role_arn) check_role(*request.role_arn);
  const bool reveals = request.reveal_secrets.value_or(false);
  if (request.mock && reveals)
    throw validation_exception("TestState does not support RevealSecrets when a mock is specified.");
  if (reveals) throw not_supported("revealSecrets");
  const asl::StateType type = test.state->type;
  if (request.mock) {
    test.mock = mock_of(*request.mock, *test.state, service.caller());
  } else if (type == asl::StateType::map || type == asl::StateType::parallel) {
    throw errors::invalid_definition(
        "TestState API does not support Map or Parallel states. Supported state types include: [Task, Wait, Pass, "
        "Succeed, "
        "Fail, Choice]");
  }
  if (request.context && !request.mock) {
    throw validation_exception("A Context object can only be specified when a mock is specified");
  }
  check_configuration(test);
}

// ---- What it sees ----

json::Value default_context(const Test& test, base::Time now) {
  const std::string entered = base::iso_milliseconds(now) + "Z";
  const ExecutionAddress& address = test.address;
  const std::string resource = cat("express:", address.machine, ":", address.name);
  const std::string id =
      wire::Arn{.service = "states", .region = address.region, .account = address.account, .resource = resource}.text();
  json::Object execution{{"Id", id}, {"Input", *test.input}, {"StartTime", entered}, {"Name", address.name}};
  if (test.request.role_arn) execution.set("RoleArn", *test.request.role_arn);
  json::Object state{{"EnteredTime", entered}, {"Name", test.state->name}};
  if (may_handle(test.state->type)) state.set("RetryCount", test.configuration().retrier_retry_count.value_or(0));
  json::Object context{{"Execution", std::move(execution)},
                       {"StateMachine", json::Object{{"Id", address.machine_arn()}, {"Name", address.machine}}},
                       {"State", std::move(state)}};
  if (is_answered_later(*test.state)) context.set("Task", json::Object{{"Token", base::new_uuid()}});
  const asl::State* const around = test.state->flow->owner();
  if (around && around->type == asl::StateType::map) {
    context.set("Map", json::Object{{"Item", json::Object{{"Index", 0}, {"Value", *test.input}}}});
  }
  return context;
}

void prepare(Test& test, const wire::Context& context) {
  const std::string& text = test.request.input ? *test.request.input : "{}";
  auto document = json::parse(text);
  if (!document) {
    throw errors::invalid_execution_input(
        cat("Invalid State Machine Execution Input: '", document.error().message, "'"));
  }
  test.input = asl::make_document(*std::move(document));
  test.world = world_at(context.now());
  test.address = {context.account, context.region, std::string(kTestMachine), base::new_uuid()};
  test.context =
      test.request.context ? context_of_test(*test.request.context, *test.state) : default_context(test, context.now());
  if (!test.request.variables) return;
  auto variables = json::parse(*test.request.variables);
  if (!variables || !variables->is_object()) throw validation_exception("Variables must be a JSON object.");
  test.variables = std::move(variables->object());
}

// ---- What it does ----

void leave_with(Test& test, json::Value result) {
  test.exit = asl::leave(*test.state, test.scope(), asl::make_document(std::move(result)), &test.trace);
}

// All before what is made up, and all after it.
void run_mocked(Test& test) {
  switch (test.state->type) {
    case asl::StateType::map:
      inspect_map(*test.state, test.scope(), test.configuration(), test.trace, test.map);
      break;
    case asl::StateType::parallel:
      (void)asl::arguments_of(*test.state, test.scope(), &test.trace);
      break;
    default:
      (void)asl::task_of(*test.state, test.scope(), &test.trace);
  }
  if (auto* failure = std::get_if<asl::Failure>(&*test.mock)) {
    test.failure = std::move(*failure);
  } else if (test.map.failure) {
    test.failure = test.map.failure;
  } else {
    leave_with(test, std::move(std::get<json::Value>(*test.mock)));
  }
}

Task<void> run_task(Service& service, Test& test) {
  auto resource = tasks::parse_resource(test.state->resource);
  if (!resource || resource->family == tasks::Family::activity ||
      resource->pattern != tasks::Pattern::request_response) {
    throw validation_exception(
        "TestState supports Task states that are not answered at once only when a mock is specified.");
  }
  const asl::TaskPlan plan =
      co_await service.evaluations().run([&] { return asl::task_of(*test.state, test.scope(), &test.trace); });
  const std::string role = test.request.role_arn.value_or("");
  const tasks::TaskCall call{.resource = *std::move(resource),
                             .parameters = *plan.arguments,
                             .account = test.address.account,
                             .region = test.address.region,
                             .role_arn = plan.role_arn.value_or(role),
                             .machine_role = role,
                             .execution_arn = test.address.arn(),
                             .state_name = test.state->name,
                             .token = {},
                             .attempt_name = base::new_uuid()};
  tasks::TaskOutcome outcome = co_await service.caller().call(call);
  if (const auto* failed = std::get_if<tasks::Failed>(&outcome)) {
    test.failure = asl::Failure{.error = failed->error, .cause = failed->cause};
  } else if (auto* succeeded = std::get_if<tasks::Succeeded>(&outcome)) {
    co_await service.evaluations().run([&] { leave_with(test, std::move(succeeded->output)); });
  }
}

void evaluate(Test& test) {
  const asl::State& state = *test.state;
  const asl::Scope scope = test.scope();
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
    default:
      run_mocked(test);
  }
}

asl::Failure failure_of(const Test& test, const asl::StateError& error) {
  return {.error = error.error(), .cause = error.cause(test.state->name, 0)};
}

Task<void> run(Service& service, Test& test) {
  try {
    if (test.state->type == asl::StateType::task && !test.mock) {
      co_await run_task(service, test);
    } else {
      co_await service.evaluations().run([&] { evaluate(test); });
    }
  } catch (const asl::StateError& error) {
    test.failure = failure_of(test, error);
  }
}

// ---- What becomes of its failure ----

// From the state outwards, as in an execution. The state of the test has been tried again as often as the request says.
std::string_view handle(Test& test) {
  const int64_t tried = test.configuration().retrier_retry_count.value_or(0);
  for (const asl::State* at = test.state; at; at = at->flow->owner()) {
    if (!may_handle(at->type)) continue;
    const std::vector<int64_t> attempts(at->retriers, at == test.state ? tried : 0);
    if (const auto retrial = asl::retry(*at, *test.failure, attempts, test.world)) {
      const auto seconds = std::chrono::ceil<std::chrono::seconds>(retrial->delay).count();
      test.handled = shapes::InspectionErrorDetails{.retry_index = static_cast<int32_t>(retrial->retrier),
                                                    .retry_backoff_interval_seconds = static_cast<int32_t>(seconds)};
      return "RETRIABLE";
    }
    if (auto caught = asl::catch_error(*at, test.scope(), *test.failure, &test.trace)) {
      test.handled = shapes::InspectionErrorDetails{.catch_index = static_cast<int32_t>(caught->catcher)};
      test.exit = std::move(caught->exit);
      return "CAUGHT_ERROR";
    }
  }
  return "FAILED";
}

std::string_view status_of(Test& test) {
  if (!test.failure) return "SUCCEEDED";
  try {
    return handle(test);
  } catch (const asl::StateError& error) {
    test.failure = failure_of(test, error);
    return "FAILED";
  }
}

// ---- What is told ----

shapes::InspectionData inspection_of(const Test& test) {
  shapes::InspectionData data = test.map.seen;
  const asl::Trace& trace = test.trace;
  data.input = test.request.input ? *test.request.input : "{}";
  set_text(data.after_input_path, trace.after_input_path);
  set_text(data.after_parameters, trace.after_parameters);
  set_text(data.after_arguments, trace.after_arguments);
  set_text(data.result, trace.result);
  set_text(data.after_result_selector, trace.after_result_selector);
  set_text(data.after_result_path, trace.after_result_path);
  set_text(data.after_items_path, trace.after_items_path);
  data.error_details = test.handled;
  if (test.variables.empty() && test.exit.assigned.empty()) return data;
  std::vector<json::Member> variables(test.variables.begin(), test.variables.end());
  variables.insert(variables.end(), test.exit.assigned.begin(), test.exit.assigned.end());
  data.variables = json::write(json::object_of(std::move(variables)));
  return data;
}

shapes::TestStateOutput answer_of(Test& test) {
  shapes::TestStateOutput out;
  out.status = status_of(test);
  if (test.failure) {
    if (test.failure->has_error) out.error = test.failure->error;
    if (test.failure->has_cause) out.cause = test.failure->cause;
  }
  if (test.exit.output) out.output = json::write(*test.exit.output);
  if (!test.exit.next.empty()) out.next_state = std::string(test.exit.next);
  const auto& level = test.request.inspection_level;
  if (level && *level != shapes::InspectionLevel::kInfo) out.inspection_data = inspection_of(test);
  return out;
}

}  // namespace

Task<shapes::TestStateOutput> test_state(Service& service, wire::Context& context,
                                         const shapes::TestStateInput& request) {
  Test test(request);
  co_await service.machines().parse(request.definition, [&] { find_state(test); });
  test.machine = service.machines().given_back_elsewhere(std::move(test.machine), request.definition);
  check_request(service, test);
  prepare(test, context);
  co_await run(service, test);
  co_return co_await service.evaluations().run([&] { return answer_of(test); });
}

}  // namespace tidemill::states
