// What the embedded backend does when the disk fails or is full, or no more files can be opened.
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "base/no_more_files.h"
#include "base/ordered.h"
#include "store/rocksdb_database.h"
#include "store/rocksdb_testing.h"

namespace tidemill::store {
namespace {

using testing::HasSubstr;

// Fails every sync of a write-ahead log once told to, or has no room for what is added to one.
class FailingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  FailingFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "failing"; }

  std::atomic<bool> failing = false;
  std::atomic<bool> full = false;
  std::atomic<bool> no_descriptors = false;  // to open a table again that is to be read

  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* context) override {
    auto status = FileSystemWrapper::NewRandomAccessFile(name, options, result, context);
    if (status.ok() && name.ends_with(".sst")) *result = std::make_unique<Table>(std::move(*result), *this);
    return status;
  }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override {
    auto status = FileSystemWrapper::NewWritableFile(name, options, result, context);
    if (status.ok() && name.ends_with(".log")) *result = std::make_unique<File>(std::move(*result), *this);
    return status;
  }
  rocksdb::IOStatus ReuseWritableFile(const std::string& name, const std::string& old_name,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* result,
                                      rocksdb::IODebugContext* context) override {
    auto status = FileSystemWrapper::ReuseWritableFile(name, old_name, options, result, context);
    if (status.ok() && name.ends_with(".log")) *result = std::make_unique<File>(std::move(*result), *this);
    return status;
  }

 private:
  struct Table final : rocksdb::FSRandomAccessFileOwnerWrapper {
    Table(std::unique_ptr<rocksdb::FSRandomAccessFile> file, const FailingFileSystem& owner)
        : FSRandomAccessFileOwnerWrapper(std::move(file)), no_descriptors(owner.no_descriptors) {}
    const std::atomic<bool>& no_descriptors;
    rocksdb::IOStatus Read(uint64_t offset, size_t size, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                           char* scratch, rocksdb::IODebugContext* context) const override {
      if (no_descriptors) return rocksdb::IOStatus::IOError("While open a file for random read", std::strerror(EMFILE));
      return FSRandomAccessFileOwnerWrapper::Read(offset, size, options, result, scratch, context);
    }
  };
  struct File final : rocksdb::FSWritableFileOwnerWrapper {
    File(std::unique_ptr<rocksdb::FSWritableFile> file, const FailingFileSystem& owner)
        : FSWritableFileOwnerWrapper(std::move(file)), failing(owner.failing), full(owner.full) {}
    const std::atomic<bool>& failing;
    const std::atomic<bool>& full;
    using FSWritableFileOwnerWrapper::Append;
    // A part of it has room.
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override {
      if (!full) return FSWritableFileOwnerWrapper::Append(data, options, context);
      (void)FSWritableFileOwnerWrapper::Append(rocksdb::Slice(data.data(), data.size() / 2), options, context);
      return rocksdb::IOStatus::NoSpace("injected");
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
      if (failing) return rocksdb::IOStatus::IOError("injected");
      return FSWritableFileOwnerWrapper::Sync(options, context);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
      if (failing) return rocksdb::IOStatus::IOError("injected");
      return FSWritableFileOwnerWrapper::Fsync(options, context);
    }
  };
};

TEST_F(RocksdbTest, after_a_failed_sync_writes_are_refused_and_reads_go_on_until_a_restart) {
  const auto file_system = std::make_shared<FailingFileSystem>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  open(env.get());
  std::vector<std::string> reasons;
  const auto try_put = [&](std::string key) -> Task<void> {
    try {
      co_await put(key, "x");
    } catch (const StoreFailed& error) {
      reasons.emplace_back(error.what());
    }
  };
  run([&]() -> Task<void> {
    co_await put("Ia", "1");
    file_system->failing = true;
    co_await try_put("Ia");
    file_system->failing = false;
    co_await try_put("Ib");
  });
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_THAT(reasons[0], HasSubstr("injected"));
  EXPECT_EQ(reasons[0], reasons[1]);
  EXPECT_TRUE(store_->metrics().failed);
  EXPECT_EQ(get("Ia"), "1");
  EXPECT_EQ(get("Ib"), std::nullopt);
  store_.reset();
  open();
  run([&]() -> Task<void> { co_await put("Ib", "2"); });
  EXPECT_EQ(get("Ib"), "2");
  store_.reset();
}

