#include "services/states/tasks/integrations.h"

#include "base/survivors.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/states/machine.h"
#include "services/states/tasks/failures.h"
#include "services/states/tasks/http_task.h"
#include "services/states/tasks/optimised.h"
#include "services/states/tasks/result_check.h"
#include "services/states/tasks/sdk_names.h"
#include "services/states/tasks/target.h"
#include "wire/arn.h"
#include "wire/shape_document.h"

namespace tidemill::states::tasks {
namespace {

// Of a result, as JSON text in UTF-8 (quotas in the developer guide).
constexpr size_t kResultBytesMax = 262144;
constexpr std::string_view kExistsAlready = "ExecutionAlreadyExists";
constexpr std::string_view kMachine = "stateMachine:";
constexpr std::string_view kExecution = "execution:";
constexpr std::string_view kSession = "StepFunctions";
constexpr std::string_view kDenied = "AccessDeniedException";
constexpr std::string_view kDescribeExecution = "DescribeExecution";
constexpr std::string_view kInvoke = "Invoke", kPayload = "Payload";
constexpr std::string_view kInput = "Input", kOutput = "Output";

bool waits_for_end(Pattern pattern) { return pattern == Pattern::sync || pattern == Pattern::sync_2; }

// Nothing would tell of its end.
Failed express_not_waited_for() {
  return {.error = "StepFunctions.StateMachineTypeNotSupportedException",
          .cause = "Executions of EXPRESS state machines cannot be waited for.",
          .at = FailedAt::submission};
}

class Integrations final : public Caller {
 public:
  Integrations(wire::Platform& platform, IntegrationsOptions options)
      : platform_(platform),
        http_(std::move(options.send), std::move(options.find_connection)),
        endpoint_(std::move(options.endpoint)),
        survivors_(platform.clock.activity()) {}

  [[nodiscard]] std::optional<std::string> refusal(const Resource& resource) const override {
    auto target = find_target(platform_.registry, resource);
    if (target) return std::nullopt;
    return std::move(target).error();
  }

  [[nodiscard]] std::string parameters_problem(const Resource& resource, const json::Value& names) const override {
    const auto target = find_target(platform_.registry, resource);
    return target ? names_problem(platform_.registry, *target, names) : "";
  }

  // What answers a token is whatever its holder says; a nested execution's end is its description.
  [[nodiscard]] std::string result_problem(const Resource& resource, const json::Value& result,
                                           bool wants_all) const override {
    const auto target = find_target(platform_.registry, resource);
    if (!target || target->operation.empty() || target->kind == TargetKind::function) return "";
    if (resource.pattern == Pattern::wait_for_token) return "";
    const bool is_end = waits_for_end(resource.pattern);
    const auto* const operation =
        platform_.registry.find(target->service, is_end ? kDescribeExecution : std::string_view(target->operation));
    if (!operation || !operation->info.output) return "";
    if (!result.is_object()) return "The result must be an object";
    json::Value answer = result;
    // A payload is JSON of any kind here, and so are a nested execution's input and output with ":2".
    if (target->integration && target->operation == kInvoke) answer.object().erase(kPayload);
    if (resource.pattern == Pattern::sync_2) {
      for (const std::string_view text : {kInput, kOutput}) answer.object().erase(text);
    }
    return shape_problem(answer, *operation->info.output, wants_all);
  }

  Task<TaskOutcome> call(const TaskCall& call) override {
    const auto target = find_target(platform_.registry, call.resource);
    if (!target) co_return runtime_failure(target.error());
    if (auto problem = names_problem(platform_.registry, *target, call.parameters); !problem.empty()) {
      co_return runtime_failure(std::move(problem));
    }
    TaskOutcome outcome;
    if (target->kind == TargetKind::http)
      outcome = co_await call_endpoint(call);
    else
      outcome = co_await survivors_.outlive(ask(*target, call));  // so that nothing is left half done
    auto* succeeded = std::get_if<Succeeded>(&outcome);
    if (!succeeded) co_return outcome;
    if (json::write(succeeded->output).size() > kResultBytesMax) co_return too_large(call.resource);
    if (call.resource.pattern == Pattern::request_response) co_return outcome;
    co_return submitted(call.resource.pattern, std::move(succeeded->output));
  }

