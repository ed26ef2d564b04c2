#include "services/dynamodb/capacity.h"

namespace tidemill::dynamodb {

namespace {

constexpr size_t kReadUnitBytes = 4096;
constexpr size_t kWriteUnitBytes = 1024;

double units(size_t bytes, size_t unit) { return static_cast<double>(bytes == 0 ? 1 : (bytes + unit - 1) / unit); }

}  // namespace

double read_units(size_t bytes, bool consistent) { return units(bytes, kReadUnitBytes) * (consistent ? 1 : 0.5); }

double write_units(size_t bytes) { return units(bytes, kWriteUnitBytes); }

bool wants_capacity(const std::optional<std::string>& return_consumed_capacity) {
  return return_consumed_capacity && *return_consumed_capacity != wire::dynamodb::ReturnConsumedCapacity::kNone;
}

std::optional<wire::dynamodb::ConsumedCapacity> consumed_capacity(
    const std::optional<std::string>& return_consumed_capacity, const std::string& table_name, double units) {
  if (!wants_capacity(return_consumed_capacity)) return std::nullopt;
  wire::dynamodb::ConsumedCapacity capacity{.table_name = table_name, .capacity_units = units};
  if (*return_consumed_capacity == wire::dynamodb::ReturnConsumedCapacity::kIndexes) {
    capacity.table = wire::dynamodb::Capacity{.capacity_units = units};
  }
  return capacity;
}

}  // namespace tidemill::dynamodb
