// Which indexes a restored table has: those of the old one, or, where the request lists some, those alone, under the
// names and with the throughput that it gives them.
#pragma once

#include <optional>
#include <vector>

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// `target` has its keys and its billing mode. Throws ValidationException if a listed index is none of the old ones, two
// have one name, or there are more of them than a table may have, or a warm throughput is less than that of a new
// index.
void restore_indexes(Table& target, const Table& source,
                     const std::optional<std::vector<wire::dynamodb::GlobalSecondaryIndex>>& global,
                     const std::optional<std::vector<wire::dynamodb::LocalSecondaryIndex>>& local);

}  // namespace tidemill::dynamodb
