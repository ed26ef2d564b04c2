#include "services/dynamodb/throttle.h"

#include <algorithm>

#include "base/ordered.h"
#include "services/dynamodb/errors.h"
#include "services/dynamodb/table_metrics.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;

constexpr std::string_view kIndexesExceeded =
    "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
    "exceeded. "
    "Consider increasing your provisioning level for the under-provisioned global secondary indexes with the "
    "UpdateTable "
    "API";

}  // namespace

// Units per second; 0: as much as one likes.
double Throttle::rate_of(const Owner& owner, Kind kind) {
  const bool read = kind == Kind::read;
  const auto [throughput, read_max, write_max] =
      owner.index
          ? std::tuple(owner.index->throughput, owner.index->read_request_units_max,
                       owner.index->write_request_units_max)
          : std::tuple(owner.table.throughput, owner.table.read_request_units_max, owner.table.write_request_units_max);
  if (!owner.table.on_demand) return static_cast<double>(read ? throughput.read_units : throughput.write_units);
  return static_cast<double>((read ? read_max : write_max).value_or(0));
}

wire::Error Throttle::exceeded(const Owner& owner, Kind kind) {
  const std::string what = std::string(owner.index ? "Index" : "Table") + (kind == Kind::read ? "Read" : "Write");
  const std::string resource = owner.table.address.arn() + (owner.index ? "/index/" + owner.index->name : "");
  const auto reasons = [&](std::string_view limit) {
    return std::vector{shapes::ThrottlingReason{.reason = what + std::string(limit), .resource = resource}};
  };
  if (owner.table.on_demand) {
    return shapes::errors::throttling_exception(
        "Throughput exceeds the maximum OnDemandThroughput configured on table or index",
        {.throttling_reasons = reasons("MaxOnDemandThroughputExceeded")});
  }
  return shapes::errors::provisioned_throughput_exceeded_exception(
      owner.index ? std::string(kIndexesExceeded) : throughput_exceeded().message,
      {.throttling_reasons = reasons("ProvisionedThroughputExceeded")});
}

Throttle::Bucket* Throttle::bucket(const Owner& owner, Kind kind) {
  const double rate = rate_of(owner, kind);
  if (rate == 0) return nullptr;
  std::string key(owner.table.id.view());
  base::append_u16(key, owner.index ? owner.index->number : kTableIndex);
  key.push_back(kind == Kind::read ? 'r' : 'w');
  if (buckets_.size() >= kBucketsMax) buckets_.clear();
  const base::Time now = clock_.now();
  const auto burst = static_cast<double>(kThrottleBurst.count());
  const auto [found, is_new] = buckets_.try_emplace(std::move(key), Bucket{rate * burst, now});
  Bucket& bucket = found->second;
  // What was saved up at another rate stays, as far as the bucket holds it now.
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.units = std::min(bucket.units + std::max(seconds, 0.0) * rate, rate * burst);
  bucket.filled = now;
  return &bucket;
}

bool Throttle::is_empty(const Owner& owner, Kind kind) {
  const Bucket* found = bucket(owner, kind);
  return found && found->units <= 0;
}

void Throttle::take(const Owner& owner, Kind kind, double units) {
  if (Bucket* found = bucket(owner, kind)) found->units -= units;
}

std::optional<Throttle::Owner> Throttle::refuser(const Table& table, Kind kind, const Index* read_index) {
  if (!enabled_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (read_index && !read_index->is_local()) {
    const Owner owner{table, read_index};
    return is_empty(owner, kind) ? std::optional(owner) : std::nullopt;
  }
  if (is_empty({table}, kind)) return Owner{table};
  if (kind == Kind::read) return std::nullopt;
  for (const Index& index : table.indexes) {
    if (!index.is_local() && is_empty({table, &index}, kind)) return Owner{table, &index};
  }
  return std::nullopt;
}

bool Throttle::has_capacity(const Table& table, Kind kind, const Index* read_index) {
  const auto owner = refuser(table, kind, read_index);
  if (owner) measure_refusal(*owner, kind);
  return !owner;
}

void Throttle::admit(const Table& table, Kind kind, const Index* read_index) {
  const auto owner = refuser(table, kind, read_index);
  if (!owner) return;
  measure_refusal(*owner, kind);
  throw exceeded(*owner, kind);
}

void Throttle::measure(const Table& table, Kind kind, const ConsumedUnits& units) {
  const bool read = kind == Kind::read;
  const TableAddress& address = table.address;
  double of_table = units.table;
  for (const auto& [name, of_index] : units.local) of_table += of_index;
  if (of_table != 0) {
    usage_->add(read ? kConsumedReads : kConsumedWrites, address.account, address.region, address.name, of_table);
  }
  for (const auto& [name, of_index] : units.global) {
    usage_->add(read ? kIndexConsumedReads : kIndexConsumedWrites, address.account, address.region, address.name,
                of_index, 1, name);
  }
}

void Throttle::measure_refusal(const Owner& owner, Kind kind) {
  if (!usage_) return;
  const bool read = kind == Kind::read;
  const auto& metric = owner.index ? (read ? kIndexReadThrottles : kIndexWriteThrottles)
                                   : (read ? kReadThrottles : kWriteThrottles);
  const TableAddress& address = owner.table.address;
  usage_->add(metric, address.account, address.region, address.name, 1, 1, owner.index ? owner.index->name : "");
}

void Throttle::charge(const Table& table, Kind kind, const ConsumedUnits& units) {
  if (usage_) measure(table, kind, units);
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  double of_table = units.table;
  for (const auto& [name, of_index] : units.local) of_table += of_index;  // local indexes live on their table's
  if (of_table != 0) take({table}, kind, of_table);
  for (const Index& index : table.indexes) {
    const auto found = units.global.find(index.name);
    if (found != units.global.end()) take({table, &index}, kind, found->second);
  }
}

}  // namespace tidemill::dynamodb
