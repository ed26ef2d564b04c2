#include "services/kinesis/stream.h"

#include <openssl/rand.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/ordered.h"
#include "base/text.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/stream_record.h"
#include "store/position.h"
#include "store/resources.h"

namespace tidemill::kinesis {
namespace {

constexpr store::ResourceType kType{"kinesis", "stream"};
constexpr store::ResourceType kStampType{"kinesis", "stream-stamp"};
constexpr uint32_t kShardNumberMax = 0x7fff'ffff;  // of ids
constexpr char kLogOwner = 'k';  // the first byte of every log of this service, so that no other's is its prefix
constexpr std::string_view kStatusNames[] = {"CREATING", "ACTIVE", "UPDATING", "DELETING"};

std::string random_id() {
  std::string id(kStreamIdSize, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(id.data()), static_cast<int>(id.size())) != 1) {
    throw std::runtime_error("no random bytes");
  }
  return id;
}

std::string stamp_key(const StreamAddress& address) {
  return store::resource_key(kStampType, address.account, address.region, address.name);
}

}  // namespace

std::string Shard::id() const {
  char text[32];
  const int size = std::snprintf(text, sizeof(text), "shardId-%012u", number);
  return {text, static_cast<size_t>(size)};
}

std::string Shard::sequence_number(store::Position position) const {
  return sequence_number_text({.shard = number, .shard_created = number_time(), .position = position});
}

std::string Shard::first_sequence_number() const { return sequence_number({store::Version::at(created), 0}); }

std::optional<uint32_t> parse_shard_id(std::string_view id) {
  id.remove_prefix(id.find('-') + 1);  // npos + 1 is 0
  if (const size_t next = id.find('-'); next != std::string_view::npos) id = id.substr(0, next);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc() || end != id.data() + id.size() || number > kShardNumberMax) return std::nullopt;
  return number;
}

std::string_view status_name(Status status) { return kStatusNames[static_cast<size_t>(status)]; }

const Shard* Stream::find(std::string_view shard_id, base::Time now) const {
  const auto number = parse_shard_id(shard_id);
  const Shard* shard = number ? find(*number) : nullptr;
  return shard && is_live(*shard, now) ? shard : nullptr;
}

const Shard* Stream::find(uint32_t number) const {
  const auto found = std::ranges::lower_bound(shards, number, {}, &Shard::number);
  return found != shards.end() && found->number == number ? &*found : nullptr;
}

const Shard& Stream::shard_of(HashKey key) const {
  const auto found = std::ranges::lower_bound(open, key, {}, [&](uint32_t index) { return shards[index].end; });
  return shards[*found];
}

std::vector<const Shard*> Stream::live_shards(base::Time now) const {
  std::vector<const Shard*> result;
  for (const Shard& shard : shards) {
    if (is_live(shard, now)) result.push_back(&shard);
  }
  return result;
}

std::vector<const Shard*> Stream::children(uint32_t number) const {
  std::vector<const Shard*> result;
  for (const Shard& shard : shards) {
    if (shard.parent == number || shard.adjacent_parent == number) result.push_back(&shard);
  }
  return result;
}

size_t Stream::open_shards() const {
  return static_cast<size_t>(std::ranges::count_if(shards, [](const Shard& shard) { return shard.is_open(); }));
}

Stream make_stream(StreamAddress address, uint32_t shard_count, base::Time now) {
  Stream stream{.address = std::move(address), .id = random_id(), .created = now};
  for (uint32_t i = 0; i < shard_count; ++i) {
    const HashKey end = i + 1 == shard_count ? kHashKeyMax : uniform_start(i + 1, shard_count) - 1;
    stream.shards.push_back({.number = i, .begin = uniform_start(i, shard_count), .end = end, .created = now});
  }
  stream.next_shard = shard_count;
  return stream;
}

store::LogId shard_log(std::string_view stream_id, uint32_t shard) {
  store::LogId log{std::string(1, kLogOwner)};
  log.bytes.append(stream_id);
  base::append_u32(log.bytes, shard);
  return log;
}

std::string stream_topic(const StreamAddress& address) { return "kinesis-stream/" + address.arn(); }

std::string stream_key(const StreamAddress& address) {
  return store::resource_key(kType, address.account, address.region, address.name);
}

store::Range streams_range(std::string_view account, std::string_view region) {
  return store::resources_range(kType, account, region);
}

std::optional<StreamAddress> stream_of_key(std::string_view key) {
  auto address = store::resource_of_key(kType, key);
  if (!address) return std::nullopt;
  return StreamAddress{std::move(address->account), std::move(address->region), std::move(address->name)};
}

std::string encode_stream(const Stream& stream) { return write_stream_record(stream); }

Stream decode_stream(StreamAddress address, std::string bytes) {
  Stream stream = read_stream_record(bytes);
  stream.address = std::move(address);
  stream.encoded = std::move(bytes);
  stream.has_trim_timer = std::make_shared<std::atomic<bool>>(false);
  for (uint32_t i = 0; i < stream.shards.size(); ++i) {
    if (stream.shards[i].is_open()) stream.open.push_back(i);
  }
  std::ranges::sort(stream.open, {}, [&](uint32_t index) { return stream.shards[index].begin; });
  // Every key must belong to a shard: shard_of() relies on it.
  if (stream.open.empty() || stream.shards[stream.open.back()].end != kHashKeyMax) {
    throw std::runtime_error("a stored stream is damaged: shards");
  }
  return stream;
}

void save_stream(store::Transaction& txn, const Stream& stream) {
  txn.put(stream_key(stream.address), encode_stream(stream));
  txn.put(stamp_key(stream.address), random_id());
  txn.signal(stream_topic(stream.address));
}

void erase_stream_record(store::Transaction& txn, const StreamAddress& address) {
  txn.erase(stream_key(address));
  txn.erase(stamp_key(address));
  txn.signal(stream_topic(address));
}

StreamPtr StreamCache::known(const std::string& key, const std::string& stamp) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(key);
  return found != streams_.end() && found->second->stamp == stamp ? found->second : nullptr;
}

Task<StreamPtr> StreamCache::find(store::Snapshot& reader, StreamAddress address) {
  std::string key = stream_key(address);
  const std::optional<std::string> stamp = co_await reader.get(stamp_key(address));
  if (stamp) {
    if (auto stream = known(key, *stamp)) co_return stream;
  }
  std::optional<std::string> bytes = co_await reader.get(key);
  if (!bytes) co_return nullptr;
  auto decoded = std::make_shared<Stream>(decode_stream(std::move(address), *std::move(bytes)));
  if (!stamp) co_return decoded;
  decoded->stamp = *stamp;
  const std::lock_guard lock(mutex_);
  if (streams_.size() >= kStreamsMax) streams_.clear();
  streams_.insert_or_assign(std::move(key), decoded);
  co_return decoded;
}

Task<StreamPtr> StreamCache::get(store::Snapshot& reader, StreamAddress address) {
  StreamPtr stream = co_await find(reader, address);
  if (!stream) throw stream_not_found(address);
  co_return stream;
}

}  // namespace tidemill::kinesis
