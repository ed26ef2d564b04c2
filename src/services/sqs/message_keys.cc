#include "services/sqs/message_keys.h"

#include "base/ordered.h"
#include "services/sqs/queue.h"
#include "store/keys.h"

namespace tidemill::sqs {
namespace {

constexpr char kMessage = 'b';
constexpr char kState = 'm';
constexpr char kAvailable = 'v';
constexpr char kGroupMessage = 'g';
constexpr char kGroup = 'G';
constexpr char kDeduplication = 'd';
constexpr char kDeduplicationExpiry = 'e';
constexpr char kMoveTask = 't';
// The key space, the id and the part.
constexpr size_t kPrefixSize = 1 + kQueueIdSize + 1;
// Of most keys: a time and a position follow. A key that grows part by part would be copied twice.
constexpr size_t kUsualSize = kPrefixSize + sizeof(int64_t) + Position::kSize;

std::string prefix(std::string_view queue_id, char part) {
  std::string key = queue_prefix(queue_id);
  key.push_back(part);
  return key;
}

std::string with_time(std::string_view queue_id, char part, base::Time time) {
  std::string key = prefix(queue_id, part);
  base::append_i64(key, time.time_since_epoch().count());
  return key;
}

}  // namespace

Position Positions::next(store::Version snapshot) {
  const std::lock_guard lock(mutex_);
  if (snapshot > version_) {
    version_ = snapshot;
    count_ = 0;
  }
  Position position;
  base::append_u64(position.bytes, version_.value);
  base::append_u32(position.bytes, count_++);
  return position;
}

std::string queue_prefix(std::string_view queue_id) {
  std::string key;
  key.reserve(kUsualSize);
  key.push_back(static_cast<char>(store::KeySpace::message));
  base::append_fixed(key, queue_id);
  return key;
}

std::string_view queue_id_of_key(std::string_view key) { return key.substr(1, kQueueIdSize); }

store::Queue availability(std::string_view queue_id) { return store::Queue(prefix(queue_id, kAvailable)); }

store::Queue states(std::string_view queue_id) { return store::Queue(prefix(queue_id, kState)); }

store::Queue deduplication_expiries(std::string_view queue_id) {
  return store::Queue(prefix(queue_id, kDeduplicationExpiry));
}

std::vector<store::Range> contents_ranges(std::string_view queue_id) {
  std::vector<store::Range> ranges;
  for (const char part : {kMessage, kState, kAvailable, kGroupMessage, kGroup, kDeduplication, kDeduplicationExpiry}) {
    ranges.push_back(store::Range::prefix(prefix(queue_id, part)));
  }
  return ranges;
}

std::string message_key(std::string_view queue_id, const Position& position) {
  return prefix(queue_id, kMessage).append(position.bytes);
}

std::string state_key(std::string_view queue_id, const Position& position) {
  return prefix(queue_id, kState).append(position.bytes);
}

std::string state_key_from(std::string_view queue_id, store::Version version) {
  std::string key = prefix(queue_id, kState);
  base::append_u64(key, version.value);
  return key;
}

Position position_of_key(std::string_view key) { return {std::string(key.substr(key.size() - Position::kSize))}; }

std::string available_key(std::string_view queue_id, base::Time time, std::string_view who) {
  return with_time(queue_id, kAvailable, time).append(who);
}

store::Range available_range(std::string_view queue_id, base::Time from, base::Time until) {
  return {with_time(queue_id, kAvailable, from), with_time(queue_id, kAvailable, until)};
}

Available available_of_key(std::string_view key) {
  base::OrderedReader reader(key.substr(kPrefixSize));
  Available result;
  result.time = base::Time(base::Duration(reader.i64()));
  result.who = reader.rest();
  return result;
}

std::string encode_group_name(std::string_view group) {
  std::string encoded;
  base::append_string(encoded, group);
  return encoded;
}

std::string group_key(std::string_view queue_id, std::string_view encoded_group) {
  return prefix(queue_id, kGroup).append(encoded_group);
}

std::string group_message_key(std::string_view queue_id, std::string_view encoded_group, const Position& position) {
  return prefix(queue_id, kGroupMessage).append(encoded_group).append(position.bytes);
}

store::Range group_messages_range(std::string_view queue_id, std::string_view encoded_group, const Position& from) {
  const std::string all = prefix(queue_id, kGroupMessage).append(encoded_group);
  return {all + from.bytes, base::prefix_end(all)};
}

std::string deduplication_key(std::string_view queue_id, std::string_view scope) {
  return prefix(queue_id, kDeduplication).append(scope);
}

std::string deduplication_expiry_key(std::string_view queue_id, base::Time expires, std::string_view scope) {
  return with_time(queue_id, kDeduplicationExpiry, expires).append(scope);
}

DeduplicationExpiry deduplication_expiry_of_key(std::string_view key) {
  base::OrderedReader reader(key.substr(kPrefixSize));
  DeduplicationExpiry result;
  result.expires = base::Time(base::Duration(reader.i64()));
  result.scope = reader.rest();
  return result;
}

std::string move_task_key(std::string_view queue_id, base::Time started, std::string_view handle) {
  return with_time(queue_id, kMoveTask, started).append(handle);
}

store::Range move_tasks_range(std::string_view queue_id) { return store::Range::prefix(prefix(queue_id, kMoveTask)); }

}  // namespace tidemill::sqs
