// What a transaction consumes, by AWS's arithmetic: twice what the same reads and writes cost alone, rounded up per
// item and summed per table; a condition alone costs as much as a write. A transaction that a token had already been
// used for costs the reads of the same items.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/shapes/dynamodb.h"

namespace tidemill::dynamodb {

enum class TransactionKind { read, write };

class TransactionUsage {
 public:
  // Another item of this table: the larger of its sizes before and after, in bytes.
  void add(const std::string& table_name, size_t item_bytes);

  // What the answer says, if the request asked for it: tables in the order in which they first came.
  [[nodiscard]] std::optional<std::vector<wire::dynamodb::ConsumedCapacity>> consumed(
      const std::optional<std::string>& return_consumed_capacity, TransactionKind kind) const;

  // To be kept with a token; decode() throws std::runtime_error if the bytes are not encode()'s.
  [[nodiscard]] std::string encode() const;
  static TransactionUsage decode(std::string_view bytes);

 private:
  struct Table {
    std::string name;
    double read_units = 0;
    double write_units = 0;
  };
  std::vector<Table> tables_;
};

}  // namespace tidemill::dynamodb
