// How RocksDB keeps in memory what was written last: its own skip list, which has everything in order, and beside it an
// index by key, where reads of single keys find the newest version in a step or two instead of the list's twenty. The
// list is written from where it was written last, so that keys that come in order cost a step each. Inside store/ only.
#pragma once

#include <rocksdb/memtablerep.h>

namespace tidemill::store {

// For a database that one thread writes to (allow_concurrent_memtable_write is off) and any read. With the index a filter
// of whole keys is of no use: what is not there is not found as quickly.
class IndexedMemtableFactory final : public rocksdb::MemTableRepFactory {
 public:
  using rocksdb::MemTableRepFactory::CreateMemTableRep;
  rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator& order, rocksdb::Allocator* memory,
                                          const rocksdb::SliceTransform* prefixes, rocksdb::Logger* log) override;
  const char* Name() const override { return "indexed"; }
  bool CanHandleDuplicatedKey() const override { return true; }

 private:
  rocksdb::SkipListFactory lists_;
};

}  // namespace tidemill::store
