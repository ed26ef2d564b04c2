#include "base/blocking_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <stdexcept>

#include "base/no_more_threads.h"
#include "base/sim_executor.h"
#include "base/work_activity.h"

namespace tidemill::base {
namespace {

struct BlockingWorkTest : ::testing::Test {
  Activity activity;
  SimExecutor executor{1, activity};
  Executor::Enter enter{executor};
  Scope scope;

  void run_until(const std::atomic<bool>& done) {
    while (!done) {
      executor.run_until_idle();
      std::this_thread::yield();
    }
  }
};

TEST_F(BlockingWorkTest, GivesBackWhatTheFunctionReturns) {
  BlockingWork disk;
  std::atomic<bool> done = false;
  std::thread::id elsewhere;
  scope.spawn([](BlockingWork& work, std::thread::id& id, std::atomic<bool>& flag) -> Task<void> {
    id = co_await work.run([] { return std::this_thread::get_id(); });
    flag = true;
  }(disk, elsewhere, done));
  run_until(done);
  EXPECT_NE(elsewhere, std::this_thread::get_id());
}

TEST_F(BlockingWorkTest, ThrowsWhatTheFunctionThrows) {
  BlockingWork disk;
  std::atomic<bool> done = false;
  std::string what;
  scope.spawn([](BlockingWork& work, std::string& text, std::atomic<bool>& flag) -> Task<void> {
    try {
      co_await work.run([] { throw std::runtime_error("disk"); });
    } catch (const std::runtime_error& error) {
      text = error.what();
    }
    flag = true;
  }(disk, what, done));
  run_until(done);
  EXPECT_EQ(what, "disk");
}

TEST_F(BlockingWorkTest, ThatIsJoinedUsesWhatItsCallerHas) {
  BlockingWork work;
  std::atomic<bool> done = false;
  std::string made;
  scope.spawn([](BlockingWork& at, std::string& result, std::atomic<bool>& flag) -> Task<void> {
    const std::string own = "own";
    const size_t size = co_await at.run_joined([&] {
      result = own;
      return own.size();
    });
    result += std::to_string(size);
    flag = true;
  }(work, made, done));
  run_until(done);
  EXPECT_EQ(made, "own3");
}

TEST_F(BlockingWorkTest, ThatIsJoinedHasEndedWhenItsCallerIsGone) {
  BlockingWork work;
  std::latch begun(1);
  std::atomic<bool> ended = false;
  {
    Scope abandoned;
    abandoned.spawn([](BlockingWork& at, std::latch& start, std::atomic<bool>& end) -> Task<void> {
      const std::string own(1000, 'x');
      co_await at.run_joined([&] {
        start.count_down();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        end = own.back() == 'x';
      });
    }(work, begun, ended));
    begun.wait();
  }
  EXPECT_TRUE(ended);
}

TEST_F(BlockingWorkTest, ThatIsJoinedAndHasNotBegunNeverDoesOnceItsCallerIsGone) {
  std::atomic<bool> ran = false;
  std::latch may_go_on(1);
  BlockingWork work;
  work.post([&] { may_go_on.wait(); });
  {
    Scope abandoned;
    abandoned.spawn([](BlockingWork& at, std::atomic<bool>& flag) -> Task<void> {
      co_await at.run_joined([&] { flag = true; });
    }(work, ran));
  }  // does not wait for those before it
  std::latch others(1);
  work.post([&] { others.count_down(); });
  may_go_on.count_down();
  others.wait();
  EXPECT_FALSE(ran);
}

TEST_F(BlockingWorkTest, EndsOnlyWhenAllIsDone) {
  std::atomic<int> count = 0;
  {
    BlockingWork disk(2);
    for (int i = 0; i < 100; ++i) disk.post([&] { ++count; });
  }
  EXPECT_EQ(count, 100);
}

TEST_F(BlockingWorkTest, CountsAsUnderWayUntilWhatItOwnedIsGone) {
  std::latch may_end(1);
  const auto owned = std::make_shared<int>();
  {
    const WorkActivity counts(activity);
    BlockingWork disk;
    disk.post([&may_end, owned] { may_end.wait(); });
    EXPECT_FALSE(activity.is_quiet());
    may_end.count_down();
  }
  EXPECT_TRUE(activity.is_quiet());
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(BlockingWorkTest, SeveralThreadsWorkAtATime) {
  std::latch both(2);
  BlockingWork disk(2);
  for (int i = 0; i < 2; ++i) disk.post([&] { both.arrive_and_wait(); });
}

TEST_F(BlockingWorkTest, IsDoneByWhoGivesItWhileNoThreadCanBeStarted) {
  BlockingWork disk;
  std::thread::id first;
  std::thread::id second;
  {
    const testing::NoMoreThreads none;
    disk.post([&] { first = std::this_thread::get_id(); });
    EXPECT_EQ(first, std::this_thread::get_id());
  }
  std::latch done(1);
  disk.post([&] {
    second = std::this_thread::get_id();
    done.count_down();
  });
  done.wait();
  EXPECT_NE(second, std::this_thread::get_id()) << "there are threads again";
}

TEST_F(BlockingWorkTest, IsDoneByTheThreadsThatThereAreWhileNoOthersCanBeStarted) {
  constexpr int kPieces = 10;
  std::latch begun(1);
  std::latch may_go_on(1);
  std::latch others(kPieces);
  std::atomic<bool> was_elsewhere = true;
  BlockingWork disk(2);
  disk.post([&] {
    begun.count_down();
    may_go_on.wait();
  });
  begun.wait();
  {
    const testing::NoMoreThreads none;
    for (int piece = 0; piece < kPieces; ++piece) {
      EXPECT_NO_THROW(disk.post([&, caller = std::this_thread::get_id()] {
        if (std::this_thread::get_id() == caller) was_elsewhere = false;
        others.count_down();
      }));
    }
    may_go_on.count_down();
    others.wait();
  }
  EXPECT_TRUE(was_elsewhere);
}

TEST_F(BlockingWorkTest, WhoLeavesDoesNotStopTheWork) {
  std::atomic<bool> worked = false;
  {
    BlockingWork disk;
    scope.spawn(disk.run([&] { worked = true; }));
    scope.clear();
  }
  EXPECT_TRUE(worked);
}

}  // namespace
}  // namespace tidemill::base
