// The URL of a queue by its name. Accounts do not see each other's queues.
#include "services/sqs/errors.h"
#include "services/sqs/operations.h"

namespace tidemill::sqs {

Task<shapes::GetQueueUrlOutput> get_queue_url(Service& service, wire::Context& context,
                                              const shapes::GetQueueUrlInput& request) {
  const QueueAddress address{context.account, context.region, required(request.queue_name, "QueueName")};
  const auto& owner = request.queue_owner_aws_account_id;
  if (owner && !owner->empty() && *owner != context.account) throw queue_does_not_exist();
  const QueuePtr queue = co_await service.find_queue(address);
  co_return shapes::GetQueueUrlOutput{.queue_url = queue->address.url(context)};
}

}  // namespace tidemill::sqs
