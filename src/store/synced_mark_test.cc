// That the mark of how far files are synced never speaks against a data directory that is whole.
#include "store/synced_mark.h"

#include <fstream>
#include <thread>

#include "base/file.h"
#include "store/log_ledger.h"
#include "store/rocksdb_testing.h"
#include "store/watched_files.h"

namespace tidemill::store {
namespace {

namespace fs = std::filesystem;
using rocksdb::FSWritableFile;
using rocksdb::IOOptions;
using testing::HasSubstr;

class SyncedMarkTest : public RocksdbTest {
 protected:
  [[nodiscard]] fs::path mark_file() const { return data() / kSyncedMarkFile; }
  // One that is whole: a living store may just be writing it.
  [[nodiscard]] SyncedMark mark() const {
    std::optional<SyncedMark> mark;
    for (int look = 0; !mark && look < 1000; ++look) {
      std::this_thread::yield();
      mark = read_synced_mark(data());
    }
    return mark.value();
  }
  void write_mark(const std::string& text) const { std::ofstream(mark_file(), std::ios::binary) << text; }
  void write_mark(const SyncedMark& mark) const { const SyncedMarkFile file(data(), mark); }
  // And a record in a log, which keeps the write-ahead log when the item has come into a table.
  void put_one(const std::string& key, size_t bytes = 100) {
    run([&]() -> Task<void> {
      co_await store_->transact([&](Transaction& txn) -> Task<void> {
        txn.put(key, std::string(bytes, 'v'));
        (void)txn.append(LogId{"log"}, "r");
        co_return;
      });
    });
  }
  void await_longer_manifest(uint64_t before) const {
    while (mark().manifest_bytes == before) std::this_thread::yield();
  }
  void live_until_killed() {
    open();
    put_one("Ia");
    crash(store_, data());
  }
  void keep() const { fs::copy(data(), whole(), fs::copy_options::recursive); }
  void restore() const {
    fs::remove_all(data());
    fs::copy(whole(), data(), fs::copy_options::recursive);
  }
  [[nodiscard]] fs::path whole() const { return directory_.path() / "whole"; }
};

// A disk may hold any of them after a power failure, or the beginning of one and the end of another.
TEST_F(SyncedMarkTest, every_mark_of_before_is_true_of_what_came_later_whole_or_torn) {
  constexpr int kLives = 3;
  constexpr int kPuts = 36;
  std::vector<std::string> marks;
  for (int life = 0; life < kLives; ++life) {
    open();
    marks.push_back(base::read_file(mark_file()));
    const uint64_t manifest_bytes = mark().manifest_bytes;
    // The last life begins a new log, and its manifest grows.
    const size_t bytes = life == kLives - 1 ? 1 << 20 : 100;
    for (int n = 0; n < kPuts; ++n) {
      put_one("I" + std::to_string(n), bytes);
      if (n % 12 == 0) marks.push_back(base::read_file(mark_file()));
    }
    if (life == kLives - 1) await_longer_manifest(manifest_bytes);
    marks.push_back(base::read_file(mark_file()));
    if (life == 1) store_.reset();
    else crash(store_, data());
  }
  keep();
  for (size_t n = 0; n < marks.size(); ++n) {
    for (const size_t torn : {size_t{0}, size_t{100}}) {
      restore();
      write_mark(marks.back().substr(0, torn) + marks[n].substr(torn));
      EXPECT_EQ(open_error(), "") << n << " torn at " << torn;
    }
  }
}

// An older binary has been here since, knows nothing of the mark, and gave its files names that the mark knows.
TEST_F(SyncedMarkTest, a_mark_of_an_earlier_life_says_nothing_of_files_of_the_same_names) {
  live_until_killed();
  const SyncedMark earlier = mark();
  for (const bool is_clean : {false, true}) {
    open();
    put_one("Ib");
    SyncedMark stale = mark();
    stale.commit_mark = earlier.commit_mark;
    stale.log_bytes = stale.manifest_bytes = 1 << 30;
    stale.manifest_sum ^= 1;
    if (is_clean) store_.reset();
    else crash(store_, data());
    write_mark(stale);
    EXPECT_EQ(open_error(), "") << is_clean;
  }
  EXPECT_EQ((open(), get("Ia")), std::string(100, 'v'));
}

TEST_F(SyncedMarkTest, a_start_that_is_cut_short_at_any_file_leaves_what_the_next_one_takes) {
  live_until_killed();
  const std::string before = base::read_file(mark_file());
  const std::string ledger = base::read_file(data() / kLogLedgerFile);
  open();
  crash(store_, data());
  // Killed before it wrote the mark, and before it wrote the ledger.
  write_mark(before);
  keep();
  EXPECT_EQ(open_error(), "");
  restore();
  std::ofstream(data() / kLogLedgerFile, std::ios::binary) << ledger;
  EXPECT_EQ(open_error(), "");
  EXPECT_EQ((open(), get("Ia")), std::string(100, 'v'));
}

TEST_F(SyncedMarkTest, after_a_clean_stop_the_manifest_is_known_by_its_sum) {
  open();
  put_one("Ia");
  store_.reset();
  EXPECT_EQ(open_error(), "");
  SyncedMark other = mark();
  other.manifest_sum ^= 1;
  write_mark(other);
  EXPECT_THAT(open_error(), HasSubstr("is not the one that was written"));
}

TEST_F(SyncedMarkTest, one_that_the_disk_does_not_give_back_is_as_if_there_were_none) {
  fs::create_directories(mark_file());
  EXPECT_FALSE(read_synced_mark(data()));
}

TEST_F(SyncedMarkTest, an_older_log_that_is_synced_once_more_does_not_take_the_place_of_the_newest) {
  fs::create_directories(data());
  SyncedMarkFile file(data(), {.commit_mark = std::string(16, 'm'), .log = 4});
  file.log_synced(8, 100);
  file.log_synced(4, 5000);
  EXPECT_EQ(mark().log, 8u);
  EXPECT_EQ(mark().log_bytes, 100u);
}

// Has room for the first bytes of what is added once it is full.
class FullFiles final : public rocksdb::FileSystemWrapper {
 public:
  FullFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "full"; }
  bool full = false;
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<FSWritableFile>* result, rocksdb::IODebugContext* context) override {
    auto status = FileSystemWrapper::NewWritableFile(name, options, result, context);
    if (status.ok()) *result = std::make_unique<File>(std::move(*result), full);
    return status;
  }

