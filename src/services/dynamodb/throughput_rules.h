// The rules for changing provisioned throughput (developer guide, "Service quotas"): of a table, or of one of its
// global indexes.
#pragma once

#include <string_view>

#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

// Decreases in one UTC day that may come at any time; each further one needs the interval.
inline constexpr int64_t kDecreasesPerDay = 4;
inline constexpr std::chrono::hours kDecreaseInterval{1};

// `what` is "table" or "index NAME", for the messages. Throws ValidationException if nothing would change, and
// LimitExceededException if it is decreased too often.
void change_throughput(Throughput& current, int64_t read_units, int64_t write_units, base::Time now,
                       std::string_view what);

// How often it has been decreased today.
[[nodiscard]] int64_t decreases_today(const Throughput& throughput, base::Time now);

// What a table that was not given a warm throughput is prepared for. Throws ValidationException if `given` is less.
[[nodiscard]] WarmThroughput initial_warm_throughput(const Table& table);
void set_warm_throughput(Table& table, std::optional<int64_t> read_units, std::optional<int64_t> write_units);

}  // namespace tidemill::dynamodb
