// Takes the items out of an object that comes piece by piece: JSON arrays and objects, lines of JSON, CSV. Each item
// says where in the object it ends, so that another splitter can go on from there.
//
//   const auto splitter = make_splitter(reader, cursor);
//   while (auto piece = co_await body.read()) {
//     splitter->feed(*piece);
//     while (auto item = splitter->next()) …
//   }
//   splitter->finish();
//   while (auto item = splitter->next()) …
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lang/states/evaluate.h"
#include "services/states/item_cursor.h"

namespace tidemill::states {

namespace asl = lang::states;

inline constexpr size_t kItemBytesMax = asl::kPayloadBytesMax;  // an item is a child's input, or a part of it
inline constexpr size_t kCsvHeaderBytesMax = size_t{10} << 10;  // Step Functions' quota

struct SplitItem {
  asl::Document value;
  std::string key;   // of a member of an object; empty: it is none
  ItemCursor after;  // where the next one begins
};

// All throw asl::StateError (States.ItemReaderFailed) for what cannot be read.
class ItemSplitter {
 public:
  explicit ItemSplitter(ItemCursor cursor) : cursor_(std::move(cursor)) {}
  virtual ~ItemSplitter() = default;

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // There are no more bytes.
  void finish() { is_whole_ = true; }
  // Nothing: it needs more bytes, or there are no more items (cursor().is_done).
  [[nodiscard]] std::optional<SplitItem> next();
  [[nodiscard]] const ItemCursor& cursor() const { return cursor_; }

 protected:
  // Takes the next item's bytes off the buffer with drop(), and sets `key` and `value`.
  virtual bool take(SplitItem& item) = 0;

  void drop(size_t bytes);
  // A byte order mark at the beginning. False: whether there is one is not known yet.
  bool skip_mark();
  [[noreturn]] static void fail(std::string cause);

  std::string buffer_;  // from cursor_.offset on, without the first dropped_
  size_t dropped_ = 0;
  bool is_whole_ = false;
  ItemCursor cursor_;

  [[nodiscard]] std::string_view rest() const { return std::string_view(buffer_).substr(dropped_); }
};

// By the reader's InputType: CSV, JSON or JSONL.
[[nodiscard]] std::unique_ptr<ItemSplitter> make_splitter(const asl::ItemReader& reader, ItemCursor cursor);

}  // namespace tidemill::states
