#include "base/clock.h"

#include <gtest/gtest.h>

#include "base/sim_executor.h"
#include "base/steady_time.h"

namespace tidemill::base {
namespace {

using std::chrono::seconds;

struct World {
  explicit World(VirtualClock::Mode mode) : clock(Time(seconds(1000)), mode), executor(7, clock.activity()) {}
  VirtualClock clock;
  SimExecutor executor;
  Scope scope;
};

Task<void> note_after(Clock& clock, seconds at, std::vector<int>& notes, int what, Purpose purpose = Purpose::work) {
  co_await clock.sleep_until(Time(at), purpose);
  notes.push_back(what);
}

TEST(VirtualClock, stands_still_until_it_is_advanced) {
  World world(VirtualClock::Mode::manual);
  const Executor::Enter enter(world.executor);
  std::vector<int> notes;
  world.scope.spawn(note_after(world.clock, seconds(1005), notes, 1));
  world.executor.run_until_idle();
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(world.clock.now(), Time(seconds(1000)));
}

// `way`: what ends it.
Task<void> note_pause(Clock& clock, Signal signal, std::vector<std::string>& notes, std::string way) {
  co_await clock.pause(signal, seconds(5));
  notes.push_back(std::move(way));
}

TEST(VirtualClock, a_pause_ends_in_real_time_while_it_stands) {
  World world(VirtualClock::Mode::manual);
  const Executor::Enter enter(world.executor);
  std::vector<std::string> notes;
  world.scope.spawn(note_pause(world.clock, Signal(), notes, "real time"));
  world.executor.run_until_idle();
  EXPECT_EQ(notes, std::vector<std::string>{"real time"});
  EXPECT_EQ(world.clock.now(), Time(seconds(1000)));
}

TEST(VirtualClock, a_pause_ends_when_it_is_turned_or_by_its_signal) {
  World world(VirtualClock::Mode::manual);
  const Executor::Enter enter(world.executor);
  std::vector<std::string> notes;
  const Signal signal;
  world.scope.spawn(note_pause(world.clock, signal, notes, "signal"));
  signal.signal();
  world.clock.advance_to(Time(seconds(1001)), {});
  while (notes.empty() && world.executor.run_one()) {
  }
  world.scope.spawn(note_pause(world.clock, Signal(), notes, "turned"));
  world.clock.advance_to(Time(seconds(1007)), [&] { notes.emplace_back("done"); });
  while (notes.size() < 3 && world.executor.run_one()) {
  }
  EXPECT_EQ(notes, (std::vector<std::string>{"signal", "turned", "done"}));
}

TEST(VirtualClock, runs_due_alarms_in_order_and_reports_when_it_is_quiet_again) {
  World world(VirtualClock::Mode::manual);
  const Executor::Enter enter(world.executor);
  std::vector<int> notes;
  world.scope.spawn(note_after(world.clock, seconds(1009), notes, 2));
  world.scope.spawn(note_after(world.clock, seconds(1005), notes, 1));
  world.scope.spawn(note_after(world.clock, seconds(1011), notes, 3));
  bool done = false;
  world.clock.advance_to(Time(seconds(1010)), [&] { done = true; });
  EXPECT_FALSE(done);
  world.executor.run_until_idle();
  EXPECT_TRUE(done);
  EXPECT_EQ(notes, (std::vector<int>{1, 2}));
  EXPECT_EQ(world.clock.now(), Time(seconds(1010)));
}

TEST(VirtualClock, automatic_jumps_to_work_but_not_to_housekeeping) {
  World world(VirtualClock::Mode::automatic);
  const Executor::Enter enter(world.executor);
  std::vector<int> notes;
  world.scope.spawn(note_after(world.clock, seconds(2000), notes, 1));
  world.scope.spawn(note_after(world.clock, seconds(90000), notes, 2, Purpose::housekeeping));
  world.executor.run_until_idle();
  EXPECT_EQ(notes, std::vector<int>{1});
  EXPECT_EQ(world.clock.now(), Time(seconds(2000)));
}

TEST(Signal, a_wait_ends_at_its_deadline_or_at_the_signal_whichever_comes_first) {
  World world(VirtualClock::Mode::manual);
  const Executor::Enter enter(world.executor);
  Signal signal;
  std::vector<bool> results;
  auto waiter = [&]() -> Task<void> {
    results.push_back(co_await world.clock.wait(signal, Time(seconds(1005))));
    results.push_back(co_await world.clock.wait(signal, Time(seconds(1010))));
  };
  world.scope.spawn(waiter());
  signal.signal();
  world.executor.run_until_idle();
  EXPECT_EQ(results, std::vector<bool>{true});
  world.clock.advance_to(Time(seconds(1020)), {});
  world.executor.run_until_idle();
  EXPECT_EQ(results, (std::vector<bool>{true, false}));
}

TEST(Scope, destroys_what_still_waits_and_abandons_its_wakeups) {
  World world(VirtualClock::Mode::manual);
  const Executor::Enter enter(world.executor);
  Future<int> future;
  bool resumed = false;
  auto waiter = [&]() -> Task<void> {
    co_await future;
    resumed = true;
  };
  {
    Scope scope;
    scope.spawn(waiter());
    future.set(1);
    EXPECT_EQ(scope.running(), 1u);
  }
  world.executor.run_until_idle();
  EXPECT_FALSE(resumed);
}

TEST(SteadyTimeTest, FollowsTheMachinesTimeForwardAndNeverBack) {
  SteadyTime time;
  const auto at = [&](int64_t wall, int64_t steady) {
    return time.at(Time(Duration(wall)), Duration(steady)).time_since_epoch().count();
  };
  EXPECT_EQ(at(1000, 10), 1000);
  EXPECT_EQ(at(1005, 15), 1005);
  EXPECT_EQ(at(500, 20), 1010);    // set back: time goes on
  EXPECT_EQ(at(505, 25), 1015);
  EXPECT_EQ(at(2000, 30), 2000);   // set forward
  EXPECT_EQ(at(2001, 60), 2030);   // a thread that stood still between the two is no step back
}

}  // namespace
}  // namespace tidemill::base
