#include "services/states/loaded.h"

#include <iterator>

namespace tidemill::states {

namespace {

// Roughly, as text: what is parsed takes some times as much.
size_t size_of(const Loaded& loaded) {
  constexpr size_t kFrameBytes = 1024;
  constexpr size_t kResultBytes = 256;
  size_t size = loaded.record.input.size() + loaded.live.bytes_on_hand();
  for (const auto& [id, frame] : loaded.live.frames) size += kFrameBytes + frame.results.size() * kResultBytes;
  return size;
}

}  // namespace

void LoadedCache::drop(Entries::iterator entry, Entries& dropped) {
  bytes_ -= entry->bytes;
  by_id_.erase(entry->loaded->live.id.bytes);
  dropped.splice(dropped.end(), entries_, entry);
}

std::unique_ptr<Loaded> LoadedCache::take(const ExecutionId& id, std::string_view head_bytes) {
  Entries dropped;  // outlives the lock
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id.bytes);
  if (found == by_id_.end()) return nullptr;
  drop(found->second, dropped);
  std::unique_ptr<Loaded>& loaded = dropped.front().loaded;
  return loaded->live.head_bytes == head_bytes ? std::move(loaded) : nullptr;
}

std::vector<std::unique_ptr<Loaded>> LoadedCache::keep(std::unique_ptr<Loaded> loaded) {
  std::vector<std::unique_ptr<Loaded>> left;
  if (!loaded) return left;
  if (loaded->live.head.status != Status::running) {
    left.push_back(std::move(loaded));
    return left;
  }
  const size_t bytes = size_of(*loaded);
  Entries dropped;
  const std::lock_guard lock(mutex_);
  if (const auto same = by_id_.find(loaded->live.id.bytes); same != by_id_.end()) drop(same->second, dropped);
  while (!entries_.empty() && (entries_.size() >= kLoadedMax || bytes_ + bytes > kLoadedBytesMax)) {
    drop(entries_.begin(), dropped);
  }
  bytes_ += bytes;
  entries_.push_back({std::move(loaded), bytes});
  by_id_.emplace(entries_.back().loaded->live.id.bytes, std::prev(entries_.end()));
  for (Entry& entry : dropped) left.push_back(std::move(entry.loaded));
  return left;
}

}  // namespace tidemill::states
