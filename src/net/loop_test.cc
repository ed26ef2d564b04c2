#include "net/loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/future.h"

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;

TEST(Loop, RunsPostedFunctionsInOrderOnItsThread) {
  base::Activity activity;
  Loop loop(activity);
  std::vector<int> seen;
  for (int i = 0; i < 3; ++i) {
    loop.post([&, i] {
      EXPECT_EQ(&base::Executor::current(), &loop);
      seen.push_back(i);
    });
  }
  loop.post([&] { loop.stop(); });
  EXPECT_FALSE(activity.is_quiet());
  loop.run();
  EXPECT_EQ(seen, (std::vector{0, 1, 2}));
  EXPECT_TRUE(activity.is_quiet());
}

TEST(Loop, TakesFunctionsFromManyThreads) {
  base::Activity activity;
  Loop loop(activity);
  constexpr int kEach = 10'000;
  int count = 0;
  std::thread runner([&] { loop.run(); });
  std::vector<std::thread> posters;
  for (int t = 0; t < 4; ++t) {
    posters.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        loop.post([&] {
          if (++count == 4 * kEach) loop.stop();
        });
      }
    });
  }
  for (auto& poster : posters) poster.join();
  runner.join();
  EXPECT_EQ(count, 4 * kEach);
  EXPECT_TRUE(activity.is_quiet());
}

TEST(Loop, AlarmsFireInOrderOfTimeAndNotBeforeTheirDelay) {
  base::Activity activity;
  Loop loop(activity);
  std::vector<int> seen;
  const auto start = std::chrono::steady_clock::now();
  // So far behind the others that no halt between the calls turns them round.
  auto last = loop.call_after(1h, [&] { seen.push_back(3); });
  auto early = loop.call_after(5ms, [&] {
    seen.push_back(1);
    EXPECT_FALSE(activity.is_quiet());
  });
  auto late = loop.call_after(200ms, [&] {
    seen.push_back(2);
    loop.stop();
  });
  auto cancelled = loop.call_after(1ms, [&] { seen.push_back(0); });
  cancelled.cancel();
  EXPECT_TRUE(activity.is_quiet());
  loop.run();
  EXPECT_GE(std::chrono::steady_clock::now() - start, 200ms);
  EXPECT_EQ(seen, (std::vector{1, 2}));
}

Task<void> work_in_slices(int slices, std::function<void(int)> work) {
  for (int i = 0; i < slices; ++i) {
    work(i);
    co_await base::give_way();
  }
}

TEST(Loop, RunsWhatIsShortBetweenTheSlicesOfLongWork) {
  base::Activity activity;
  Loop loop(activity, 1h);
  base::Scope scope;
  std::string seen;
  loop.post([&] {
    for (const char name : {'A', 'B'}) {
      scope.spawn(work_in_slices(3, [&, name](int) {
        seen.push_back(name);
        loop.post([&, name] {
          seen.push_back(static_cast<char>(name + ('a' - 'A')));
          loop.post([&] { seen.push_back('.'); });
        });
      }));
    }
    loop.post_slice([&] { loop.stop(); });
  });
  loop.run();
  EXPECT_FALSE(activity.is_quiet()) << "both go on";
  EXPECT_EQ(seen, "ABab..Aa.Bb.") << "all that is short first, however it came about; long work in turns";
  loop.post_slice([&] { loop.post_slice([&] { loop.post([&] { loop.stop(); }); }); });
  loop.run();
  EXPECT_EQ(seen, "ABab..Aa.Bb.Aa.Bb.");
  EXPECT_TRUE(activity.is_quiet());
}

TEST(Loop, ShortWorkWithoutEndDoesNotPutOffLongWorkForever) {
  base::Activity activity;
  Loop loop(activity);
  bool done = false;
  std::function<void()> again = [&] {
    if (done) loop.stop();
    else loop.post([&] { again(); });
  };
  loop.post([&] { again(); });
  loop.post_slice([&] { done = true; });
  loop.run();
  EXPECT_TRUE(done);
}

TEST(Loop, ABurstOfPostedFunctionsLetsAlarmsAndSocketsHaveTheirTurn) {
  base::Activity activity;
  Loop loop(activity, 1ms);
  constexpr int kBurst = 1'000;
  std::vector<int> seen;
  int seen_at_alarm = -1;
  base::Alarm alarm;
  loop.post([&] { alarm = loop.call_after(5ms, [&] { seen_at_alarm = static_cast<int>(seen.size()); }); });
  for (int i = 0; i < kBurst; ++i) {
    loop.post([&, i] {
      seen.push_back(i);
      const auto until = std::chrono::steady_clock::now() + 50us;
      while (std::chrono::steady_clock::now() < until) {
      }
      // What is posted meanwhile runs behind the burst, and is not forgotten.
      if (i == kBurst / 2) loop.post([&] { loop.stop(); });
    });
  }
  loop.run();
  EXPECT_GE(seen_at_alarm, 0);
  EXPECT_LT(seen_at_alarm, kBurst);
  EXPECT_EQ(seen.size(), size_t{kBurst});
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_TRUE(activity.is_quiet());
}

TEST(Loop, DropsWhatIsLeftOfABurstWhenItEnds) {
  base::Activity activity;
  {
    Loop loop(activity, 0ms);
    for (int i = 0; i < 100; ++i) {
      loop.post([&, i] {
        if (i == 0) loop.stop();
      });
    }
    loop.run();
  }
  EXPECT_TRUE(activity.is_quiet());
}

TEST(Loop, ASliceFromAnotherThreadWakesIt) {
  base::Activity activity;
  Loop loop(activity);
  std::atomic<int> ran = 0;
  std::thread runner([&] { loop.run(); });
  for (int i = 0; i < 1000; ++i) {
    loop.post_slice([&] {
      ++ran;
      ran.notify_one();
    });
    ran.wait(i);
  }
  loop.stop();
  runner.join();
  EXPECT_TRUE(activity.is_quiet());
}

TEST(Loop, DropsTheSlicesThatItNeverRuns) {
  base::Activity activity;
  bool ran = false;
  {
    Loop loop(activity);
    loop.post_slice([&] { ran = true; });
    EXPECT_FALSE(activity.is_quiet());
  }
  EXPECT_TRUE(activity.is_quiet());
  EXPECT_FALSE(ran);
}

TEST(Loop, AnAlarmMayOutliveItsLoop) {
  base::Activity activity;
  base::Alarm alarm;
  {
    Loop loop(activity);
    alarm = loop.call_after(1h, [] {});
  }
  alarm.cancel();
}

TEST(Loop, WhatWasPostedToALoopThatEndsIsDroppedAndNoLongerCounts) {
  base::Activity activity;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  {
    Loop loop(activity);
    loop.post([held = std::move(held)] {});
  }
  EXPECT_TRUE(watch.expired());
  EXPECT_TRUE(activity.is_quiet());
}

TEST(Loop, ResumesACoroutineThatWaitsForAnotherThread) {
  base::Activity activity;
  Loop loop(activity);
  base::Future<int> future;
  int got = 0;
  base::Scope scope;
  loop.post([&] {
    scope.spawn([](base::Future<int> value, int& out, Loop& runner) -> Task<void> {
      out = co_await value;
      EXPECT_EQ(&base::Executor::current(), &runner);
      runner.stop();
    }(future, got, loop));
  });
  std::thread setter([&] {
    std::this_thread::sleep_for(5ms);
    future.set(7);
  });
  loop.run();
  setter.join();
  EXPECT_EQ(got, 7);
}

}  // namespace
}  // namespace tidemill::net
