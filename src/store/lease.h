// The lease primitive: which process owns a thing (a shard of a mapping, a kind of timers), where several share a store.
// engine/ownership.h decides by it who works on what; with the embedded store nobody asks.
//
// A process is a member while its record's beats go on. A lease names a member and holds for as long as that member does,
// so keeping a thousand leases costs one write per beat. Nothing here compares clocks: that a member is dead is concluded
// by whoever has watched its beats stand still for long enough, on his own clock, and buries it.
//
// What an owner writes goes through a transaction that calls holds_lease(): one that was buried, and whose lease somebody
// else has taken, conflicts instead of writing, however late it comes.
//
// All of it as state kept through the caller's transactions, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace tidemill::store {

struct Member {
  std::string process;  // unique per run of a process, never used again
  uint64_t life = 0;    // one more each time it joins: what it held in an earlier life it has lost
  uint64_t beats = 0;   // one more at each sign of life
  bool operator==(const Member&) const = default;
};

struct Lease {
  std::string name;     // what is owned
  std::string process;  // of the member that has it
  uint64_t life = 0;    // in which of its lives
  uint64_t term = 0;    // which of the times that this life has taken it: never the same twice
  bool operator==(const Lease&) const = default;
};

// Begins the life that `member` names.
void join(Transaction& txn, const Member& member);

// A sign of life: puts `member`'s beats. False: this life has ended, join() with another.
Task<bool> beat(Transaction& txn, const Member& member);

// All that have not been buried, by process.
Task<std::vector<Member>> members(Snapshot& snapshot);

// Ends the life of `member`, if its beats still are what they are there, and with it every lease it holds. False: it has
// shown life meanwhile, or somebody else has buried it.
Task<bool> bury(Transaction& txn, const Member& member);

// Puts the lease if nobody holds it whose life goes on; and makes the commit conflict with the end of its own. False:
// somebody has it, or `lease.life` has ended.
Task<bool> take_lease(Transaction& txn, const Lease& lease);

// Whether that life of a member goes on; the commit conflicts with its end.
Task<bool> lives(Transaction& txn, std::string_view process, uint64_t life);

// Gives it back; nothing happens if it was lost.
Task<void> release_lease(Transaction& txn, const Lease& lease);

// Whether `lease` is still its owner's; the commit conflicts if that changes meanwhile. A life that has ended does not
// end it: nobody else has it as long as this is true.
Task<bool> holds_lease(Transaction& txn, const Lease& lease);

// Whether a living member holds a lease whose name starts with `prefix`; the commit conflicts if that changes meanwhile.
Task<bool> is_leased(Transaction& txn, std::string_view prefix);

// Signalled when members join or are buried, and when a lease is given back.
inline constexpr std::string_view kLeasesTopic = "leases";

}  // namespace tidemill::store
