#include "services/kinesis/consumer.h"

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/kinesis/errors.h"
#include "store/resources.h"

namespace tidemill::kinesis {
namespace {

std::string consumers_prefix(const StreamAddress& stream) {
  return store::resource_key({"kinesis", "consumer"}, stream.account, stream.region, stream.name);
}

int64_t seconds_of(base::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

constexpr auto kConsumerMembers = [](auto& member, auto& consumer) {
  member("created_us", consumer.created);
  member("tags", consumer.tags);
};

}  // namespace

std::string consumer_key(const StreamAddress& stream, std::string_view name) {
  std::string key = consumers_prefix(stream);
  base::append_string(key, name);
  return key;
}

store::Range consumers_range(const StreamAddress& stream) { return store::Range::prefix(consumers_prefix(stream)); }

std::string consumer_topic(const ConsumerAddress& address) { return "kinesis-consumer/" + address.arn(); }

std::string encode_consumer(const Consumer& consumer) { return json::encode(consumer, kConsumerMembers); }

Consumer decode_consumer(const StreamAddress& stream, std::string_view key, std::string_view bytes) {
  base::OrderedReader reader(key.substr(consumers_prefix(stream).size()));
  Consumer consumer = json::decode("consumer", bytes, kConsumerMembers,
                                   Consumer{.address = {.stream = stream, .name = reader.string()}});
  consumer.address.created_seconds = seconds_of(consumer.created);
  return consumer;
}

Task<std::vector<Consumer>> load_consumers(store::Snapshot& reader, StreamAddress stream) {
  std::vector<Consumer> result;
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view value) {
    result.push_back(decode_consumer(stream, key, value));
    return true;
  };
  const store::Range range = consumers_range(stream);
  co_await reader.scan(range, store::Direction::forward, visit);
  co_return result;
}

Task<std::optional<Consumer>> find_consumer(store::Snapshot& reader, StreamAddress stream, std::string name) {
  const std::string key = consumer_key(stream, name);
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return std::nullopt;
  co_return decode_consumer(stream, key, *bytes);
}

ConsumerAddress resolve_consumer(const wire::Context& context, std::string_view arn) {
  auto address = parse_consumer_arn(arn);
  if (!address) throw invalid_argument(base::cat("ConsumerARN ", arn, " is not the ARN of a consumer."));
  if (address->stream.account != context.account || address->stream.region != context.region) {
    throw consumer_not_found(address->name, address->stream);
  }
  return *std::move(address);
}

Task<Consumer> get_consumer(store::Snapshot& reader, ConsumerAddress address) {
  auto consumer = co_await find_consumer(reader, address.stream, address.name);
  if (!consumer || consumer->address.created_seconds != address.created_seconds) {
    throw consumer_not_found(address.name, address.stream);
  }
  co_return *std::move(consumer);
}

}  // namespace tidemill::kinesis
