// ReturnItemCollectionMetrics: of a table with local indexes, how large the collection of a partition key is about, that
// is its items and their entries in the local indexes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "services/dynamodb/table.h"
#include "wire/context.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// What a collection may hold on AWS, which refuses to let it grow beyond. Not enforced here.
inline constexpr double kCollectionGigabytesMax = 10;
// How much of a collection is looked at for an answer: of a larger one it says only that it is within the limit.
inline constexpr int64_t kCollectionBytesCounted = 4 << 20;

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
