// How a replica of a global table is described to its owner: with the others of its group, without itself, as on AWS.
#pragma once

#include <vector>

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Of a replica, or of a table that was one until now; `others` are those to be shown.
void describe_replicas(const Table& table, const std::vector<Table>& others,
                       wire::dynamodb::TableDescription& description);

}  // namespace tidemill::dynamodb
