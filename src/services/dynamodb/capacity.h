// Consumed capacity by AWS's arithmetic (facts 3.7): a read unit is 4 KB, a write unit 1 KB, rounded up per item; an
// eventually consistent read costs half.
#pragma once

#include <optional>
#include <string>

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Of bytes read: at least one unit, also where nothing was found.
[[nodiscard]] double read_units(size_t bytes, bool consistent);

// Of the larger of the item before and after, in bytes.
[[nodiscard]] double write_units(size_t bytes);

// What the answer says, if the request asked for it ("TOTAL" or "INDEXES").
[[nodiscard]] bool wants_capacity(const std::optional<std::string>& return_consumed_capacity);
[[nodiscard]] std::optional<wire::dynamodb::ConsumedCapacity> consumed_capacity(
    const std::optional<std::string>& return_consumed_capacity, const std::string& table_name, double units);

}  // namespace tidemill::dynamodb
