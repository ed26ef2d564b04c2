// What looking at the front of a queue costs after many of its entries were taken: timers are set and finished as
// engine/timer_service.h does it, in large transactions so that the disk's syncs do not hide it.
//
//   queue_scale [--without-floor] DIRECTORY TAKEN...     prints one line of JSON for each number taken, in rising order
//
// --without-floor: the queue's floor is never raised, to see what it is good for.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "store/queue.h"
#include "store/rocksdb_store.h"
#include "store/test_executor.h"
#include "store/timer.h"

namespace {

using namespace tidemill;
using Steady = std::chrono::steady_clock;

constexpr store::TimerKind kKind{"bench"};
constexpr size_t kPerTransaction = 256;
constexpr size_t kSeenByLook = 65;  // as many as engine/timer_service.h looks at
constexpr size_t kLooks = 200;
constexpr size_t kTakesMeasured = 5'120;

double microseconds_since(Steady::time_point start) {
  return std::chrono::duration<double, std::micro>(Steady::now() - start).count();
}

double cpu_microseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

class Bench {
 public:
  Bench(store::Store& store, bool with_floor) : store_(store), with_floor_(with_floor) {}

  // Sets and takes timers until `taken` have been.
  Task<void> take(size_t taken) {
    while (taken_ < taken) {
      const size_t most = std::min(kPerTransaction, taken - taken_);
      co_await set(most);
      for (size_t done = 0; done < most;) done += co_await take_some();
    }
  }

  Task<void> measure() {
    std::vector<double> looks;
    for (size_t n = 0; n < kLooks; ++n) {
      const auto start = Steady::now();
      if (!(co_await look()).empty()) std::abort();
      looks.push_back(microseconds_since(start));
    }
    std::sort(looks.begin(), looks.end());
    const size_t before = taken_;
    const double cpu = cpu_microseconds();
    co_await take(taken_ + kTakesMeasured);
    std::printf("{\"taken\": %zu, \"look_us\": %.1f, \"look_max_us\": %.1f, \"take_cpu_us\": %.2f}\n", before,
                looks[looks.size() / 2], looks.back(), (cpu_microseconds() - cpu) / kTakesMeasured);
    std::fflush(stdout);
  }

 private:
  Task<void> set(size_t count) {
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      for (size_t n = 0; n < count; ++n) {
        const auto id = std::to_string(set_ + n);
        co_await store::set_timer(txn, {std::string(kKind.name), id, base::Time(base::Duration(set_ + n)), ""});
      }
    });
    set_ += count;
  }

  Task<std::vector<store::Timer>> look() {
    const auto snapshot = store_.snapshot();
    co_return co_await store::due_timers(*snapshot, kKind, base::Time::max(), kSeenByLook);
  }

  Task<size_t> take_some() {
    std::vector<store::Timer> timers = co_await look();
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      for (store::Timer& timer : timers) {
        if (!co_await store::identify_timer(txn, timer)) std::abort();
        if (!co_await store::finish_timer(txn, timer)) std::abort();
      }
    });
    taken_ += timers.size();
    if (with_floor_ && pace_.looked(timers.size())) {
      co_await store::pass_finished_timers(store_, kKind, base::Time(base::Duration(taken_)));
    }
    co_return timers.size();
  }

  store::Store& store_;
  const bool with_floor_;
  store::FloorPace pace_;
  size_t set_ = 0;
  size_t taken_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  int argument = 1;
  const bool with_floor = argc < 2 || std::strcmp(argv[1], "--without-floor") != 0;
  if (!with_floor) ++argument;
  if (argc < argument + 2) {
    std::fprintf(stderr, "usage: queue_scale [--without-floor] DIRECTORY TAKEN...\n");
    return 2;
  }
  const std::filesystem::path directory = argv[argument++];
  base::RealClock clock;
  const auto store = store::open_rocksdb({.directory = directory}, clock);
  store::TestExecutor executor(&clock.activity());
  base::Scope scope;
  Bench bench(*store, with_floor);
  for (; argument < argc; ++argument) {
    bool done = false;
    {
      const base::Executor::Enter enter(executor);
      scope.spawn([](Bench& one, size_t taken, bool& ended) -> Task<void> {
        co_await one.take(taken);
        co_await one.measure();
        ended = true;
      }(bench, static_cast<size_t>(std::atoll(argv[argument])), done));
    }
    executor.run_until([&] { return done; });
  }
}
