// Answers and signals: which are kept, and what becomes of them when a step that waited for them is tried again.
#include "services/cloudformation/answers.h"

#include "services/cloudformation/failure.h"
#include "services/cloudformation/types_testing.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

class AnswersTest : public ::testing::Test {
 protected:
  bool put(std::string text) {
    bool is_kept = false;
    world_.finish(testing::World::done(world_.store->transact([&](store::Transaction& txn) -> Task<void> {
      is_kept = co_await put_answer(txn, kPlace, token(), text);
    })));
    return is_kept;
  }
  bool signal(std::string_view id, std::string_view status = "SUCCESS") {
    return put(json::write(json::Object{{"Status", status}, {"UniqueId", id}}));
  }
  size_t count() {
    return world_.finish(read_answers(*world_.store, kPlace, token())).value_or(std::vector<std::string>()).size();
  }
  std::string token() { return signal_token(scope().stack_id, scope().logical_id, 1); }

  // A wait condition with a CreationPolicy.
  StepScope scope() {
    StepScope scope = world_.step(kWait, 1, false).scope();
    scope.creation_policy = json::Object{{"ResourceSignal", json::Object{{"Count", 2}, {"Timeout", "PT5M"}}}};
    return scope;
  }
  // Its try behind one that left `memory`, which it changes: its physical id, or why it failed.
  std::string wait(json::Value& memory) {
    testing::TestStep step(scope(), world_.step(kWait, 1, false).context());
    step.set_memory(memory);
    std::string end;
    try {
      end = world_.finish(find_type(kWait)->create(step, {}));
    } catch (const StepFailed& failure) {
      end = failure.what();
    }
    memory = step.memory();
    return end;
  }

  static constexpr std::string_view kWait = "AWS::CloudFormation::WaitCondition";
  const Place kPlace{std::string(testing::World::kAccount), std::string(testing::World::kRegion)};
  testing::World world_;
};

TEST(AnswerUrls, AreTheServersOwnOrOfAwssName) {
  const Place place{"000000000000", "eu-west-1"};
  const std::string token = new_answer_token();
  const std::string own = answer_url("http://127.0.0.1:4566", place, token);
  EXPECT_EQ(own, cat("http://127.0.0.1:4566/_cloudformation/answers/000000000000/eu-west-1/", token));
  const std::string of_aws = answer_url_of_aws(place, token);
  EXPECT_EQ(of_aws, cat("https://cloudformation-custom-resource-response-euwest1.s3.eu-west-1.amazonaws.com"
                        "/_cloudformation/answers/000000000000/eu-west-1/?token=", token));
  EXPECT_TRUE(answer_url_of_aws({"000000000000", "us-east-1"}, token)
                  .starts_with("https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/"));
  EXPECT_EQ(token_of_url(own), token);
  EXPECT_EQ(token_of_url(of_aws), token);
}

TEST_F(AnswersTest, AreKeptOnceForEachIdAndRefusedBeyondTheMost) {
  for (size_t i = 1; i < kAnswersMax; ++i) ASSERT_TRUE(signal("one") && signal(cat("id", i)));
  EXPECT_EQ(count(), kAnswersMax);
  EXPECT_FALSE(signal("another"));
  EXPECT_FALSE(signal("one", "FAILURE"));
  EXPECT_TRUE(signal("one"));
  EXPECT_EQ(count(), kAnswersMax);
}

TEST_F(AnswersTest, AWaitThatHasEndedEndsTheSameWhenItIsTriedAgain) {
  signal("a"), signal("b");
  json::Value memory;
  const std::string id = wait(memory);
  EXPECT_TRUE(id.starts_with(scope().stack_id)) << id;
  EXPECT_EQ(count(), 0U) << "the signals are forgotten";
  EXPECT_EQ(wait(memory), id);
}

TEST_F(AnswersTest, AWaitThatHasFailedFailsTheSameWhenItIsTriedAgain) {
  signal("a", "FAILURE");
  json::Value memory;
  EXPECT_EQ(wait(memory), "Received FAILURE signal with UniqueId a");
  EXPECT_EQ(count(), 0U);
  EXPECT_EQ(wait(memory), "Received FAILURE signal with UniqueId a");
}

}  // namespace
}  // namespace tidemill::cloudformation
