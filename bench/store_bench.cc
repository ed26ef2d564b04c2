// Commits per second of the embedded store, with N coroutines that each commit one-key transactions one after the
// other (on keys of their own, and all on one: then every commit but one of a batch conflicts), beside the floor: a bare fdatasync after appending 200 bytes, on the same disk in the same run.
//
//   store_bench [DIRECTORY] [SECONDS]     default: a directory under /tmp that is removed afterwards, 2 s per line
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "store/rocksdb_store.h"
#include "store/test_executor.h"

namespace {

using namespace tidemill;
using Steady = std::chrono::steady_clock;

constexpr size_t kValueBytes = 200;

double seconds_since(Steady::time_point start) { return std::chrono::duration<double>(Steady::now() - start).count(); }

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + time.tv_usec * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void measure_floor(const std::filesystem::path& directory, double seconds) {
  const auto path = directory / "floor";
  const int fd = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  const std::string record(kValueBytes, 'x');
  int count = 0;
  const auto start = Steady::now();
  while (seconds_since(start) < seconds) {
    if (::write(fd, record.data(), record.size()) < 0 || ::fdatasync(fd) != 0) std::abort();
    ++count;
  }
  std::printf("%-28s %9.0f /s  %7.1f us each\n", "append 200 B + fdatasync", count / seconds, 1e6 * seconds / count);
  ::close(fd);
}

enum class Keys { spread, one };

struct Run {
  store::Store& store;
  Keys keys;
  Steady::time_point end;
  std::vector<float> latencies_us;
  int running = 0;
};

Task<void> commit_in_a_loop(Run& run, int number) {
  const std::string value(kValueBytes, 'v');
  uint64_t state = static_cast<uint64_t>(number) * 7919 + 1;
  while (Steady::now() < run.end) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::string key = "Ibench" + (run.keys == Keys::one ? "" : std::to_string(state % 1'000'000'007));
    const auto start = Steady::now();
    co_await run.store.transact([&](store::Transaction& txn) -> Task<void> {
      co_await txn.get(key);
      txn.put(key, value);
    });
    run.latencies_us.push_back(std::chrono::duration<float, std::micro>(Steady::now() - start).count());
  }
  --run.running;
}

void measure_commits(store::Store& store, base::Clock& clock, Keys keys, int coroutines, double seconds) {
  store::TestExecutor executor(&clock.activity());
  base::Scope scope;
  Run run{store, keys, Steady::now() + std::chrono::milliseconds(static_cast<int>(seconds * 1000)), {}, coroutines};
  run.latencies_us.reserve(1 << 20);
  const auto before = store.metrics();
  const double cpu_before = cpu_seconds();
  const auto start = Steady::now();
  {
    const base::Executor::Enter enter(executor);
    for (int n = 0; n < coroutines; ++n) scope.spawn(commit_in_a_loop(run, n));
  }
  executor.run_until([&] { return run.running == 0; });
  const double elapsed = seconds_since(start);
  const double cpu = cpu_seconds() - cpu_before;
  const auto after = store.metrics();
  auto& latencies = run.latencies_us;
  std::sort(latencies.begin(), latencies.end());
  const double count = static_cast<double>(latencies.size());
  std::printf("%3d coroutines, %-7s %13.0f /s  p50 %6.0f us  p99 %6.0f us  %5.1f per sync  %6.0f syncs/s  %5.1f us CPU each  "
              "%lu conflicts\n",
              coroutines, keys == Keys::one ? "1 key" : "spread", count / elapsed, latencies[latencies.size() / 2], latencies[latencies.size() * 99 / 100],
              count / static_cast<double>(after.syncs - before.syncs),
              static_cast<double>(after.syncs - before.syncs) / elapsed, 1e6 * cpu / count,
              after.conflicts - before.conflicts);
}

}  // namespace

int main(int argc, char** argv) {
  const bool temporary = argc < 2;
  char name[] = "/tmp/store_bench_XXXXXX";
  const std::filesystem::path directory = temporary ? ::mkdtemp(name) : argv[1];
  const double seconds = argc > 2 ? std::atof(argv[2]) : 2;
  std::filesystem::create_directories(directory);
  measure_floor(directory, seconds);
  {
    base::RealClock clock;
    const auto start = Steady::now();
    const auto store = store::open_rocksdb({.directory = directory / "data"}, clock);
    std::printf("open: %.1f ms\n", seconds_since(start) * 1e3);
    std::printf("resident: %.1f MB\n", resident_megabytes());
    for (const int coroutines : {1, 16, 64, 256}) measure_commits(*store, clock, Keys::spread, coroutines, seconds);
    for (const int coroutines : {16, 256}) measure_commits(*store, clock, Keys::one, coroutines, seconds);
  }
  {
    base::RealClock clock;
    const auto start = Steady::now();
    const auto store = store::open_rocksdb({.directory = directory / "data"}, clock);
    std::printf("open again: %.1f ms\n", seconds_since(start) * 1e3);
  }
  if (temporary) std::filesystem::remove_all(directory);
}
