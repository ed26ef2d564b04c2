// What was written lately, to find out whether a transaction's reads still hold. Bounded: it may answer "conflict"
// where there was none (three keys that share a slot, a transaction older than the window), never the other way round.
// Inside store/ only; one thread, which records and looks for conflicts, and any that ask may_be_written_since.
//
// A slot tells its last key from all others, so that a key that shares it with one that was written meanwhile does not
// conflict: only two such would make it. A transaction that reads hundreds of keys while thousands are written would
// otherwise lose every few times.
#pragma once

#include <deque>
#include <memory>

#include "store/buffered_transaction.h"

namespace tidemill::store {

class RecentWrites {
 public:
  // `slots` is a power of two, 24 bytes each; the keys kept for ranges take about `range_bytes_max`. All commits after
  // `opened` will be recorded.
  RecentWrites(size_t slots, size_t range_bytes_max, Version opened);

  struct Conflict {
    Version version;                // of a commit that wrote what was read
    std::optional<uint64_t> slot;   // where, if it was a point
  };

  // A commit after `snapshot` that wrote what `reads` saw; nothing if all still holds.
  [[nodiscard]] std::optional<Conflict> find_conflict(const ReadSet& reads, Version snapshot) const;

  // Any thread: sees what was recorded of the commits that the thread can read, and perhaps of some that are not durable
  // yet. One in as many keys as there are slots is taken for another.
  [[nodiscard]] bool may_be_written_since(std::string_view key, Version version) const;

  [[nodiscard]] uint64_t slot_of(std::string_view key) const { return key_hash(key) & slot_mask_; }

  // Versions must rise.
  void record(Version version, const BufferedTransaction& txn);
  // Of a commit whose other keys have been recorded.
  void record_key(Version version, std::string_view key);

 private:
  // The last commits that wrote a key of this slot.
  struct Slot {
    uint64_t hash;          // of the key that was written last
    Version version;        // when; the thread that records it is not the only one to read it
    Version other_version;  // when one with another hash was
    void record(uint64_t of_hash, Version at);
    [[nodiscard]] Version last_write(uint64_t of_hash) const { return of_hash == hash ? version : other_version; }
  };
  struct Entry {
    Version version;
    uint32_t offset;
    uint32_t size;
  };
  // Keys in one piece of memory, so that recording a key costs a copy and no allocation.
  struct Chunk {
    std::string bytes;
    std::vector<Entry> entries;
    [[nodiscard]] size_t memory() const { return bytes.size() + entries.size() * sizeof(Entry); }
  };

  [[nodiscard]] std::optional<Version> find_write(const Range& range, Version snapshot) const;

  const size_t slot_mask_;
  const size_t range_bytes_max_;
  const Version opened_;
  // By a key's hash. calloc: untouched pages stay free.
  std::unique_ptr<Slot[], void (*)(void*)> slots_;
  std::deque<Chunk> chunks_;
  size_t chunk_bytes_ = 0;
  Version forgotten_;  // ranges: what was written up to here is not known any more
};

}  // namespace tidemill::store
