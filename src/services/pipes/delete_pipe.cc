// Deletes a pipe: it shows as DELETING until nothing reads its source for it any more, and is then gone.
#include "services/pipes/changes.h"
#include "services/pipes/errors.h"
#include "services/pipes/operations.h"

namespace tidemill::pipes {

Task<shapes::DeletePipeOutput> delete_pipe(Service& service, wire::Context& context,
                                           const shapes::DeletePipeInput& request) {
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<shapes::DeletePipeOutput> {
    FedPipe fed = co_await load_pipe(txn, address_of(context, request.name));
    if (fed.mapping.state == engine::MappingState::deleting) throw conflict(request.name, "is being deleted.");
    fed.mapping.state = engine::MappingState::deleting;
    fed.pipe.modified = modification_time(context);
    save_pipe(txn, fed);
    co_return answer_of<shapes::DeletePipeOutput>(fed, shapes::PipeState::kDeleting);
  });
}

}  // namespace tidemill::pipes
