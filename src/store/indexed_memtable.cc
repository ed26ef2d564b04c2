#include "store/indexed_memtable.h"

#include <rocksdb/version.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace tidemill::store {

namespace {

constexpr size_t kBuckets = size_t{1} << 17;  // 1 MiB, paged in as they are used; a full memtable has about as many entries
// In a bucket. Where a key has been written more often since what is looked for, the list finds that sooner.
constexpr int kStepsMax = 24;
constexpr size_t kTrailerBytes = 8;  // behind a key: its sequence number, and what kind of entry it is
constexpr int kKindBits = 8;

struct Key {
  std::string_view user;
  uint64_t sequence;
};

Key key_of(const rocksdb::Slice& internal) {
  const std::string_view bytes(internal.data(), internal.size());
  uint64_t trailer = 0;
  for (size_t n = kTrailerBytes; n > 0; --n) {
    trailer = trailer << 8 | static_cast<uint8_t>(bytes[bytes.size() - kTrailerBytes + n - 1]);
  }
  return {bytes.substr(0, bytes.size() - kTrailerBytes), trailer >> kKindBits};
}

Key key_of(const char* entry) { return key_of(rocksdb::GetLengthPrefixedSlice(entry)); }

// An entry in its bucket. Nothing of it changes once readers can see it.
struct Place {
  const char* entry;
  const Place* next;  // older
  uint64_t hash;      // of its key

  [[nodiscard]] bool is_of(std::string_view user_key, uint64_t of_hash) const {
    return hash == of_hash && key_of(entry).user == user_key;
  }
};

class IndexedMemtable final : public rocksdb::MemTableRep {
 public:
  IndexedMemtable(std::unique_ptr<MemTableRep> list, rocksdb::Allocator* memory)
      : MemTableRep(memory), list_(std::move(list)), buckets_(allocate_buckets(), &std::free) {}

  rocksdb::KeyHandle Allocate(size_t size, char** buffer) override { return list_->Allocate(size, buffer); }
  void Insert(rocksdb::KeyHandle handle) override { (void)InsertKey(handle); }
  bool InsertKey(rocksdb::KeyHandle handle) override {
    if (!list_->InsertKeyWithHint(handle, &last_place_)) return false;
    add(static_cast<const char*>(handle));
    return true;
  }
  bool Contains(const char* key) const override { return list_->Contains(key); }
  void MarkReadOnly() override { list_->MarkReadOnly(); }
  void MarkFlushed() override { list_->MarkFlushed(); }
  uint64_t ApproximateNumEntries(const rocksdb::Slice& begin, const rocksdb::Slice& end) override {
    return list_->ApproximateNumEntries(begin, end);
  }
  void UniqueRandomSample(uint64_t entries, uint64_t size, std::unordered_set<const char*>* sample) override {
    list_->UniqueRandomSample(entries, size, sample);
  }
  size_t ApproximateMemoryUsage() override {
    return list_->ApproximateMemoryUsage() + kBuckets * sizeof(Bucket);
  }
  Iterator* GetIterator(rocksdb::Arena* arena) override { return list_->GetIterator(arena); }
  void Get(const rocksdb::LookupKey& key, void* to, bool (*visit)(void*, const char*)) override;
  // With an arena: for a cursor inside a group. Without: for one key.
  Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override;

  // The newest entry of the key that is not newer than it; nullptr: there is none.
  struct Found {
    const Place* place = nullptr;
    bool is_known = true;  // false: the list has to be asked
  };
  [[nodiscard]] Found find(const Key& key) const {
    const uint64_t hash = hash_of(key.user);
    const Place* place = buckets_[hash % kBuckets].load(std::memory_order_acquire);
    for (int steps = 0; place != nullptr; place = place->next) {
      if (place->is_of(key.user, hash) && key_of(place->entry).sequence <= key.sequence) break;
      if (++steps == kStepsMax) return {.is_known = false};
    }
    return {place};
  }
  [[nodiscard]] Iterator* list_iterator() const { return list_->GetIterator(nullptr); }

