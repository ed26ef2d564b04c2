#include "services/sqs/queue_source.h"

#include <set>
#include <utility>

#include "base/log.h"
#include "engine/mappings/mapping_rights.h"
#include "engine/targets/internal_call.h"
#include "services/sqs/encryption.h"
#include "services/sqs/errors.h"
#include "services/sqs/lambda_event.h"
#include "services/sqs/queue_metrics.h"
#include "services/sqs/receipt.h"

namespace tidemill::sqs {
namespace {

// Nothing: there is no such queue.
Task<QueuePtr> find_queue(Service& service, std::string arn) {
  auto address = parse_queue_arn(arn);
  if (!address) co_return nullptr;
  const auto snapshot = service.store().snapshot();
  co_return co_await service.queues().find(*snapshot, *std::move(address));
}

engine::ReceivedMessage describe(const Queue& queue, const Taken& taken) {
  engine::ReceivedMessage message;
  message.message_id = taken.message.id;
  message.receipt = make_receipt_handle(queue, taken.position, taken.record.state.receives, taken.message.group);
  if (queue.is_fifo()) message.group = taken.message.group;
  message.event_json = lambda_event_json(queue, taken, message.receipt);
  message.received = taken.record.state.last_received;
  message.visible_again = taken.record.state.available;
  return message;
}

void count(wire::PlatformMetrics* usage, const wire::PlatformMetric& metric, const QueueAddress& queue, size_t messages) {
  if (!usage || messages == 0) return;
  usage->add(metric, queue.account, queue.region, queue.name, 1, static_cast<double>(messages));
}

class Reader final : public engine::QueueReader {
 public:
  Reader(Service& service, wire::PlatformMetrics* usage, wire::Platform* platform, std::string arn)
      : service_(service), usage_(usage), platform_(platform), arn_(std::move(arn)) {}

  Task<std::optional<std::vector<engine::ReceivedMessage>>> receive(engine::QueueWish wish) override {
    Receive request{.wanted = {.count = wish.count_max,
                               .choose_visibility = std::move(wish.visibility),
                               .groups = wish.groups_max,
                               .per_group = wish.per_group_max},
                    .deadline = wish.until.value_or(base::Time::max())};
    interrupted_ = request.interrupted = std::make_shared<std::atomic<bool>>(false);
    signal_ = request.signal;
    target_arn_ = std::move(wish.target_arn);
    const QueuePtr queue = co_await find_queue(service_, arn_);
    if (!queue) co_return std::nullopt;
    std::vector<engine::ReceivedMessage> messages;
    try {
      const auto receiver = service_.receivers().of(*queue);
      // Behind one that does not open nobody of its group may pass.
      std::set<std::string> closed;
      for (Taken& taken : co_await receiver->receive(std::move(request))) {
        if (closed.contains(taken.message.group)) continue;
        if (co_await open(*queue, taken.message))
          messages.push_back(describe(*queue, taken));
        else if (queue->is_fifo())
          closed.insert(taken.message.group);
      }
    } catch (const wire::Error& error) {
      // The queue was deleted meanwhile; or too many messages are in flight, at the end of a wait.
      if (error.code == queue_does_not_exist().code) co_return std::nullopt;
      if (error.code != over_limit().code) throw;
    }
    count(usage_, kMessagesReceived, queue->address, messages.size());
    co_return messages;
  }

  void interrupt() override {
    if (!interrupted_) return;
    interrupted_->store(true, std::memory_order_relaxed);
    signal_.signal();
  }

 private:
  // False: its key does not open it now. It comes again after its timeout, rather than at once and without end.
  Task<bool> open(const Queue& queue, Message& message) {
    if (message.envelope.empty()) co_return true;
    if (!platform_) throw std::logic_error("a message is encrypted, and nobody opens it");
    try {
      auto reader = co_await engine::acting_for(*platform_, "", target_arn_);
      if (!reader) co_return false;  // nobody is there to whom it could be given
      const wire::Context context = engine::internal_context(*platform_, arn_, *std::move(reader));
      co_await open_body(service_, context, queue, message);
      co_return true;
    } catch (const wire::Error& error) {
      base::log_warning("a mapping cannot open a message", {{"queue", arn_}, {"error", error.message}});
      co_return false;
    }
  }

  Service& service_;
  wire::PlatformMetrics* usage_;
  wire::Platform* platform_;
  const std::string arn_;
  // Of the receive under way.
  std::string target_arn_;
  std::shared_ptr<std::atomic<bool>> interrupted_;
  base::Signal signal_;
};

}  // namespace

bool SqsQueueSource::owns(std::string_view arn) const { return parse_queue_arn(arn).has_value(); }

Task<std::optional<engine::QueueProperties>> SqsQueueSource::describe(std::string arn) {
  const QueuePtr queue = co_await find_queue(service_, std::move(arn));
  if (!queue) co_return std::nullopt;
  co_return engine::QueueProperties{.is_fifo = queue->is_fifo(), .visibility = queue->settings.visibility};
}

std::unique_ptr<engine::QueueReader> SqsQueueSource::read(std::string arn) {
  return std::make_unique<Reader>(service_, usage_, platform_, std::move(arn));
}

Task<size_t> SqsQueueSource::remove(std::string arn, std::vector<std::string> receipts) {
  size_t removed = 0;
  const auto address = parse_queue_arn(arn);
  co_await change(std::move(arn), [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<void> {
    removed = 0;
    for (const std::string& receipt : receipts) {
      try {
        co_await service_.messages().remove(txn, queue, parse_receipt_handle(queue, receipt), now);
        ++removed;
      } catch (const wire::Error&) {
        // Out of date, or of a queue that was there before: the message is another's by now.
      }
    }
  });
  if (address) count(usage_, kMessagesDeleted, *address, removed);
  co_return removed;
}

Task<void> SqsQueueSource::hide(std::string arn, std::vector<std::string> receipts, std::chrono::seconds timeout) {
  co_await change(std::move(arn), [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<void> {
    for (const std::string& receipt : receipts) {
      try {
        co_await service_.messages().change_visibility(txn, queue, parse_receipt_handle(queue, receipt), timeout, now);
      } catch (const wire::Error&) {
        // It is not hidden by this receipt any more.
      }
    }
  });
}

// Nothing to do if the queue is gone.
template <class Body>
Task<void> SqsQueueSource::change(std::string arn, Body body) {
  auto address = parse_queue_arn(arn);
  if (!address) co_return;
  try {
    co_await service_.change(*std::move(address), std::move(body));
  } catch (const wire::Error& error) {
    if (error.code != queue_does_not_exist().code) throw;
  }
}

store::Subscription SqsQueueSource::watch(std::string_view arn, std::function<void()> made) {
  const auto address = parse_queue_arn(arn);
  if (!address) return {};
  return service_.store().subscribe(queue_made_topic(*address), std::move(made));
}

}  // namespace tidemill::sqs
