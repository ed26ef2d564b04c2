// Backups that are cut short. Whole ones are tested with servers that open them: tests/test_backup.py.
#include "store/backup.h"

#include <gtest/gtest.h>

#include <fstream>

#include "store/file_blobs.h"
#include "store/log_ledger.h"
#include "store/test_backends.h"

namespace tidemill::store {
namespace {

namespace fs = std::filesystem;

class BackupTest : public testing::Test {
 protected:
  fs::path data() const { return directory_.path() / "data"; }
  fs::path to() const { return directory_.path() / "copy"; }
  void write() {
    const auto put = [&]() -> Task<void> {
      co_await store_->transact([](Transaction& txn) -> Task<void> {
        txn.put("Ikey", "value");
        co_return;
      });
    };
    run_to_end(put, executor_, scope_);
  }

  TemporaryDirectory directory_;
  base::RealClock clock_;
  TestExecutor executor_;
  std::unique_ptr<Store> store_ = open_rocksdb({.directory = data()}, clock_);
  std::unique_ptr<Blobs> blobs_ = open_file_blobs(data() / "blobs");
  base::Scope scope_;
};

TEST_F(BackupTest, one_that_is_cut_short_says_so_and_leaves_nothing) {
  std::ofstream(data() / "one") << "file";
  std::ofstream(data() / "other") << "file";
  std::stop_source stop;
  int asked = 0;
  const auto stops_at_once = [&](const fs::path&) {
    ++asked;
    return stop.request_stop();
  };
  EXPECT_THROW(back_up(*store_, *blobs_, to(), stops_at_once, stop.get_token()), BackupCutShort);
  EXPECT_EQ(asked, 1) << "nothing more is copied";
  EXPECT_FALSE(fs::exists(to()));
  EXPECT_THROW(back_up(*store_, *blobs_, to(), stops_at_once, stop.get_token()), BackupCutShort);
  EXPECT_EQ(asked, 1) << "none is begun any more";
}

TEST_F(BackupTest, what_copies_the_database_stops_within_a_file_and_may_be_asked_again) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(copy_database(*store_, to(), stop.get_token()), std::runtime_error);
  copy_database(*store_, to(), std::stop_token());
  EXPECT_TRUE(fs::exists(to() / "CURRENT"));
}

// So that a copy that is cut later, by whatever, is not taken for what a crash has left.
TEST_F(BackupTest, knows_how_long_each_of_its_logs_is) {
  write();
  back_up(*store_, *blobs_, to(), [](const fs::path&) { return true; }, std::stop_token());
  const auto ledger = read_log_ledger(to());
  ASSERT_TRUE(ledger);
  EXPECT_EQ(ledger->newest, 0u);
  EXPECT_GE(ledger->closed_bytes.size(), 1u);
}

}  // namespace
}  // namespace tidemill::store
