// Copies the items of a table as they were at one moment, while the table goes on being written: a backup, or a
// restored table. Three phases, in steps of bounded size, each of which is one transaction that also notes how far it
// came; so a copy goes on where it was after a crash, and no snapshot needs to live as long as it takes.
//
//   copying   the items as they are, chunk by chunk, each chunk as of another moment
//   undoing   every change since the wanted moment, in the order of the table's history: an item that changed is set to
//             what its first record says it was before. What was copied too late is right then.
//   done      whoever wanted the copy finishes it
//
// A copy may be of those items alone that changed since an earlier moment (an incremental export). Then a phase comes
// before these, and they pass over all other items:
//
//   collecting   the changes between the two moments: of each item that it was before the first of them, and when the
//                last one was
//
// The state of a copy is the payload of a timer that is due at once; its handler calls advance_copy().
#pragma once

#include <optional>
#include <string>

#include "services/dynamodb/history.h"
#include "store/timer.h"

namespace tidemill::dynamodb {

// Of one step.
inline constexpr size_t kCopyItemsMax = 1000;
inline constexpr size_t kCopyBytesMax = 1 << 20;

struct TableCopy {
  enum class Phase : uint8_t { copying, undoing, done, collecting };

  Phase phase = Phase::copying;
  TableId source;
  TableId target;
  // The moment: right before the record behind `since`; with a marker, where that stands behind `since`. Without
  // history nobody writes the source.
  bool with_history = false;
  store::Position since;
  std::string marker;
  bool only_changes = false;  // collecting goes from `since` to `until`, which then is the moment
  store::Position until;

  std::string cursor;     // the place that was copied last
  store::Version copied;  // changes up to it may be in what was copied
  int64_t items = 0;
  int64_t bytes = 0;  // as DescribeTable counts them

  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static std::optional<TableCopy> decode(std::string_view bytes);
};

// A copy that begins with the transaction's commit.
[[nodiscard]] TableCopy copy_as_of_now(store::Transaction& txn, const TableId& source, const TableId& target,
                                       std::string_view marker);

// Does one step and sets the timer anew with the state after it. `target` is the table that is copied to, so that its
// indexes are filled; nullptr: only the items. Not for a copy that is done.
Task<void> advance_copy(store::Store& store, const store::Timer& timer, TableCopy copy, const Table* target);

// What collecting has noted of an item, under changed_item_key().
struct ChangedItem {
  base::Time last_change;
  std::optional<std::string> before;  // as it is stored; nothing: there was none
};
// All of them, in the order of their places; a key of that range is that of a place.
[[nodiscard]] store::Range changed_items_range(const TableId& target);
[[nodiscard]] std::string changed_item_key(const TableId& target, std::string_view place);
[[nodiscard]] ChangedItem decode_changed_item(std::string_view bytes);

// Removes what undoing notes in the target. In the transaction that finishes the copy.
void erase_copy_notes(store::Transaction& txn, const TableCopy& copy);

}  // namespace tidemill::dynamodb
