// What the embedded backend promises beyond store_test.cc: crashes of the process, a failing disk, and data
// directories that cannot be used.
#include "store/rocksdb_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <random>
#include <thread>

#include "base/text.h"
#include "store/data_directory.h"
#include "store/test_backends.h"

extern char** environ;

namespace tidemill::store {
namespace {

using testing::HasSubstr;
using std::string_literals::operator""s;

// ---- long reads -------------------------------------------------------------------------------------------------

// Runs `read` on an executor that grants no time at all, and tells how often others had their turn before it ended.
int turns_of_others_during(RocksdbBackend& backend, const std::function<Task<void>()>& read) {
  int turns = 0;
  bool done = false;
  backend.run([&]() -> Task<void> {
    base::Scope scope;
    scope.spawn([](const std::function<Task<void>()>& body, bool& flag) -> Task<void> {
      co_await body();
      flag = true;
    }(read, done));
    for (; !done; ++turns) co_await base::yield();
  });
  return turns;
}

TEST(RocksdbReads, let_others_run_between_entries_and_on_long_stretches_of_erased_ones) {
  constexpr int kEntries = 5000;
  RocksdbBackend backend(TestExecutor::Slices::none);
  Store& store = backend.store();
  const auto write = [&](bool there) -> Task<void> {
    co_await store.transact([&](Transaction& txn) -> Task<void> {
      for (int i = 0; i < kEntries; ++i) {
        const std::string key = "I" + std::to_string(i);
        if (there) txn.put(key, "s");
        else txn.erase(key);
      }
      co_return;
    });
  };
  int seen = 0;
  const auto scan = [&]() -> Task<void> {
    co_await store.snapshot()->scan(Range::prefix("I"), Direction::forward, [&](auto, auto) { return ++seen > 0; });
  };
  backend.run([&] { return write(true); });
  EXPECT_GT(turns_of_others_during(backend, scan), kEntries / 2);
  EXPECT_EQ(seen, kEntries);
  backend.run([&] { return write(false); });
  seen = 0;
  EXPECT_GT(turns_of_others_during(backend, scan), 5) << "erased keys are looked at as well";
  EXPECT_EQ(seen, 0);
}

TEST(RocksdbReads, may_be_given_up_where_they_wait) {
  RocksdbBackend backend(TestExecutor::Slices::none);
  Store& store = backend.store();
  int seen = 0;
  {
    base::Scope scope;
    backend.run([&]() -> Task<void> {
      co_await store.transact([&](Transaction& txn) -> Task<void> {
        for (const char* key : {"Ia", "Ib", "Ic"}) txn.put(key, "s");
        co_return;
      });
      scope.spawn([](Store& from, int& count) -> Task<void> {
        co_await from.snapshot()->scan(Range::prefix("I"), Direction::forward, [&](auto, auto) { return ++count > 0; });
      }(store, seen));
      while (seen < 2) co_await base::yield();
    });
  }
  backend.run([&]() -> Task<void> { co_await base::yield(); });
  EXPECT_EQ(seen, 2);
}

// ---- killed at any moment ---------------------------------------------------------------------------------------

constexpr int kWriters = 16;
constexpr const char* kChildDirectory = "TIDEMILL_STORE_TEST_DIRECTORY";
const LogId kLog{"log\0\x01"s};

std::string writer_key(int writer) { return "Iwriter" + std::to_string(writer); }

struct Acknowledged {
  int writer;
  int number;
};

Task<void> write_and_report(Store& store, int writer, int pipe) {
  for (;;) {
    const int number = co_await store.transact([&](Transaction& txn) -> Task<int> {
      const int next = std::stoi((co_await txn.get(writer_key(writer))).value_or("0")) + 1;
      txn.put(writer_key(writer), std::to_string(next));
      (void)txn.append(kLog, std::to_string(writer) + " " + std::to_string(next));
      co_return next;
    });
    const Acknowledged report{writer, number};
    if (::write(pipe, &report, sizeof report) != sizeof report) std::abort();
  }
}

// Not a test: what the process that gets killed runs. It starts with a fresh address space, so that RocksDB's threads
// are its own.
TEST(RocksdbChild, DISABLED_writes_until_killed) {
  const char* directory = std::getenv(kChildDirectory);
  ASSERT_NE(directory, nullptr);
  base::RealClock clock;
  TestExecutor executor;
  const auto store = open_rocksdb({.directory = directory}, clock);
  base::Scope scope;
  {
    const base::Executor::Enter enter(executor);
    for (int writer = 0; writer < kWriters; ++writer) scope.spawn(write_and_report(*store, writer, 3));
  }
  executor.run_until([] { return false; });
}

enum class Since { start, first_write };
constexpr std::chrono::seconds kFirstWriteDeadline{60};

// Runs the child for `time` since then, kills it, and adds up what it has reported as acknowledged.
void run_and_kill(const std::filesystem::path& directory, std::chrono::milliseconds time, Since since,
                  std::vector<int>& last) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::setenv(kChildDirectory, directory.c_str(), 1);
  const char* arguments[] = {"store_test", "--gtest_filter=RocksdbChild.*", "--gtest_also_run_disabled_tests", nullptr};
  pid_t child = 0;
  ASSERT_EQ(::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, const_cast<char**>(arguments), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);

