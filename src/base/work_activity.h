// Work on threads (blocking_work.h) counts as what is under way: while a document is read or a file synced on one, time that
// somebody turns does not pass. One process has one clock, so what counts is said once for all of its threads.
#pragma once

#include "base/clock.h"

namespace tidemill::base {

// While it lives, all work that BlockingWork is given counts in `activity`, which must outlive all who give work. At most one
// at a time. Without, nothing is counted.
class WorkActivity {
 public:
  explicit WorkActivity(Activity& activity);
  ~WorkActivity();
  WorkActivity(const WorkActivity&) = delete;
};

}  // namespace tidemill::base
