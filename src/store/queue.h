// An ordered queue: entries under one prefix that are put anywhere, mostly at the end, and taken from the front.
//
//   const Queue queue(prefix);
//   queue.put(txn, key, value);
//   co_await snapshot.scan({co_await queue.front(snapshot), end}, ...);   // from the front, as far as wanted
//   txn.erase(key);
//
// Why it is not just a range: what is erased stays in a backend as a dead key until that is compacted, and a look at
// the front of a range that starts at its beginning steps over all of them: 36 ms behind 300,000. So a queue has a
// floor, below which nothing stands, and looks begin there.
//
// The floor is a hint that may be too low and must never be too high for an entry that stands:
// - put() lowers it, if need be, in the same commit (Transaction::lower). That reads nothing, so those who put conflict
//   neither with each other nor with those who look, and an entry may come before the floor at any time.
// - raise() moves it up in a transaction that tracks everything it leaves below, so that it conflicts with an entry
//   that came there meanwhile.
// It stands in the store, so another process, or the next start, begins where this one was. A queue whose floor was
// never raised has none and costs nothing more than its entries.
//
// Entries are still erased one by one. Erasing a range once in a while instead would need every look to ask of each
// entry whether it was taken already, and range tombstones among items slow down everybody's reads.
#pragma once

#include <string>
#include <string_view>

#include "store/store.h"

namespace tidemill::store {

// Cheap to make: keys only.
class Queue {
 public:
  // So many bytes of an entry's key behind the prefix make a floor. The first byte of `prefix` is its key space.
  static constexpr size_t kFloorBytesMax = 16;

  explicit Queue(std::string prefix);

  [[nodiscard]] const std::string& prefix() const { return prefix_; }

  // `key` starts with the prefix.
  void put(Transaction& txn, std::string_view key, std::string_view value) const;

  // Where a look begins: no entry is before it as of the snapshot, though what this transaction has put itself may be.
  // In a transaction it is tracked, so that one which looks on from there by a tracked scan conflicts with every entry
  // that comes before what it has seen, wherever that is.
  Task<std::string> front(Snapshot& reader) const;
  // For looks that are not tracked either.
  Task<std::string> front_untracked(Transaction& txn) const;

  // For a transaction that has read the front, and from there on, tracked, leaves nothing before `upto`, a key: the
  // floor goes there.
  void set_floor(Transaction& txn, std::string_view upto) const;

  // The same in a transaction of its own: moves the floor up to the first entry, at most to `upto`. Gives way to those
  // who put entries there: after a few lost races the floor stays where it is.
  Task<void> raise(Store& store, std::string upto) const;

  // What is kept beside the entries, for who erases the whole queue: erase this, too.
  [[nodiscard]] const std::string& floor_key() const { return floor_key_; }
  // The floors of all queues whose prefixes start with `prefix`.
  [[nodiscard]] static Range floors(std::string_view prefix);

 private:
  [[nodiscard]] std::string_view floor_of(std::string_view key) const;

  std::string prefix_;
  std::string floor_key_;
};

// When to raise a queue's floor: counts what happens to it in this process. One executor, or under a lock.
class FloorPace {
 public:
  // About as many dead keys a look may meet; raising costs a transaction.
  static constexpr size_t kTakesMax = 128;
  // What others take, or cancel, is seen by nobody: so also after so many looks.
  static constexpr size_t kLooksMax = 64;

  constexpr explicit FloorPace(size_t takes_max = kTakesMax, size_t looks_max = kLooksMax)
      : takes_max_(takes_max), looks_max_(looks_max) {}

  // True: raise it now.
  bool looked(size_t taken) {
    takes_ += taken;
    ++looks_;
    if (takes_ < takes_max_ && looks_ < looks_max_) return false;
    takes_ = looks_ = 0;
    return true;
  }

 private:
  size_t takes_max_;
  size_t looks_max_;
  size_t takes_ = 0;
  size_t looks_ = 0;
};

}  // namespace tidemill::store
