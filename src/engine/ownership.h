// Who owns what moves by itself: a shard of a mapping, a queue's poller, a kind of timers, an outbox. Where several
// processes share a store, each claims whatever it would work on, and one of them owns it:
//
//   auto claim = ownership.claim(name, changed);            // `changed` is raised whenever the answer below may be another
//   if (auto tenure = claim->tenure()) { ... work ... }     // this process owns it now
//   co_await store.transact([&](Transaction& txn) -> Task<void> {
//     co_await tenure->fence(txn);                          // throws NotOwner: somebody else owns it, write nothing
//     ...
//   });
//
// What holds:
// - At most one process has a tenure that has not ended, as long as the processes' clocks run at about the same speed;
//   what they show does not matter.
// - Whatever clocks do, and however late a process wakes up: what is written behind fence() is written by the owner.
// - A tenure ends at once when its process cannot prove that it lives: then what is under way is abandoned. When another
//   process is to have the thing instead, the tenure is asked back, and goes on until the claim lets go: then what is
//   under way may come to its end, and nothing is done twice.
//
// Everything of one Ownership on one executor, but fence(), which any may call.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/future.h"
#include "base/task.h"
#include "store/store.h"

namespace tidemill::engine {

// What this process does for a thing it does no longer own. Expected: others go on with it.
class NotOwner : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One stretch of owning a thing. What is read after it began is not behind what earlier owners have written.
class Tenure {
 public:
  virtual ~Tenure() = default;

  // Asked before each step that others would see. Costs a look at the clock at most.
  [[nodiscard]] virtual bool ended() const = 0;
  // Somebody else is to have it: bring what is under way to its end and let go.
  [[nodiscard]] virtual bool asked_back() const = 0;
  // Makes the transaction conflict with the thing's passing to another. Throws NotOwner if it has.
  virtual Task<void> fence(store::Transaction& txn) const = 0;

  // Throws NotOwner if it has ended.
  void require() const;
};

// That this process would own a thing. Ends with its destruction, and with it the tenure: then the thing is free for others.
class Claim {
 public:
  virtual ~Claim() = default;

  // Null: not owned now.
  [[nodiscard]] virtual std::shared_ptr<const Tenure> tenure() const = 0;
  // Ends the tenure. The claim stands: another may begin.
  virtual void let_go() = 0;
};

class Ownership {
 public:
  virtual ~Ownership() = default;

  // Names are made of what they are about, so that a prefix names what belongs together: "mapping/<uuid>/<shard>". A
  // process claims a name once at a time. The claim may not outlive this.
  virtual std::unique_ptr<Claim> claim(std::string name, base::Signal changed) = 0;

  // Whether others may own things, and change what is in the store of those that are not owned here.
  [[nodiscard]] virtual bool is_shared() const = 0;

  // Whether anybody, also this process, owns a thing whose name starts with `prefix`, as far as the store knows; the
  // transaction conflicts if that changes meanwhile. Always false if nothing is shared: what is owned here is for the
  // caller to know.
  virtual Task<bool> is_owned(store::Transaction& txn, std::string_view prefix) = 0;

  // Calls `callback`, on any thread, when owners have changed.
  virtual store::Subscription watch(std::function<void()> callback) = 0;
};

// Of a process that has its store to itself: owns everything, for nothing.
class SoleOwnership final : public Ownership {
 public:
  std::unique_ptr<Claim> claim(std::string name, base::Signal changed) override;
  [[nodiscard]] bool is_shared() const override { return false; }
  Task<bool> is_owned(store::Transaction&, std::string_view) override { return Task<bool>::ready(false); }
  store::Subscription watch(std::function<void()>) override { return {}; }
};

}  // namespace tidemill::engine
