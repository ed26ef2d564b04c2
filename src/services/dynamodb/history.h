// What the items of a table were before they changed: one log of the store per table, written with each change while
// somebody needs it (TableFeatures::keeps_history): point-in-time recovery, and copies that are being made. From the
// items as they are and the records after a moment follow the items as they were at that moment: each item that changed
// since was what its first record says (table_copy.h).
//
// A record (docs/store-format.md): version (1) = 1, kind (1), then
//   change   size (4, little-endian) and place of the item in its table, the item before; nothing: there was none
//   marker   the name of what begins here
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

[[nodiscard]] store::LogId history_log(const TableId& table);

// Where an item stands in its table: the part of its key behind the table's id and index, the same in every copy.
[[nodiscard]] std::string_view place_in_table(std::string_view key);
// The key of what stands there in another table, or in a copy.
[[nodiscard]] std::string key_at_place(const TableId& table, std::string_view place);
[[nodiscard]] ItemKey key_of_place(const TableId& table, std::string_view place);

struct HistoryRecord {
  bool is_marker = false;
  std::string_view place;          // of a change
  std::optional<ItemView> before;  // of a change
  std::string_view marker;
};

// Views into `bytes`. Nothing if they are damaged.
[[nodiscard]] std::optional<HistoryRecord> decode_history(std::string_view bytes);

void append_change(store::Transaction& txn, const TableId& table, std::string_view key, std::optional<ItemView> before);
// For a reader that must know at which commit exactly something began.
void append_marker(store::Transaction& txn, const TableId& table, std::string_view marker);

}  // namespace tidemill::dynamodb