TEST_F(RocksdbTest, without_room_writes_are_refused_by_that_name_and_go_on_by_themselves_once_there_is) {
  const auto file_system = std::make_shared<FailingFileSystem>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  const auto condition = std::make_shared<Condition>();
  store_ = open_rocksdb({.directory = data(), .condition = condition, .env = env.get()}, clock_);
  std::atomic<int> told = 0;
  auto subscription = store_->subscribe("topic", [&] { ++told; });
  std::string reason;
  run([&]() -> Task<void> {
    co_await put("Ia", "1");
    file_system->full = true;
    try {
      co_await store_->transact([&](Transaction& txn) -> Task<void> {
        txn.put("Ib", "2");
        txn.signal("topic");
        co_return;
      });
    } catch (const CommitUnsure& error) {
      reason = error.what();
    }
    try {
      co_await put("Ic", "2");
      ADD_FAILURE() << "it is paused";
    } catch (const CommitUnsure&) {
      ADD_FAILURE() << "it was not under way";
    } catch (const StorePaused&) {
    }
  });
  EXPECT_THAT(reason, HasSubstr("the disk is full"));
  EXPECT_EQ(condition->pause_reason(), "the disk is full");
  EXPECT_TRUE(store_->metrics().failed);
  auto before = store_->snapshot();
  EXPECT_EQ(get("Ia"), "1");
  file_system->full = false;
  while (condition->reopened() == 0) std::this_thread::yield();
  EXPECT_FALSE(store_->metrics().failed);
  EXPECT_EQ(condition->pause_reason(), "");
  while (told == 0) std::this_thread::yield();  // the commit may have been durable for all that anybody knows
  run([&]() -> Task<void> { co_await put("Ic", "3"); });
  EXPECT_EQ(get("Ia"), "1");
  EXPECT_EQ(get("Ib"), std::nullopt);
  EXPECT_EQ(get("Ic"), "3");
  EXPECT_EQ(before->get("Ia").await_resume(), "1") << "what was open before goes on reading";
  before.reset();
  subscription.reset();
  store_.reset();
  open();
  EXPECT_EQ(get("Ia"), "1");
  EXPECT_EQ(get("Ic"), "3");
}

TEST_F(RocksdbTest, what_is_told_to_be_lacking_is_what_lacks_now) {
  const auto file_system = std::make_shared<FailingFileSystem>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  const auto condition = std::make_shared<Condition>();
  store_ = open_rocksdb({.directory = data(), .condition = condition, .env = env.get()}, clock_);
  file_system->full = true;
  {
    const base::testing::NoMoreFiles none;
    try {
      run([&]() -> Task<void> { co_await put("Ia", "1"); });
      ADD_FAILURE() << "it had room";
    } catch (const CommitUnsure& error) {
      EXPECT_THAT(error.what(), HasSubstr("the disk is full"));
    }
    while (condition->pause_reason() != "too many files are open") std::this_thread::yield();
    try {
      run([&]() -> Task<void> { co_await put("Ib", "1"); });
      ADD_FAILURE() << "it is paused";
    } catch (const StorePaused& error) {
      EXPECT_THAT(error.what(), HasSubstr("too many files are open"));
    }
  }
  file_system->full = false;
  while (condition->reopened() == 0) std::this_thread::yield();
  run([&]() -> Task<void> { co_await put("Ib", "2"); });
  EXPECT_EQ(get("Ib"), "2");
  store_.reset();
}

