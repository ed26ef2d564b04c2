// StartPipe and StopPipe. A pipe goes on where it stopped; stopping waits for the batches that are under way.
#include "base/text.h"
#include "services/pipes/changes.h"
#include "services/pipes/errors.h"
#include "services/pipes/operations.h"

namespace tidemill::pipes {
namespace {

using base::cat;
using engine::MappingState;
namespace states = shapes::PipeState;

// Throws ConflictException.
void require_state(const FedPipe& fed, std::string_view wanted, std::string_view or_else) {
  const std::string_view now = fed.state();
  if (now == wanted || now == or_else) return;
  throw conflict(fed.pipe.address.name, cat("is in the state ", now, ", and not ", wanted, "."));
}

void change(store::Transaction& txn, const wire::Context& context, FedPipe& fed, MappingState state,
            std::string_view desired) {
  fed.mapping.state = state;
  fed.pipe.settings.desired_state = desired;
  fed.pipe.modified = fed.mapping.last_modified = modification_time(context);
  save_pipe(txn, fed);
}

}  // namespace

Task<shapes::StartPipeOutput> start_pipe(Service& service, wire::Context& context,
                                         const shapes::StartPipeInput& request) {
  const PipeAddress address = address_of(context, request.name);
  const FedPipe known = co_await load_pipe(*service.store().snapshot(), address);
  require_state(known, states::kStopped, states::kStartFailed);
  const std::string reason = co_await obstacle(service, context, known.pipe.settings);
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<shapes::StartPipeOutput> {
    FedPipe fed = co_await load_pipe(txn, address);
    require_state(fed, states::kStopped, states::kStartFailed);
    fed.pipe.failed_state = reason.empty() ? "" : states::kStartFailed;
    fed.pipe.failure = reason;
    const MappingState next = reason.empty() ? MappingState::enabling : fed.mapping.state;
    change(txn, context, fed, next, shapes::RequestedPipeState::kRunning);
    co_return answer_of<shapes::StartPipeOutput>(fed, states::kStarting);
  });
}

Task<shapes::StopPipeOutput> stop_pipe(Service& service, wire::Context& context, const shapes::StopPipeInput& request) {
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<shapes::StopPipeOutput> {
    FedPipe fed = co_await load_pipe(txn, address_of(context, request.name));
    require_state(fed, states::kRunning, states::kRunning);
    change(txn, context, fed, MappingState::disabling, shapes::RequestedPipeState::kStopped);
    co_return answer_of<shapes::StopPipeOutput>(fed, states::kStopping);
  });
}

}  // namespace tidemill::pipes
