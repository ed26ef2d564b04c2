#include "store/blobs.h"

#include <algorithm>
#include <random>

#include "base/executor.h"
#include "base/log.h"
#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::store {
namespace {

constexpr int kShards = 256;

std::string random_bytes(size_t size) {
  static thread_local std::random_device device;
  std::string bytes;
  while (bytes.size() < size) base::append_u32(bytes, device());
  bytes.resize(size);
  return bytes;
}

std::string key_of(std::string_view id) {
  std::string key(1, static_cast<char>(KeySpace::blob));
  key.append(id);
  return key;
}

uint32_t count_of(const std::optional<std::string>& value) { return value ? base::OrderedReader(*value).u32() : 0; }

// Of a member's life. A hash, so that one finds by the members there are whose blobs are theirs.
std::string tag_of(const Member& member) {
  std::string text = member.process;
  base::append_u64(text, member.life);
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  std::string tag;
  base::append_u64(tag, hash);
  return tag;
}

std::string encode_count(uint32_t count) {
  std::string value;
  base::append_u32(value, count);
  return value;
}

}  // namespace

std::string Blobs::random_process() { return random_bytes(BlobId::kProcessSize); }

std::string Blobs::tag() const {
  const std::lock_guard lock(mutex_);
  return lives_.empty() ? process_ : lives_.back().tag;
}

// The random bytes come first, so that the shards fill evenly.
BlobId Blobs::new_id() { return {random_bytes(BlobId::kSize - BlobId::kProcessSize) + tag()}; }

void Blobs::live_as(const Member& member) {
  const std::lock_guard lock(mutex_);
  lives_.push_back({tag_of(member), member});
  if (lives_.size() > kLivesMax) lives_.pop_front();
}

Task<void> Blobs::refer_to_new(Transaction& txn, BlobId id) {
  std::optional<Member> writer;
  {
    const std::lock_guard lock(mutex_);
    if (!lives_.empty()) {
      const auto life = std::ranges::find_if(lives_, [&](const Life& known) { return id.bytes.ends_with(known.tag); });
      if (life == lives_.end()) throw BlobError("an upload has taken longer than its process was known to live");
      writer = life->member;
    }
  }
  if (writer && !co_await lives(txn, writer->process, writer->life)) {
    throw BlobError("this process was taken for dead while an upload was under way");
  }
  txn.put(key_of(id.bytes), encode_count(1));
}

Blobs::Pins::Pins(Blobs& blobs, std::vector<BlobId> ids) : blobs_(&blobs), ids_(std::move(ids)) {
  const std::lock_guard lock(blobs.mutex_);
  for (const BlobId& id : ids_) ++blobs.pinned_[id.bytes];
}

Blobs::Pins& Blobs::Pins::operator=(Pins&& other) noexcept {
  if (this != &other) {
    release();
    blobs_ = std::exchange(other.blobs_, nullptr);
    ids_ = std::move(other.ids_);
  }
  return *this;
}

void Blobs::Pins::release() {
  Blobs* blobs = std::exchange(blobs_, nullptr);
  if (!blobs) return;
  const std::lock_guard lock(blobs->mutex_);
  for (const BlobId& id : ids_) {
    const auto found = blobs->pinned_.find(id.bytes);
    if (--found->second > 0) continue;
    blobs->pinned_.erase(found);
    if (blobs->holds_ == 0 && blobs->waiting_.erase(id.bytes) > 0) blobs->remove_now(id);
  }
}

Blobs::Hold::Hold(Blobs& blobs) : blobs_(blobs) {
  const std::lock_guard lock(blobs_.mutex_);
  ++blobs_.holds_;
}

Blobs::Hold::~Hold() {
  const std::lock_guard lock(blobs_.mutex_);
  if (--blobs_.holds_ > 0) return;
  std::erase_if(blobs_.waiting_, [&](const std::string& id) {
    if (blobs_.pinned_.contains(id)) return false;
    blobs_.remove_now({id});
    return true;
  });
}

void Blobs::remove(BlobId id) {
  const std::lock_guard lock(mutex_);
  if (holds_ > 0 || pinned_.contains(id.bytes))
    waiting_.insert(std::move(id.bytes));
  else
    remove_now(std::move(id));
}

Task<std::vector<BlobId>> Blobs::orphans_of(Store& store, uint8_t shard) {
  std::vector<BlobId> there = co_await list(shard);
  std::erase_if(there, [own = tag()](const BlobId& id) { return id.bytes.ends_with(own); });
  if (there.empty()) co_return there;
  std::set<std::string, std::less<>> referred;
  // One snapshot: what a life had referred to when it ended shows where its end does.
  const auto snapshot = store.snapshot();
  for (const Member& member : co_await members(*snapshot)) {
    std::erase_if(there, [tag = tag_of(member)](const BlobId& id) { return id.bytes.ends_with(tag); });
  }
  const std::string first(1, static_cast<char>(shard));
  co_await snapshot->scan(Range::prefix(key_of(first)), Direction::forward, [&](std::string_view key, std::string_view) {
    referred.emplace(key.substr(1));
    return true;
  });
  std::erase_if(there, [&](const BlobId& id) { return referred.contains(id.bytes); });
  co_return there;
}

Task<void> Blobs::remove_orphans(Store& store) {
  size_t removed = 0;
  for (int shard = 0; shard < kShards; ++shard) {
    for (BlobId& id : co_await orphans_of(store, static_cast<uint8_t>(shard))) {
      remove(std::move(id));
      ++removed;
    }
    co_await base::yield();
  }
  if (removed > 0) base::log_info("orphaned_blobs_removed", {{"count", std::to_string(removed)}});
}

Task<void> refer_to_blob(Transaction& txn, BlobId id) {
  const std::string key = key_of(id.bytes);
  const uint32_t count = count_of(co_await txn.get(key));
  if (count == 0) throw std::logic_error("nothing refers to a blob that is to be shared");
  txn.put(key, encode_count(count + 1));
}

Task<bool> drop_blob(Transaction& txn, BlobId id) {
  const std::string key = key_of(id.bytes);
  const uint32_t count = count_of(co_await txn.get(key));
  if (count > 1) {
    txn.put(key, encode_count(count - 1));
    co_return false;
  }
  txn.erase(key);
  co_return true;
}

}  // namespace tidemill::store
