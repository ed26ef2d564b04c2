// The rules for changing provisioned throughput (developer guide, "Service quotas"): of a table, or of one of its
// global indexes.
#pragma once

#include <string_view>

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Decreases in one UTC day that may come at any time; each further one needs the interval.
inline constexpr int64_t kDecreasesPerDay = 4;
inline constexpr std::chrono::hours kDecreaseInterval{1};

// `what` is "table" or "index NAME", for the messages. Throws ValidationException if nothing would change, and
// LimitExceededException if it is decreased too often.
void change_throughput(Throughput& current, int64_t read_units, int64_t write_units, base::Time now,
                       std::string_view what);

// Beyond this a request is refused as it stands, before its table is looked up.
inline constexpr int64_t kThroughputUnitsMax = 1'000'000'000'000;

// `index` is the name of the index that it is for; empty: it is for the table. Throws ValidationException.
void check_bounds(const std::optional<wire::dynamodb::ProvisionedThroughput>& throughput, std::string_view index);

// How often it has been decreased today.
[[nodiscard]] int64_t decreases_today(const Throughput& throughput, base::Time now);

// What a table or index without a warm throughput of its own is prepared for.
[[nodiscard]] WarmThroughput initial_warm_throughput(bool on_demand, const Throughput& provisioned);
// What it is prepared for: what it was given, or more if its throughput has grown beyond that.
[[nodiscard]] WarmThroughput current_warm_throughput(const std::optional<WarmThroughput>& given,
                                                     WarmThroughput initial);
// Both throw ValidationException if it would become less.
void set_warm_throughput(Table& table, const wire::dynamodb::WarmThroughput& wanted);
void set_warm_throughput(const Table& table, Index& index, const wire::dynamodb::WarmThroughput& wanted);

}  // namespace tidemill::dynamodb
