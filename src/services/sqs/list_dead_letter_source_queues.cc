// Lists the queues that give their messages up to this one.
#include "services/sqs/listing.h"
#include "services/sqs/operations.h"

namespace tidemill::sqs {

Task<shapes::ListDeadLetterSourceQueuesOutput> list_dead_letter_source_queues(
    Service& service, wire::Context& context, const shapes::ListDeadLetterSourceQueuesInput& request) {
  const QueuePtr target = co_await service.find_queue(parse_queue_url(context, request.queue_url));
  QueuePage page = co_await list_page(
      service, context, request.next_token, request.max_results,
      [&](const Queue& queue) { return queue.settings.redrive && queue.settings.redrive->target == target->address; });
  co_return shapes::ListDeadLetterSourceQueuesOutput{.queue_urls = std::move(page.urls),
                                                     .next_token = std::move(page.next_token)};
}

}  // namespace tidemill::sqs
