#include "services/dynamodb/transaction_capacity.h"

#include <algorithm>
#include <stdexcept>

#include "base/ordered.h"
#include "services/dynamodb/capacity.h"

namespace tidemill::dynamodb {

namespace {

constexpr double kTransactionFactor = 2;

}  // namespace

void TransactionUsage::add(const std::string& table_name, size_t item_bytes) {
  auto table = std::ranges::find(tables_, table_name, &Table::name);
  if (table == tables_.end()) table = tables_.insert(table, Table{.name = table_name});
  table->read_units += kTransactionFactor * read_units(item_bytes, true);
  table->write_units += kTransactionFactor * write_units(item_bytes);
}

std::optional<std::vector<wire::dynamodb::ConsumedCapacity>> TransactionUsage::consumed(
    const std::optional<std::string>& return_consumed_capacity, TransactionKind kind) const {
  if (!wants_capacity(return_consumed_capacity)) return std::nullopt;
  std::vector<wire::dynamodb::ConsumedCapacity> result;
  for (const Table& table : tables_) {
    const bool reads = kind == TransactionKind::read;
    auto capacity =
        *consumed_capacity(return_consumed_capacity, table.name, reads ? table.read_units : table.write_units);
    (reads ? capacity.read_capacity_units : capacity.write_capacity_units) = capacity.capacity_units;
    if (capacity.table) {
      (reads ? capacity.table->read_capacity_units : capacity.table->write_capacity_units) = capacity.capacity_units;
    }
    result.push_back(std::move(capacity));
  }
  return result;
}

// Only the reads are kept: they are what is told of a token's second use.
std::string TransactionUsage::encode() const {
  std::string bytes;
  for (const Table& table : tables_) {
    base::append_string(bytes, table.name);
    base::append_u32(bytes, static_cast<uint32_t>(table.read_units));
  }
  return bytes;
}

TransactionUsage TransactionUsage::decode(std::string_view bytes) {
  TransactionUsage usage;
  base::OrderedReader reader(bytes);
  while (reader.ok() && !reader.at_end()) {
    Table table{.name = reader.string()};
    table.read_units = reader.u32();
    usage.tables_.push_back(std::move(table));
  }
  if (!reader.ok()) throw std::runtime_error("what a transaction left with its token is not readable");
  return usage;
}

}  // namespace tidemill::dynamodb
