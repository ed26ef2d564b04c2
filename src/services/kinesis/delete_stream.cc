// Deletes a stream with its records, and if that is wanted its consumers.
#include "base/text.h"
#include "services/kinesis/consumer.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/stream_changes.h"

namespace tidemill::kinesis {

Task<shapes::DeleteStreamOutput> delete_stream(Service& service, wire::Context& context,
                                               const shapes::DeleteStreamInput& request) {
  const StreamAddress address = stream_of(context, request);
  co_await service.change(address, [&](store::Transaction& txn, Stream& stream) -> Task<void> {
    const auto consumers = co_await load_consumers(txn, address);
    if (!consumers.empty() && !request.enforce_consumer_deletion.value_or(false)) {
      throw errors::resource_in_use_exception(
          base::cat("Stream ", address.name, " under account ", address.account, " has ", consumers.size(),
                    " registered consumers. Deregister them, or set EnforceConsumerDeletion."));
    }
    co_await begin_change(txn, stream, Status::deleting, context.now());
  });
  co_return shapes::DeleteStreamOutput{};
}

}  // namespace tidemill::kinesis
