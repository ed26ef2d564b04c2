// What a Query or Scan reads: a table, or one of its indexes. Either is one range of the store, ordered by its keys.
#pragma once

#include <optional>
#include <string>

#include "services/dynamodb/capacity.h"
#include "services/dynamodb/table_cache.h"

namespace tidemill::dynamodb {

class ReadSource {
 public:
  // Without a name: the table itself. Throws ValidationException if the table has no such index, if that is being
  // created, or if it is a global one and the read is to be consistent.
  ReadSource(TablePtr table, const std::optional<std::string>& index_name, bool consistent);

  [[nodiscard]] const Table& table() const { return *table_; }
  [[nodiscard]] const Index* index() const { return index_; }  // nullptr: the table
  [[nodiscard]] lang::dynamodb::KeySchema key_schema() const;

  [[nodiscard]] store::Range query_range(const lang::dynamodb::KeyCondition& condition) const;
  [[nodiscard]] store::Range segment_range(uint32_t segment, uint32_t total_segments) const;

  // Where what has this ExclusiveStartKey stands. Throws ValidationException if it could not have been a
  // LastEvaluatedKey of this source.
  [[nodiscard]] ItemKey start_place(ItemView start_key) const;
  // The LastEvaluatedKey for a key of the store.
  [[nodiscard]] Item key_at(std::string_view key) const;
  // Where the item stands whose entry has this key. There is an index.
  [[nodiscard]] ItemKey item_place(std::string_view entry_key) const;

  // What reading costs: so many bytes of it, and so many units for items fetched from the table in place of entries.
  [[nodiscard]] ConsumedUnits units(size_t bytes, double fetch_units, bool consistent) const;

 private:
  const TablePtr table_;
  const Index* index_ = nullptr;
};

}  // namespace tidemill::dynamodb
