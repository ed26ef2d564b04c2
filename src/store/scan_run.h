// A scan under way: shows the entries of a cursor until the range, the limit or the visitor ends it, and stops in between
// when its slice is over. Inside store/ only.
//
//   ScanRun run(view->open(range, options.direction), options.limit);
//   if (run.advance(visit)) return Task<void>::ready();    // most end in their first slice
//   return run_to_end(view, std::move(run), visit);
#pragma once

#include <memory>
#include <utility>

#include "base/executor.h"
#include "store/view.h"

namespace tidemill::store {

class ScanRun {
 public:
  // `limit` > 0.
  ScanRun(std::unique_ptr<Cursor> cursor, size_t limit) : cursor_(std::move(cursor)), left_(limit) {}

  // Goes on: true, it has ended; false, it is time to give way.
  template <class Visit>
  bool advance(const Visit& visit) {
    for (;; cursor_->next()) {
      if (base::slice_is_over(std::exchange(steps_, 0))) return false;
      if (cursor_->at() == Cursor::At::end) return true;
      if (cursor_->at() == Cursor::At::gap) {
        steps_ = kStepsPerGap;
        continue;
      }
      const std::string_view value = cursor_->value();
      steps_ = 1 + value.size() / kBytesPerStep;
      const bool goes_on = visit(cursor_->key(), value);
      stopped_ = !goes_on || --left_ == 0;
      if (stopped_) return true;
    }
  }

  // The entry at which its limit or its visitor stopped it; nothing if it went to the end of the range.
  [[nodiscard]] std::optional<std::string_view> stopped_at() const {
    if (!stopped_) return std::nullopt;
    return cursor_->key();
  }

 private:
  // How much work is a microsecond's, about (base::slice_is_over).
  static constexpr size_t kStepsPerOpening = 4;
  static constexpr size_t kStepsPerGap = 64;
  static constexpr size_t kBytesPerStep = 1024;

  std::unique_ptr<Cursor> cursor_;
  size_t left_;
  size_t steps_ = kStepsPerOpening;
  bool stopped_ = false;
};

// What is left of a run that has used up its first slice. Holds the view, from which the run reads. `Visit` is copied; what
// it refers to must outlive the task.
template <class Visit>
Task<void> run_to_end([[maybe_unused]] ViewPtr view, ScanRun run, Visit visit) {
  do {
    co_await base::give_way();
  } while (!run.advance(visit));
}

}  // namespace tidemill::store
