// For tests of the embedded backend: a data directory that is opened, closed and looked into.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "store/test_backends.h"

namespace tidemill::store {

class RocksdbTest : public testing::Test {
 protected:
  void open(rocksdb::Env* env = nullptr) {
    store_ = open_rocksdb({.directory = data(), .env = env}, clock_);
  }
  // The reason why the directory cannot be opened; "" if it can.
  std::string open_error() {
    try {
      open();
      store_.reset();
      return "";
    } catch (const OpenError& error) {
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
      return error.what();
    }
  }
  template <class Body>
  void run(Body body) {
    run_to_end(body, executor_, scope_);
  }
  Task<void> put(std::string key, std::string value) {
    co_await store_->transact([&](Transaction& txn) -> Task<void> {
      txn.put(key, value);
      co_return;
    });
  }
  std::optional<std::string> get(const std::string& key) { return store_->snapshot()->get(key).await_resume(); }
  std::filesystem::path data() const { return directory_.path() / "data"; }
  // As if what says how much of the log is synced had not reached the disk.
  void lose_synced_mark() const { std::filesystem::remove(data() / "SYNCED"); }
  // The write-ahead log that holds the most.
  std::filesystem::path log_file() const {
    std::filesystem::path largest;
    for (const auto& entry : std::filesystem::directory_iterator(data() / "db")) {
      if (entry.path().extension() != ".log") continue;
      if (largest.empty() || entry.file_size() > std::filesystem::file_size(largest)) largest = entry.path();
    }
    return largest;
  }
  void write_hundred() {
    open();
    run([&]() -> Task<void> {
      for (int n = 0; n < 100; ++n) co_await put("I" + std::to_string(n), std::string(100, 'v'));
    });
    crash(store_, data());
  }

  TemporaryDirectory directory_;
  base::RealClock clock_;
  TestExecutor executor_;
  base::Scope scope_;
  std::unique_ptr<Store> store_;
};

}  // namespace tidemill::store
