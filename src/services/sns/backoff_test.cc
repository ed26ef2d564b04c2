#include "services/sns/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "services/sns/testing.h"

namespace tidemill::sns {
namespace {

using namespace std::chrono_literals;
using testing::World;

namespace ops = shapes::ops;

class BackoffTest : public ::testing::Test {
 protected:
  std::string make_topic(const std::string& policy) {
    const std::string topic = world_.create_topic("alarms", {{"TidemillBackoff", policy}});
    world_.create_queue("q");
    world_.subscribe_queue(topic, "q");
    return topic;
  }

  void publish(const std::string& topic, const std::string& text, const std::string& principal = "",
               const std::string& cause = "") {
    shapes::PublishInput request{.topic_arn = topic, .message = text};
    const auto attribute = [](const std::string& value) {
      return shapes::MessageAttributeValue{.data_type = "String", .string_value = value};
    };
    request.message_attributes.emplace();
    if (!principal.empty()) request.message_attributes->emplace("principal_id", attribute(principal));
    if (!cause.empty()) request.message_attributes->emplace("cause_id", attribute(cause));
    EXPECT_TRUE(world_.ask<ops::Publish>(request).message_id.has_value());
  }

  std::vector<std::string> delivered() {
    world_.settle();
    auto bodies = world_.bodies("q");
    std::ranges::sort(bodies);  // a standard topic promises no order
    return bodies;
  }

  // {"a":…} of the only message that can be received now.
  base::json::Value only_message() {
    world_.settle();
    const auto answer = world_.TestWorld::ask(
        "ReceiveMessage", R"({"QueueUrl":"q","MaxNumberOfMessages":10,"MessageAttributeNames":["All"]})");
    const auto* messages = answer.find("Messages");
    EXPECT_TRUE(messages && messages->array().size() == 1);
    return messages ? messages->array().front() : base::json::Value();
  }

  World world_;
};

TEST_F(BackoffTest, TheWaitsGrowByTheLadderAndTheLastRepeats) {
  const std::string topic = make_topic(R"({"LadderSeconds":[0,60,300]})");
  publish(topic, "1");
  publish(topic, "2");
  EXPECT_EQ(delivered(), std::vector<std::string>{"1"});
  world_.advance(59s);
  publish(topic, "3");
  EXPECT_EQ(delivered(), std::vector<std::string>{});
  world_.advance(1s);
  publish(topic, "4");
  EXPECT_EQ(delivered(), std::vector<std::string>{"4"});
  for (int round = 0; round < 3; ++round) {
    world_.advance(299s);
    publish(topic, "early");
    EXPECT_EQ(delivered(), std::vector<std::string>{}) << round;
    world_.advance(1s);
    publish(topic, "late");
    EXPECT_EQ(delivered(), std::vector<std::string>{"late"}) << round;
  }
}

TEST_F(BackoffTest, KindsAreHeldBackApart) {
  const std::string topic = make_topic("true");
  publish(topic, "a1", "a", "timeout");
  publish(topic, "a2", "a", "timeout");
  publish(topic, "a3", "a", "memory");
  publish(topic, "b1", "b", "timeout");
  EXPECT_EQ(delivered(), (std::vector<std::string>{"a1", "a3", "b1"}));
}

TEST_F(BackoffTest, TheNextMessageTellsWhatWasHeldBack) {
  const std::string topic = make_topic(R"({"LadderSeconds":[0,60]})");
  publish(topic, "1");
  EXPECT_EQ(delivered(), std::vector<std::string>{"1"});
  for (int i = 0; i < 5; ++i) {
    world_.advance(2s);
    publish(topic, "held");
  }
  world_.advance(60s);
  publish(topic, "2");
  const auto message = only_message();
  EXPECT_EQ(message.find("Body")->string(), "2");
  const auto& attributes = *message.find("MessageAttributes");
  EXPECT_EQ(attributes.find("SuppressedCount")->find("StringValue")->string(), "5");
  EXPECT_LT(attributes.find("SuppressedFirst")->find("StringValue")->string(),
            attributes.find("SuppressedLast")->find("StringValue")->string());
}

TEST_F(BackoffTest, AfterTheResetTheLadderBeginsAnew) {
  const std::string topic = make_topic(R"({"LadderSeconds":[0,3600],"ResetSeconds":100})");
  publish(topic, "1");
  publish(topic, "held");
  EXPECT_EQ(delivered(), std::vector<std::string>{"1"});
  world_.advance(100s);
  publish(topic, "2");
  EXPECT_EQ(delivered(), std::vector<std::string>{"2"});
}

TEST_F(BackoffTest, AFailureDocumentSaysWhoAndWhy) {
  const std::string topic = make_topic("true");
  const auto document = [](const std::string& function, const std::string& error) {
    return R"({"requestContext":{"functionArn":")" + function + R"(","condition":"RetriesExhausted"},)" +
           R"("responseContext":{"functionError":"Unhandled"},"responsePayload":{"errorType":")" + error + R"("}})";
  };
  publish(topic, document("arn:f", "ValueError"));
  publish(topic, document("arn:f", "ValueError"));
  publish(topic, document("arn:f", "KeyError"));
  publish(topic, document("arn:g", "ValueError"));
  EXPECT_EQ(delivered().size(), 3U);
  const auto snapshot = world_.store->snapshot();
  const Topic known = world_.await(load_topic(*snapshot, *parse_topic_arn(topic)));
  const auto entries = world_.await(list_backoff(*snapshot, known, std::nullopt));
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].key.principal, "arn:f");
  EXPECT_EQ(entries[0].key.cause, "KeyError");
  EXPECT_EQ(entries[1].state.reports, 2);
  EXPECT_EQ(entries[1].state.suppressed, 1);
}

