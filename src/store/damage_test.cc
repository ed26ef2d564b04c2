// What becomes of a store any of whose files is damaged: it says which, or nothing that was acknowledged is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "base/file.h"
#include "base/ordered.h"
#include "base/text.h"
#include "store/data_directory.h"
#include "store/rocksdb_store.h"
#include "store/test_backends.h"

namespace tidemill::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kKeys = 120;

void replace_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class DamageTest : public testing::Test {
 protected:
  // Several lives, so that there is a write-ahead log that was flushed, some that were not, and an empty newest one.
  void SetUp() override {
    write_life(0, 40, 1 << 20);  // more than a memtable
    write_life(40, 80, 300);
    write_life(80, kKeys, 300);
    write_life(0, 0, 0);
    fs::copy(data_, whole_, fs::copy_options::recursive);
  }

  void open() { store_ = open_rocksdb({.directory = data_}, clock_); }

  void write_life(int from, int to, size_t bytes) {
    open();
    std::mt19937_64 random(static_cast<unsigned>(from));
    run([&]() -> Task<void> {
      for (int n = from; n < to; ++n) {
        std::string value = base::cat(n, " ");
        while (value.size() < bytes) base::append_u64(value, random());
        co_await store_->transact([&](Transaction& txn) -> Task<void> {
          txn.put(key(n), value);
          (void)txn.append(LogId{"log"}, base::cat(n));
          co_return;
        });
      }
    });
    store_.reset();
  }

  template <class Body>
  void run(Body body) {
    bool done = false;
    std::exception_ptr failure;
    auto wrapper = [&]() -> Task<void> {
      try {
        co_await body();
      } catch (...) {
        failure = std::current_exception();
      }
      done = true;
    };
    {
      const base::Executor::Enter enter(executor_);
      scope_.spawn(wrapper());
    }
    executor_.run_until([&] { return done; });
    if (failure) std::rethrow_exception(failure);
  }

  static std::string key(int n) { return base::cat("I", 1000 + n); }

  // How the store differs from what was acknowledged; "" if in nothing.
  std::string difference() {
    const auto snapshot = store_->snapshot();
    for (int n = 0; n < kKeys; ++n) {
      const auto value = snapshot->get(key(n)).await_resume();
      if (!value || !value->starts_with(base::cat(n, " "))) return base::cat("the item ", n, " is not there");
    }
    int records = 0;
    bool in_order = true;
    run([&]() -> Task<void> {
      co_await snapshot->read_log(LogId{"log"}, Position::before_all(), [&](Position, std::string_view record) {
        in_order = in_order && record == std::to_string(records++);
        return true;
      });
    });
    return in_order && records == kKeys ? "" : base::cat("the log has ", records, " records");
  }

  // What somebody is told who starts on it and reads all; "" if nothing is wrong.
  std::string told() {
    std::string result;
    try {
      open();
      result = difference();
      if (!result.empty()) result = "LOST " + result;
    } catch (const std::exception& error) {
      result = error.what();
    }
    store_.reset();
    return result;
  }

  // Tables are never written to again, so they may be shared.
  void restore() {
    fs::remove_all(data_);
    for (const fs::path& file : files()) {
      fs::create_directories((data_ / file).parent_path());
      if (file.extension() == ".sst")
        fs::create_hard_link(whole_ / file, data_ / file);
      else
        fs::copy_file(whole_ / file, data_ / file);
    }
  }

  void unshare(const fs::path& file) {
    fs::remove(data_ / file);
    fs::copy_file(whole_ / file, data_ / file);
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> result;
    for (const auto& entry : fs::recursive_directory_iterator(whole_)) {
      if (entry.is_regular_file()) result.push_back(fs::relative(entry.path(), whole_));
    }
    return result;
  }

  // Of those that hold something, the oldest first.
  std::vector<fs::path> write_ahead_logs() const {
    std::vector<fs::path> result;
    for (const fs::path& file : files()) {
      if (file.extension() == ".log" && fs::file_size(whole_ / file) > 0) result.push_back(file);
    }
    std::ranges::sort(result);
    return result;
  }

  // Damages the file, and expects that it is named or that nothing is lost.
  void expect_told_or_whole(const fs::path& file, const std::string& how,
                            const std::function<void(const fs::path&)>& damage) {
    restore();
    unshare(file);
    damage(data_ / file);
    const std::string line = told();
    if (line.empty()) return;
    ++told_;
    EXPECT_THAT(line, Not(HasSubstr("LOST"))) << file << " " << how;
    EXPECT_THAT(line, HasSubstr(file.filename().native())) << file << " " << how;
  }

  TemporaryDirectory directory_;
  const fs::path data_ = directory_.path() / "data";
  const fs::path whole_ = directory_.path() / "whole";
  base::RealClock clock_;
  TestExecutor executor_;
  base::Scope scope_;
  std::unique_ptr<Store> store_;
  int told_ = 0;
};

