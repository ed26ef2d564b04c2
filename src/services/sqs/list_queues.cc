// Lists the queues of an account's region, by name.
#include "services/sqs/listing.h"
#include "services/sqs/operations.h"

namespace tidemill::sqs {

Task<shapes::ListQueuesOutput> list_queues(Service& service, wire::Context& context,
                                           const shapes::ListQueuesInput& request) {
  const std::string prefix = request.queue_name_prefix.value_or("");
  QueuePage page = co_await list_page(service, context, request.next_token, request.max_results,
                                      [&](const Queue& queue) { return queue.address.name.starts_with(prefix); });
  shapes::ListQueuesOutput out;
  if (!page.urls.empty()) out.queue_urls = std::move(page.urls);
  out.next_token = std::move(page.next_token);
  co_return out;
}

}  // namespace tidemill::sqs
