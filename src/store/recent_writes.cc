#include "store/recent_writes.h"

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <new>

namespace tidemill::store {

namespace {

constexpr size_t kChunkBytes = 32 << 10;

template <class Slot>
Slot* allocate_slots(size_t slots) {
  static_assert(std::is_trivially_copyable_v<Slot>);
  auto* memory = static_cast<Slot*>(std::calloc(slots, sizeof(Slot)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

RecentWrites::RecentWrites(size_t slots, size_t range_bytes_max, Version opened)
    : slot_mask_(slots - 1),
      range_bytes_max_(range_bytes_max),
      opened_(opened),
      slots_(allocate_slots<Slot>(slots), &std::free) {
  assert((slots & slot_mask_) == 0);
}

void RecentWrites::Slot::record(uint64_t of_hash, Version at) {
  if (of_hash != hash) other_version = version;
  hash = of_hash;
  std::atomic_ref(version.value).store(at.value, std::memory_order_release);
}

bool RecentWrites::may_be_written_since(std::string_view key, Version since) const {
  if (since < opened_) return true;
  const std::atomic_ref written(slots_[slot_of(key)].version.value);
  return written.load(std::memory_order_acquire) > since.value;
}

std::optional<RecentWrites::Conflict> RecentWrites::find_conflict(const ReadSet& reads, Version snapshot) const {
  for (const uint64_t hash : reads.point_hashes) {
    const uint64_t slot = hash & slot_mask_;
    if (const Version written = slots_[slot].last_write(hash); written > snapshot) return Conflict{written, slot};
  }
  for (const Range& range : reads.ranges) {
    if (const auto written = find_write(range, snapshot)) return Conflict{*written, std::nullopt};
  }
  return std::nullopt;
}

std::optional<Version> RecentWrites::find_write(const Range& range, Version snapshot) const {
  if (snapshot < forgotten_) return forgotten_;
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    for (auto entry = chunk->entries.rbegin(); entry != chunk->entries.rend(); ++entry) {
      if (entry->version <= snapshot) return std::nullopt;
      const std::string_view key(chunk->bytes.data() + entry->offset, entry->size);
      if (range.begin <= key && key < range.end) return entry->version;
    }
  }
  return std::nullopt;
}

void RecentWrites::record(Version version, const BufferedTransaction& txn) {
  txn.for_each_written_key([&](std::string_view key) { record_key(version, key); });
}

void RecentWrites::record_key(Version version, std::string_view key) {
  const uint64_t hash = key_hash(key);
  slots_[hash & slot_mask_].record(hash, version);
  if (chunks_.empty() || chunks_.back().memory() >= kChunkBytes) {
    chunks_.emplace_back();
    chunks_.back().bytes.reserve(kChunkBytes / 2);
    while (chunk_bytes_ > range_bytes_max_) {
      chunk_bytes_ -= chunks_.front().memory();
      forgotten_ = chunks_.front().entries.back().version;
      chunks_.pop_front();
    }
  }
  Chunk& chunk = chunks_.back();
  chunk.entries.push_back({version, static_cast<uint32_t>(chunk.bytes.size()), static_cast<uint32_t>(key.size())});
  chunk.bytes.append(key);
  chunk_bytes_ += sizeof(Entry) + key.size();
}

}  // namespace tidemill::store
