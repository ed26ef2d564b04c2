// SignalResource, to what waits for signals because of its CreationPolicy.
#include "base/text.h"
#include "services/cloudformation/answers.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/resource.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

Task<shapes::SignalResourceOutput> signal_resource(Service& service, wire::Context& context,
                                                   const shapes::SignalResourceInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Stack stack = co_await require_stack_in_brackets(txn, context, request.stack_name);
    if (stack.status != status::kCreating && stack.status != status::kUpdating) {
      throw errors::validation_error(
          cat("Stack:", stack.id.arn(), " is in ", stack.status, " state and can not be signaled."));
    }
    const auto resource = co_await find_resource(txn, stack.id, request.logical_resource_id);
    if (!resource) {
      throw errors::validation_error(
          cat("Resource ", request.logical_resource_id, " does not exist for stack ", stack.id.name));
    }
    const bool waits = resource->status == "CREATE_IN_PROGRESS" || resource->status == "UPDATE_IN_PROGRESS";
    if (!waits || resource->creation_policy.is_null()) {
      throw errors::validation_error(
          cat("Resource ", request.logical_resource_id, " is in ", resource->status, " state and can not be signaled."));
    }
    const bool is_kept = co_await put_answer(
        txn, stack.place(), signal_token(stack.id.arn(), resource->logical_id, resource->operation),
        json::write(json::Object{{"Status", request.status}, {"UniqueId", request.unique_id}}));
    if (is_kept) co_return;
    throw errors::validation_error(
        cat("Resource ", request.logical_resource_id, " has been sent ", kAnswersMax, " signals already."));
  });
  co_return shapes::SignalResourceOutput();
}

}  // namespace tidemill::cloudformation
