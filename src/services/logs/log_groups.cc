// Makes and deletes groups.
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/retention.h"
#include "services/logs/tags.h"
#include "store/queue.h"

namespace tidemill::logs {

Task<shapes::CreateLogGroupOutput> create_log_group(Service& service, wire::Context& context,
                                                    const shapes::CreateLogGroupInput& request) {
  LogGroup group{.address = group_called(context, request.log_group_name), .id = new_id(), .created = context.now()};
  if (request.tags) group.tags = with_tags({}, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const std::string key = group_key(group.address);
    if (co_await txn.get(key)) {
      throw errors::resource_already_exists_exception("The specified log group already exists");
    }
    txn.put(key, encode_group(group));
  });
  co_return shapes::CreateLogGroupOutput{};
}

Task<shapes::DeleteLogGroupOutput> delete_log_group(Service& service, wire::Context& context,
                                                    const shapes::DeleteLogGroupInput& request) {
  const store::ResourceAddress address = group_called(context, request.log_group_name);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const LogGroupPtr group = co_await service.groups().get(txn, address);
    co_await stop_retention(txn, *group);
    txn.erase_range(contents_range(group->id));
    txn.erase_range(store::Queue::floors(contents_range(group->id).begin));
    txn.erase(group_key(address));
  });
  co_return shapes::DeleteLogGroupOutput{};
}

}  // namespace tidemill::logs
