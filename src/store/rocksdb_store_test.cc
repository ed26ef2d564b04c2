// What the embedded backend promises beyond store_test.cc: long reads, and data directories that cannot be used. Crashes:
// rocksdb_crash_test.cc; a failing disk: rocksdb_disk_test.cc.
#include "store/rocksdb_store.h"

#include <sys/stat.h>

#include <fstream>
#include <map>
#include <random>

#include "base/text.h"
#include "store/data_directory.h"
#include "store/item_groups.h"
#include "store/rocksdb_testing.h"

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

// Whoever asks for a large value goes through it: others have their turn before it is handed on.
TEST(RocksdbReads, let_others_run_behind_each_large_value) {
  constexpr int kReads = 50;
  constexpr size_t kLarge = 100'000;
  RocksdbBackend backend(TestExecutor::Slices::none);
  Store& store = backend.store();
  backend.run([&]() -> Task<void> {
    co_await store.transact([&](Transaction& txn) -> Task<void> {
      txn.put("Ismall", "s");
      txn.put("Ilarge", std::string(kLarge, 'l'));
      co_return;
    });
  });
  const auto turns_of = [&](std::string key, size_t bytes) {
    return turns_of_others_during(backend, [&, key]() -> Task<void> {
      const auto snapshot = store.snapshot();
      for (int i = 0; i < kReads; ++i) EXPECT_EQ((co_await snapshot->get(key)).value_or("").size(), bytes);
    });
  };
  const int small = turns_of("Ismall", 1);
  EXPECT_GE(turns_of("Ilarge", kLarge), small + kReads - 1);
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
  lose_synced_mark();
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
  crash(store_, data());
  const auto log = log_file();
  std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100'000);
  file << std::string(70'000, '\0');
  file.close();
  lose_synced_mark();
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

// Filters know groups of items: a range inside one group passes the files without it, whatever else these hold.
TEST_F(RocksdbTest, ranges_of_a_group_find_the_same_in_many_files_as_in_none) {
  constexpr int kGroups = 150;
  constexpr int kRounds = 60;
  constexpr int kWritesPerRound = 50;
  open();
  std::mt19937_64 random(7);
  std::string value(48 << 10, '\0');  // 144 MB in all: several files
  for (char& byte : value) byte = static_cast<char>(random());
  std::map<std::string, std::string> expected;
  const auto group = [](uint64_t n) {
    std::string key = "I" + std::to_string(n);
    key.resize(kItemGroupBytes, '.');
    return key;
  };
  for (int round = 0; round < kRounds; ++round) {
    std::map<std::string, std::string> written;
    for (int n = 0; n < kWritesPerRound; ++n) {
      const std::string key = group(random() % kGroups) + static_cast<char>('a' + random() % 26);
      written[key] = random() % 8 == 0 ? "" : std::to_string(random()) + value;
    }
    run([&]() -> Task<void> {
      co_await store_->transact([&](Transaction& txn) -> Task<void> {
        for (const auto& [key, bytes] : written) {
          if (bytes.empty()) txn.erase(key);
          else txn.put(key, bytes);
        }
        co_return;
      });
    });
    for (auto& [key, bytes] : written) {
      if (bytes.empty()) expected.erase(key);
      else expected[key] = std::move(bytes);
    }
  }
  const auto found = [&](const Range& range, Direction direction) {
    std::vector<std::string> keys;
    run([&]() -> Task<void> {
      co_await store_->snapshot()->scan(range, direction, [&](std::string_view key, std::string_view bytes) {
        EXPECT_EQ(bytes, expected[std::string(key)]);
        keys.emplace_back(key);
        return true;
      });
    });
    return keys;
  };
  for (int n = 0; n < kGroups; ++n) {
    for (const Range& range : {Range::prefix(group(n)), Range{group(n) + "h", group(n) + "q"}}) {
      std::vector<std::string> keys;
      for (auto at = expected.lower_bound(range.begin); at != expected.lower_bound(range.end); ++at) {
        keys.push_back(at->first);
      }
      EXPECT_EQ(found(range, Direction::forward), keys);
      std::ranges::reverse(keys);
      EXPECT_EQ(found(range, Direction::reverse), keys);
    }
  }
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