  auto end = std::chrono::steady_clock::now();
  if (since == Since::start) {
    end += time;
  } else {
    pollfd readable{ends[0], POLLIN, 0};
    const auto patience = std::chrono::milliseconds(kFirstWriteDeadline);
    EXPECT_EQ(::poll(&readable, 1, static_cast<int>(patience.count())), 1) << "the child did not get to write";
    end = std::chrono::steady_clock::now() + time;
  }
  bool killed = false;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd readable{ends[0], POLLIN, 0};
    if (!killed && (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) == 0)) {
      ::kill(child, SIGKILL);
      killed = true;
    }
    Acknowledged reports[256];
    const ssize_t size = ::read(ends[0], reports, sizeof reports);
    if (size <= 0) break;
    for (size_t n = 0; n < static_cast<size_t>(size) / sizeof(Acknowledged); ++n) {
      EXPECT_GT(reports[n].number, last[reports[n].writer]) << "acknowledged before, and then lost";
      last[reports[n].writer] = reports[n].number;
    }
  }
  EXPECT_TRUE(killed) << "the child ended by itself";
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
}

TEST(RocksdbCrash, nothing_acknowledged_is_lost_when_the_process_is_killed_at_random_moments) {
  constexpr int kKills = 12;
  const TemporaryDirectory directory;
  const auto data = directory.path() / "data";
  std::mt19937 random(20240501);
  std::vector<int> acknowledged(kWriters);
  for (int kill = 0; kill < kKills; ++kill) {
    // Some while they open the store.
    const Since since = kill % 3 == 0 ? Since::start : Since::first_write;
    run_and_kill(data, std::chrono::milliseconds(5 + random() % 150), since, acknowledged);
    base::RealClock clock;
    const auto store = open_rocksdb({.directory = data}, clock);
    const auto snapshot = store->snapshot();
    std::vector<int> logged(kWriters);
    snapshot
        ->read_log(kLog, Position::before_all(),
                   [&](Position position, std::string_view record) {
                     int writer = 0;
                     int number = 0;
                     EXPECT_EQ(std::sscanf(std::string(record).c_str(), "%d %d", &writer, &number), 2);
                     EXPECT_EQ(number, ++logged[writer]) << "the log has a gap or is out of order";
                     EXPECT_LE(position.version, snapshot->version());
                     return true;
                   })
        .await_resume();
    for (int writer = 0; writer < kWriters; ++writer) {
      const auto value = snapshot->get(writer_key(writer)).await_resume();
      EXPECT_EQ(std::stoi(value.value_or("0")), logged[writer]) << "half a commit is on disk";
      EXPECT_GE(logged[writer], acknowledged[writer]) << "an acknowledged commit is lost";
    }
  }
  int total = 0;
  for (const int count : acknowledged) total += count;
  EXPECT_GT(total, kWriters) << "the children did not get to write";
}

