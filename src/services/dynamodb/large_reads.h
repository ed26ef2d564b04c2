// Reads of items and of logs of their changes, some of which may have a hundred thousand values: to look at one takes a
// millisecond or two. Reading is interrupted for each that is large, which is shown on a thread, and goes on behind it.
#pragma once

#include "base/blocking_work.h"
#include "store/store.h"

namespace tidemill::dynamodb {

// As Snapshot::scan() and Snapshot::read_log(), but that `visit` is called on one of `threads` for what is large
// (wire::do_large_joined), while this waits. Null: it never is. `passes` > 0: how often `visit` goes through a value
// (passes_of() of its expressions); what is small, too, may then be work for a thread, and much of it gives way.
Task<void> scan_large(store::Snapshot& snapshot, store::Range range, store::ScanOptions options,
                      const store::EntryVisitor& visit, base::BlockingWork* threads, size_t passes = 1);
Task<void> read_large_log(store::Snapshot& snapshot, const store::LogId& log, store::LogStart start,
                          const store::RecordVisitor& visit, base::BlockingWork* threads);

}  // namespace tidemill::dynamodb
