// What a transaction sees of a range: the entries of its view, under its own writes. Inside store/ only.
#pragma once

#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/view.h"

namespace tidemill::store {

// What a transaction has put or, where there is no value, erased; in the transaction's memory.
using Writes = std::pmr::map<std::string_view, std::optional<std::string_view>>;

// Whether one of the ranges holds `key`.
[[nodiscard]] bool contains(const std::vector<Range>& ranges, std::string_view key);

class MergedCursor final : public Cursor {
 public:
  // `theirs` goes through `range` of the view in that direction. What the view has in `erased` is hidden; own writes there
  // came later. Neither the writes nor the ranges may change while this lives.
  MergedCursor(std::unique_ptr<Cursor> theirs, const Writes& writes, const std::vector<Range>& erased,
               const Range& range, Direction direction);

  [[nodiscard]] At at() const override { return at_; }
  [[nodiscard]] std::string_view key() const override { return shows_own_ ? next_own()->first : theirs_->key(); }
  [[nodiscard]] std::string_view value() const override { return shows_own_ ? *next_own()->second : theirs_->value(); }
  void next() override;

 private:
  // Passes what is hidden or erased, up to so many, and stands at what comes next.
  void settle();
  // Below zero: the own write comes before the view's entry; zero: it is in its place.
  [[nodiscard]] int order_of_next() const;
  [[nodiscard]] bool has_own() const { return own_ != own_end_; }
  [[nodiscard]] Writes::const_iterator next_own() const { return forward_ ? own_ : std::prev(own_); }
  void pass_own();

  const std::unique_ptr<Cursor> theirs_;
  const std::vector<Range>& erased_;
  const bool forward_;
  // The own writes still to come: forward those from own_ on, otherwise those before it.
  Writes::const_iterator own_;
  Writes::const_iterator own_end_;
  At at_ = At::end;
  bool shows_own_ = false;
};

}  // namespace tidemill::store
