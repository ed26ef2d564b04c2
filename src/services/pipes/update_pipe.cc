// Changes what a request names of a pipe, and keeps the rest. What belongs to a service (DynamoDBStreamParameters, say)
// is replaced as a whole. The new settings hold from the next batch.
#include "base/text.h"
#include "services/pipes/changes.h"
#include "services/pipes/errors.h"
#include "services/pipes/operations.h"
#include "services/pipes/source.h"
#include "services/pipes/target.h"

namespace tidemill::pipes {
namespace {

using engine::MappingState;

const auto take = [](auto& kept, const auto& given) {
  if (given) kept = given;
};

void update_target(const shapes::UpdatePipeInput& request, shapes::CreatePipeInput& settings) {
  if (request.target) {
    const bool is_of_another_kind = target_rules(*request.target).kind != target_rules(settings.target).kind;
    settings.target = *request.target;
    if (is_of_another_kind && settings.target_parameters) {
      // What the service before was told means nothing to this one.
      settings.target_parameters = {{.input_template = settings.target_parameters->input_template}};
    }
  }
  if (!request.target_parameters) return;
  if (!settings.target_parameters) settings.target_parameters.emplace();
  shapes::PipeTargetParameters& kept = *settings.target_parameters;
  const shapes::PipeTargetParameters& given = *request.target_parameters;
  take(kept.input_template, given.input_template);
  take(kept.lambda_function_parameters, given.lambda_function_parameters);
  take(kept.step_function_state_machine_parameters, given.step_function_state_machine_parameters);
  take(kept.kinesis_stream_parameters, given.kinesis_stream_parameters);
  take(kept.sqs_queue_parameters, given.sqs_queue_parameters);
  take(kept.event_bridge_event_bus_parameters, given.event_bridge_event_bus_parameters);
  take(kept.cloud_watch_logs_parameters, given.cloud_watch_logs_parameters);
  take(kept.http_parameters, given.http_parameters);
}

void update_settings(Service& service, const wire::Context& context, const shapes::UpdatePipeInput& request,
                     shapes::CreatePipeInput& settings) {
  settings.role_arn = request.role_arn;
  take(settings.description, request.description);
  take(settings.desired_state, request.desired_state);
  take(settings.enrichment, request.enrichment);
  take(settings.enrichment_parameters, request.enrichment_parameters);
  take(settings.log_configuration, request.log_configuration);
  if (request.target) check_region(context, *request.target);
  update_target(request, settings);
  if (request.source_parameters) update_source(*request.source_parameters, batch_max(settings), settings);
  check_enrichment(service.registry(), settings);
  check_target(service.registry(), settings);
  check_log(context, settings);
}

MappingState next_state(MappingState now, bool is_to_run) {
  const bool runs = engine::wants_polling(now);
  if (is_to_run) return runs ? MappingState::updating : MappingState::enabling;
  return runs ? MappingState::disabling : now;
}

// Throws, rather than to stop what runs.
Task<void> check_obstacle(Service& service, wire::Context& context, const shapes::CreatePipeInput& settings) {
  if (const std::string reason = co_await obstacle(service, context, settings); !reason.empty()) {
    throw invalid("SourceParameters", reason);
  }
}

}  // namespace

Task<shapes::UpdatePipeOutput> update_pipe(Service& service, wire::Context& context,
                                           const shapes::UpdatePipeInput& request) {
  FedPipe known = co_await load_pipe(*service.store().snapshot(), address_of(context, request.name));
  update_settings(service, context, request, known.pipe.settings);
  co_await check_obstacle(service, context, known.pipe.settings);
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<shapes::UpdatePipeOutput> {
    FedPipe fed = co_await load_pipe(txn, address_of(context, request.name));
    if (!fed.is_settled()) throw conflict(request.name, base::cat("is in the state ", fed.state(), "."));
    update_settings(service, context, request, fed.pipe.settings);
    apply_source(fed.pipe.settings, fed.mapping);
    fed.pipe.failed_state.clear();
    fed.pipe.modified = fed.mapping.last_modified = modification_time(context);
    fed.mapping.state = next_state(fed.mapping.state, fed.desired_state() == shapes::RequestedPipeState::kRunning);
    save_pipe(txn, fed);
    co_return answer_of<shapes::UpdatePipeOutput>(fed, shapes::PipeState::kUpdating);
  });
}

}  // namespace tidemill::pipes
