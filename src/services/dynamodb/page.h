// One page of a Query or Scan: takes the items of a range as the store yields them, until the limit, or until they
// are 1 MB: the item that crosses it is the page's last, as on AWS.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/blocking_work.h"
#include "lang/dynamodb/item_page.h"
#include "services/dynamodb/expressions.h"
#include "services/dynamodb/read_source.h"

namespace tidemill::dynamodb {

using lang::dynamodb::ItemForm;
using lang::dynamodb::ItemPage;

inline constexpr size_t kPageBytesMax = 1 << 20;  // of items as they are stored, before filter and projection

class Page {
 public:
  struct Options {
    std::optional<lang::dynamodb::Condition> filter;
    std::optional<lang::dynamodb::Projection> projection;
    std::optional<int32_t> limit;  // items looked at
    bool count_only = false;
    ItemForm form = ItemForm::json;
  };

  // `fetches`: an entry of a local index stands for its item, which fetch() gets from the table.
  Page(const ReadSource& source, const Options& options, bool fetches)
      : source_(source), options_(options), fetches_(fetches && !options.count_only) {}

  // Reads it from the range. Large items are looked at in `large_items`.
  Task<void> read(store::Snapshot& snapshot, store::Range range, store::Direction direction,
                  base::BlockingWork* large_items);

  // After that, and from the same snapshot: gets the items in place of the entries, if that is asked for. The page ends
  // once they are 1 MB.
  Task<void> fetch(store::Snapshot& snapshot, bool consistent, base::BlockingWork* large_items);

  // What was found, unless the items are only counted. Once, at the end.
  [[nodiscard]] std::optional<ItemPage> take_items();

  int32_t count = 0;          // that passed the filter
  int32_t scanned_count = 0;
  size_t bytes = 0;           // looked at
  double fetch_units = 0;     // for the items that were fetched

  // Where to go on; nothing if the range is finished. A page that ends with the limit names a key even if nothing
  // follows, as on AWS.
  [[nodiscard]] std::optional<Item> last_evaluated_key() const;

 private:
  // An entry that passed the filter, and what had been looked at with it.
  struct Found {
    std::string key;
    int32_t scanned_count;
    size_t bytes;
  };
  // One entry of the scan; false ends it.
  bool take(std::string_view key, std::string_view value);
  void add(ItemView item);
  // Then an item is weighed while it is written.
  [[nodiscard]] bool writes_whole_items() const {
    return !fetches_ && !options_.count_only && !options_.projection && options_.form == ItemForm::json;
  }
  // What the item weighs by AWS's rules.
  size_t append_json(ItemView item);

  const ReadSource& source_;
  const Options& options_;
  const bool fetches_;
  bool stopped_ = false;
  std::string last_key_;  // once it has stopped
  ItemPage items_;
  std::vector<Found> found_;  // to be fetched
};

// That Select goes together with ProjectionExpression or AttributesToGet. Throws ValidationException.
void check_select(MessageStyle style, const std::optional<std::string>& select,
                  const std::optional<std::string>& projection_expression,
                  const std::optional<std::vector<std::string>>& attributes_to_get,
                  const std::optional<std::string>& index_name);

// Whether the items themselves must be fetched from the table, because a local index does not project all that is asked
// for. Throws ValidationException where a global one does not.
[[nodiscard]] bool must_fetch(const ReadSource& source, const std::optional<std::string>& select,
                              const Page::Options& options);

// The attributes that a condition names, in its order.
[[nodiscard]] std::vector<std::string_view> attributes_of(const lang::dynamodb::Condition& condition);

// That a Query filters neither by keys nor by what the index does not project. Throws ValidationException that begins
// with the parameter's name.
void check_query_filter(const ReadSource& source, const std::optional<lang::dynamodb::Condition>& filter,
                        std::string_view filter_name);

}  // namespace tidemill::dynamodb