 private:
  using Bucket = std::atomic<const Place*>;

  static uint64_t hash_of(std::string_view user_key) { return std::hash<std::string_view>()(user_key); }

  static Bucket* allocate_buckets() {
    static_assert(Bucket::is_always_lock_free && std::is_trivially_destructible_v<Bucket>);
    auto* memory = static_cast<Bucket*>(std::calloc(kBuckets, sizeof(Bucket)));
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }

  void add(const char* entry) {
    const uint64_t hash = hash_of(key_of(entry).user);
    Bucket& bucket = buckets_[hash % kBuckets];
    const Place* older = bucket.load(std::memory_order_relaxed);
    bucket.store(new (allocate_place()) Place{entry, older, hash}, std::memory_order_release);
  }

  // In the memtable's memory, which counts when it is full.
  void* allocate_place() {
    size_t room = sizeof(Place) + alignof(Place) - 1;
    char* bytes = nullptr;
    (void)MemTableRep::Allocate(room, &bytes);
    void* place = bytes;
    return std::align(alignof(Place), sizeof(Place), place, room);
  }

  const std::unique_ptr<MemTableRep> list_;
  const std::unique_ptr<Bucket[], void (*)(void*)> buckets_;
  void* last_place_ = nullptr;  // in the list, which goes on from there
};

// Goes through the entries of one key from that which is looked for, newest first.
class KeyIterator final : public rocksdb::MemTableRep::Iterator {
 public:
  explicit KeyIterator(const IndexedMemtable& table) : table_(table) {}

  [[nodiscard]] bool Valid() const override { return in_list_ ? in_list_->Valid() : place_ != nullptr; }
  [[nodiscard]] const char* key() const override { return in_list_ ? in_list_->key() : place_->entry; }
  void Next() override {
    if (in_list_) return in_list_->Next();
    const Place& before = *place_;
    do {
      place_ = place_->next;
    } while (place_ != nullptr && !place_->is_of(key_of(before.entry).user, before.hash));
  }
  void Seek(const rocksdb::Slice& internal_key, const char* memtable_key) override {
    in_list_.reset();
    const auto found = table_.find(key_of(internal_key));
    place_ = found.place;
    if (found.is_known) return;
    in_list_.reset(table_.list_iterator());
    in_list_->Seek(internal_key, memtable_key);
  }
  // What a search for one key has no use for.
  void Prev() override { assert(false); }
  void SeekForPrev(const rocksdb::Slice&, const char*) override { assert(false); }
  void SeekToFirst() override { assert(false); }
  void SeekToLast() override { assert(false); }

 private:
  const IndexedMemtable& table_;
  const Place* place_ = nullptr;
  std::unique_ptr<Iterator> in_list_;
};

// RocksDB's own Get() asks for an iterator and never gives it back, so it is lent one. A version that does give it back
// would free what is not the heap's.
static_assert(ROCKSDB_MAJOR == 7 && ROCKSDB_MINOR == 8, "look at MemTableRep::Get() of this version");
thread_local KeyIterator* lent = nullptr;

void IndexedMemtable::Get(const rocksdb::LookupKey& key, void* to, bool (*visit)(void*, const char*)) {
  KeyIterator here(*this);
  lent = &here;
  MemTableRep::Get(key, to, visit);
}

rocksdb::MemTableRep::Iterator* IndexedMemtable::GetDynamicPrefixIterator(rocksdb::Arena* arena) {
  if (arena != nullptr) return list_->GetIterator(arena);
  if (KeyIterator* const mine = std::exchange(lent, nullptr)) return mine;
  return new KeyIterator(*this);
}

}  // namespace

rocksdb::MemTableRep* IndexedMemtableFactory::CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator& order,
                                                                rocksdb::Allocator* memory,
                                                                const rocksdb::SliceTransform* prefixes,
                                                                rocksdb::Logger* log) {
  std::unique_ptr<rocksdb::MemTableRep> list(lists_.CreateMemTableRep(order, memory, prefixes, log));
  return new IndexedMemtable(std::move(list), memory);
}

}  // namespace tidemill::store
