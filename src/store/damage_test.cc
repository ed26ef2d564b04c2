// What becomes of a store any of whose files is damaged: it says which, or nothing that was acknowledged is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "base/crc_sums.h"
#include "base/file.h"
#include "base/ordered.h"
#include "base/text.h"
#include "store/data_directory.h"
#include "store/log_ledger.h"
#include "store/rocksdb_store.h"
#include "store/stopped_pond.h"
#include "store/synced_mark.h"
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
    write(from, to, bytes);
    store_.reset();
  }

  void write(int from, int to, size_t bytes) {
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
  }

  template <class Body>
  void run(Body body) {
    run_to_end(body, executor_, scope_);
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

  fs::path newest_log() const {
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(data_ / "db")) {
      if (entry.path().extension() == ".log" && entry.path() > newest) newest = entry.path();
    }
    return newest;
  }

  // What somebody is told after a crash in the middle of a commit that holds `value`, whose last bytes are gone.
  std::string told_of_torn(const std::string& value) {
    const std::string synced = base::read_file(data_ / "SYNCED");
    run([&]() -> Task<void> {
      co_await store_->transact([&](Transaction& txn) -> Task<void> {
        txn.put("It-torn", base::cat(std::string(100, 'v'), value, std::string(1000, 'v')));
        co_return;
      });
    });
    crash(store_, data_);
    fs::resize_file(newest_log(), fs::file_size(newest_log()) - 500);
    replace_file(data_ / "SYNCED", synced);
    return told();
  }

  // A server that is killed with `commits` acknowledged in its log.
  void live_until_killed(int commits) {
    open();
    for (int n = 0; n < commits; ++n) put(base::cat("Il", n));
    crash(store_, data_);
  }

  // And a record in a log, for which the write-ahead log is kept when the item comes into a table.
  void put(const std::string& key, size_t bytes = 100) {
    run([&]() -> Task<void> {
      co_await store_->transact([&](Transaction& txn) -> Task<void> {
        txn.put(key, std::string(bytes, 'v'));
        (void)txn.append(LogId{"other"}, "r");
        co_return;
      });
    });
  }

  fs::path newest_manifest() const { return data_ / "db" / manifest_name(current_manifest(data_ / "db").value()); }

  // Where the records of such a file end.
  static std::vector<size_t> record_ends(std::string_view file) {
    std::vector<size_t> ends;
    const auto byte = [&](size_t at) { return static_cast<unsigned char>(file[at]); };
    for (size_t at = 0; at + 7 <= file.size();) {
      const bool is_last = byte(at + 6) == 1 || byte(at + 6) == 4;
      at += 7 + byte(at + 4) + (size_t{byte(at + 5)} << 8);
      if (is_last) ends.push_back(at);
    }
    return ends;
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
  put("It0");
  put("It1");
  const std::string synced = base::read_file(data_ / "SYNCED");
  put("It2");
  crash(store_, data_);
  replace_file(data_ / "SYNCED", synced);  // as it is within the third
  const fs::path newest = newest_log();
  fs::resize_file(newest, fs::file_size(newest) - 5);
  for (int start = 0; start < 3; ++start) {
    EXPECT_EQ(told(), "") << "start " << start;
  }
  // It is an older one by now, and any further loss in it is damage.
  fs::resize_file(newest, fs::file_size(newest) - 5);
  EXPECT_THAT(told(), HasSubstr(newest.filename().native()));
}

