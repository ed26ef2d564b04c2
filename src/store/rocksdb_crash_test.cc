// That the embedded backend keeps what it acknowledged when its process is killed at any moment.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "store/test_backends.h"

extern char** environ;

namespace tidemill::store {
namespace {

using std::string_literals::operator""s;

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

}  // namespace
}  // namespace tidemill::store
