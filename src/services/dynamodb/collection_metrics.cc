#include "services/dynamodb/collection_metrics.h"

#include <algorithm>
#include <cmath>

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

constexpr double kGigabyte = 1 << 30;

// The bytes of the collection, or more than kCollectionBytesCounted.
Task<int64_t> collection_bytes(store::Snapshot& snapshot, const Table& table, ValueView partition) {
  std::vector<uint16_t> parts{kTableIndex};
  for (const Index& index : table.indexes) {
    if (index.is_local()) parts.push_back(index.number);
  }
  int64_t bytes = 0;
  const store::EntryVisitor visit = [&bytes](std::string_view, std::string_view value) {
    bytes += static_cast<int64_t>(lang::dynamodb::item_size(ItemView(value)));
    return bytes <= kCollectionBytesCounted;
  };
  for (const uint16_t part : parts) {
    const store::Range range = partition_range(table.id, part, partition);
    co_await snapshot.scan(range, store::Direction::forward, visit);
    if (bytes > kCollectionBytesCounted) break;
  }
  co_return bytes;
}

}  // namespace

Task<std::optional<shapes::ItemCollectionMetrics>> collection_metrics(
    wire::Context& context, const std::optional<std::string>& return_item_collection_metrics, const Table& table,
    ItemView key) {
  if (return_item_collection_metrics != "SIZE" || !table.has_local_indexes()) co_return std::nullopt;
  const ValueView partition = *key.find(table.partition.name);
  const auto snapshot = context.store().snapshot();
  const int64_t bytes = co_await collection_bytes(*snapshot, table, partition);

  shapes::ItemCollectionMetrics metrics;
  metrics.item_collection_key.emplace().set(table.partition.name, partition);
  const double gigabytes = std::floor(static_cast<double>(bytes) / kGigabyte);
  metrics.size_estimate_range_gb = bytes > kCollectionBytesCounted
                                       ? std::vector<double>{0, kCollectionGigabytesMax}
                                       : std::vector<double>{gigabytes, gigabytes + 1};
  co_return metrics;
}

Task<void> add_collection_metrics(wire::Context& context,
                                  const std::optional<std::string>& return_item_collection_metrics, const Table& table,
                                  ItemView key, CollectionMetricsPerTable& metrics) {
  auto added = co_await collection_metrics(context, return_item_collection_metrics, table, key);
  if (!added) co_return;
  if (!metrics) metrics.emplace();
  auto& of_table = (*metrics)[table.address.name];
  const auto& collection = added->item_collection_key;
  if (std::ranges::find(of_table, collection, &shapes::ItemCollectionMetrics::item_collection_key) != of_table.end()) {
    co_return;
  }
  of_table.push_back(*std::move(added));
}

}  // namespace tidemill::dynamodb