TEST_F(DamageTest, an_end_that_a_crash_tore_is_none_whatever_it_holds_when_the_pond_is_checked) {
  open();
  size_t before = 0;
  std::string synced;
  run([&]() -> Task<void> {
    for (const size_t bytes : {100, 100'000}) {
      before = fs::file_size(newest_log());
      synced = base::read_file(data_ / "SYNCED");
      co_await store_->transact([&](Transaction& txn) -> Task<void> {
        txn.put(base::cat("It", bytes), std::string(bytes, 'v'));
        co_return;
      });
    }
  });
  crash(store_, data_);
  std::string log = base::read_file(newest_log());
  ASSERT_GT(log.size(), before + 100'000);
  log.replace(before + 40'000, 4096, std::string(4096, '\0'));  // a page that was never written
  replace_file(newest_log(), log);
  replace_file(data_ / "SYNCED", synced);
  Findings findings;
  StoppedPond pond(data_, findings);
  EXPECT_THAT(findings.damage, testing::IsEmpty());
  EXPECT_THAT(findings.notes, testing::ElementsAre(HasSubstr("torn end")));
  ASSERT_TRUE(pond.is_open());
  EXPECT_TRUE(pond.get("It100"));
  EXPECT_FALSE(pond.get("It100000"));
}

TEST_F(DamageTest, after_a_clean_stop_no_log_may_be_shorter_than_it_was) {
  open();
  run([&]() -> Task<void> {
    co_await store_->transact([&](Transaction& txn) -> Task<void> {
      txn.put("Ilast", "v");
      co_return;
    });
  });
  store_.reset();
  const fs::path newest = newest_log();
  const std::string bytes = base::read_file(newest);
  ASSERT_GT(bytes.size(), 0u);
  for (const size_t left : {size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
    replace_file(newest, std::string_view(bytes).substr(0, left));
    EXPECT_THAT(told(), AllOf(HasSubstr(newest.filename().native()), HasSubstr("instead of"))) << left;
  }
  replace_file(newest, bytes);
  EXPECT_EQ(told(), "");
}

TEST_F(DamageTest, after_a_kill_the_newest_log_may_not_be_shorter_than_what_was_acknowledged) {
  live_until_killed(4);
  const fs::path newest = newest_log();
  const std::string bytes = base::read_file(newest);
  for (const size_t left : {size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
    replace_file(newest, std::string_view(bytes).substr(0, left));
    EXPECT_THAT(told(), AllOf(HasSubstr(newest.filename().native()), HasSubstr("instead of at least"))) << left;
  }
  std::string flipped = bytes;
  flipped[flipped.size() - 3] ^= 1;  // within the last commit: nothing stands behind it
  replace_file(newest, flipped);
  EXPECT_THAT(told(), AllOf(HasSubstr(newest.filename().native()), HasSubstr("not readable")));
  replace_file(newest, bytes);
  EXPECT_EQ(told(), "");
}

TEST_F(DamageTest, after_a_kill_the_newest_log_is_not_one_of_another_pond) {
  live_until_killed(4);
  const fs::path newest = newest_log();
  std::string other = base::read_file(newest);
  const size_t mark = 7 + 12 + 2;
  for (size_t n = 0; n < 16; ++n) other[mark + n] ^= 1;
  const uint32_t crc = base::crc32c(std::string_view(other).substr(6, 1 + static_cast<unsigned char>(other[4])));
  const uint32_t masked = (crc >> 15 | crc << 17) + 0xa282ead8;
  ASSERT_EQ(other[5], 0);
  for (int n = 0; n < 4; ++n) other[static_cast<size_t>(n)] = static_cast<char>(masked >> 8 * n);
  replace_file(newest, other);
  EXPECT_THAT(told(), AllOf(HasSubstr(newest.filename().native()), HasSubstr("not the one that was written")));
}

TEST_F(DamageTest, a_manifest_that_ends_between_two_changes_is_no_shorter_one) {
  open();
  const fs::path manifest = newest_manifest();
  const uintmax_t before = fs::file_size(manifest);
  for (int n = 0; n < 40; ++n) put(base::cat("Im", n), 1 << 20);  // more than a memtable
  for (std::optional<SyncedMark> mark;; std::this_thread::yield()) {
    mark = read_synced_mark(data_);  // none if it is just being written
    if (mark && mark->manifest_bytes != before && mark->manifest_bytes == fs::file_size(manifest)) break;
  }
  crash(store_, data_);
  const std::string bytes = base::read_file(manifest);
  const std::vector<size_t> ends = record_ends(bytes);
  ASSERT_GE(ends.size(), 2u);
  // What a flush or a compaction added just before the end may not be told yet.
  const uint64_t synced = read_synced_mark(data_)->manifest_bytes;
  ASSERT_GT(synced, before);
  for (const size_t end : ends) {
    if (end >= synced) continue;
    replace_file(manifest, std::string_view(bytes).substr(0, end));
    EXPECT_THAT(told(), AllOf(HasSubstr(manifest.filename().native()), HasSubstr("instead of at least"))) << end;
  }
  replace_file(manifest, bytes);
  EXPECT_EQ(told(), "");
}

TEST_F(DamageTest, a_manifest_of_another_pond_is_told_though_it_is_whole) {
  live_until_killed(1);
  const fs::path manifest = newest_manifest();
  const std::string bytes = base::read_file(manifest);
  const fs::path other = directory_.path() / "other";
  { const auto store = open_rocksdb({.directory = other}, clock_); }
  std::string foreign;
  for (const auto& entry : fs::directory_iterator(other / "db")) {
    if (entry.path().filename().native().starts_with("MANIFEST")) foreign = base::read_file(entry.path());
  }
  replace_file(manifest, foreign + bytes);  // no shorter, and of whole records
  EXPECT_THAT(told(), AllOf(HasSubstr(manifest.filename().native()), HasSubstr("not the one that was written")));
}

TEST_F(DamageTest, a_mark_of_what_is_synced_that_is_gone_or_unreadable_costs_nothing) {
  live_until_killed(2);
  const std::string synced = base::read_file(data_ / "SYNCED");
  for (const std::string& left : {std::string(), synced.substr(0, 40), std::string(256, '\0')}) {
    replace_file(data_ / "SYNCED", left);
    EXPECT_EQ(told(), "");
  }
  fs::remove(data_ / "SYNCED");
  EXPECT_EQ(told(), "");
}

// Clients may write whatever they like, also what a log consists of.
TEST_F(DamageTest, a_torn_commit_that_holds_what_looks_like_a_commit_is_a_torn_end_all_the_same) {
  std::string record = base::cat('\1', "whatever");
  const uint32_t crc = base::crc32c(record);
  const uint32_t masked = (crc >> 15 | crc << 17) + 0xa282ead8;
  std::string header;
  for (int n = 0; n < 4; ++n) header += static_cast<char>(masked >> 8 * n);
  header += base::cat(static_cast<char>(record.size() - 1), '\0');
  open();
  EXPECT_EQ(told_of_torn(header + record), "");
}

TEST_F(DamageTest, a_torn_commit_that_holds_a_commit_of_its_own_log_is_a_torn_end_all_the_same) {
  open();
  run([&]() -> Task<void> {
    co_await store_->transact([&](Transaction& txn) -> Task<void> {
      txn.put("Ifirst", std::string(100, 'v'));
      co_return;
    });
  });
  const std::string log = base::read_file(newest_log());
  ASSERT_GT(log.size(), 100u);
  EXPECT_EQ(told_of_torn(log), "");
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
