#include "store/indexed_memtable.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace tidemill::store {
namespace {

// A database in memory, all of which is in memtables until it is flushed.
class IndexedMemtable : public testing::Test {
 protected:
  IndexedMemtable() : env_(rocksdb::NewMemEnv(rocksdb::Env::Default())) {
    rocksdb::Options options;
    options.env = env_.get();
    options.create_if_missing = true;
    options.allow_concurrent_memtable_write = false;
    options.memtable_factory = std::make_shared<IndexedMemtableFactory>();
    rocksdb::DB* db = nullptr;
    const auto status = rocksdb::DB::Open(options, "/memtable", &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }

  void put(const std::string& key, const std::string& value) { EXPECT_TRUE(db_->Put({}, key, value).ok()); }
  void erase(const std::string& key) { EXPECT_TRUE(db_->Delete({}, key).ok()); }

  std::optional<std::string> get(const std::string& key, const rocksdb::Snapshot* snapshot = nullptr) {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    std::string value;
    const auto status = db_->Get(options, key, &value);
    EXPECT_TRUE(status.ok() || status.IsNotFound()) << status.ToString();
    if (!status.ok()) return std::nullopt;
    return value;
  }

  std::map<std::string, std::string> all(const rocksdb::Snapshot* snapshot) {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    std::map<std::string, std::string> result;
    const std::unique_ptr<rocksdb::Iterator> entry(db_->NewIterator(options));
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) result[entry->key().ToString()] = entry->value().ToString();
    return result;
  }

  const std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(IndexedMemtable, gives_each_snapshot_what_was_there_whatever_was_written_since) {
  struct State {
    const rocksdb::Snapshot* snapshot;
    std::map<std::string, std::string> entries;
  };
  constexpr int kKeys = 40;
  std::mt19937 random(7);
  const auto key = [&] { return "key-" + std::to_string(random() % kKeys); };
  std::map<std::string, std::string> now;
  std::vector<State> states;
  for (int step = 0; step < 4000; ++step) {
    const std::string chosen = key();
    switch (random() % 20) {
      case 0: {
        const std::string end = key();
        if (chosen >= end) break;
        ASSERT_TRUE(db_->DeleteRange({}, db_->DefaultColumnFamily(), chosen, end).ok());
        now.erase(now.lower_bound(chosen), now.lower_bound(end));
        break;
      }
      case 1: case 2: case 3:
        erase(chosen);
        now.erase(chosen);
        break;
      default: put(chosen, now[chosen] = std::to_string(step));
    }
    if (step % 100 == 0) states.push_back({db_->GetSnapshot(), now});
    if (step % 1500 == 1499) {
      ASSERT_TRUE(db_->Flush({}).ok());
    }
  }
  for (const State& state : states) {
    for (int n = 0; n < kKeys; ++n) {
      const std::string wanted = "key-" + std::to_string(n);
      const auto found = state.entries.find(wanted);
      EXPECT_EQ(get(wanted, state.snapshot), found == state.entries.end() ? std::nullopt : std::optional(found->second));
    }
    EXPECT_EQ(all(state.snapshot), state.entries);
    db_->ReleaseSnapshot(state.snapshot);
  }
}

TEST_F(IndexedMemtable, finds_every_key_where_many_share_a_place) {
  constexpr int kKeys = 300'000;  // more than there are places
  const auto key = [](int n) { return "key-" + std::to_string(n * 7 % kKeys); };
  for (int round = 0; round < 2; ++round) {
    rocksdb::WriteBatch batch;
    for (int n = 0; n < kKeys; n += round + 1) ASSERT_TRUE(batch.Put(key(n), std::to_string(round)).ok());
    ASSERT_TRUE(db_->Write({}, &batch).ok());
  }
  for (int n = 0; n < kKeys; n += 17) EXPECT_EQ(get(key(n)), n % 2 == 0 ? "1" : "0") << n;
  EXPECT_EQ(get("key-"), std::nullopt);
  EXPECT_EQ(get("key-300000"), std::nullopt);
}

TEST_F(IndexedMemtable, is_read_while_it_is_written) {
  constexpr int kKeys = 50;
  constexpr int kRounds = 400;
  std::atomic<bool> is_over = false;
  std::atomic<int> failures = 0;
  const auto key = [](int n) { return "key-" + std::to_string(n); };
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&] {
      std::map<int, int> seen;
      for (int n = 0; !is_over; n = (n + 1) % kKeys) {
        std::string value;
        if (!db_->Get({}, key(n), &value).ok()) continue;
        const int number = std::stoi(value);
        if (number < seen[n]) ++failures;
        seen[n] = number;
      }
    });
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int n = 0; n < kKeys; ++n) put(key(n), std::to_string(round));
  }
  is_over = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace tidemill::store