TEST_F(RocksdbTest, without_descriptors_writes_are_refused_by_that_name_and_go_on_by_themselves_once_there_are) {
  constexpr int kMore = 60;  // megabytes: a new log is begun before
  const auto condition = std::make_shared<Condition>();
  store_ = open_rocksdb({.directory = data(), .condition = condition}, clock_);
  const auto key = [](int n) { return "I" + std::to_string(n); };
  int acknowledged = 0;
  std::string reason;
  {
    const base::testing::NoMoreFiles none;
    run([&]() -> Task<void> {
      try {
        for (; acknowledged < kMore; ++acknowledged) co_await put(key(acknowledged), std::string(1 << 20, 'v'));
      } catch (const StorePaused& error) {
        reason = error.what();
      }
    });
    EXPECT_THAT(reason, HasSubstr("too many files are open"));
    EXPECT_EQ(condition->pause_reason(), "too many files are open");
    EXPECT_NE(get(key(acknowledged - 1)), std::nullopt) << "reading goes on";
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    EXPECT_TRUE(store_->metrics().failed) << "it looks for descriptors, finds none, and looks again";
  }
  while (condition->reopened() == 0) std::this_thread::yield();
  EXPECT_FALSE(store_->metrics().failed);
  run([&]() -> Task<void> { co_await put("Iafter", "1"); });
  crash(store_, data());
  open();
  for (int n = 0; n < acknowledged; ++n) EXPECT_NE(get(key(n)), std::nullopt) << n;
  EXPECT_EQ(get("Iafter"), "1");
}

TEST_F(RocksdbTest, whichever_descriptor_is_the_first_that_lacks_opening_anew_says_so_and_loses_nothing) {
  constexpr int kEnough = 60;
  open();
  run([&]() -> Task<void> {
    constexpr int kMore = 40;  // megabytes: there are tables and several logs
    for (int n = 0; n < kMore; ++n) co_await put("I" + std::to_string(n), std::string(1 << 20, 'v'));
  });
  store_.reset();
  int lacked = 0;
  {
    auto database = std::make_shared<RocksdbDatabase>(RocksdbOptions{.directory = data()});
    for (int more = 0; more < kEnough; ++more) {
      RocksdbBatch batch(*database);
      const std::string last = std::to_string(more);
      batch.put("Ilast", last);
      ASSERT_TRUE(batch.write_synced(database->last_version()).ok());
      std::shared_ptr<RocksdbDatabase> anew;
      try {
        const base::testing::NoMoreFiles few(more);
        anew = RocksdbDatabase::open_anew(*database);
      } catch (const NoRoom& error) {
        EXPECT_THAT(error.what(), HasSubstr("too many files are open"));
        ++lacked;
        anew = RocksdbDatabase::open_anew(*database);
      }
      database = anew;
      EXPECT_EQ(database->get_latest("Ilast"), last);
      EXPECT_NE(database->get_latest("I0"), std::nullopt);
    }
  }
  EXPECT_GT(lacked, 1);
  EXPECT_LT(lacked, kEnough);
}

TEST_F(RocksdbTest, an_addition_to_what_cannot_be_read_for_want_of_descriptors_is_refused_until_there_are) {
  const auto file_system = std::make_shared<FailingFileSystem>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  const auto add = [&]() -> Task<void> {
    co_await store_->transact([&](Transaction& txn) -> Task<void> {
      txn.put("Ibeside", "x");
      txn.add("#a/n", 1);
      co_return;
    });
  };
  open();
  run([&]() -> Task<void> {
    co_await add();
    const std::filesystem::path first = log_file();
    constexpr int kMore = 40;  // megabytes: the memtable goes to a table
    for (int n = 0; n < kMore; ++n) co_await put("I" + std::to_string(n), std::string(1 << 20, 'v'));
    while (std::filesystem::exists(first)) std::this_thread::yield();  // the table has all that was in it
  });
  const auto one = get("#a/n");
  store_.reset();

  const auto condition = std::make_shared<Condition>();
  store_ = open_rocksdb({.directory = data(), .condition = condition, .env = env.get()}, clock_);
  std::string reason;
  run([&]() -> Task<void> {
    file_system->no_descriptors = true;
    try {
      co_await add();
      ADD_FAILURE() << "what it adds to was read";
    } catch (const StorePaused& error) {
      reason = error.what();
    }
  });
  EXPECT_THAT(reason, HasSubstr("too many files are open"));
  EXPECT_EQ(condition->pause_reason(), "too many files are open");
  EXPECT_THROW((void)get("I0"), StorePaused) << "the same may be read later";
  file_system->no_descriptors = false;
  while (condition->reopened() == 0) std::this_thread::yield();
  EXPECT_EQ(get("#a/n"), one) << "nothing of it was written";
  run([&]() -> Task<void> { co_await add(); });
  std::string two;
  base::append_i64(two, 2);
  EXPECT_EQ(get("#a/n"), two);
  store_.reset();
}

}  // namespace
}  // namespace tidemill::store
