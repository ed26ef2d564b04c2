#include "services/sqs/queue.h"

#include <openssl/rand.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/ordered.h"
#include "base/text.h"
#include "services/sqs/errors.h"
#include "services/sqs/queue_attributes.h"
#include "store/keys.h"

namespace tidemill::sqs {
namespace {

constexpr std::string_view kService = "sqs";
constexpr std::string_view kType = "queue";

std::string range_prefix(std::string_view account, std::string_view region) {
  std::string key(1, static_cast<char>(store::KeySpace::resource));
  base::append_string(key, account);
  base::append_string(key, region);
  base::append_string(key, kService);
  base::append_string(key, kType);
  return key;
}

void write_map(json::Writer& writer, std::string_view name, const std::map<std::string, std::string>& map) {
  writer.key(name);
  writer.begin_object();
  for (const auto& [key, value] : map) {
    writer.key(key);
    writer.string(value);
  }
  writer.end_object();
}

void write_time(json::Writer& writer, std::string_view name, base::Time time) {
  writer.key(name);
  writer.integer(time.time_since_epoch().count());
}

std::runtime_error damaged(std::string_view what) {
  return std::runtime_error(base::cat("a stored queue is damaged: ", what));
}

std::map<std::string, std::string> read_map(const json::Value& document, std::string_view name) {
  const json::Value* found = document.find(name);
  if (!found || !found->is_object()) throw damaged(name);
  std::map<std::string, std::string> result;
  for (const auto& [key, value] : found->object()) {
    if (!value.is_string()) throw damaged(name);
    result.emplace(key, value.string());
  }
  return result;
}

std::optional<base::Time> read_time(const json::Value& document, std::string_view name) {
  const json::Value* found = document.find(name);
  if (!found) return std::nullopt;
  const auto number = found->to_int64();
  if (!number) throw damaged(name);
  return base::Time(base::Duration(*number));
}

}  // namespace

std::string new_queue_id() {
  std::string id(kQueueIdSize, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(id.data()), static_cast<int>(id.size())) != 1) {
    throw std::runtime_error("no random bytes");
  }
  return id;
}

std::string queue_key(const QueueAddress& address) {
  std::string key = range_prefix(address.account, address.region);
  base::append_string(key, address.name);
  return key;
}

store::Range queues_range(std::string_view account, std::string_view region) {
  return store::Range::prefix(range_prefix(account, region));
}

std::optional<QueueAddress> queue_of_key(std::string_view key) {
  base::OrderedReader reader(key.substr(1));
  QueueAddress address;
  address.account = reader.string();
  address.region = reader.string();
  if (reader.string() != kService || reader.string() != kType) return std::nullopt;
  address.name = reader.string();
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return address;
}

std::string encode_queue(const Queue& queue) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("id");
  writer.string(base::base64_encode(queue.id));
  write_time(writer, "created_us", queue.created);
  write_time(writer, "modified_us", queue.modified);
  if (queue.purged) write_time(writer, "purged_us", *queue.purged);
  write_map(writer, "attributes", queue.attributes);
  write_map(writer, "tags", queue.tags);
  writer.end_object();
  return out;
}

Queue decode_queue(QueueAddress address, std::string bytes) {
  const auto document = json::parse(bytes);
  if (!document) throw damaged(document.error().message);
  Queue queue;
  queue.address = std::move(address);
  const json::Value* id = document->find("id");
  if (id && id->is_string()) queue.id = base::base64_decode(id->string()).value_or("");
  const auto created = read_time(*document, "created_us");
  const auto modified = read_time(*document, "modified_us");
  if (queue.id.size() != kQueueIdSize || !created || !modified) throw damaged("id, created_us, modified_us");
  queue.created = *created;
  queue.modified = *modified;
  queue.purged = read_time(*document, "purged_us");
  queue.attributes = read_map(*document, "attributes");
  queue.tags = read_map(*document, "tags");
  queue.settings = settings_of(queue.attributes);
  queue.encoded = std::move(bytes);
  return queue;
}

std::string queue_topic(std::string_view queue_id) { return base::cat("sqs/", queue_id); }

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
