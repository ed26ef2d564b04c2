// The metrics of tables under AWS's names. DynamoDB Developer Guide, "DynamoDB metrics and dimensions".
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "wire/error.h"
#include "wire/metrics/platform_metrics.h"
#include "wire/registry.h"

namespace tidemill::dynamodb {

inline constexpr std::string_view kMetricsNamespace = "AWS/DynamoDB";
inline constexpr wire::PlatformMetric of_table(std::string_view name) {
  return {kMetricsNamespace, name, "Count", "TableName"};
}
inline constexpr wire::PlatformMetric of_index(std::string_view name) {
  return {kMetricsNamespace, name, "Count", "TableName", "GlobalSecondaryIndexName"};
}

inline constexpr wire::PlatformMetric kConsumedReads = of_table("ConsumedReadCapacityUnits");
inline constexpr wire::PlatformMetric kConsumedWrites = of_table("ConsumedWriteCapacityUnits");
inline constexpr wire::PlatformMetric kIndexConsumedReads = of_index("ConsumedReadCapacityUnits");
inline constexpr wire::PlatformMetric kIndexConsumedWrites = of_index("ConsumedWriteCapacityUnits");
inline constexpr wire::PlatformMetric kReadThrottles = of_table("ReadThrottleEvents");
inline constexpr wire::PlatformMetric kWriteThrottles = of_table("WriteThrottleEvents");
inline constexpr wire::PlatformMetric kIndexReadThrottles = of_index("ReadThrottleEvents");
inline constexpr wire::PlatformMetric kIndexWriteThrottles = of_index("WriteThrottleEvents");
inline constexpr wire::PlatformMetric kConditionalCheckFailed = of_table("ConditionalCheckFailedRequests");
inline constexpr wire::PlatformMetric kTransactionConflict = of_table("TransactionConflict");
inline constexpr wire::PlatformMetric kTimeToLiveDeleted = of_table("TimeToLiveDeletedItemCount");

// Measures a request on items of tables; lives as long as it is carried out.
class RequestMeter {
 public:
  RequestMeter(const wire::Context& context, std::string_view operation);

  // The request is about this table, whose name or ARN outlives this; each is counted once.
  void add_table(std::string_view table);
  void succeeded() const;
  void returned(double items) const;
  // The exception that is being handled.
  void failed() const;

 private:
  void add(const wire::PlatformMetric& metric, double value) const;

  void count_each(const wire::PlatformMetric& metric, double value, std::string_view operation) const;

  const wire::Context& context_;
  const std::string_view operation_;
  std::string_view table_;                     // of nearly every request the only one
  std::vector<std::string_view> more_tables_;
  std::chrono::steady_clock::time_point begun_;
};

// UserErrors: the requests that are the clients' fault, of a region.
void measure_user_errors(wire::Registry& registry);

}  // namespace tidemill::dynamodb
