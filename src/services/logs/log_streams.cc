// Makes and deletes streams.
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/stream.h"
#include "services/logs/subscription_queue.h"

namespace tidemill::logs {

Task<shapes::CreateLogStreamOutput> create_log_stream(Service& service, wire::Context& context,
                                                      const shapes::CreateLogStreamInput& request) {
  const store::ResourceAddress address = group_called(context, request.log_group_name);
  const LogStream stream{.name = request.log_stream_name, .id = new_id(), .created = context.now()};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const LogGroupPtr group = co_await service.groups().get(txn, address);
    const std::string key = stream_key(group->id, stream.name);
    if (co_await txn.get(key)) {
      throw errors::resource_already_exists_exception("The specified log stream already exists");
    }
    txn.put(key, encode_stream(stream));
  });
  co_return shapes::CreateLogStreamOutput{};
}

Task<shapes::DeleteLogStreamOutput> delete_log_stream(Service& service, wire::Context& context,
                                                      const shapes::DeleteLogStreamInput& request) {
  const store::ResourceAddress address = group_called(context, request.log_group_name);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const LogGroupPtr group = co_await service.groups().get(txn, address);
    const LogStream stream = co_await get_stream(txn, *group, request.log_stream_name);
    // Writers of events read the stream's key, so nothing can come after this.
    txn.erase(stream_key(group->id, stream.name));
    txn.erase(totals_key(group->id, stream.id));
    txn.erase_range(events_range(group->id, stream.id));
    forget_floors(txn, *group, stream.id);
  });
  co_return shapes::DeleteLogStreamOutput{};
}

}  // namespace tidemill::logs