  [[nodiscard]] TaskOutcome end_of_nested(const Resource& resource, const NestedEnd& end) const override {
    TaskOutcome outcome = outcome_of_execution(resource.pattern, end);
    const auto* succeeded = std::get_if<Succeeded>(&outcome);
    if (succeeded && json::write(succeeded->output).size() > kResultBytesMax) return too_large(resource);
    return outcome;
  }

 private:
  // Under a role, which the service has taken on for the machine, or another role has that may.
  [[nodiscard]] wire::Context context_under(const TaskCall& call, std::string role, std::string taken_by) const {
    wire::Context context(platform_, call.account, call.region, base::new_uuid(),
                          wire::Principal::role({.role_arn = std::move(role),
                                                 .session_name = std::string(kSession),
                                                 .service = "states.amazonaws.com",
                                                 .source_arn = machine_of(call.execution_arn),
                                                 .taken_by = std::move(taken_by)}));
    context.endpoint = endpoint_;
    return context;
  }

  // On behalf of the machine, whose role says what it may do, or the one that the task's Credentials name.
  [[nodiscard]] wire::Context context_of(const TaskCall& call) const {
    return context_under(call, call.role_arn, has_own_role(call) ? call.machine_role : std::string());
  }

  [[nodiscard]] static bool has_own_role(const TaskCall& call) { return call.role_arn != call.machine_role; }

  // Why the machine's role may not take the task's on; nothing: it may.
  Task<std::optional<Failed>> refusal_of_role(const TaskCall& call) const {
    if (!has_own_role(call)) co_return std::nullopt;
    const wire::Context context = context_under(call, call.machine_role, "");
    try {
      co_await wire::authorize_deed(context, {"sts:AssumeRole",
                                              call.role_arn,
                                              {{"sts:RoleSessionName", std::string(kSession)},
                                               {"sts:ExternalId", machine_of(call.execution_arn)}}});
    } catch (const wire::Error& error) {
      if (error.code != kDenied) throw;
      co_return role_refused(call.machine_role, call.role_arn, error.message);
    }
    co_return std::nullopt;
  }

  Task<TaskOutcome> call_endpoint(const TaskCall& call) const {
    if (auto refused = co_await refusal_of_role(call)) co_return *std::move(refused);
    const wire::Context context = context_of(call);
    co_return co_await http_.call(call, context);
  }

  [[nodiscard]] static json::Value request_of(const Target& target, const wire::OperationInfo& info,
                                              const TaskCall& call) {
    if (target.kind == TargetKind::function) return function_request(call);
    if (target.kind == TargetKind::sdk) return with_api_names(call.parameters, *info.input);
    return optimised_request(target, call);
  }

  [[nodiscard]] static TaskOutcome outcome_of(const Target& target, const wire::OperationInfo& info, Answer answer) {
    if (target.kind == TargetKind::function) return function_outcome(answer.document);
    if (target.kind == TargetKind::optimised) return optimised_outcome(target, info, std::move(answer));
    return Succeeded{with_sdk_names(std::move(answer.document), *info.output)};
  }

  Task<TaskOutcome> ask(Target target, TaskCall call) {
    const wire::OperationInfo& info = platform_.registry.find(target.service, target.operation)->info;
    wire::Context context = context_of(call);
    json::Value request = request_of(target, info, call);
    const std::string begun_before = execution_of_attempt(target, request, call);
    try {
      if (auto refused = co_await refusal_of_role(call)) co_return *std::move(refused);
      if (waits_for_end(call.resource.pattern) && co_await names_express_machine(request)) {
        co_return express_not_waited_for();
      }
      json::Value answer =
          co_await platform_.registry.call(context, target.service, target.operation, std::move(request));
      co_return outcome_of(target, info, {std::move(answer), context.request_id, context.now()});
    } catch (const wire::shapes::AnswerTooLong&) {
      co_return too_large(call.resource);
    } catch (const wire::Error& error) {
      if (begun_before.empty() || error.code != kExistsAlready) co_return failure_of(target, error, context.request_id);
    } catch (const std::exception& error) {
      co_return failure_of(platform_.registry, target, error, context.request_id);
    }
    co_return co_await find_execution(std::move(target), std::move(call), begun_before);
  }

