#include "services/dynamodb/capacity.h"

#include <algorithm>

#include "services/dynamodb/index_entries.h"

namespace tidemill::dynamodb {

namespace {

namespace shapes = wire::dynamodb;
using CapacityMap = std::optional<std::map<std::string, shapes::Capacity>>;

constexpr size_t kReadUnitBytes = 4096;
constexpr size_t kWriteUnitBytes = 1024;

double units(size_t bytes, size_t unit) { return static_cast<double>(bytes == 0 ? 1 : (bytes + unit - 1) / unit); }

size_t size_of(const std::optional<ItemView>& item) { return item ? lang::dynamodb::item_size(*item) : 0; }

CapacityMap capacities(const std::map<std::string, double>& units) {
  if (units.empty()) return std::nullopt;
  CapacityMap result(std::in_place);
  for (const auto& [name, consumed] : units) (*result)[name].capacity_units = consumed;
  return result;
}

void add(std::optional<double>& sum, const std::optional<double>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

void add(shapes::Capacity& sum, const shapes::Capacity& more) {
  add(sum.capacity_units, more.capacity_units);
  add(sum.read_capacity_units, more.read_capacity_units);
  add(sum.write_capacity_units, more.write_capacity_units);
}

void add(CapacityMap& sum, const CapacityMap& more) {
  if (!more) return;
  if (!sum) sum.emplace();
  for (const auto& [name, capacity] : *more) add((*sum)[name], capacity);
}

}  // namespace

double read_units(size_t bytes, bool consistent) { return units(bytes, kReadUnitBytes) * (consistent ? 1 : 0.5); }

double write_units(size_t bytes) { return units(bytes, kWriteUnitBytes); }

ConsumedUnits& ConsumedUnits::operator+=(const ConsumedUnits& other) {
  table += other.table;
  for (const auto& [name, units] : other.local) local[name] += units;
  for (const auto& [name, units] : other.global) global[name] += units;
  return *this;
}

double ConsumedUnits::total() const {
  double sum = table;
  for (const auto& [name, units] : local) sum += units;
  for (const auto& [name, units] : global) sum += units;
  return sum;
}

ConsumedUnits units_of_change(const Table& table, std::optional<ItemView> before, std::optional<ItemView> after) {
  ConsumedUnits consumed(write_units(std::max(size_of(before), size_of(after))));
  if (table.indexes.empty() || before == after) return consumed;
  visit_entry_changes(table, table.indexes, before, after, [&consumed](const EntryChange& change) {
    const size_t size_before = lang::dynamodb::item_size(change.before);
    const size_t size_after = lang::dynamodb::item_size(change.after);
    consumed.add(change.index, change.moves() ? write_units(size_before) + write_units(size_after)
                                              : write_units(std::max(size_before, size_after)));
  });
  return consumed;
}

bool wants_capacity(const std::optional<std::string>& return_consumed_capacity) {
  return return_consumed_capacity && *return_consumed_capacity != shapes::ReturnConsumedCapacity::kNone;
}

std::optional<shapes::ConsumedCapacity> consumed_capacity(const std::optional<std::string>& return_consumed_capacity,
                                                          const std::string& table_name, const ConsumedUnits& units) {
  if (!wants_capacity(return_consumed_capacity)) return std::nullopt;
  shapes::ConsumedCapacity capacity{.table_name = table_name, .capacity_units = units.total()};
  if (*return_consumed_capacity == shapes::ReturnConsumedCapacity::kIndexes) {
    capacity.table = shapes::Capacity{.capacity_units = units.table};
    capacity.local_secondary_indexes = capacities(units.local);
    capacity.global_secondary_indexes = capacities(units.global);
  }
  return capacity;
}

void add_capacity(std::optional<shapes::ConsumedCapacity>& sum, const std::optional<shapes::ConsumedCapacity>& more) {
  if (!more) return;
  if (!sum) {
    sum = more;
    return;
  }
  add(sum->capacity_units, more->capacity_units);
  add(sum->read_capacity_units, more->read_capacity_units);
  add(sum->write_capacity_units, more->write_capacity_units);
  if (more->table) {
    if (!sum->table) sum->table.emplace();
    add(*sum->table, *more->table);
  }
  add(sum->local_secondary_indexes, more->local_secondary_indexes);
  add(sum->global_secondary_indexes, more->global_secondary_indexes);
}

}  // namespace tidemill::dynamodb
