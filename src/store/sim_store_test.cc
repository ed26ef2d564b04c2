// What the simulated backend promises beyond store_test.cc: its faults, and that a seed replays them.
#include "store/sim_store.h"

#include <gtest/gtest.h>

namespace tidemill::store {
namespace {

struct World {
  explicit World(uint64_t seed)
      : clock(base::Time(std::chrono::hours(24)), base::VirtualClock::Mode::manual), executor(seed, clock.activity()) {}
  ~World() {
    scope.clear();
    executor.drop_all();
  }
  void crash(std::unique_ptr<SimStore>& store) {
    store->crash();
    scope.clear();
    executor.drop_all();
    store.reset();
  }
  // Its result, once everything has run that can.
  template <class T>
  T result_of(Task<T> task) {
    std::optional<T> result;
    scope.spawn([](Task<T> waited, std::optional<T>& out) -> Task<void> { out = co_await std::move(waited); }(
        std::move(task), result));
    executor.run_until_idle();
    return std::move(result).value();
  }
  base::VirtualClock clock;
  base::SimExecutor executor;
  SimDisk disk;
  base::Scope scope;
};

// Each writer counts up under its own key and appends to one log.
Task<void> write(Store& store, int writer, std::vector<int>& acknowledged, int most) {
  const std::string key = "I" + std::to_string(writer);
  while (acknowledged[static_cast<size_t>(writer)] < most) {
    acknowledged[static_cast<size_t>(writer)] = co_await store.transact([&](Transaction& txn) -> Task<int> {
      const int next = std::stoi((co_await txn.get(key)).value_or("0")) + 1;
      txn.put(key, std::to_string(next));
      (void)txn.append(LogId{"log"}, key + "=" + std::to_string(next));
      co_return next;
    });
  }
}

Task<std::vector<std::string>> read_all(std::shared_ptr<Snapshot> snapshot, LogId log) {
  std::vector<std::string> records;
  co_await snapshot->read_log(log, Position::before_all(), [&](Position, std::string_view record) {
    records.emplace_back(record);
    return true;
  });
  co_return records;
}

// Runs writers for a random number of steps and crashes; returns everything that can be seen afterwards.
std::string crash_once(uint64_t seed) {
  World world(seed);
  auto store = make_sim_store(world.disk, world.executor, world.clock, SimFaults());
  std::vector<int> acknowledged(5);
  const base::Executor::Enter enter(world.executor);
  for (int writer = 0; writer < 5; ++writer) world.scope.spawn(write(*store, writer, acknowledged, 1000));
  const uint64_t steps = world.executor.random()() % 300;
  for (uint64_t step = 0; step < steps; ++step) world.executor.run_one();
  world.crash(store);

  store = make_sim_store(world.disk, world.executor, world.clock, SimFaults::none());
  const auto snapshot = store->snapshot();
  std::string seen;
  std::vector<int> logged(5);
  for (const std::string& record : world.result_of(read_all(snapshot, LogId{"log"}))) {
    const auto writer = static_cast<size_t>(record[1] - '0');
    EXPECT_EQ(std::stoi(record.substr(3)), ++logged[writer]) << "seed " << seed;
    seen += record + ";";
  }
  for (size_t writer = 0; writer < 5; ++writer) {
    const auto value = world.result_of(snapshot->get("I" + std::to_string(writer)));
    EXPECT_EQ(std::stoi(value.value_or("0")), logged[writer]) << "half a commit, seed " << seed;
    EXPECT_GE(logged[writer], acknowledged[writer]) << "an acknowledged commit is lost, seed " << seed;
    seen += std::to_string(acknowledged[writer]) + ",";
  }
  return seen;
}

TEST(SimStore, a_crash_keeps_what_was_acknowledged_and_a_prefix_of_the_rest) {
  for (uint64_t seed = 0; seed < 200; ++seed) crash_once(seed);
}

TEST(SimStore, a_seed_replays_a_run_and_seeds_differ) {
  EXPECT_EQ(crash_once(11), crash_once(11));
  EXPECT_NE(crash_once(11), crash_once(12));
}

TEST(SimStore, faults_slow_commits_down_and_make_them_conflict_but_lose_nothing) {
  World world(3);
  auto store = make_sim_store(world.disk, world.executor, world.clock, {0.3, 0.5, std::chrono::milliseconds(100)});
  std::vector<int> acknowledged(5);
  const base::Executor::Enter enter(world.executor);
  for (int writer = 0; writer < 5; ++writer) world.scope.spawn(write(*store, writer, acknowledged, 20));
  world.executor.run_until_idle();
  EXPECT_EQ(acknowledged, std::vector<int>(5, 20));
  EXPECT_GT(store->metrics().conflicts, 10u);
  EXPECT_TRUE(world.clock.activity().is_quiet());
}

TEST(SimStore, a_snapshot_stays_as_it_was_through_later_commits) {
  World world(4);
  auto store = make_sim_store(world.disk, world.executor, world.clock, SimFaults::none());
  std::vector<int> acknowledged(5);
  const base::Executor::Enter enter(world.executor);
  world.scope.spawn(write(*store, 0, acknowledged, 3));
  world.executor.run_until_idle();
  const auto old = store->snapshot();
  world.scope.spawn(write(*store, 0, acknowledged, 9));
  world.executor.run_until_idle();
  EXPECT_EQ(world.result_of(old->get("I0")), "3");
  EXPECT_EQ(world.result_of(store->snapshot()->get("I0")), "9");
}

}  // namespace
}  // namespace tidemill::store
