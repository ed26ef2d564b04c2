#include "store/rocksdb_store.h"

#include "store/rocksdb_committer.h"

namespace tidemill::store {

namespace {

class RocksdbStore final : public Store {
 public:
  RocksdbStore(const RocksdbOptions& options, base::Clock& clock)
      : committer_(std::make_shared<RocksdbDatabase>(options), clock, topics_) {}

  std::shared_ptr<Snapshot> snapshot() override { return make_snapshot(committer_.view()); }

  std::shared_ptr<Transaction> begin() override { return std::make_shared<RocksdbTransaction>(committer_.view(), committer_); }

  Task<CommitResult> commit(std::shared_ptr<Transaction> txn) override {
    auto mine = std::static_pointer_cast<RocksdbTransaction>(std::move(txn));
    // What only read is serializable at its snapshot.
    if (mine->is_read_only()) {
      return Task<CommitResult>::ready({CommitStatus::committed, mine->version()});
    }
    return committer_.commit(std::move(mine));
  }

  Subscription subscribe(std::string_view topic, std::function<void()> callback) override {
    return topics_.subscribe(topic, std::move(callback));
  }

  [[nodiscard]] StoreMetrics metrics() const override { return committer_.metrics(); }

 private:
  Topics topics_;
  RocksdbCommitter committer_;
};

}  // namespace

std::unique_ptr<Store> open_rocksdb(const RocksdbOptions& options, base::Clock& clock) {
  return std::make_unique<RocksdbStore>(options, clock);
}

}  // namespace tidemill::store
