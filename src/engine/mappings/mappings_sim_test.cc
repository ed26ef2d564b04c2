// The simulation of one process: it dies, and with it what its store had not yet acknowledged, and starts again.
//
//   TIDEMILL_SIM_SEED=17    runs that seed only
//   TIDEMILL_SIM_SEEDS=N    runs the seeds 1 to N
#include "engine/mappings/mappings_simulation.h"

namespace tidemill::engine {
namespace {

#if __has_feature(address_sanitizer)
constexpr uint64_t kSeedsByDefault = 60;
#else
constexpr uint64_t kSeedsByDefault = 300;
#endif

class CrashSimulation final : public Simulation {
 public:
  explicit CrashSimulation(uint64_t seed) : Simulation(seed, MappingWorld::Runs::mappings) {
    world_.invoker.handler = [this](const Call& call) { return handle(world_.clock, call); };
  }

 private:
  void trouble() override {
    const int crashes = static_cast<int>(pick(5));
    for (int crash = 0; crash < crashes; ++crash) {
      run_steps(50 + static_cast<int>(pick(1500)));
      kill();
    }
  }

  void kill() {
    world_.crash();
    DeliveryHistory::Checkpoints checkpoints;
    for (const auto& [uuid, behaviour] : behaviours_) {
      for (const StreamShard& shard : shards()) {
        const auto checkpoint = world_.checkpoint(shard.shard_id, uuid);
        if (checkpoint) checkpoints[{uuid, shard.shard_id}] = *checkpoint;
      }
    }
    history_.crashed(world_.clock.now(), checkpoints);
    for (auto& [uuid, windows] : windows_) windows.last.clear();
    ++crashes_;
    start_users();
  }
};

class MappingsSimulation : public ::testing::Test {
 protected:
  void SetUp() override { base::set_log_level(base::Level::error); }
  void TearDown() override { base::set_log_level(base::Level::info); }
};

TEST_F(MappingsSimulation, KeepsItsPromisesUnderEverySeed) {
  const uint64_t only = from_environment("TIDEMILL_SIM_SEED", 0);
  const uint64_t first = only != 0 ? only : 1;
  const uint64_t last = only != 0 ? only : from_environment("TIDEMILL_SIM_SEEDS", kSeedsByDefault);
  for (uint64_t seed = first; seed <= last; ++seed) {
    CrashSimulation(seed).run();
    if (HasFailure()) {
      FAIL() << "replay with TIDEMILL_SIM_SEED=" << seed;
    }
  }
}

TEST_F(MappingsSimulation, ReplaysASeedExactly) {
  for (const uint64_t seed : {3, 14, 159}) {
    CrashSimulation once(seed);
    once.run();
    CrashSimulation again(seed);
    again.run();
    EXPECT_EQ(once.transcript(), again.transcript());
    EXPECT_GT(once.transcript().size(), 1000u);
  }
}

}  // namespace
}  // namespace tidemill::engine
