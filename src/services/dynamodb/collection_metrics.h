// ReturnItemCollectionMetrics: of a table with local indexes, how large the collection of a partition key is, that is its
// items and their entries in the local indexes (item_collection.h), in the whole gigabytes that it lies between.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "services/dynamodb/table.h"
#include "wire/context.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Nothing unless the request asked for it ("SIZE") and the table has local indexes. `key` is the item, or its key.
Task<std::optional<wire::dynamodb::ItemCollectionMetrics>> collection_metrics(
    wire::Context& context, const std::optional<std::string>& return_item_collection_metrics, const Table& table,
    ItemView key);

// The same for one of several writes: adds it unless the collection is there already. By the table's name.
using CollectionMetricsPerTable = std::optional<std::map<std::string, std::vector<wire::dynamodb::ItemCollectionMetrics>>>;
Task<void> add_collection_metrics(wire::Context& context,
                                  const std::optional<std::string>& return_item_collection_metrics, const Table& table,
                                  ItemView key, CollectionMetricsPerTable& metrics);

}  // namespace tidemill::dynamodb
