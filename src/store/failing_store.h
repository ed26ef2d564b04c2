// For tests: another store whose looks and commits fail when the test says so, as where no file can be opened or there is no
// memory. It is another's store in front of which it stands, and crashes with it.
//
//   troubles.commits.next(2, std::system_error(...));  // the next two fail
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "store/sim_store.h"

namespace tidemill::store {

class Trouble {
 public:
  // After `well` more that go well the next `count` throw `error`.
  template <class Error>
  void next(int count, Error error, int well = 0) {
    left_ = count;
    well_ = well;
    error_ = std::make_exception_ptr(std::move(error));
  }
  // How many of them are still to come.
  [[nodiscard]] int left() const { return left_; }

  void meet() {
    if (left_ == 0 || well_-- > 0) return;
    --left_;
    std::rethrow_exception(error_);
  }

 private:
  int left_ = 0;
  int well_ = 0;
  std::exception_ptr error_;
};

struct Troubles {
  Trouble snapshots;
  Trouble commits;
  Trouble answers;  // of commits that are made all the same
};

class FailingStore final : public SimStore {
 public:
  FailingStore(std::unique_ptr<SimStore> other, Troubles& troubles) : other_(std::move(other)), troubles_(troubles) {}

  void crash() override { other_->crash(); }
  std::shared_ptr<Snapshot> snapshot() override {
    troubles_.snapshots.meet();
    return other_->snapshot();
  }
  std::shared_ptr<Transaction> begin() override { return other_->begin(); }
  Task<CommitResult> commit(std::shared_ptr<Transaction> txn) override {
    troubles_.commits.meet();
    const CommitResult result = co_await other_->commit(std::move(txn));
    troubles_.answers.meet();
    co_return result;
  }
  Subscription subscribe(std::string_view topic, std::function<void()> callback) override {
    return other_->subscribe(topic, std::move(callback));
  }
  [[nodiscard]] StoreMetrics metrics() const override { return other_->metrics(); }

 private:
  const std::unique_ptr<SimStore> other_;
  Troubles& troubles_;
};

}  // namespace tidemill::store
