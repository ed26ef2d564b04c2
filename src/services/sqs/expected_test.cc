#include "services/sqs/expected.h"

#include <gtest/gtest.h>

#include "base/sim_executor.h"

namespace tidemill::sqs {
namespace {

using std::chrono::seconds;

base::Time at(int64_t second) { return base::Time(seconds(second)); }

struct World {
  explicit World(base::VirtualClock::Mode mode)
      : clock(at(1000), mode), executor(7, clock.activity()), enter(executor), expected(clock) {}
  base::VirtualClock clock;
  base::SimExecutor executor;
  base::Executor::Enter enter;
  Expected expected;
};

TEST(ExpectedTest, AClockThatJumpsComesToEachTime) {
  World world(base::VirtualClock::Mode::automatic);
  {
    const auto busy = world.clock.activity().hold();
    world.expected.add(at(3000));
    world.expected.add(at(2000));
    world.expected.add(at(500));
    world.executor.run_until_idle();
    EXPECT_EQ(world.clock.now(), at(1000));
  }
  world.executor.run_until_idle();
  EXPECT_EQ(world.clock.now(), at(3000));
  world.expected.add(at(4000));
  world.executor.run_until_idle();
  EXPECT_EQ(world.clock.now(), at(4000));
}

TEST(ExpectedTest, OfTooManyTheEarliestAreKept) {
  World world(base::VirtualClock::Mode::automatic);
  {
    const auto busy = world.clock.activity().hold();
    for (size_t i = 0; i <= Expected::kKeptMax; ++i) world.expected.add(at(2000 + static_cast<int64_t>(i)));
  }
  world.executor.run_until_idle();
  EXPECT_EQ(world.clock.now(), at(2000 + static_cast<int64_t>(Expected::kKeptMax) - 1));
}

TEST(ExpectedTest, AClockThatStandsGoesOnStanding) {
  World world(base::VirtualClock::Mode::manual);
  world.expected.add(at(2000));
  world.executor.run_until_idle();
  EXPECT_EQ(world.clock.now(), at(1000));
}

}  // namespace
}  // namespace tidemill::sqs
