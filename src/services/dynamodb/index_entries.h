// What a secondary index holds: for each item that has all of the index's key attributes one entry, with those
// attributes that the index projects, in the form of an item. An item that lacks one of them, or has one that cannot be
// a key, has no entry (a sparse index). An entry and its item never disagree: they are written in one transaction.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

// The place of the item's entry; nothing if the item is not in the index. Of an item, or of a start key that has all
// key attributes of index and table.
[[nodiscard]] std::optional<ItemKey> entry_place(const Table& table, const Index& index, ItemView item);

// What of the item the index projects: the item itself, or what is built in `storage`.
[[nodiscard]] ItemView projected_part(const Index& index, ItemView item, Item& storage);

// The key attributes of index and table in the entry's key: what a LastEvaluatedKey holds.
[[nodiscard]] Item key_of_entry(const Index& index, std::string_view key);

// How the entry of one index changes with its item. `place_before` and `place_after` are missing where the item is not
// in the index; the views live as long as the visitor runs.
struct EntryChange {
  const Index& index;
  const std::optional<ItemKey>& place_before;
  const std::optional<ItemKey>& place_after;
  ItemView before;
  ItemView after;

  [[nodiscard]] bool moves() const { return place_before && place_after && place_before->bytes != place_after->bytes; }
};

// Calls `visit` for each of these indexes of the table whose entry changes.
void visit_entry_changes(const Table& table, std::span<const Index> indexes, std::optional<ItemView> before,
                         std::optional<ItemView> after, const std::function<void(const EntryChange&)>& visit);

// Writes what changes.
void write_entries(store::Transaction& txn, const Table& table, std::optional<ItemView> before,
                   std::optional<ItemView> after);

// That the item's attributes can be keys of the table's indexes, where they differ from those of the item before: an
// item from before the index may keep what the index cannot hold. Throws ValidationException with AWS's messages.
void check_index_keys(const Table& table, std::optional<ItemView> before, ItemView item);

}  // namespace tidemill::dynamodb
