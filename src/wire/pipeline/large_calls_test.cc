// What brings much is carried out where no connection waits for it.
#include "wire/pipeline/large_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/future.h"
#include "store/test_executor.h"
#include "wire/front.h"
#include "wire/testdata/weathervane.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using ::testing::HasSubstr;

class LargeCallsTest : public ::testing::Test {
 protected:
  LargeCallsTest() {
    platform_.platform.registry.add<weathervane::ops::Observe>(
        [this](Context&, const weathervane::ObserveInput& in) -> Task<weathervane::ObserveOutput> {
          carried_out_by_ = base::Executor::current_or_null();
          if (in.station == "later") co_await later_;
          if (in.station == "broken") throw std::runtime_error("broken");
          ++ended_;
          co_return weathervane::ObserveOutput{.station = in.station};
        });
    front_.emplace(platform_.platform, FrontOptions{.large_calls = {&elsewhere_, &beside_}});
  }
  ~LargeCallsTest() override {
    const base::Executor::Enter enter(elsewhere_);
    front_.reset();
  }

  void send(std::string station, size_t bytes) {
    request_ =
        testing::make_request("POST", "/", {{"X-Amz-Target", "Weathervane_20260101.Observe"}},
                              R"({"Station":")" + station + R"(","Nothing":")" + std::string(bytes, 'x') + "\"}");
    const base::Executor::Enter enter(executor_);
    client_->spawn([](Task<net::Response> handled, std::optional<net::Response>& out) -> Task<void> {
      out = co_await std::move(handled);
    }(front_->handle(request_), response_));
  }
  // All that is posted by now there.
  static void run(store::TestExecutor& executor) {
    bool over = false;
    executor.post([&] { over = true; });
    executor.run_until([&] { return over; });
  }

  testing::TestPlatform platform_;
  store::TestExecutor executor_;
  store::TestExecutor elsewhere_;
  store::TestExecutor beside_;
  base::Executor* carried_out_by_ = nullptr;
  base::Future<bool> later_;
  int ended_ = 0;
  std::optional<Front> front_;
  net::Request request_;
  std::optional<net::Response> response_;
  std::optional<base::Scope> client_ = std::optional<base::Scope>(std::in_place);
};

TEST_F(LargeCallsTest, SmallOnesAreCarriedOutWhereTheyCome) {
  send("south", LargeCalls::kBodyBytes / 2);
  EXPECT_EQ(carried_out_by_, &executor_);
  ASSERT_TRUE(response_);
  EXPECT_EQ(response_->body, R"({"Station":"south"})");
}

TEST_F(LargeCallsTest, LargeOnesAreCarriedOutElsewhereAndAnsweredWhereTheyCame) {
  send("south", LargeCalls::kBodyBytes);
  EXPECT_EQ(carried_out_by_, nullptr);
  run(elsewhere_);
  EXPECT_EQ(carried_out_by_, &elsewhere_);
  EXPECT_FALSE(response_);
  run(executor_);
  ASSERT_TRUE(response_);
  EXPECT_EQ(response_->body, R"({"Station":"south"})");
}

TEST_F(LargeCallsTest, OneThatIsShortDoesNotWaitForOneThatIsLong) {
  send("later", LargeCalls::kBodyBytes);
  run(elsewhere_);
  EXPECT_EQ(carried_out_by_, &elsewhere_);
  send("south", LargeCalls::kBodyBytes);
  run(beside_);
  EXPECT_EQ(carried_out_by_, &beside_);
  EXPECT_EQ(ended_, 1);
  later_.set(true);
  run(elsewhere_);
  EXPECT_EQ(ended_, 2);
  run(executor_);
  EXPECT_TRUE(response_);
}

TEST_F(LargeCallsTest, DefectsInThemAreAnswered) {
  send("broken", LargeCalls::kBodyBytes);
  run(elsewhere_);
  run(executor_);
  ASSERT_TRUE(response_);
  EXPECT_EQ(response_->status, 500);
  EXPECT_THAT(response_->body, HasSubstr("Internal"));
}

TEST_F(LargeCallsTest, WhoseClientLeavesGoOnToTheirEnd) {
  send("later", LargeCalls::kBodyBytes);
  run(elsewhere_);
  EXPECT_EQ(carried_out_by_, &elsewhere_);
  {
    const base::Executor::Enter enter(executor_);
    client_.reset();
  }
  EXPECT_EQ(ended_, 0);
  later_.set(true);
  run(elsewhere_);
  EXPECT_EQ(ended_, 1);
  EXPECT_FALSE(response_);
}

TEST_F(LargeCallsTest, EndWithTheFront) {
  send("later", LargeCalls::kBodyBytes);
  run(elsewhere_);
  {
    const base::Executor::Enter enter(executor_);
    client_.reset();  // a front outlives its clients
  }
  {
    const base::Executor::Enter enter(elsewhere_);
    front_.reset();
  }
  later_.set(true);
  run(elsewhere_);
  EXPECT_EQ(ended_, 0);
}

}  // namespace
}  // namespace tidemill::wire
