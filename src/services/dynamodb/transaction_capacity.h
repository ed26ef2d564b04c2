// What a transaction consumes, by AWS's arithmetic: in tables twice what the same reads and writes cost alone, rounded up
// per item; in indexes as much as alone. A condition costs as much as a write. A transaction that a token had already
// been used for costs the reads of the same items.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/dynamodb/capacity.h"
#include "services/dynamodb/throttle.h"

namespace tidemill::dynamodb {

enum class TransactionKind { read, write };

class TransactionUsage {
 public:
  void add_read(const Table& table, size_t item_bytes);
  // A change of an item, or a check of one, which changes nothing; counted as the read of a second use, and as a write
  // only if that was asked for.
  void add_write(const Table& table, std::optional<ItemView> before, std::optional<ItemView> after, bool count_writes);

  // What the answer says, if the request asked for it: tables in the order in which they first came.
  [[nodiscard]] std::optional<std::vector<wire::dynamodb::ConsumedCapacity>> consumed(
      const std::optional<std::string>& return_consumed_capacity, TransactionKind kind) const;

  // What of it the table consumed.
  void charge(Throttle& throttle, const Table& table, TransactionKind kind) const;

  // To be kept with a token; decode() throws std::runtime_error if the bytes are not encode()'s.
  [[nodiscard]] std::string encode() const;
  static TransactionUsage decode(std::string_view bytes);

 private:
  struct OfTable {
    std::string name;
    double reads = 0;
    ConsumedUnits writes = {};
  };
  OfTable& of(const Table& table);

  std::vector<OfTable> tables_;
};

}  // namespace tidemill::dynamodb
