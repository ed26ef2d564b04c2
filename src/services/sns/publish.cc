// Publishes one message, or up to ten in one commit. When it is acknowledged, the message and all that it takes to deliver
// it are durable. A FIFO topic's duplicate is answered as its original was.
#include <algorithm>
#include <memory>
#include <set>

#include "base/text.h"
#include "services/sns/backoff.h"
#include "services/sns/encryption.h"
#include "services/sns/errors.h"
#include "services/sns/fifo.h"
#include "services/sns/filtering.h"
#include "services/sns/new_message.h"
#include "services/sns/operations.h"
#include "services/sns/topic_metrics.h"
#include "wire/faults.h"

namespace tidemill::sns {
namespace {

constexpr size_t kBatchEntriesMax = 10;
constexpr size_t kBatchIdSizeMax = 80;
constexpr size_t kBatchBytesMax = 256 << 10;
constexpr int kServerFault = 500;
constexpr std::string_view kPlatformEndpoint = ":endpoint/";

struct Published {
  std::string message_id;
  std::optional<std::string> sequence_number;
  Receivers receivers;  // of a duplicate: none
};

// Within the transaction that is running.
Task<Published> publish_one(store::Transaction& txn, Service& service, const Topic& topic,
                            const std::vector<SubscriptionPtr>& subscriptions, Message& message, base::Time now) {
  if (topic.is_fifo()) {
    if (const auto duplicate = co_await find_duplicate(txn, topic, message, now)) {
      co_return Published{duplicate->message_id, sequence_text(duplicate->sequence)};
    }
    message.sequence = co_await next_sequence(txn, topic);
    co_await remember(txn, topic, message, now);
  }
  if (topic.backoff && !co_await passes_backoff(txn, topic, message, now)) co_return Published{message.id, {}, {}};
  Receivers receivers = co_await receivers_of(message, subscriptions);
  co_await service.sending().enqueue(txn, topic, message, receivers.subscriptions, now);
  co_return Published{message.id, topic.is_fifo() ? std::optional(sequence_text(message.sequence)) : std::nullopt,
                      std::move(receivers)};
}

double bytes_of(const Message& message) {
  size_t bytes = 0;
  for (const auto& [protocol, text] : message.texts) bytes += text.size();
  for (const MessageAttribute& attribute : message.attributes) {
    bytes += attribute.name.size() + attribute.type.size() + attribute.value.size();
  }
  return static_cast<double>(bytes);
}

void measure(const wire::Platform& platform, const TopicAddress& topic, const std::vector<Message>& messages,
             const std::vector<Published>& published) {
  const auto add = [&](const wire::PlatformMetric& metric, double value) {
    if (value > 0) measure_topic(platform, topic, metric, value);
  };
  measure_topic(platform, topic, kMessagesPublished, 1, static_cast<double>(messages.size()));
  for (const Message& message : messages) add(kPublishSize, bytes_of(message));
  for (const Published& one : published) {
    const auto by_attributes = static_cast<double>(one.receivers.filtered_by_attributes);
    const auto without_attributes = static_cast<double>(one.receivers.filtered_without_attributes);
    const auto by_body = static_cast<double>(one.receivers.filtered_by_body);
    const auto invalid_body = static_cast<double>(one.receivers.filtered_invalid_body);
    add(kFilteredOut, by_attributes + without_attributes + by_body + invalid_body);
    add(kFilteredByAttributes, by_attributes);
    add(kFilteredWithoutAttributes, without_attributes);
    add(kFilteredByBody, by_body);
    add(kFilteredInvalidBody, invalid_body);
  }
}

// What one request publishes; carried out by it, or by another that publishes to the same topic in turn.
struct PublishJob final : store::WriteQueue::Job {
  explicit PublishJob(std::vector<Message> all) : messages(std::move(all)) {}

  std::vector<Message> messages;
  std::vector<Published> published;
  bool is_done = false;  // durable
  std::exception_ptr error;
};

// All jobs in one transaction.
Task<void> carry_out(Service& service, const TopicAddress& address, const std::vector<store::WriteQueue::JobPtr>& jobs) {
  const base::Time now = service.clock().now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Topic topic = co_await load_topic(txn, address);
    const auto subscriptions = co_await service.subscriptions().of_topic(txn, address);
    for (const auto& each : jobs) {
      auto& job = static_cast<PublishJob&>(*each);
      job.published.clear();
      for (Message& message : job.messages) {
        job.published.push_back(co_await publish_one(txn, service, topic, subscriptions, message, now));
      }
    }
  });
}

// The numbers of a FIFO topic's messages come from one counter, and what is held back goes by what came before: the
// publishers take turns, and those that wait share a commit, instead of losing races for it.
Task<void> publish_in_turn(Service& service, const TopicAddress& address, std::shared_ptr<PublishJob> job) {
  store::WriteQueue::Turn turn = co_await service.publishers_in_turn().enter(address.arn(), job);
  if (!turn.mine()) co_return;
  std::exception_ptr error;
  try {
    co_await carry_out(service, address, turn.jobs());
  } catch (...) {
    error = std::current_exception();
  }
  for (const auto& each : turn.jobs()) {
    auto& done = static_cast<PublishJob&>(*each);
    done.is_done = !error;
    done.error = error;
  }
  turn.finish();
}