TEST_F(BackoffTest, WhatIsSilencedIsCountedUntilItsTime) {
  const std::string topic = make_topic(R"({"LadderSeconds":[0]})");
  const BackoffKey key{"p", "c"};
  const auto silence = [&](base::Duration time) {
    return world_.await(world_.store->transact([&](store::Transaction& txn) -> Task<bool> {
      const Topic known = co_await load_topic(txn, *parse_topic_arn(topic));
      co_return co_await silence_backoff(txn, known, key, world_.clock.now() + time);
    }));
  };
  publish(topic, "first", "p", "c");
  EXPECT_EQ(delivered(), std::vector<std::string>{"first"});
  EXPECT_TRUE(silence(1h));
  publish(topic, "held", "p", "c");
  EXPECT_EQ(delivered(), std::vector<std::string>{});
  world_.advance(1h);
  publish(topic, "heard", "p", "c");
  EXPECT_EQ(delivered(), std::vector<std::string>{"heard"});
}

// Whoever mistypes a principal is told, instead of waiting for a silence that does not come.
TEST_F(BackoffTest, WhatWasNeverReportedIsNotSilenced) {
  const std::string topic = make_topic("true");
  const auto silence = [&](store::Transaction& txn) -> Task<bool> {
    const Topic known = co_await load_topic(txn, *parse_topic_arn(topic));
    co_return co_await silence_backoff(txn, known, {"p", "c"}, world_.clock.now() + 1h);
  };
  EXPECT_FALSE(world_.await(world_.store->transact(silence)));
  const auto snapshot = world_.store->snapshot();
  const Topic known = world_.await(load_topic(*snapshot, *parse_topic_arn(topic)));
  EXPECT_TRUE(world_.await(list_backoff(*snapshot, known, std::nullopt)).empty());
}

TEST_F(BackoffTest, NothingIsLeftOfWhatHasNothingToTell) {
  const std::string topic = make_topic(R"({"LadderSeconds":[0,60],"ResetSeconds":100})");
  publish(topic, "told", "p", "told");
  publish(topic, "first", "p", "held");
  publish(topic, "second", "p", "held");
  EXPECT_EQ(delivered(), (std::vector<std::string>{"first", "told"}));
  world_.advance(1000s);
  world_.settle();
  const auto snapshot = world_.store->snapshot();
  const Topic known = world_.await(load_topic(*snapshot, *parse_topic_arn(topic)));
  const auto entries = world_.await(list_backoff(*snapshot, known, std::nullopt));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].key.cause, "held");
}

TEST_F(BackoffTest, OfManyPublishersAtOnceOneIsDelivered) {
  const std::string topic = make_topic("true");
  std::vector<wire::Context> contexts;
  constexpr int kPublishers = 50;
  contexts.reserve(kPublishers);
  int done = 0;
  const auto one = [&](wire::Context& context) -> Task<void> {
    (void)co_await world_.registry->call<ops::Publish>(context, {.topic_arn = topic, .message = "down"});
    ++done;
  };
  {
    const base::Executor::Enter enter(world_.executor);
    for (int i = 0; i < kPublishers; ++i) world_.tasks.spawn(one(contexts.emplace_back(world_.context())));
  }
  world_.settle();
  EXPECT_EQ(done, kPublishers);
  EXPECT_EQ(delivered(), std::vector<std::string>{"down"});
}

TEST_F(BackoffTest, WrongPoliciesAreRefusedByTheirReason) {
  const auto refusal = [&](const std::string& policy, const std::string& name = "t") {
    return world_.refusal<ops::CreateTopic>({.name = name, .attributes = AttributeMap{{"TidemillBackoff", policy}}});
  };
  for (const std::string policy :
       {"yes", "[]", R"({"Ladder":[0]})", R"({"LadderSeconds":[]})", R"({"LadderSeconds":[-1]})",
        R"({"LadderSeconds":[5,1]})", R"({"LadderSeconds":[1.5]})", R"({"ResetSeconds":0})",
        R"({"PrincipalAttribute":""})", R"({"CauseAttribute":7})"}) {
    EXPECT_NE(refusal(policy).find("TidemillBackoff Reason: "), std::string::npos) << policy;
  }
  EXPECT_EQ(refusal(R"({"LadderSeconds":[0,60],"ResetSeconds":1,"PrincipalAttribute":"who","CauseAttribute":"why"})"),
            "");
}

}  // namespace
}  // namespace tidemill::sns
