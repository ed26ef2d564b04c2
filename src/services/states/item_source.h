// Where a map run's items come from: the state's input, an object in S3, a listing of a bucket. Read a few at a time,
// from a cursor on, so that neither their number nor the object's size matters.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "lang/states/evaluate.h"
#include "services/states/item_cursor.h"
#include "services/states/item_split.h"
#include "services/states/long_evaluations.h"
#include "wire/context.h"

namespace tidemill::states {

class ItemSource {
 public:
  virtual ~ItemSource() = default;
  // Nothing: there are no more. Throws asl::StateError (States.ItemReaderFailed) for what cannot be read, and anything
  // else for what may be tried again.
  virtual Task<std::optional<SplitItem>> next() = 0;
  // Where the items are, for the context: "S3://bucket/key"; empty: in the state's input.
  [[nodiscard]] virtual std::string where() const { return ""; }
};

[[nodiscard]] std::unique_ptr<ItemSource> items_of_input(asl::Document items, ItemCursor cursor);
// `arn` names the account and region on whose behalf `by` asks S3; `platform` and `evaluations` outlive it.
[[nodiscard]] std::unique_ptr<ItemSource> items_of_reader(wire::Platform& platform, LongEvaluations& evaluations,
                                                          std::string arn, wire::Principal by,
                                                          const asl::ItemReader& reader, ItemCursor cursor);

// A member of a reader's or writer's arguments that is text. Throws asl::StateError(`error`) if it is required and is
// not there.
[[nodiscard]] std::string argument_of(const asl::Document& arguments, std::string_view name, bool is_required,
                                      std::string_view error);

}  // namespace tidemill::states
