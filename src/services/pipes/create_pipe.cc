// Makes a pipe and the mapping that feeds it. Where LATEST is gets decided here, so that what is written after the
// answer goes through the pipe.
#include "base/uuid.h"
#include "engine/mappings/starting_position.h"
#include "services/pipes/changes.h"
#include "services/pipes/errors.h"
#include "services/pipes/operations.h"
#include "services/pipes/source.h"
#include "services/pipes/tags.h"
#include "services/pipes/target.h"

namespace tidemill::pipes {
namespace {

using engine::MappingState;
namespace states = shapes::PipeState;

FedPipe pipe_of(Service& service, wire::Context& context, const shapes::CreatePipeInput& request) {
  FedPipe fed{.pipe = {.address = address_of(context, request.name), .settings = request}, .mapping = {}};
  shapes::CreatePipeInput& settings = fed.pipe.settings;
  settings.desired_state = settings.desired_state.value_or(std::string(shapes::RequestedPipeState::kRunning));
  complete_source(settings, batch_max(settings), context.now());
  if (!service.stream_of(settings.source) && !service.queue_of(settings.source)) {
    throw invalid("Source", "The ARN names no source.");
  }
  for (const std::string& end : {settings.source, settings.target}) check_region(context, end);
  check_enrichment(service.registry(), settings);
  check_target(service.registry(), settings);
  check_log(context, settings);
  if (settings.tags) check_tags(*settings.tags);
  fed.pipe.created = fed.pipe.modified = modification_time(context);
  fed.pipe.mapping_uuid = base::new_uuid();

  engine::Mapping& mapping = fed.mapping;
  mapping.uuid = fed.pipe.mapping_uuid;
  mapping.account = context.account;
  mapping.region = context.region;
  mapping.function_arn = fed.pipe.address.arn();
  mapping.owner_key = pipe_key(fed.pipe.address);
  mapping.last_modified = fed.pipe.modified;
  const bool runs = *settings.desired_state == shapes::RequestedPipeState::kRunning;
  mapping.state = runs ? MappingState::creating : MappingState::disabled;
  apply_source(settings, mapping);
  return fed;
}

Task<std::vector<engine::ShardCheckpoint>> starting_checkpoints(const Service& service,
                                                                const engine::Mapping& mapping) {
  engine::StreamSource* source = service.stream_of(mapping.event_source_arn);
  if (!source) co_return std::vector<engine::ShardCheckpoint>();  // queues know by themselves
  co_return co_await engine::starting_checkpoints(*source, mapping);
}

}  // namespace

Task<shapes::CreatePipeOutput> create_pipe(Service& service, wire::Context& context,
                                           const shapes::CreatePipeInput& request) {
  FedPipe fed = pipe_of(service, context, request);
  std::vector<engine::ShardCheckpoint> start;
  if (std::string reason = co_await obstacle(service, context, fed.pipe.settings); !reason.empty()) {
    fed.pipe.failed_state = states::kCreateFailed;
    fed.pipe.failure = std::move(reason);
    fed.mapping.state = MappingState::disabled;
  } else {
    start = co_await starting_checkpoints(service, fed.mapping);
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await find_pipe(txn, fed.pipe.address)) throw conflict(request.name, "already exists.");
    for (const auto& [shard, checkpoint] : start) {
      txn.put(engine::checkpoint_key(fed.mapping.uuid, shard), engine::encode_checkpoint(checkpoint));
    }
    save_pipe(txn, fed);
  });
  co_return answer_of<shapes::CreatePipeOutput>(fed, states::kCreating);
}

}  // namespace tidemill::pipes
