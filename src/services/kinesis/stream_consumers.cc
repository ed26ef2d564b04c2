// RegisterStreamConsumer, DescribeStreamConsumer, ListStreamConsumers and DeregisterStreamConsumer. A consumer can be
// used at once; the answer to its registration says CREATING, as on AWS, and a description then ACTIVE.
#include <algorithm>

#include "base/text.h"
#include "services/kinesis/consumer.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/paging_token.h"
#include "services/kinesis/policy.h"
#include "services/kinesis/stream_description.h"
#include "services/kinesis/tags.h"

namespace tidemill::kinesis {
namespace {

using base::cat;

constexpr int kConsumersPerPageMax = 100;
constexpr std::string_view kTokenName = "ListStreamConsumers";

shapes::Consumer describe(const Consumer& consumer, std::string_view status) {
  return {.consumer_name = consumer.address.name,
          .consumer_arn = consumer.address.arn(),
          .consumer_status = std::string(status),
          .consumer_creation_timestamp = std::chrono::floor<std::chrono::seconds>(consumer.created)};
}

// By its ARN, or by its stream's and its name. Throws InvalidArgumentException, ResourceNotFoundException.
template <class Request>
Task<Consumer> requested_consumer(Service& service, const wire::Context& context, store::Snapshot& reader,
                                  const Request& request) {
  if (request.consumer_arn) {
    const ConsumerAddress address = resolve_consumer(context, *request.consumer_arn);
    if ((request.consumer_name && *request.consumer_name != address.name) ||
        (request.stream_arn && *request.stream_arn != address.stream.arn())) {
      throw invalid_argument("ConsumerARN does not agree with StreamARN and ConsumerName.");
    }
    (void)co_await service.streams().get(reader, address.stream);
    co_return co_await get_consumer(reader, address);
  }
  if (!request.consumer_name || !request.stream_arn) {
    throw invalid_argument("Either ConsumerARN or both StreamARN and ConsumerName must be provided.");
  }
  const StreamAddress stream = resolve_stream(context, std::nullopt, request.stream_arn);
  (void)co_await service.streams().get(reader, stream);
  auto consumer = co_await find_consumer(reader, stream, *request.consumer_name);
  if (!consumer) throw consumer_not_found(*request.consumer_name, stream);
  co_return *std::move(consumer);
}

}  // namespace

Task<shapes::RegisterStreamConsumerOutput> register_stream_consumer(
    Service& service, wire::Context& context, const shapes::RegisterStreamConsumerInput& request) {
  const StreamAddress stream = resolve_stream(context, std::nullopt, request.stream_arn);
  Consumer consumer{.address = {.stream = stream, .name = request.consumer_name}, .created = context.now()};
  consumer.address.created_seconds =
      std::chrono::floor<std::chrono::seconds>(consumer.created).time_since_epoch().count();
  if (request.tags) add_tags(consumer.tags, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    (void)co_await service.streams().get(txn, stream);
    const auto existing = co_await load_consumers(txn, stream);
    const auto same_name = [&](const Consumer& other) { return other.address.name == consumer.address.name; };
    if (std::ranges::any_of(existing, same_name)) {
      throw errors::resource_in_use_exception(cat("Consumer ", consumer.address.name, " under stream ", stream.name,
                                                  " under account ", stream.account, " already exists."));
    }
    if (existing.size() >= kConsumersMax) {
      throw limit_exceeded(cat("Stream ", stream.name, " under account ", stream.account, " has ", existing.size(),
                               " registered consumers already, which is the limit."));
    }
    txn.put(consumer_key(stream, consumer.address.name), encode_consumer(consumer));
  });
  co_return shapes::RegisterStreamConsumerOutput{.consumer = describe(consumer, shapes::ConsumerStatus::kCreating)};
}

Task<shapes::DescribeStreamConsumerOutput> describe_stream_consumer(
    Service& service, wire::Context& context, const shapes::DescribeStreamConsumerInput& request) {
  const auto snapshot = service.store().snapshot();
  const Consumer consumer = co_await requested_consumer(service, context, *snapshot, request);
  shapes::Consumer described = describe(consumer, shapes::ConsumerStatus::kActive);
  co_return shapes::DescribeStreamConsumerOutput{
      .consumer_description = {.consumer_name = std::move(described.consumer_name),
                               .consumer_arn = std::move(described.consumer_arn),
                               .consumer_status = std::move(described.consumer_status),
                               .consumer_creation_timestamp = described.consumer_creation_timestamp,
                               .stream_arn = consumer.address.stream.arn()}};
}

Task<shapes::ListStreamConsumersOutput> list_stream_consumers(Service& service, wire::Context& context,
                                                              const shapes::ListStreamConsumersInput& request) {
  const StreamAddress address = resolve_stream(context, std::nullopt, request.stream_arn);
  std::string after;
  if (request.next_token) after = read_token(context, kTokenName, *request.next_token, 1).front();
  const auto snapshot = service.store().snapshot();
  const StreamPtr stream = co_await service.streams().get(*snapshot, address);
  if (request.stream_creation_timestamp &&
      std::chrono::floor<std::chrono::seconds>(*request.stream_creation_timestamp) != creation_time(*stream)) {
    throw stream_not_found(address);
  }
  const auto limit =
      static_cast<size_t>(std::min(request.max_results.value_or(kConsumersPerPageMax), kConsumersPerPageMax));
  shapes::ListStreamConsumersOutput out;
  auto& consumers = out.consumers.emplace();
  for (const Consumer& consumer : co_await load_consumers(*snapshot, address)) {
    if (consumer.address.name <= after) continue;
    if (consumers.size() == limit) {
      out.next_token = make_token(context, kTokenName, {consumers.back().consumer_name});
      break;
    }
    consumers.push_back(describe(consumer, shapes::ConsumerStatus::kActive));
  }
  co_return out;
}

Task<shapes::DeregisterStreamConsumerOutput> deregister_stream_consumer(
    Service& service, wire::Context& context, const shapes::DeregisterStreamConsumerInput& request) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const Consumer consumer = co_await requested_consumer(service, context, txn, request);
    const ConsumerAddress& address = consumer.address;
    txn.erase(consumer_key(address.stream, address.name));
    txn.erase(policy_key(address.stream, address.name));
    txn.signal(consumer_topic(address));
  });
  co_return shapes::DeregisterStreamConsumerOutput{};
}

}  // namespace tidemill::kinesis
