#include "base/budget.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/clock.h"
#include "base/sim_executor.h"

namespace tidemill::base {
namespace {

using namespace std::chrono_literals;

class BudgetTest : public ::testing::Test {
 protected:
  // Takes a share and keeps it in `shares_`, or notes that it was not to be had.
  Task<void> take(size_t size, std::optional<std::chrono::nanoseconds> patience = std::nullopt) {
    auto share = co_await budget_.take(size, patience);
    order_.push_back(share ? size : 0);
    if (share) shares_.push_back(*std::move(share));
  }
  void spawn(size_t size, std::optional<std::chrono::nanoseconds> patience = std::nullopt) {
    const Executor::Enter enter(executor_);
    scope_.spawn(take(size, patience));
  }
  void run() {
    const Executor::Enter enter(executor_);
    executor_.run_until_idle();
  }

  Activity activity_;
  SimExecutor executor_{1, activity_};
  Budget budget_{100};
  std::vector<Budget::Share> shares_;
  std::vector<size_t> order_;
  Scope scope_;
};

TEST_F(BudgetTest, WhatIsTakenIsGivenBack) {
  {
    auto share = budget_.try_take(60);
    ASSERT_TRUE(share);
    EXPECT_EQ(budget_.used(), 60u);
    EXPECT_FALSE(budget_.try_take(41));
    share->resize(10);
    EXPECT_EQ(budget_.used(), 10u);
  }
  EXPECT_EQ(budget_.used(), 0u);
}

TEST_F(BudgetTest, AShareGrowsAsFarAsThereIsRoom) {
  auto share = budget_.none();
  EXPECT_TRUE(share.grow(100));
  EXPECT_FALSE(share.grow(101));
  EXPECT_EQ(share.size(), 100u);
  share.resize(150);  // it is there already
  EXPECT_EQ(budget_.used(), 150u);
}

TEST_F(BudgetTest, ThoseWhoWaitAreServedInTheOrderOfComing) {
  for (const size_t size : {80, 90, 20}) spawn(size);
  run();
  EXPECT_EQ(order_, (std::vector<size_t>{80}));  // the small one does not pass the large one
  EXPECT_EQ(budget_.waiting(), 2u);
  shares_.clear();
  run();
  EXPECT_EQ(order_, (std::vector<size_t>{80, 90}));
  shares_.clear();
  run();
  EXPECT_EQ(order_, (std::vector<size_t>{80, 90, 20}));
}

TEST_F(BudgetTest, WhoWantsMoreThanThereIsGetsAllOfIt) {
  spawn(10);
  spawn(1000);
  run();
  EXPECT_EQ(order_, (std::vector<size_t>{10}));
  shares_.clear();
  run();
  EXPECT_EQ(order_, (std::vector<size_t>{10, 1000}));
}

TEST_F(BudgetTest, PatienceEnds) {
  spawn(100);
  spawn(10, 1s);
  run();
  EXPECT_EQ(order_, (std::vector<size_t>{100, 0}));
  EXPECT_EQ(budget_.waiting(), 0u);
}

TEST_F(BudgetTest, WhoLeavesTheLineTakesNothing) {
  spawn(100);
  spawn(100);
  spawn(50);
  run();
  shares_.clear();  // the second is served, and has not been told yet
  scope_.clear();
  EXPECT_EQ(budget_.used(), 0u);
  EXPECT_EQ(budget_.waiting(), 0u);
}

}  // namespace
}  // namespace tidemill::base
