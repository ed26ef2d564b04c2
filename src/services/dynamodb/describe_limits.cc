// DescribeLimits and DescribeEndpoints: what is the same for everybody.
#include "services/dynamodb/operations.h"

namespace tidemill::dynamodb {

namespace {

// AWS's defaults (developer guide, "Service quotas").
constexpr int64_t kAccountCapacityUnitsMax = 80'000;
constexpr int64_t kTableCapacityUnitsMax = 40'000;
constexpr int64_t kEndpointCacheMinutes = 1440;

}  // namespace

Task<shapes::DescribeLimitsOutput> describe_limits(Service&, wire::Context&, const shapes::DescribeLimitsInput&) {
  co_return shapes::DescribeLimitsOutput{.account_max_read_capacity_units = kAccountCapacityUnitsMax,
                                         .account_max_write_capacity_units = kAccountCapacityUnitsMax,
                                         .table_max_read_capacity_units = kTableCapacityUnitsMax,
                                         .table_max_write_capacity_units = kTableCapacityUnitsMax};
}

Task<shapes::DescribeEndpointsOutput> describe_endpoints(Service&, wire::Context& context,
                                                         const shapes::DescribeEndpointsInput&) {
  std::string address = context.endpoint;
  if (const size_t scheme = address.find("://"); scheme != std::string::npos) address.erase(0, scheme + 3);
  shapes::DescribeEndpointsOutput output;
  output.endpoints.push_back({.address = std::move(address), .cache_period_in_minutes = kEndpointCacheMinutes});
  co_return output;
}

}  // namespace tidemill::dynamodb
