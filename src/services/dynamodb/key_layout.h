// How items lie in the store (docs/store-format.md). All items of a table and all entries of its indexes share a
// prefix, so that deleting a table is one range; inside it items are ordered by a hash of their partition key, so that
// Scan's order, parallel segments and the shards of a stream are all ranges of that hash:
//
//   'I'  table id (16)  index (2)  hash (4)  partition key  sort key
//
// `index` is 0 for the table itself. The partition key of type S or B is base::append_string, of type N the number's
// ordered encoding. The sort key, if there is one, goes to the key's end: bytes as they are, or the number's encoding.
//
// An entry of an index has the index's number, the hash of the index's partition key, and then one after the other,
// each as the partition key above: the index's partition key, its sort key, and those of the table's keys that are not
// among them. So several items may have the same index key, and every key attribute can be read back from the key.
// Where an index has several partition attributes, the hash is that of all of them, one after the other as in the key.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lang/dynamodb/key_condition.h"
#include "services/dynamodb/types.h"
#include "store/store.h"

namespace tidemill::dynamodb {

// Names a table for good: another table of the same name has another id.
struct TableId {
  static constexpr size_t kSize = 16;
  std::array<char, kSize> bytes{};

  // As TableId in descriptions: "d1a7c5fe-…".
  [[nodiscard]] std::string uuid() const;
  static std::optional<TableId> from_uuid(std::string_view text);
  [[nodiscard]] std::string_view view() const { return {bytes.data(), bytes.size()}; }
  bool operator==(const TableId&) const = default;
};

inline constexpr uint16_t kTableIndex = 0;

// Where an item stands: its key in the store and the hash that chose the place.
struct ItemKey {
  std::string bytes;
  uint32_t hash = 0;
};

// Uniform over 32 bits and the same for ever. Numbers hash by value.
[[nodiscard]] uint32_t partition_hash(ValueView partition);

[[nodiscard]] ItemKey item_key(const TableId& table, ValueView partition, std::optional<ValueView> sort);

// The key attributes of the item at `key`, which item_key() made for a table of this schema.
[[nodiscard]] Item key_attributes(std::string_view key, const lang::dynamodb::KeySchema& schema);

// The beginning of an item's key that all items of its partition key have, and nothing else in the table.
[[nodiscard]] std::string_view partition_part(std::string_view key, Type partition);
// The same place under another index's number.
[[nodiscard]] std::string moved_to_index(std::string_view key, uint16_t index);

// A part of an entry's key.
struct KeyPart {
  std::string_view name;
  Type type = Type::S;
};

// The key of an entry: the values in the order of Index::entry_key, the first `partitions` of which are the partition
// key.
[[nodiscard]] ItemKey entry_key(const TableId& table, uint16_t index, std::span<const ValueView> values,
                                size_t partitions);
// The key attributes at `key`, which entry_key() made of values of these parts.
[[nodiscard]] Item entry_key_attributes(std::string_view key, std::span<const KeyPart> parts);
// All entries of one partition key of the index whose sort key satisfies the condition.
[[nodiscard]] store::Range entry_query_range(const TableId& table, uint16_t index,
                                             const lang::dynamodb::KeyCondition& condition);

// Everything that belongs to the table.
[[nodiscard]] store::Range table_range(const TableId& table);

// All items, or entries of a local index, of one partition key.
[[nodiscard]] store::Range partition_range(const TableId& table, uint16_t index, ValueView partition);

// All items of one partition key whose sort key satisfies the condition.
[[nodiscard]] store::Range query_range(const TableId& table, const lang::dynamodb::KeyCondition& condition);

// The part of a parallel scan: segment 0 of 1 is everything that the index holds.
[[nodiscard]] store::Range segment_range(const TableId& table, uint32_t segment, uint32_t total_segments,
                                         uint16_t index = kTableIndex);
// The segment that a hash falls into.
[[nodiscard]] bool in_segment(uint32_t hash, uint32_t segment, uint32_t total_segments);

// The share of all hashes that a scan of the table from its beginning up to `key` has covered: in (0, 1].
[[nodiscard]] double scanned_share(std::string_view key);

}  // namespace tidemill::dynamodb
