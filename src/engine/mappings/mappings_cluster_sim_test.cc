// The simulation of several processes that share a store: they join, leave, die, and stall for longer than their leases,
// and their clocks differ by seconds. What must hold beside what the judge says of one process:
//
// - a batch is begun only by the process that owns its shard then, so the starts of two owners never mix;
// - a checkpoint never goes back, whatever a former owner still has in hand: with the judge's exactly one failure document
//   and "nothing is called finished that was not", that no two owners write;
// - once the trouble is over, everything arrives, and a mapping that is disabled is worked on by nobody.
//
//   TIDEMILL_SIM_SEED=17    runs that seed only
//   TIDEMILL_SIM_SEEDS=N    runs the seeds 1 to N
#include "base/sim_process.h"
#include "engine/leased_ownership.h"
#include "engine/mappings/mappings_simulation.h"

namespace tidemill::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

#if __has_feature(address_sanitizer)
constexpr uint64_t kSeedsByDefault = 50;
#else
constexpr uint64_t kSeedsByDefault = 200;
#endif
constexpr size_t kProcessesMax = 4;
constexpr auto kClockDifferenceMax = seconds(5);
constexpr auto kStallMax = seconds(30);

class ClusterSimulation final : public Simulation {
 public:
  explicit ClusterSimulation(uint64_t seed) : Simulation(seed, MappingWorld::Runs::nothing) {
    ages_ = false;      // what is too old differs as clocks do
    windowed_ = false;  // their states are of one process's life
    for (uint64_t count = 1 + pick(3); count > 0; --count) start_process();
  }
  ~ClusterSimulation() override {
    for (const auto& process : processes_) process->die();
  }

 private:
  struct Process {
    Process(ClusterSimulation& simulation, MappingWorld& world, std::string own_name, base::Duration offset)
        : name(std::move(own_name)),
          executor(world.executor, world.clock, offset),
          stream(*world.store),
          invoker(executor.clock()),
          ownership(std::make_unique<LeasedOwnership>(*world.store, executor.clock(), name)),
          mappings(std::make_unique<Mappings>(executor, *world.store, executor.clock(), *ownership, world.metrics,
                                              std::vector<StreamSource*>{&stream}, invoker)) {
      invoker.handler = [&simulation, this](const Call& call) { return simulation.call_in(*this, call); };
    }
    void start() {
      const base::Executor::Enter enter(executor);
      ownership->start();
      mappings->start();
    }
    [[nodiscard]] bool lives() const { return ownership != nullptr; }
    void die() {
      mappings.reset();
      ownership.reset();
      executor.kill();
    }

    const std::string name;
    base::SimProcess executor;
    ModelStream stream;
    ModelInvoker invoker;
    std::unique_ptr<LeasedOwnership> ownership;
    std::unique_ptr<Mappings> mappings;
    base::Time wakes_up;  // while it stalls
    base::Scope leaving;
  };

  // ---- trouble ----

  void trouble() override {
    for (int troubles = 4 + static_cast<int>(pick(12)); troubles > 0; --troubles) {
      watch(50 + static_cast<int>(pick(1200)));
      befall();
    }
  }

  void befall() {
    Process* victim = one_that_lives();
    if (victim == nullptr || chance(0.3)) {
      if (living() < kProcessesMax) start_process();
    } else if (chance(0.6)) {
      victim->executor.stall();
      victim->wakes_up = world_.clock.now() + milliseconds(pick(std::chrono::milliseconds(kStallMax).count()));
    } else if (chance(0.3)) {
      leave(*victim);
    } else {
      victim->die();
    }
  }

  void start_process() {
    const auto most = static_cast<uint64_t>(milliseconds(kClockDifferenceMax).count());
    const base::Duration offset = milliseconds(static_cast<int64_t>(pick(2 * most + 1)) - static_cast<int64_t>(most));
    processes_.push_back(
        std::make_unique<Process>(*this, world_, "p-" + std::to_string(processes_.size()), offset));
    processes_.back()->start();
  }

  // As a server that is stopped: what it does is abandoned, and then the others are told.
  void leave(Process& process) {
    process.mappings.reset();
    const base::Executor::Enter enter(process.executor);
    process.leaving.spawn(process.ownership->leave());
    left_.insert(process.name);
  }