// ---- a failing disk ---------------------------------------------------------------------------------------------

// Fails every sync of a write-ahead log once told to, or has no room for what is added to one.
class FailingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  FailingFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "failing"; }

  std::atomic<bool> failing = false;
  std::atomic<bool> full = false;

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
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
      return error.what();
    }
  }
  template <class Body>
  void run(Body body) {
    bool done = false;
    auto wrapper = [&]() -> Task<void> {
      co_await body();
      done = true;
    };
    {
      const base::Executor::Enter enter(executor_);
      scope_.spawn(wrapper());
    }
    executor_.run_until([&] { return done; });
  }
  Task<void> put(std::string key, std::string value) {
    co_await store_->transact([&](Transaction& txn) -> Task<void> {
      txn.put(key, value);
      co_return;
    });
  }
  std::optional<std::string> get(const std::string& key) { return store_->snapshot()->get(key).await_resume(); }
  std::filesystem::path data() const { return directory_.path() / "data"; }
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
    store_.reset();
  }

  TemporaryDirectory directory_;
  base::RealClock clock_;
  TestExecutor executor_;
  base::Scope scope_;
  std::unique_ptr<Store> store_;
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
    } catch (const StorePaused& error) {
      reason = error.what();
    }
  });
  EXPECT_THAT(reason, HasSubstr("the disk is full"));
  EXPECT_EQ(condition->pause_reason(), "the disk is full");
  EXPECT_TRUE(store_->metrics().failed);
  auto before = store_->snapshot();
  EXPECT_EQ(get("Ia"), "1");
  file_system->full = false;
  while (store_->metrics().failed) std::this_thread::yield();
  EXPECT_EQ(condition->reopened(), 1u);
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

// ---- directories that cannot be used ------------------------------------------------------------------------------

TEST_F(RocksdbTest, a_new_directory_belongs_to_its_user_alone) {
  open();
  struct stat status {};
  ASSERT_EQ(::stat(data().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(RocksdbTest, a_directory_in_use_is_refused) {
  open();
  base::RealClock clock;
  try {
    (void)open_rocksdb({.directory = data()}, clock);
    ADD_FAILURE();
  } catch (const OpenError& error) {
    EXPECT_THAT(error.what(), HasSubstr("in use"));
  }
}

TEST_F(RocksdbTest, a_newer_format_is_refused_and_an_earlier_one_becomes_this) {
  open();
  store_.reset();
  EXPECT_EQ(open_error(), "");
  const auto format = [&](int number) { return base::cat("tidemill store format ", number, "\n"); };
  std::ofstream(data() / "FORMAT") << format(kStoreFormat + 1);
  EXPECT_THAT(open_error(), HasSubstr("newer"));
  for (int earlier = 1; earlier < kStoreFormat; ++earlier) {
    std::ofstream(data() / "FORMAT") << format(earlier);
    EXPECT_EQ(open_error(), "");
    std::ifstream file(data() / "FORMAT");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), format(kStoreFormat));
  }
  std::ofstream(data() / "FORMAT") << "nonsense\n";
  EXPECT_THAT(open_error(), HasSubstr("damaged"));
}

TEST_F(RocksdbTest, missing_files_are_damage_and_not_an_empty_store) {
  write_hundred();
  std::filesystem::rename(data() / "db" / "CURRENT", directory_.path() / "CURRENT");
  EXPECT_THAT(open_error(), HasSubstr("damaged"));
  std::filesystem::rename(directory_.path() / "CURRENT", data() / "db" / "CURRENT");
  EXPECT_EQ(open_error(), "");
  std::filesystem::remove(data() / "FORMAT");
  EXPECT_THAT(open_error(), HasSubstr("damaged"));
}

TEST_F(RocksdbTest, a_torn_record_at_the_end_of_the_log_is_what_a_crash_leaves) {
  write_hundred();
  const auto log = log_file();
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 7);
  open();
  EXPECT_NE(get("I98"), std::nullopt);
  EXPECT_EQ(get("I99"), std::nullopt);
  run([&]() -> Task<void> { co_await put("I99", "again"); });
  store_.reset();
  open();
  EXPECT_NE(get("I98"), std::nullopt);
  EXPECT_EQ(get("I99"), "again");
}

