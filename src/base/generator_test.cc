#include "base/generator.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "base/executor.h"
#include "base/sim_executor.h"
#include "base/task.h"

namespace tidemill::base {
namespace {

Generator<int> count(int to) {
  for (int i = 1; i <= to; ++i) {
    co_await yield();
    co_yield i;
  }
}

Generator<int> fail_after_one() {
  co_yield 1;
  throw std::runtime_error("enough");
}

Generator<int> hold(std::shared_ptr<int> held) {
  co_yield *held;
  co_yield *held;
}

void run(Task<void> task) {
  Activity activity;
  SimExecutor executor(1, activity);
  const Executor::Enter enter(executor);
  Scope scope;
  scope.spawn(std::move(task));
  executor.run_until_idle();
  EXPECT_EQ(scope.running(), 0u);
}

TEST(Generator, GivesValuesUntilItEnds) {
  run([]() -> Task<void> {
    Generator<int> numbers = count(3);
    std::vector<int> seen;
    while (const std::optional<int> n = co_await numbers.next()) seen.push_back(*n);
    EXPECT_EQ(seen, (std::vector{1, 2, 3}));
    EXPECT_EQ(co_await numbers.next(), std::nullopt);
    Generator<int> nothing;
    EXPECT_EQ(co_await nothing.next(), std::nullopt);
  }());
}

TEST(Generator, LetsExceptionsThroughAndThenHasEnded) {
  run([]() -> Task<void> {
    Generator<int> numbers = fail_after_one();
    EXPECT_EQ(co_await numbers.next(), 1);
    bool failed = false;
    try {
      (void)co_await numbers.next();
    } catch (const std::runtime_error&) {
      failed = true;
    }
    EXPECT_TRUE(failed);
    EXPECT_EQ(co_await numbers.next(), std::nullopt);
  }());
}

TEST(Generator, ReleasesWhatItHoldsWhereItIsLeft) {
  const auto held = std::make_shared<int>(7);
  run([](std::shared_ptr<int> value) -> Task<void> {
    Generator<int> numbers = hold(value);
    EXPECT_EQ(co_await numbers.next(), 7);
  }(held));
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace tidemill::base
