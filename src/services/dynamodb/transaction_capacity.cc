#include "services/dynamodb/transaction_capacity.h"

#include <algorithm>
#include <stdexcept>

#include "base/ordered.h"

namespace tidemill::dynamodb {

namespace {

using wire::dynamodb::Capacity;
using wire::dynamodb::ConsumedCapacity;

constexpr double kTransactionFactor = 2;

size_t size_of(std::optional<ItemView> item) { return item ? lang::dynamodb::item_size(*item) : 0; }

// Says of all units whether they are of reads or writes, as only transactions do.
template <class Units>
void split(Units& units, TransactionKind kind) {
  (kind == TransactionKind::read ? units.read_capacity_units : units.write_capacity_units) = units.capacity_units;
}

void split_all(ConsumedCapacity& capacity, TransactionKind kind) {
  split(capacity, kind);
  if (capacity.table) split(*capacity.table, kind);
  for (auto* indexes : {&capacity.local_secondary_indexes, &capacity.global_secondary_indexes}) {
    if (!*indexes) continue;
    for (auto& [name, units] : **indexes) split(units, kind);
  }
}

}  // namespace

TransactionUsage::OfTable& TransactionUsage::of(const Table& table) {
  auto found = std::ranges::find(tables_, table.address.name, &OfTable::name);
  if (found == tables_.end()) found = tables_.insert(found, OfTable{.name = table.address.name});
  return *found;
}

void TransactionUsage::charge(Throttle& throttle, const Table& table, TransactionKind kind) const {
  const auto found = std::ranges::find(tables_, table.address.name, &OfTable::name);
  if (found == tables_.end()) return;
  if (kind == TransactionKind::read) throttle.charge(table, Throttle::Kind::read, found->reads);
  else throttle.charge(table, Throttle::Kind::write, found->writes);
}

void TransactionUsage::add_read(const Table& table, size_t item_bytes) {
  of(table).reads += kTransactionFactor * read_units(item_bytes, true);
}

void TransactionUsage::add_write(const Table& table, std::optional<ItemView> before, std::optional<ItemView> after,
                                 bool count_writes) {
  add_read(table, std::max(size_of(before), size_of(after)));
  if (!count_writes) return;
  ConsumedUnits units = units_of_change(table, before, after);
  units.table *= kTransactionFactor;
  of(table).writes += units;
}

std::optional<std::vector<ConsumedCapacity>> TransactionUsage::consumed(
    const std::optional<std::string>& return_consumed_capacity, TransactionKind kind) const {
  if (!wants_capacity(return_consumed_capacity)) return std::nullopt;
  std::vector<ConsumedCapacity> result;
  for (const OfTable& table : tables_) {
    const ConsumedUnits units = kind == TransactionKind::read ? ConsumedUnits(table.reads) : table.writes;
    result.push_back(*consumed_capacity(return_consumed_capacity, table.name, units));
    split_all(result.back(), kind);
  }
  return result;
}

// Only the reads are kept: they are what is told of a token's second use.
std::string TransactionUsage::encode() const {
  std::string bytes;
  for (const OfTable& table : tables_) {
    base::append_string(bytes, table.name);
    base::append_u32(bytes, static_cast<uint32_t>(table.reads));
  }
  return bytes;
}

TransactionUsage TransactionUsage::decode(std::string_view bytes) {
  TransactionUsage usage;
  base::OrderedReader reader(bytes);
  while (reader.ok() && !reader.at_end()) {
    OfTable table{.name = reader.string()};
    table.reads = reader.u32();
    usage.tables_.push_back(std::move(table));
  }
  if (!reader.ok()) throw std::runtime_error("what a transaction left with its token is not readable");
  return usage;
}

}  // namespace tidemill::dynamodb
