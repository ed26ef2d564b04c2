#include "store/joint.h"

namespace tidemill::store {

std::shared_ptr<Transaction> GuestStore::begin() {
  if (!shared_) return store_.begin();
  theirs_ = shared_.get();
  return std::exchange(shared_, nullptr);
}

Task<CommitResult> GuestStore::commit(std::shared_ptr<Transaction> txn) {
  if (txn.get() != theirs_) co_return co_await store_.commit(std::move(txn));
  theirs_ = nullptr;
  txn->attempt = attempt_;
  is_ready_.set(true);
  const Outcome outcome = co_await outcome_;
  if (outcome.error) std::rethrow_exception(outcome.error);
  co_return outcome.result;
}

}  // namespace tidemill::store
