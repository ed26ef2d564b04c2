// StartExecution, StartSyncExecution, StopExecution, RedriveExecution and DescribeExecution.
#include <random>

#include "base/text.h"
#include "base/uuid.h"
#include "services/states/definition.h"
#include "services/states/errors.h"
#include "services/states/execution.h"
#include "services/states/execution_metrics.h"
#include "services/states/operations.h"

namespace tidemill::states {
namespace {

using base::cat;

constexpr std::string_view kNoInput = "{}";

// 0 to 99, for the weights of an alias.
int draw() {
  thread_local std::mt19937 engine{std::random_device{}()};
  return std::uniform_int_distribution<int>(0, 99)(engine);
}

void check_input(const std::string& input) {
  const auto parsed = json::parse(input);
  if (parsed) return;
  throw errors::invalid_execution_input(
      cat("Invalid State Machine Execution Input: '", parsed.error().message, " at byte ", parsed.error().offset, "'"));
}

template <class Request>
NewExecution asked(const Request& request) {
  NewExecution execution{.machine = parse_machine_arn(request.state_machine_arn),
                         .name = request.name.value_or(base::new_uuid()),
                         .input = request.input.value_or(std::string(kNoInput)),
                         .trace_header = request.trace_header};
  check_name(execution.name);
  check_input(execution.input);
  return execution;
}

ExpressExecution express_of(const NewExecution& execution, const Chosen& chosen, base::Time now) {
  return {.arn = express_arn(execution.machine, execution.name, base::new_uuid()),
          .machine = execution.machine,
          .name = execution.name,
          .input = execution.input,
          .revision = chosen.revision,
          .started = now};
}

}  // namespace

Task<shapes::StartExecutionOutput> start_execution(Service& service, wire::Context& context,
                                                   const shapes::StartExecutionInput& request) {
  const NewExecution execution = asked(request);
  const int drawn = draw();
  std::optional<ExecutionAddress> begun;
  auto answer = co_await service.store().transact([&](store::Transaction& txn) -> Task<shapes::StartExecutionOutput> {
    begun.reset();
    const Chosen chosen = co_await choose(txn, execution.machine, drawn);
    if (chosen.machine.is_express) {
      ExpressExecution express = express_of(execution, chosen, context.now());
      shapes::StartExecutionOutput out{.execution_arn = express.arn, .start_date = express.started};
      co_await service.express().start(txn, std::move(express));
      co_return out;
    }
    const base::Time now = context.now();
    const ExecutionRecord record = co_await service.running().start(txn, execution, chosen);
    if (record.started >= now) begun = record.address;
    co_return shapes::StartExecutionOutput{.execution_arn = record.address.arn(), .start_date = record.started};
  });
  if (begun) measure_start(context.platform(), *begun);
  co_return answer;
}

Task<shapes::StartSyncExecutionOutput> start_sync_execution(Service& service, wire::Context& context,
                                                            const shapes::StartSyncExecutionInput& request) {
  const NewExecution execution = asked(request);
  auto snapshot = service.store().snapshot();
  const Chosen chosen = co_await choose(*snapshot, execution.machine, draw());
  snapshot.reset();  // it may run for minutes, and the store keeps what a snapshot sees
  if (!chosen.machine.is_express) throw wrong_type();
  ExpressExecution express = express_of(execution, chosen, context.now());
  shapes::StartSyncExecutionOutput out{.execution_arn = express.arn, .start_date = express.started};
  out.state_machine_arn = execution.machine.arn();
  out.name = execution.name;
  out.trace_header = execution.trace_header;
  const Ending ending = co_await service.express().run_awaited(std::move(express));
  out.stop_date = context.now();
  out.status = name_of(ending.status);
  const bool with_data = request.included_data != shapes::IncludedData::kMetadataOnly;
  out.input_details = {{.included = with_data}};
  if (with_data) out.input = execution.input;
  if (ending.status == Status::succeeded) {
    out.output_details = {{.included = with_data}};
    if (with_data) out.output = ending.output.text();
  }
  out.error = ending.error;
  out.cause = ending.cause;
  co_return out;
}

Task<shapes::StopExecutionOutput> stop_execution(Service& service, wire::Context&,
                                                 const shapes::StopExecutionInput& request) {
  if (request.execution_arn.contains(":express:")) throw wrong_type();
  const base::Time stopped =
      co_await service.running().stop(parse_execution_arn(request.execution_arn), request.error, request.cause);
  co_return shapes::StopExecutionOutput{.stop_date = stopped};
}

Task<shapes::RedriveExecutionOutput> redrive_execution(Service& service, wire::Context&,
                                                       const shapes::RedriveExecutionInput& request) {
  if (request.execution_arn.contains(":express:")) throw wrong_type();
  const base::Time redriven =
      co_await service.running().redrive(parse_execution_arn(request.execution_arn), request.client_token);
  co_return shapes::RedriveExecutionOutput{.redrive_date = redriven};
}

Task<shapes::DescribeExecutionOutput> describe_execution(Service& service, wire::Context& context,
                                                         const shapes::DescribeExecutionInput& request) {
  const auto snapshot = service.store().snapshot();
  const ExecutionRecord record =
      co_await load_execution(*snapshot, parse_execution_arn(request.execution_arn), service.evaluations());
  co_return describe(record, context.now(), request.included_data != shapes::IncludedData::kMetadataOnly);
}

Task<shapes::DescribeStateMachineForExecutionOutput> describe_state_machine_for_execution(
    Service& service, wire::Context&, const shapes::DescribeStateMachineForExecutionInput& request) {
  const auto snapshot = service.store().snapshot();
  const ExecutionRecord record = co_await load_execution(*snapshot, parse_execution_arn(request.execution_arn));
  const ExecutionAddress& address = record.address;
  const std::string machine = base_machine(address.machine);
  const Definition definition =
      co_await load_definition(*snapshot, address.account, address.region, machine, record.revision);
  const bool with_data = request.included_data != shapes::IncludedData::kMetadataOnly;
  shapes::DescribeStateMachineForExecutionOutput out{.state_machine_arn = address.machine_arn(),
                                                     .name = address.machine,
                                                     .definition = with_data ? definition.text : "{}",
                                                     .role_arn = definition.role,
                                                     .update_date = definition.created};
  out.logging_configuration = logging_of(definition);
  out.tracing_configuration = {{.enabled = false}};
  out.revision_id = record.revision;
  out.map_run_arn = record.map_run_arn;
  if (machine != address.machine) out.label = address.machine.substr(machine.size() + 1);
  const auto parsed = co_await parsed_definition(*snapshot, service.machines(), address.account, address.region,
                                                 machine, record.revision);
  if (with_data) out.variable_references = variable_references(*parsed->machine);
  co_return out;
}

}  // namespace tidemill::states