TEST_F(DamageTest, whatever_file_is_removed_or_emptied_is_named_or_nothing_is_lost) {
  for (const fs::path& file : files()) {
    expect_told_or_whole(file, "removed", [](const fs::path& path) { fs::remove(path); });
    expect_told_or_whole(file, "emptied", [](const fs::path& path) { fs::resize_file(path, 0); });
  }
  EXPECT_GE(told_, 8);
}

TEST_F(DamageTest, whatever_file_is_cut_or_appended_to_is_named_or_nothing_is_lost) {
  for (const fs::path& file : files()) {
    const uint64_t size = fs::file_size(whole_ / file);
    for (const uint64_t left : {size / 3, size - 1}) {
      if (left >= size) continue;
      expect_told_or_whole(file, base::cat("cut to ", left),
                           [&](const fs::path& path) { fs::resize_file(path, left); });
    }
    for (const std::string_view more : {std::string_view("\0\0\0\0\0\0\0\0", 8), std::string_view("and what more")}) {
      expect_told_or_whole(file, "appended to", [&](const fs::path& path) {
        std::ofstream(path, std::ios::binary | std::ios::app) << more;
      });
    }
  }
  EXPECT_GE(told_, 8);
}

TEST_F(DamageTest, wherever_a_file_has_a_wrong_byte_it_is_named_or_nothing_is_lost) {
  constexpr uint64_t kPlaces = 5;
  for (const fs::path& file : files()) {
    const uint64_t size = fs::file_size(whole_ / file);
    for (uint64_t place = 0; place < std::min(size, kPlaces); ++place) {
      const auto at = static_cast<std::streamoff>(size * place / kPlaces);
      expect_told_or_whole(file, base::cat("flipped at ", at), [&](const fs::path& path) {
        std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
        bytes.seekg(at);
        const int byte = bytes.get();
        bytes.seekp(at);
        bytes.put(static_cast<char>(byte ^ 0x10));
      });
    }
  }
  EXPECT_GE(told_, 10);
}

TEST_F(DamageTest, an_older_log_that_ends_between_two_commits_is_no_shorter_one) {
  const fs::path oldest = write_ahead_logs().front();
  const std::string bytes = base::read_file(whole_ / oldest);
  // After its first record: the file is as whole as one that never had more.
  const size_t first =
      7 + (static_cast<unsigned char>(bytes[4]) | static_cast<size_t>(static_cast<unsigned char>(bytes[5])) << 8);
  restore();
  fs::resize_file(data_ / oldest, first);
  EXPECT_THAT(told(), AllOf(HasSubstr(oldest.filename().native()), HasSubstr("instead of")));
}

TEST_F(DamageTest, an_end_that_a_crash_tore_is_cut_once_and_then_taken_for_what_it_is) {
  // The newest log holds the commits of a life that a crash ended within one.
  open();
  run([&]() -> Task<void> {
    for (int n = 0; n < 3; ++n) {
      co_await store_->transact([&](Transaction& txn) -> Task<void> {
        txn.put(base::cat("It", n), std::string(100, 'v'));
        co_return;
      });
    }
  });
  store_.reset();
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(data_ / "db")) {
    if (entry.path().extension() == ".log" && entry.path() > newest) newest = entry.path();
  }
  fs::resize_file(newest, fs::file_size(newest) - 5);
  for (int start = 0; start < 3; ++start) {
    EXPECT_EQ(told(), "") << "start " << start;
  }
  // It is an older one by now, and any further loss in it is damage.
  fs::resize_file(newest, fs::file_size(newest) - 5);
  EXPECT_THAT(told(), HasSubstr(newest.filename().native()));
}

TEST_F(DamageTest, a_directory_of_an_earlier_format_gets_its_ledger_with_the_first_start) {
  fs::remove(data_ / "LOGS");
  replace_file(data_ / "FORMAT", "tidemill store format 3\n");
  EXPECT_EQ(told(), "");
  EXPECT_EQ(base::read_file(data_ / "FORMAT"), base::cat("tidemill store format ", kStoreFormat, "\n"));
  fs::remove(data_ / "LOGS");
  EXPECT_THAT(told(), HasSubstr("LOGS is missing"));
}

TEST_F(DamageTest, a_directory_that_others_may_look_into_becomes_its_owners_alone) {
  fs::permissions(data_, fs::perms(0755));
  EXPECT_EQ(told(), "");
  EXPECT_EQ(fs::status(data_).permissions(), fs::perms(0700));
  const fs::path other = directory_.path() / "other";
  fs::create_directory(other);
  fs::permissions(other, fs::perms(0755));
  replace_file(other / "somebody's", "file");
  try {
    (void)open_rocksdb({.directory = other}, clock_);
    ADD_FAILURE();
  } catch (const OpenError& error) {
    EXPECT_THAT(error.what(), HasSubstr("others may look into"));
  }
  EXPECT_EQ(fs::status(other).permissions(), fs::perms(0755));
}

}  // namespace
}  // namespace tidemill::store
