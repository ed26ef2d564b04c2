#include "store/rocksdb_store.h"

#include "store/rocksdb_committer.h"

namespace tidemill::store {

namespace {

class RocksdbStore final : public Store {
 public:
  RocksdbStore(const RocksdbOptions& options, base::Clock& clock)
      : committer_(std::make_shared<RocksdbDatabase>(options), clock, topics_, options.condition) {}

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

  [[nodiscard]] std::shared_ptr<RocksdbDatabase> database() const { return committer_.database(); }

 private:
  Topics topics_;
  RocksdbCommitter committer_;
};

RocksdbStore& embedded(Store& store) { return dynamic_cast<RocksdbStore&>(store); }

}  // namespace

std::filesystem::path data_of(Store& store) { return embedded(store).database()->directory().path(); }

uint64_t views_of(Store& store) {
  uint64_t views = 0;
  (void)embedded(store).database()->db().GetIntProperty(rocksdb::DB::Properties::kNumSnapshots, &views);
  return views;
}

void copy_database(Store& store, const std::filesystem::path& to, const std::stop_token& stop) {
  embedded(store).database()->copy_to(to, stop);
}

std::unique_ptr<Store> open_rocksdb(const RocksdbOptions& options, base::Clock& clock) {
  return std::make_unique<RocksdbStore>(options, clock);
}

}  // namespace tidemill::store
