// Consumed capacity by AWS's arithmetic (facts 3.7): a read unit is 4 KB, a write unit 1 KB, rounded up per item; an
// eventually consistent read costs half. A write of an item costs its table, and each index whose entry changes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "services/dynamodb/table.h"
#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

// Of bytes read: at least one unit, also where nothing was found.
[[nodiscard]] double read_units(size_t bytes, bool consistent);

// Of the larger of the item before and after, in bytes.
[[nodiscard]] double write_units(size_t bytes);

// What one operation, or several on one table, consumed.
struct ConsumedUnits {
  ConsumedUnits() = default;
  ConsumedUnits(double of_table) : table(of_table) {}  // of a table without indexes, or one that uses none

  double table = 0;
  std::map<std::string, double> local;  // by the index's name; only those that were used
  std::map<std::string, double> global;

  void add(const Index& index, double units) { (index.is_local() ? local : global)[index.name] += units; }
  ConsumedUnits& operator+=(const ConsumedUnits& other);
  [[nodiscard]] double total() const;
};

// Of a change of an item: in the table the larger of before and after; in each index whose entry changes one write of
// the larger of the two entries, or two writes if the entry moves.
[[nodiscard]] ConsumedUnits units_of_change(const Table& table, std::optional<ItemView> before,
                                            std::optional<ItemView> after);

// What the answer says, if the request asked for it ("TOTAL" or "INDEXES").
[[nodiscard]] bool wants_capacity(const std::optional<std::string>& return_consumed_capacity);
[[nodiscard]] std::optional<wire::dynamodb::ConsumedCapacity> consumed_capacity(
    const std::optional<std::string>& return_consumed_capacity, const std::string& table_name,
    const ConsumedUnits& units);

// Adds what one answer says to what others of the same table said.
void add_capacity(std::optional<wire::dynamodb::ConsumedCapacity>& sum,
                  const std::optional<wire::dynamodb::ConsumedCapacity>& more);

}  // namespace tidemill::dynamodb
