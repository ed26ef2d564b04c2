#include "store/merged_cursor.h"

#include <algorithm>

namespace tidemill::store {

namespace {

constexpr int kPassedMax = 64;  // hidden or erased entries, before it calls that a gap

}  // namespace

bool contains(const std::vector<Range>& ranges, std::string_view key) {
  return std::ranges::any_of(ranges, [key](const Range& range) { return range.begin <= key && key < range.end; });
}

MergedCursor::MergedCursor(std::unique_ptr<Cursor> theirs, const Writes& writes, const std::vector<Range>& erased,
                           const Range& range, Direction direction)
    : theirs_(std::move(theirs)),
      erased_(erased),
      forward_(direction == Direction::forward),
      own_(writes.lower_bound(forward_ ? range.begin : range.end)),
      own_end_(writes.lower_bound(forward_ ? range.end : range.begin)) {
  settle();
}

void MergedCursor::next() {
  if (at_ == At::entry && shows_own_) {
    pass_own();
  } else if (at_ == At::entry || theirs_->at() == At::gap) {
    theirs_->next();
  }
  settle();
}

// An own write that hides an entry of the view takes that along.
void MergedCursor::pass_own() {
  if (order_of_next() == 0) theirs_->next();
  own_ = forward_ ? std::next(own_) : std::prev(own_);
}

int MergedCursor::order_of_next() const {
  if (theirs_->at() == At::end) return -1;
  const int order = next_own()->first.compare(theirs_->key());
  return forward_ ? order : -order;
}

void MergedCursor::settle() {
  for (int passed = 0; passed < kPassedMax; ++passed) {
    // Which own write comes next is known once the view's next entry is.
    if (theirs_->at() == At::gap) break;
    shows_own_ = has_own() && order_of_next() <= 0;
    if (shows_own_) {
      if (next_own()->second) {
        at_ = At::entry;
        return;
      }
      pass_own();
      continue;
    }
    if (theirs_->at() == At::end || !contains(erased_, theirs_->key())) {
      at_ = theirs_->at();
      return;
    }
    theirs_->next();
  }
  at_ = At::gap;
}

}  // namespace tidemill::store
