#include "services/sqs/queue.h"

#include <openssl/rand.h>

#include "base/json_members.h"
#include "base/text.h"
#include "services/sqs/errors.h"
#include "services/sqs/queue_attributes.h"
#include "store/resources.h"

namespace tidemill::sqs {
namespace {

constexpr store::ResourceType kQueues{"sqs", "queue"};

constexpr auto kQueueMembers = [](auto& member, auto& queue) {
  member.bytes("id", queue.id);
  member.check(queue.id.size() == kQueueIdSize, "id");
  member("created_us", queue.created);
  member("modified_us", queue.modified);
  member("purged_us", queue.purged);
  member("attributes", queue.attributes);
  member("tags", queue.tags);
};

}  // namespace

std::string new_queue_id() {
  std::string id(kQueueIdSize, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(id.data()), static_cast<int>(id.size())) != 1) {
    throw std::runtime_error("no random bytes");
  }
  return id;
}

std::string queue_key(const QueueAddress& address) {
  return store::resource_key(kQueues, address.account, address.region, address.name);
}

store::Range queues_range(std::string_view account, std::string_view region) {
  return store::resources_range(kQueues, account, region);
}

std::optional<QueueAddress> queue_of_key(std::string_view key) {
  auto found = store::resource_of_key(kQueues, key);
  if (!found) return std::nullopt;
  return QueueAddress{std::move(found->account), std::move(found->region), std::move(found->name)};
}

std::string encode_queue(const Queue& queue) { return json::encode(queue, kQueueMembers); }

Queue decode_queue(QueueAddress address, std::string_view bytes) {
  Queue queue = json::decode("queue", bytes, kQueueMembers, Queue{.address = std::move(address)});
  queue.settings = settings_of(queue.attributes);
  return queue;
}

std::string queue_made_topic(const QueueAddress& address) { return base::cat("sqs-made/", address.arn()); }

std::string queue_topic(std::string_view queue_id) { return base::cat("sqs/", queue_id); }

std::string queue_later_topic(std::string_view queue_id) { return base::cat("sqs-later/", queue_id); }

Task<QueuePtr> QueueCache::find(store::Snapshot& reader, QueueAddress address) {
  std::string key = queue_key(address);
  return queues_.find(reader, std::move(key), [address = std::move(address)](store::Remembered stored) {
    Queue queue = decode_queue(address, stored.value());
    queue.stored = std::move(stored);
    return std::make_shared<const Queue>(std::move(queue));
  });
}

Task<QueuePtr> QueueCache::get(store::Snapshot& reader, QueueAddress address) {
  QueuePtr queue = co_await find(reader, std::move(address));
  if (!queue) throw queue_does_not_exist();
  co_return queue;
}

}  // namespace tidemill::sqs
