// The rules for changing provisioned throughput: of a table, or of one of its global indexes.
#pragma once

#include <string_view>

#include "services/dynamodb/throughput.h"

namespace tidemill::dynamodb {

// `what` is "table" or "index NAME", for the messages. Throws ValidationException if nothing would change.
void change_throughput(Throughput& current, int64_t read_units, int64_t write_units, base::Time now,
                       std::string_view what);

}  // namespace tidemill::dynamodb
