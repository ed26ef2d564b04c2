#include "services/sqs/queue.h"

#include <openssl/rand.h>

#include "base/json_record.h"
#include "base/text.h"
#include "services/sqs/errors.h"
#include "services/sqs/queue_attributes.h"
#include "store/resources.h"

namespace tidemill::sqs {
namespace {

constexpr store::ResourceType kQueues{"sqs", "queue"};

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

std::string encode_queue(const Queue& queue) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_bytes(writer, "id", queue.id);
  json::write_member(writer, "created_us", queue.created);
  json::write_member(writer, "modified_us", queue.modified);
  if (queue.purged) json::write_member(writer, "purged_us", *queue.purged);
  json::write_member(writer, "attributes", queue.attributes);
  json::write_member(writer, "tags", queue.tags);
  writer.end_object();
  return out;
}

Queue decode_queue(QueueAddress address, std::string bytes) {
  const json::Record record("queue", bytes);
  Queue queue;
  queue.address = std::move(address);
  queue.id = record.bytes("id");
  if (queue.id.size() != kQueueIdSize) record.damaged("id");
  queue.created = record.time("created_us");
  queue.modified = record.time("modified_us");
  queue.purged = record.find_time("purged_us");
  queue.attributes = record.map("attributes");
  queue.tags = record.map("tags");
  queue.settings = settings_of(queue.attributes);
  queue.encoded = std::move(bytes);
  return queue;
}

std::string queue_made_topic(const QueueAddress& address) { return base::cat("sqs-made/", address.arn()); }

std::string queue_topic(std::string_view queue_id) { return base::cat("sqs/", queue_id); }

std::string queue_later_topic(std::string_view queue_id) { return base::cat("sqs-later/", queue_id); }

Task<QueuePtr> QueueCache::find(store::Snapshot& reader, QueueAddress address) {
  std::string key = queue_key(address);
  std::optional<std::string> bytes = co_await reader.get(key);
  if (!bytes) co_return nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = queues_.find(key);
    if (found != queues_.end() && found->second->encoded == *bytes) co_return found->second;
  }
  auto queue = std::make_shared<const Queue>(decode_queue(std::move(address), *std::move(bytes)));
  const std::lock_guard lock(mutex_);
  if (queues_.size() >= kQueuesMax) queues_.clear();
  queues_.insert_or_assign(std::move(key), queue);
  co_return queue;
}

Task<QueuePtr> QueueCache::get(store::Snapshot& reader, QueueAddress address) {
  QueuePtr queue = co_await find(reader, std::move(address));
  if (!queue) throw queue_does_not_exist();
  co_return queue;
}

}  // namespace tidemill::sqs
