// Sends one message, or up to ten in one commit. A FIFO queue's duplicate is answered as its original was.
#include "services/sqs/batch.h"
#include "services/sqs/encryption.h"
#include "services/sqs/new_message.h"
#include "services/sqs/operations.h"
#include "services/sqs/queue_metrics.h"
#include "wire/large_work.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kEntryName = "SendMessageBatchRequestEntry";
constexpr size_t kBatchBytesMax = 1 << 20;

Task<std::vector<Sent>> send(Service& service, const wire::Context& context, QueueAddress address,
                             const std::vector<NewMessage>& messages) {
  co_return co_await service.change(
      context.store(), std::move(address),
      [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<std::vector<Sent>> {
        return service.messages().send(txn, queue, messages, now);
      });
}

void measure_sent(const wire::Context& context, const Queue& queue, const std::vector<NewMessage>& messages) {
  measure(context, kMessagesSent, queue.address.name, 1, static_cast<double>(messages.size()));
  for (const NewMessage& message : messages) {
    measure(context, kSentMessageSize, queue.address.name, static_cast<double>(message.bytes));
  }
}

// Looked through and hashed; a large one on a thread. All of it must stay until then.
Task<NewMessage> read(Service& service, const wire::Context& context, const Queue& queue, SendFields fields) {
  if (wire::is_for_thread(fields.body ? fields.body->size() : 0)) {
    co_return co_await service.large().run_joined([&] { return read_message(context, queue, fields); });
  }
  co_return read_message(context, queue, fields);
}

// Without the ids that its queue needs an entry fails the whole request.
void check_fifo_ids(const Queue& queue, const std::vector<shapes::SendMessageBatchRequestEntry>& entries) {
  if (!queue.is_fifo()) return;
  for (const auto& entry : entries) {
    if (!entry.message_group_id) {
      throw errors::invalid_parameter_value_exception("The request must contain the parameter MessageGroupId.");
    }
    if (!entry.message_deduplication_id && !queue.settings.content_based_deduplication) throw no_deduplication_id();
  }
}

}  // namespace

Task<shapes::SendMessageOutput> send_message(Service& service, wire::Context& context,
                                             const shapes::SendMessageInput& request) {
  const QueuePtr queue = co_await service.find_queue(parse_queue_url(context, request.queue_url));
  std::vector<NewMessage> messages;
  messages.push_back(co_await read(service, context, *queue, fields_of(request)));
  co_await seal_bodies(service, context, *queue, messages);
  const std::vector<Sent> sent = co_await send(service, context, queue->address, messages);
  measure_sent(context, *queue, messages);
  shapes::SendMessageOutput out;
  describe_sent(messages.front(), sent.front(), out);
  co_return out;
}

Task<shapes::SendMessageBatchOutput> send_message_batch(Service& service, wire::Context& context,
                                                        const shapes::SendMessageBatchInput& request) {
  const QueuePtr queue = co_await service.find_queue(parse_queue_url(context, request.queue_url));
  const auto& entries = checked_batch(request.entries, kEntryName);
  check_fifo_ids(*queue, entries);
  shapes::SendMessageBatchOutput out;
  std::vector<NewMessage> messages;
  std::vector<std::string> ids;
  wire::EntryFaults faults(context, "sqs", "SendMessageBatch");
  size_t bytes = 0;
  for (const auto& entry : entries) {
    bytes += entry.message_body.value_or("").size();
    try {
      meet(faults);
      messages.push_back(co_await read(service, context, *queue, fields_of(entry)));
      ids.push_back(*entry.id);
      bytes += size_of(messages.back().message.attributes);
    } catch (const wire::Error& error) {
      add_failure(out, *entry.id, error);
    }
  }
  if (bytes > kBatchBytesMax) {
    throw errors::batch_request_too_long(
        base::cat("Batch requests cannot be longer than ", kBatchBytesMax, " bytes. You have sent ", bytes, " bytes."));
  }
  if (messages.empty()) co_return out;
  co_await seal_bodies(service, context, *queue, messages);
  const std::vector<Sent> sent = co_await send(service, context, queue->address, messages);
  measure_sent(context, *queue, messages);
  for (size_t i = 0; i < messages.size(); ++i) {
    shapes::SendMessageBatchResultEntry result{.id = ids[i]};
    describe_sent(messages[i], sent[i], result);
    add_success(out, std::move(result));
  }
  co_return out;
}

}  // namespace tidemill::sqs