  // Looked up before it is begun, for what has begun goes on. What is no machine is refused by who is asked to begin it.
  [[nodiscard]] Task<bool> names_express_machine(const json::Value& request) const {
    const json::Value* const named = request.find("StateMachineArn");
    if (!named || !named->is_string()) co_return false;
    const auto machine = co_await find_machine(*platform_.store.snapshot(), parse_machine_arn(named->string()));
    co_return machine && machine->is_express;
  }

  // The execution that an attempt begins under its own name: if there is one it is the attempt's, which was made before
  // a crash. Empty: it begins none, or the definition names it.
  [[nodiscard]] static std::string execution_of_attempt(const Target& target, const json::Value& request,
                                                        const TaskCall& call) {
    if (target.kind != TargetKind::optimised || target.service != "states") return "";
    const json::Value* name = request.find("Name");
    const json::Value* machine = request.find("StateMachineArn");
    const bool is_own = name && name->is_string() && name->string() == call.attempt_name;
    const auto arn = is_own && machine && machine->is_string() ? wire::parse_arn(machine->string()) : std::nullopt;
    if (!arn || !arn->resource.starts_with(kMachine)) return "";
    std::string_view machine_name = arn->resource.substr(kMachine.size());
    machine_name = machine_name.substr(0, machine_name.find(':'));  // without its version
    const std::string resource = base::cat(kExecution, machine_name, ":", call.attempt_name);
    return wire::Arn{arn->partition, arn->service, arn->region, arn->account, resource}.text();
  }

  // As if it had been begun now. The role has been let begin it: that it may see it too is not asked of it.
  Task<TaskOutcome> find_execution(Target target, TaskCall call, std::string execution_arn) {
    wire::Context context = context_of(call);
    context.principal = wire::Principal::platform();
    try {
      const json::Value found = co_await platform_.registry.call(context, "states", "DescribeExecution",
                                                                 json::Object{{"ExecutionArn", execution_arn}});
      const json::Value* begun = found.find("StartDate");
      json::Object answer{{"ExecutionArn", execution_arn}, {"StartDate", begun ? *begun : json::Value()}};
      const auto& info = platform_.registry.find(target.service, target.operation)->info;
      co_return outcome_of(target, info, {std::move(answer), context.request_id, context.now()});
    } catch (const wire::Error& error) {
      co_return failure_of(target, error, context.request_id);
    } catch (const std::exception& error) {
      co_return failure_of(platform_.registry, target, error, context.request_id);
    }
  }

  [[nodiscard]] static TaskOutcome submitted(Pattern pattern, json::Value answer) {
    Submitted out{std::move(answer), ""};
    if (pattern == Pattern::wait_for_token) return out;
    const json::Value* answered = out.output.find("ExecutionArn");
    const auto arn = answered && answered->is_string() ? wire::parse_arn(answered->string()) : std::nullopt;
    if (!arn || !arn->resource.starts_with(kExecution)) return express_not_waited_for();  // made anew as one meanwhile
    out.execution_arn = answered->string();
    return out;
  }

  wire::Platform& platform_;
  const HttpTasks http_;
  const std::string endpoint_;
  base::Survivors survivors_;
};

}  // namespace

std::unique_ptr<Caller> make_integrations(wire::Platform& platform, IntegrationsOptions options) {
  return std::make_unique<Integrations>(platform, std::move(options));
}

}  // namespace tidemill::states::tasks
