// The lease primitive: who owns a shard, a workflow, a partition of the timers, and until when. With the embedded
// backend the owner is always this process; with a store that several processes share, the same code keeps them apart.
//
// An owner that cannot renew in time must stop before the lease expires. What it writes for the thing it owns should
// go through a transaction that calls holds_lease(): a former owner then conflicts instead of writing.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/store.h"

namespace tidemill::store {

struct Lease {
  std::string name;   // what is owned
  std::string owner;  // unique per process run
  base::Time expires;
  uint64_t epoch = 0;  // rises by one each time the owner changes; never used twice for a name
  bool operator==(const Lease&) const = default;
};

// Takes the lease `name` for `owner` until `now` + `length` if nobody holds it, the holder's has expired, or `owner`
// holds it already (which renews it). Nothing: somebody else holds it.
Task<std::optional<Lease>> acquire_lease(Transaction& txn, std::string_view name, std::string_view owner,
                                         base::Time now, base::Duration length);

// Extends `lease` to `now` + `length`. Nothing: it was lost, stop working under it.
Task<std::optional<Lease>> renew_lease(Transaction& txn, const Lease& lease, base::Time now, base::Duration length);

// Gives it back at once; nothing happens if it was lost.
Task<void> release_lease(Transaction& txn, const Lease& lease);

// Whether `lease` is still its owner's; the commit conflicts if that changes meanwhile. Expiry alone does not end it:
// nobody else has it as long as this is true.
Task<bool> holds_lease(Transaction& txn, const Lease& lease);

}  // namespace tidemill::store