TEST_F(RocksdbTest, zeros_at_the_end_of_the_log_are_what_a_crash_may_leave) {
  write_hundred();
  const auto log = log_file();
  std::filesystem::resize_file(log, std::filesystem::file_size(log) + 5000);
  open();
  EXPECT_NE(get("I99"), std::nullopt);
}

TEST_F(RocksdbTest, a_commit_of_many_blocks_whose_middle_never_reached_the_disk_is_a_torn_end) {
  open();
  run([&]() -> Task<void> {
    co_await put("Ia", "1");
    co_await put("Ib", std::string(300'000, 'v'));
  });
  store_.reset();
  const auto log = log_file();
  std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100'000);
  file << std::string(70'000, '\0');
  file.close();
  open();
  EXPECT_EQ(get("Ia"), "1");
  EXPECT_EQ(get("Ib"), std::nullopt);
  run([&]() -> Task<void> { co_await put("Ic", "3"); });
  store_.reset();
  open();
  EXPECT_EQ(get("Ic"), "3");
}

TEST_F(RocksdbTest, damage_in_the_middle_of_the_log_is_refused_wherever_it_hits_and_not_taken_for_its_end) {
  write_hundred();
  const auto log = log_file();
  std::ifstream input(log, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(input), {});
  // Over more than one record's length, so that checksum, length, type and payload all get their turn.
  for (size_t offset = text.size() / 2; offset < text.size() / 2 + 150; offset += 3) {
    std::string damaged = text;
    damaged.replace(offset, 2, "\xee\xee");
    std::ofstream(log, std::ios::binary) << damaged;
    EXPECT_THAT(open_error(), HasSubstr("damaged")) << "at byte " << offset;
  }
  std::ofstream(log, std::ios::binary) << text;
  EXPECT_EQ(open_error(), "");
}

TEST_F(RocksdbTest, a_path_that_is_a_file_is_refused) {
  std::ofstream(data()) << "x";
  EXPECT_THAT(open_error(), HasSubstr("is a file"));
}

TEST_F(RocksdbTest, a_large_commit_and_many_small_ones_survive_flushes_to_tables) {
  open();
  const std::string megabyte(1 << 20, 'm');
  run([&]() -> Task<void> {
    for (int n = 0; n < 80; ++n) co_await put("I" + std::to_string(n % 7), megabyte + std::to_string(n));
  });
  store_.reset();
  open();
  for (int n = 73; n < 80; ++n) EXPECT_EQ(get("I" + std::to_string(n % 7)), megabyte + std::to_string(n));
}

TEST_F(RocksdbTest, tells_what_its_cache_held_and_what_had_to_be_read) {
  open();
  EXPECT_EQ(store_->metrics().cache_bytes_max, RocksdbOptions{}.cache_bytes);
  // More than one memtable, of which the first goes to a file.
  std::mt19937_64 random;
  run([&]() -> Task<void> {
    for (int n = 0; n < 48; ++n) {
      std::string value(1 << 20, '\0');
      for (char& byte : value) byte = static_cast<char>(random());  // does not compress
      co_await put("I" + std::to_string(n), value);
    }
  });
  while (store_->metrics().cache_misses == 0) ASSERT_TRUE(get("I0"));
  while (store_->metrics().cache_hits == 0) ASSERT_TRUE(get("I0"));
  EXPECT_GT(store_->metrics().cache_bytes, 0u);
}

TEST_F(RocksdbTest, commits_queued_when_the_store_closes_are_answered) {
  open();
  int answered = 0;
  const auto commit = [&](std::string key) -> Task<void> {
    co_await put(key, "x");
    ++answered;
  };
  {
    const base::Executor::Enter enter(executor_);
    for (int n = 0; n < 50; ++n) scope_.spawn(commit("I" + std::to_string(n)));
  }
  store_.reset();
  executor_.run_until([&] { return answered == 50; });
}

}  // namespace
}  // namespace tidemill::store
