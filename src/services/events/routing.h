// An event meets the rules of its bus: what becomes of it is decided, and durable, in the transaction that takes it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "services/events/event.h"
#include "services/events/service.h"
#include "store/store.h"

namespace tidemill::events {

// What one transaction brings to targets and archives at most, and one letter more: a store takes no transaction of any
// size, and an event of 256 KB that 1500 targets want is more than it takes.
inline constexpr size_t kRoutedBytesMax = 16 << 20;

// Some events on their way to all who want them: in one transaction, or if that is not enough in several, each of which
// goes on where the one before has ended, with the rules, and what they may do, as they were in the first.
//
//   Round round;
//   do {
//     co_await store.transact([&](Transaction& txn) -> Task<void> {
//       round.begin();
//       for (const Arrival& arrival : arrivals) co_await route(txn, service, arrival, all, round, now);
//     });
//   } while (round.goes_on());
class Round {
 public:
  explicit Round(size_t bytes_max = kRoutedBytesMax) : bytes_max_(bytes_max) {}

  // At the beginning of a transaction's body.
  void begin();
  // Once it has committed. True: there is more.
  [[nodiscard]] bool goes_on();
  // Before that: whether this transaction has the last of it.
  [[nodiscard]] bool is_whole() const { return taken_ == letters_; }

  // For a letter, in the order in which the rules have them. False: it has been sent, or is not this transaction's.
  [[nodiscard]] bool may_send();
  void sent(size_t bytes) { bytes_ += bytes; }
  // How many there were since begin().
  [[nodiscard]] size_t letters() const { return letters_; }

  // nullptr: there is no such bus.
  Task<RuleSetPtr> rules_of(store::Transaction& txn, Service& service, BusAddress bus);
  // What keeps a rule from putting events on the bus that is its target, as it was when first asked: another answer in
  // between would move all letters behind it. Empty: nothing. Throws wire::Error if it cannot be told now.
  Task<std::string> denial_of(wire::Platform& platform, const ActiveRule& rule, const ActiveTarget& target);

 private:
  const size_t bytes_max_;
  size_t done_ = 0;     // letters, by transactions that have committed
  size_t letters_ = 0;  // that were asked for since begin()
  size_t taken_ = 0;    // of these: sent before, or now
  size_t bytes_ = 0;
  std::map<std::string, RuleSetPtr> rules_;  // by the bus's ARN
  std::map<std::pair<std::string, std::string>, std::string> denials_;  // by the rule's ARN and the target's id
};

// Enqueues a delivery for every target of every rule that wants the event, and keeps it in every archive that does,
// unless it comes from one. A target that is a bus gets it at once, in the same transaction; from there it goes to no
// further bus, so that nothing runs in circles. If the bus is not there, nobody gets anything. `only_rules`: ARNs;
// empty: all rules.
Task<void> route(store::Transaction& txn, Service& service, const Arrival& arrival,
                 const std::set<std::string>& only_rules, Round& round, base::Time now);

// The targets of one rule, whatever its pattern.
Task<void> reach_targets(store::Transaction& txn, Service& service, const ActiveRule& rule, const Arrival& arrival,
                         Round& round, base::Time now);

}  // namespace tidemill::events
