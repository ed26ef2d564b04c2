#include "wire/shape_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/test_executor.h"
#include "wire/testdata/kettle.h"
#include "wire/testdata/teahouse.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

TEST(ShapeSize, CountsTextsInListsAndStops) {
  teahouse::ListGuestsOutput guests;
  const shapes::Shape& shape = *teahouse::ops::ListGuests::info.output;
  guests.guests = {"ann", "ben"};
  EXPECT_TRUE(shapes::is_larger_than(5, shape, &guests));
  EXPECT_FALSE(shapes::is_larger_than(100, shape, &guests));
  guests.guests = std::vector<std::string>(50, "ann");
  EXPECT_TRUE(shapes::is_larger_than(100, shape, &guests));
}

// Calls on an executor that runs only when it is told to: what has not ended before that waits for a thread.
class LargeBodies : public ::testing::Test {
 protected:
  LargeBodies() {
    platform_.registry.add<kettle::ops::Brew>([this](Context&, const kettle::BrewInput&) -> Task<kettle::BrewOutput> {
      ++calls_;
      co_return kettle::BrewOutput{.table_name = answer_};
    });
  }

  void start(std::string body) {
    body_ = std::move(body);
    const base::Executor::Enter enter(executor_);
    scope_.spawn([](LargeBodies& test) -> Task<void> {
      Context context(test.platform_.platform, "000000000000", "us-east-1", "request", "tester");
      const WireRequest in{.body = test.body_};
      try {
        co_await test.platform_.registry.find("kettle", "Brew")->on_wire(context, in, test.out_);
      } catch (const Error& error) {
        test.error_ = error.code;
      }
      test.ended_ = true;
    }(*this));
  }
  void finish() {
    executor_.run_until([this] { return ended_; });
  }
  static std::string request(size_t size) {
    return R"({"Amount":1,"TableName":"tea","Nothing":")" + std::string(size, 'x') + "\"}";
  }

  testing::TestPlatform platform_;
  base::Activity activity_;
  store::TestExecutor executor_{&activity_};
  std::string body_;
  std::string answer_ = "tea";
  WireResponse out_;
  std::string error_;
  int calls_ = 0;
  bool ended_ = false;
  base::Scope scope_;
};

TEST_F(LargeBodies, SmallOnesAreReadAndWrittenAtOnce) {
  start(request(1000));
  EXPECT_TRUE(ended_);
  EXPECT_EQ(out_.body, R"({"TableName":"tea"})");
}

TEST_F(LargeBodies, LargeRequestsAreReadOnAThread) {
  start(request(shapes::kLargeBytes));
  EXPECT_FALSE(ended_);
  EXPECT_EQ(calls_, 0);
  finish();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(out_.body, R"({"TableName":"tea"})");
}

TEST_F(LargeBodies, LargeAnswersAreWrittenOnAThread) {
  answer_ = std::string(shapes::kLargeAnswerBytes + 1, 'x');
  start(request(1));
  EXPECT_FALSE(ended_);
  EXPECT_EQ(calls_, 1);
  finish();
  EXPECT_EQ(out_.body, R"({"TableName":")" + answer_ + "\"}");
}

TEST_F(LargeBodies, WhatIsWrongWithLargeRequestsIsSaidAsOfOthers) {
  start(R"({"Amount":1,"TableName":")" + std::string(shapes::kLargeBytes, 'x') + "\"}");
  finish();
  EXPECT_EQ(error_, "ValidationException");
  EXPECT_EQ(calls_, 0);
}

TEST_F(LargeBodies, LargeRequestsThatAreNoDocumentAreRefused) {
  start(std::string(shapes::kLargeBytes + 1, '['));
  finish();
  EXPECT_EQ(error_, "SerializationException");
}

}  // namespace
}  // namespace tidemill::wire
