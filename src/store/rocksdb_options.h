// How the embedded backend wants its database: what its memtables, files, filters and background work are bounded by.
#pragma once

#include <rocksdb/db.h>

#include "store/block_cache.h"

namespace tidemill::store {

[[nodiscard]] rocksdb::DBOptions database_options(rocksdb::Env* env, const BlockCache& cache, bool create);

// Of both families. Filters know keys, and the groups of items (item_groups.h).
[[nodiscard]] rocksdb::ColumnFamilyOptions family_options(const BlockCache& cache);

// Whether all keys from `begin` to before `end` are of one group: then an iterator may ask the filters for it
// (total_order_seek = false), and opens no file that has nothing of the group.
[[nodiscard]] bool in_one_group(const rocksdb::Slice& begin, const rocksdb::Slice& end);

}  // namespace tidemill::store
