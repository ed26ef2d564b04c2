// Two who commit as one: a guest, which writes by a store of its own as by any other and knows nothing of it, and its
// host, whose transaction that is. So a schedule's run and the message that it sends are one commit, and after a crash
// there are both or neither.
//
//   const auto txn = store.begin();
//   ...                                                            // what the host writes
//   const auto made = co_await commit_jointly<Answer>(store, txn, [&](Store& shared) { return ask(shared); });
//
// The guest's first transaction is the host's; when it commits that, it waits for the host's commit, and goes on with
// what came of it. What it writes later are commits of its own.
#pragma once

#include <exception>
#include <memory>
#include <optional>

#include "base/executor.h"
#include "base/future.h"
#include "store/store.h"

namespace tidemill::store {

// The store of a guest. Internal to commit_jointly().
class GuestStore final : public Store {
 public:
  GuestStore(Store& store, std::shared_ptr<Transaction> txn)
      : store_(store), attempt_(txn->attempt), shared_(std::move(txn)) {}

  std::shared_ptr<Snapshot> snapshot() override { return store_.snapshot(); }
  std::shared_ptr<Transaction> begin() override;
  Task<CommitResult> commit(std::shared_ptr<Transaction> txn) override;
  Subscription subscribe(std::string_view topic, std::function<void()> callback) override {
    return store_.subscribe(topic, std::move(callback));
  }
  [[nodiscard]] StoreMetrics metrics() const override { return store_.metrics(); }

  // True: it has written, and waits for the commit. False: it has ended without one.
  [[nodiscard]] const base::Future<bool>& is_ready() const { return is_ready_; }
  void committed(CommitResult result) const { outcome_.set({result, nullptr}); }
  void failed(std::exception_ptr error) const { outcome_.set({{}, std::move(error)}); }

 private:
  struct Outcome {
    CommitResult result;
    std::exception_ptr error;
  };
  Store& store_;
  const int attempt_;  // the host's, which the guest believes to be its first
  std::shared_ptr<Transaction> shared_;  // null once the guest has begun it
  Transaction* theirs_ = nullptr;
  base::Future<bool> is_ready_;
  base::Future<Outcome> outcome_;
};

enum class JointEnd {
  committed,
  conflict,  // nothing is written: the host begins anew, with another transaction and another guest
  refused,   // the guest did not come to its commit; nothing is written, and the transaction is not to be committed
};
template <class Value>
struct JointResult {
  JointEnd end = JointEnd::conflict;
  std::optional<Value> value;  // the guest's, unless there was a conflict
};

// `start` is called with the guest's store, and gives its Task<Value>; both outlive the call. Throws what the guest
// throws before its commit, and what the commit does.
template <class Value, class Start>
Task<JointResult<Value>> commit_jointly(Store& store, std::shared_ptr<Transaction> txn, Start start) {
  GuestStore shared(store, txn);
  JointResult<Value> joint;
  std::exception_ptr error;
  const base::Future<bool> ended;
  const auto run = [&]() -> Task<void> {
    try {
      joint.value.emplace(co_await start(shared));
    } catch (...) {
      error = std::current_exception();
    }
    shared.is_ready().set(false);
    ended.set(true);
  };
  base::Scope guest;  // last: it uses the rest
  guest.spawn(run());
  if (!co_await shared.is_ready()) {
    if (error) std::rethrow_exception(error);
    joint.end = JointEnd::refused;
    co_return joint;
  }
  try {
    const CommitResult result = co_await store.commit(txn);
    if (result.status == CommitStatus::conflict) co_return JointResult<Value>{};
    shared.committed(result);
  } catch (...) {
    shared.failed(std::current_exception());
    throw;
  }
  // What becomes of the guest now changes nothing of what is durable.
  (void)co_await ended;
  joint.end = JointEnd::committed;
  co_return joint;
}

}  // namespace tidemill::store
