#include "services/dynamodb/collection_metrics.h"

#include <algorithm>
#include <cmath>

#include "services/dynamodb/item_collection.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

constexpr double kGigabyte = 1 << 30;

}  // namespace

Task<std::optional<shapes::ItemCollectionMetrics>> collection_metrics(
    wire::Context& context, const std::optional<std::string>& return_item_collection_metrics, const Table& table,
    ItemView key) {
  if (return_item_collection_metrics != "SIZE" || !table.has_local_indexes()) co_return std::nullopt;
  const ValueView partition = *key.find(table.partition.name);
  const auto snapshot = context.store().snapshot();
  const store::Range collection = partition_range(table.id, kTableIndex, partition);
  const int64_t bytes = co_await collection_bytes(*snapshot, table, collection.begin);

  shapes::ItemCollectionMetrics metrics;
  metrics.item_collection_key.emplace().set(table.partition.name, partition);
  const double gigabytes = std::floor(static_cast<double>(bytes) / kGigabyte);
  metrics.size_estimate_range_gb = {gigabytes, gigabytes + 1};
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
