// How a table is described to its owner: TableDescription (facts 3.9).
#pragma once

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Without counts: those of a new table are 0.
[[nodiscard]] wire::dynamodb::TableDescription describe(const Table& table, std::string_view status);
// As the answers of CreateTable and DeleteTable show it, which leave some members out (recorded in October 2025).
[[nodiscard]] wire::dynamodb::TableDescription describe_created(const Table& table);
[[nodiscard]] wire::dynamodb::TableDescription describe_deleted(const Table& table);

[[nodiscard]] wire::dynamodb::ProvisionedThroughputDescription describe_throughput(const Throughput& throughput);

[[nodiscard]] wire::dynamodb::WarmThroughputDescription describe_warm_throughput(
    const std::optional<WarmThroughput>& given, WarmThroughput initial);

inline constexpr int64_t kItemOverheadBytes = 100;  // that AWS adds for storage (developer guide, "Item sizes")

struct TableCounts {
  int64_t items = 0;
  int64_t bytes = 0;
};

// How much is looked at for an answer: a table of no more is counted exactly. A larger one is estimated from the share
// of the hash range that these items fill, since items are spread over it evenly.
inline constexpr int64_t kCountedItemsMax = 2000;
inline constexpr int64_t kCountedBytesMax = 4 << 20;

// Of the table itself, or of the entries of an index.
Task<TableCounts> count_items(store::Snapshot& snapshot, const Table& table, uint16_t index = kTableIndex);

}  // namespace tidemill::dynamodb