 private:
  struct File final : rocksdb::FSWritableFileOwnerWrapper {
    File(std::unique_ptr<FSWritableFile> file, const bool& full) : FSWritableFileOwnerWrapper(std::move(file)), full(full) {}
    const bool& full;
    using FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                             rocksdb::IODebugContext* context) override {
      if (!full) return FSWritableFileOwnerWrapper::Append(data, options, context);
      (void)FSWritableFileOwnerWrapper::Append(rocksdb::Slice(data.data(), data.size() / 2), options, context);
      return rocksdb::IOStatus::NoSpace("injected");
    }
  };
};

class WatchedFilesTest : public SyncedMarkTest {
 protected:
  void SetUp() override {
    fs::create_directories(data() / "db");
    watched_ = std::make_unique<WatchedFiles>(files_, data());
    watched_->opened();
  }
  std::unique_ptr<FSWritableFile> file(const std::string& name) {
    std::unique_ptr<FSWritableFile> file;
    EXPECT_TRUE(watched_->NewWritableFile(data() / "db" / name, {}, &file, nullptr).ok());
    return file;
  }
  static bool add(FSWritableFile& file, const std::string& bytes) {
    const bool added = file.Append(bytes, IOOptions(), nullptr).ok();
    EXPECT_TRUE(file.Sync(IOOptions(), nullptr).ok());
    return added;
  }

  const std::shared_ptr<FullFiles> files_ = std::make_shared<FullFiles>();
  std::unique_ptr<WatchedFiles> watched_;
};

// If the machine dies then, the number may be another manifest's at the next start.
TEST_F(WatchedFilesTest, nothing_is_told_of_a_manifest_before_current_can_name_it) {
  const auto rolled = file("MANIFEST-000030");
  EXPECT_TRUE(add(*rolled, "12345"));
  EXPECT_EQ(mark().manifest, 0u);
  EXPECT_TRUE(add(*rolled, "678"));
  EXPECT_EQ(mark().manifest, 30u);
  EXPECT_EQ(mark().manifest_bytes, 8u);
}

TEST_F(WatchedFilesTest, nothing_is_told_of_what_could_not_be_added_though_the_file_is_synced_again) {
  const auto manifest = file("MANIFEST-000030");
  const auto log = file("000031.log");
  EXPECT_TRUE(add(*manifest, "12345"));
  EXPECT_TRUE(add(*manifest, "678"));
  EXPECT_TRUE(add(*log, "abc"));
  files_->full = true;
  EXPECT_FALSE(add(*manifest, "more"));
  EXPECT_FALSE(add(*log, "more"));
  EXPECT_EQ(mark().manifest_bytes, 8u);
  EXPECT_EQ(mark().log, 31u);
  EXPECT_EQ(mark().log_bytes, 3u);
  EXPECT_EQ(base::read_file(data() / "db" / "000031.log"), "abc");
}

}  // namespace
}  // namespace tidemill::store