Task<std::vector<Published>> publish_all(Service& service, const Topic& topic, std::vector<Message> messages) {
  const TopicAddress address = topic.address;
  const auto job = std::make_shared<PublishJob>(std::move(messages));
  if (topic.is_fifo() || topic.backoff) {
    co_await publish_in_turn(service, address, job);
    if (job->error) std::rethrow_exception(job->error);
    // Whoever was to carry it out has been given up.
    if (!job->is_done) throw store::Overloaded("the request that published for others has ended");
  } else {
    co_await carry_out(service, address, {job});
  }
  measure(service.platform(), address, job->messages, job->published);
  co_return std::move(job->published);
}

TopicAddress target_of(const wire::Context& context, const shapes::PublishInput& request) {
  if (request.topic_arn) return topic_of(context, *request.topic_arn);
  if (!request.target_arn || request.target_arn->empty()) {
    throw invalid_parameter("TopicArn or TargetArn Reason: no value for required parameter");
  }
  if (request.target_arn->find(kPlatformEndpoint) != std::string::npos) {
    throw not_supported("mobile push notifications: TargetArn must be a topic");
  }
  if (!parse_topic_arn(*request.target_arn)) throw invalid_parameter("TargetArn");
  return topic_of(context, *request.target_arn);
}

void check_batch_id(const std::string& id) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (id.size() > kBatchIdSizeMax) {
    throw errors::invalid_batch_entry_id_exception(base::cat("The Id of a batch entry in the batch request is too long: ", id));
  }
  if (!std::ranges::all_of(id, is_allowed)) {
    throw errors::invalid_batch_entry_id_exception(
        base::cat("The Id of a batch entry in the batch request contains an impermissible character: ", id));
  }
  if (id.empty()) {
    throw errors::invalid_batch_entry_id_exception(
        "The Id of a batch entry in a batch request doesn't abide by the specification.");
  }
}

void check_batch(const std::vector<shapes::PublishBatchRequestEntry>& entries) {
  if (entries.empty()) {
    throw errors::empty_batch_request_exception("The batch request doesn't contain any entries.");
  }
  if (entries.size() > kBatchEntriesMax) {
    throw errors::too_many_entries_in_batch_request_exception(
        "The batch request contains more entries than permissible.");
  }
  std::set<std::string_view> ids;
  size_t bytes = 0;
  for (const auto& entry : entries) {
    check_batch_id(entry.id);
    if (!ids.insert(entry.id).second) {
      throw errors::batch_entry_ids_not_distinct_exception(
          "Two or more batch entries in the request have the same Id.");
    }
    bytes += size_of(fields_of(entry));
  }
  if (bytes > kBatchBytesMax) {
    throw errors::batch_request_too_long_exception(
        "The length of all the messages put together is more than the limit.");
  }
}

shapes::BatchResultErrorEntry failed_entry(const std::string& id, const wire::Error& error) {
  return {.id = id,
          .code = error.query_code.empty() ? error.code : error.query_code,
          .message = error.message,
          .sender_fault = error.http_status < kServerFault};
}

}  // namespace

Task<shapes::PublishOutput> publish(Service& service, wire::Context& context, const shapes::PublishInput& request) {
  const TopicAddress address = target_of(context, request);
  const auto snapshot = service.store().snapshot();
  const Topic topic = co_await load_topic(*snapshot, address);
  std::vector<Message> messages;
  messages.push_back(new_message(topic, fields_of(request), context.now()));
  messages.back().trace_header = context.trace_header;
  co_await choose_sealing(service.sending().data_keys(), context, topic, messages);
  Published published = (co_await publish_all(service, topic, std::move(messages))).front();
  co_return shapes::PublishOutput{.message_id = std::move(published.message_id),
                                  .sequence_number = std::move(published.sequence_number)};
}

Task<shapes::PublishBatchOutput> publish_batch(Service& service, wire::Context& context,
                                               const shapes::PublishBatchInput& request) {
  const TopicAddress address = topic_of(context, request.topic_arn);
  const auto snapshot = service.store().snapshot();
  const Topic topic = co_await load_topic(*snapshot, address);
  check_batch(request.publish_batch_request_entries);
  shapes::PublishBatchOutput out;
  out.successful.emplace();
  out.failed.emplace();
  std::vector<Message> messages;
  std::vector<std::string> ids;
  wire::EntryFaults faults(context, "sns", "PublishBatch");
  for (const auto& entry : request.publish_batch_request_entries) {
    try {
      if (auto fault = faults.next("InternalError")) throw wire::Error(fault->code, kServerFault, fault->message);
      messages.push_back(new_message(topic, fields_of(entry), context.now()));
      messages.back().trace_header = context.trace_header;
      ids.push_back(entry.id);
    } catch (const BatchError&) {
      throw;
    } catch (const wire::Error& error) {
      out.failed->push_back(failed_entry(entry.id, error));
    }
  }
  if (messages.empty()) co_return out;
  co_await choose_sealing(service.sending().data_keys(), context, topic, messages);
  const std::vector<Published> published = co_await publish_all(service, topic, std::move(messages));
  for (size_t i = 0; i < published.size(); ++i) {
    out.successful->push_back({.id = ids[i],
                               .message_id = published[i].message_id,
                               .sequence_number = published[i].sequence_number});
  }
  co_return out;
}

}  // namespace tidemill::sns
