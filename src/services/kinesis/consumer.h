// Consumers: those who may subscribe to the shards of a stream (enhanced fan-out). In the store: KeySpace::resource,
// (account, region, "kinesis", "consumer", stream name, consumer name).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "services/kinesis/stream.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::kinesis {

inline constexpr size_t kConsumersMax = 20;  // of a stream

struct Consumer {
  ConsumerAddress address;
  base::Time created;
  std::map<std::string, std::string> tags;
};

[[nodiscard]] std::string consumer_key(const StreamAddress& stream, std::string_view name);
// Those of a stream, by name.
[[nodiscard]] store::Range consumers_range(const StreamAddress& stream);

// Signalled when the consumer is deregistered.
[[nodiscard]] std::string consumer_topic(const ConsumerAddress& address);

[[nodiscard]] std::string encode_consumer(const Consumer& consumer);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Consumer decode_consumer(const StreamAddress& stream, std::string_view key, std::string_view bytes);

// Those of a stream, by name.
Task<std::vector<Consumer>> load_consumers(store::Snapshot& reader, StreamAddress stream);
// Nothing if there is none.
Task<std::optional<Consumer>> find_consumer(store::Snapshot& reader, StreamAddress stream, std::string name);

// The consumer that a request means by its ARN. Throws InvalidArgumentException, and ResourceNotFoundException.
[[nodiscard]] ConsumerAddress resolve_consumer(const wire::Context& context, std::string_view arn);
// The same as it is now. Throws ResourceNotFoundException.
Task<Consumer> get_consumer(store::Snapshot& reader, ConsumerAddress address);

}  // namespace tidemill::kinesis