  [[nodiscard]] bool works(const Process& process) const { return process.lives() && !left_.contains(process.name); }
  [[nodiscard]] size_t living() const {
    return static_cast<size_t>(std::ranges::count_if(processes_, [&](const auto& process) { return works(*process); }));
  }
  Process* one_that_lives() {
    std::vector<Process*> all;
    for (const auto& process : processes_) {
      if (works(*process) && !process->executor.is_stalled()) all.push_back(process.get());
    }
    return all.empty() ? nullptr : all[pick(all.size())];
  }

  void wake_up(bool all) {
    for (const auto& process : processes_) {
      if (!process->lives() || !process->executor.is_stalled()) continue;
      if (all || process->wakes_up <= world_.clock.now()) process->executor.wake_up();
    }
  }

  void watch(int steps) {
    for (; steps > 0; steps -= 10) {
      run_steps(10);
      wake_up(false);
      judge_checkpoints();
    }
  }

  void calm_down() override {
    wake_up(true);
    if (living() == 0) start_process();
    calm_ = true;
    for (int i = 0; i < 300; ++i) {
      world_.advance(seconds(1));
      judge_checkpoints();
    }
  }

  // ---- what must hold at any time ----

  // A function was called in `process`.
  Task<InvokeOutcome> call_in(Process& process, const Call& call) {
    const std::string& uuid = call.function_arn;
    const Change& first = call.changes.front();
    const std::string shard = process.stream.homes.at(first.item + "/" + std::to_string(first.number));
    const auto lease = world_.value(lease_key(owned_shard(uuid, shard)));
    EXPECT_EQ(lease ? base::OrderedReader(*lease).string() : "nobody", process.name)
        << "begins a batch of " << shard << " for " << uuid << " at event " << history_.calls();
    EXPECT_NE(world_.load(uuid)->state, MappingState::disabled) << "a batch of " << uuid << " began";
    if (lease != std::exchange(tenures_[{uuid, shard}], lease)) {
      history_.taken_over(uuid, shard, world_.clock.now(), world_.checkpoint(shard, uuid).value_or(Checkpoint{}));
    }
    return handle(process.executor.clock(), call);
  }

  // As store/lease.cc has it.
  static std::string lease_key(std::string_view name) {
    return std::string{static_cast<char>(store::KeySpace::lease), 'l'} + std::string(name);
  }

  void judge_checkpoints() {
    for (const auto& [uuid, behaviour] : behaviours_) {
      for (const StreamShard& shard : shards()) {
        const auto checkpoint = world_.checkpoint(shard.shard_id, uuid);
        if (!checkpoint) continue;
        store::Position& before = done_[{uuid, shard.shard_id}];
        EXPECT_GE(checkpoint->done, before) << "the checkpoint of " << uuid << " in " << shard.shard_id << " went back";
        before = checkpoint->done;
      }
    }
  }

  std::vector<std::unique_ptr<Process>> processes_;
  std::set<std::string> left_;
  // By mapping and shard: the lease, and what is finished.
  std::map<std::pair<std::string, std::string>, std::optional<std::string>> tenures_;
  std::map<std::pair<std::string, std::string>, store::Position> done_;
};

class MappingsClusterSimulation : public ::testing::Test {
 protected:
  void SetUp() override { base::set_log_level(base::Level::error); }
  void TearDown() override { base::set_log_level(base::Level::info); }
};

TEST_F(MappingsClusterSimulation, KeepsItsPromisesUnderEverySeed) {
  const uint64_t only = from_environment("TIDEMILL_SIM_SEED", 0);
  const uint64_t first = only != 0 ? only : 1;
  const uint64_t last = only != 0 ? only : from_environment("TIDEMILL_SIM_SEEDS", kSeedsByDefault);
  for (uint64_t seed = first; seed <= last; ++seed) {
    ClusterSimulation(seed).run();
    if (HasFailure()) {
      FAIL() << "replay with TIDEMILL_SIM_SEED=" << seed;
    }
  }
}

TEST_F(MappingsClusterSimulation, ReplaysASeedExactly) {
  for (const uint64_t seed : {5, 26}) {
    ClusterSimulation once(seed);
    once.run();
    ClusterSimulation again(seed);
    again.run();
    EXPECT_EQ(once.transcript(), again.transcript());
    EXPECT_GT(once.transcript().size(), 1000u);
  }
}

}  // namespace
}  // namespace tidemill::engine
