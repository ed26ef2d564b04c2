// Data streams and consumers as sources of mappings: the operations with AWS's words, and what functions then get, with
// the real streams and pollers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "services/kinesis/testing_aggregation.h"
#include "services/sim/platform.h"

namespace tidemill::lambda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::string_view kMiddle = "170141183460469231731687303715884105728";

class KinesisMappingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world.run("kinesis", "CreateStream", R"({"StreamName":"s","ShardCount":1})");
    world.settle();
    world.functions.handler = [this](std::string, std::string payload) -> Task<engine::InvokeOutcome> {
      take(payload);
      co_return engine::InvokeOutcome{.status = fails ? engine::InvokeStatus::function_error : engine::InvokeStatus::ok};
    };
  }

  // One batch: the data of its records, "1 2 3".
  void take(const std::string& payload) {
    std::string batch;
    for (const json::Value& record : json::parse(payload)->find("Records")->array()) {
      if (!batch.empty()) batch += " ";
      batch += *base::base64_decode(record.find("kinesis")->find("data")->string());
    }
    batches.push_back(batch);
  }
  std::string create(const std::string& options, const std::string& source = kStream) {
    return world.run("lambda", "CreateEventSourceMapping",
                     R"({"FunctionName":"f","EventSourceArn":")" + source + "\"" + options + "}");
  }
  std::string update(const std::string& body) {
    return world.run({.service = "lambda",
                      .operation = "UpdateEventSourceMapping",
                      .body = body,
                      .labels = {{"UUID", "00000000-0000-4000-8000-000000000001"}}});
  }
  void put(const std::string& key, const std::string& data) {
    world.run("kinesis", "PutRecord", R"({"StreamName":"s","PartitionKey":")" + key + R"(","Data":")" +
                                          base::base64_encode(data) + "\"}");
  }
  void split() {
    world.run("kinesis", "SplitShard",
              R"({"StreamName":"s","ShardToSplit":"shardId-000000000000","NewStartingHashKey":")" +
                  std::string(kMiddle) + "\"}");
    world.settle();
  }
  static std::string member(const std::string& answer, std::string_view name) {
    const auto document = json::parse(answer);
    const json::Value* value = document ? document->find(name) : nullptr;
    if (value == nullptr) return "nothing in " + answer;
    return value->is_string() ? value->string() : json::write(*value);
  }

  static constexpr const char* kStream = "arn:aws:kinesis:us-east-1:000000000000:stream/s";
  sim::Platform world;
  bool fails = false;
  std::vector<std::string> batches;
};

TEST_F(KinesisMappingTest, RecordsComeFromTheBeginningAndThenAsTheyArePut) {
  put("k", "1");
  put("k", "2");
  EXPECT_EQ(member(create(R"(,"StartingPosition":"TRIM_HORIZON")"), "StateTransitionReason"), "User action");
  world.settle();
  put("k", "3");
  world.settle();
  EXPECT_THAT(batches, ElementsAre("1 2", "3"));
}

TEST_F(KinesisMappingTest, AMissingStreamOrConsumerIsRefused) {
  for (const std::string arn :
       {"arn:aws:kinesis:us-east-1:000000000000:stream/nothing", "arn:aws:kinesis:us-east-1:111111111111:stream/s",
        "arn:aws:kinesis:eu-west-1:000000000000:stream/s",
        "arn:aws:kinesis:us-east-1:000000000000:stream/s/consumer/c:1773446400"}) {
    EXPECT_EQ(create(R"(,"StartingPosition":"LATEST")", arn), "InvalidParameterValueException: Stream not found: " + arn);
  }
}

TEST_F(KinesisMappingTest, AtTimestampBeginsWithTheRecordsOfThatTime) {
  put("k", "early");
  world.advance(10s);
  put("k", "late");
  const std::string at = std::to_string(std::chrono::system_clock::to_time_t(
      std::chrono::system_clock::time_point(world.clock.now().time_since_epoch())) - 5);
  const std::string shown =
      create(R"(,"StartingPosition":"AT_TIMESTAMP","StartingPositionTimestamp":)" + at);
  EXPECT_EQ(member(shown, "StartingPosition"), "AT_TIMESTAMP");
  EXPECT_EQ(member(shown, "StartingPositionTimestamp"), at);
  world.settle();
  EXPECT_THAT(batches, ElementsAre("late"));
}

TEST_F(KinesisMappingTest, AtTimestampNeedsATimeThatHasBeen) {
  EXPECT_EQ(create(R"(,"StartingPosition":"AT_TIMESTAMP")"),
            "InvalidParameterValueException: Need to specify a timestamp");
  EXPECT_THAT(create(R"(,"StartingPosition":"AT_TIMESTAMP","StartingPositionTimestamp":4102444800)"),
              HasSubstr("cannot be in the future"));
}

TEST_F(KinesisMappingTest, AParentIsReadToItsEndBeforeItsChildren) {
  put("a", "1");
  split();
  put("a", "2");
  put("b", "3");
  create(R"(,"StartingPosition":"TRIM_HORIZON")");
  world.settle();
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[0], "1");
  EXPECT_THAT(batches, ::testing::UnorderedElementsAre("1", "2", "3"));
}

TEST_F(KinesisMappingTest, AReshardingIsFollowedWhileTheMappingRuns) {
  create(R"(,"StartingPosition":"LATEST")");
  world.settle();
  put("a", "1");
  split();
  put("a", "2");
  world.settle();
  world.run("kinesis", "MergeShards",
            R"({"StreamName":"s","ShardToMerge":"shardId-000000000001","AdjacentShardToMerge":"shardId-000000000002"})");
  world.settle();
  put("b", "3");
  world.settle();
  EXPECT_THAT(batches, ElementsAre("1", "2", "3"));
}

TEST_F(KinesisMappingTest, AConsumerIsReadUntilItIsDeregistered) {
  const std::string consumer = world.ask("kinesis", "RegisterStreamConsumer", R"({"StreamARN":")" + std::string(kStream) +
                                         R"(","ConsumerName":"c"})").find("Consumer")->find("ConsumerARN")->string();
  const std::string shown = create(R"(,"StartingPosition":"LATEST")", consumer);
  EXPECT_EQ(member(shown, "EventSourceArn"), consumer);
  put("k", "1");
  world.settle();
  world.run("kinesis", "DeregisterStreamConsumer", R"({"ConsumerARN":")" + consumer + "\"}");
  world.settle();
  put("k", "2");
  world.settle();
  EXPECT_THAT(batches, ElementsAre("1"));
}

TEST_F(KinesisMappingTest, AStreamThatIsMadeAgainUnderItsNameIsReadFromItsBeginning) {
  create(R"(,"StartingPosition":"LATEST")");
  put("k", "1");
  world.settle();
  world.run("kinesis", "DeleteStream", R"({"StreamName":"s"})");
  world.settle();
  const json::Value shown = world.ask({.service = "lambda",
                                       .operation = "GetEventSourceMapping",
                                       .labels = {{"UUID", "00000000-0000-4000-8000-000000000001"}}});
  EXPECT_EQ(shown.find("LastProcessingResult")->string(), "PROBLEM: Event source not found");
  world.run("kinesis", "CreateStream", R"({"StreamName":"s","ShardCount":1})");
  world.settle();  // it takes records once it is active
  put("k", "2");
  world.settle();
  put("k", "3");
  world.settle();
  EXPECT_THAT(batches, ElementsAre("1", "2", "3"));
}

TEST_F(KinesisMappingTest, ABatchMayEndWithinAnAggregatedRecord) {
  put("k", kinesis::testing::aggregated({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}}));
  put("k", "6");
  create(R"(,"StartingPosition":"TRIM_HORIZON","BatchSize":2)");
  world.settle();
  EXPECT_THAT(batches, ElementsAre("1 2", "3 4", "5 6"));
}

TEST_F(KinesisMappingTest, ACheckpointWithinAnAggregatedRecordOutlivesACrash) {
  put("k", kinesis::testing::aggregated({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}));
  bool first = true;
  world.functions.handler = [&](std::string, std::string payload) -> Task<engine::InvokeOutcome> {
    take(payload);
    const bool ok = std::exchange(first, false);
    co_return engine::InvokeOutcome{.status = ok ? engine::InvokeStatus::ok : engine::InvokeStatus::function_error};
  };
  create(R"(,"StartingPosition":"TRIM_HORIZON","BatchSize":2)");
  world.settle();
  ASSERT_THAT(batches, ElementsAre("1 2", "3 4"));
  batches.clear();
  world.crash();
  world.settle();
  ASSERT_FALSE(batches.empty());
  EXPECT_EQ(batches.front(), "3 4");
}

TEST_F(KinesisMappingTest, RecordsAreRetriedNoLongerThanTheStreamKeepsThem) {
  fails = true;
  world.run("kinesis", "IncreaseStreamRetentionPeriod", R"({"StreamName":"s","RetentionPeriodHours":26})");
  world.settle();
  put("k", "1");
  create(R"(,"StartingPosition":"TRIM_HORIZON")");
  world.advance(25h);
  ASSERT_FALSE(batches.empty());
  batches.clear();
  world.advance(30min);
  EXPECT_FALSE(batches.empty()) << "it is not a day but 26 hours";
  world.advance(1h);
  batches.clear();
  world.advance(1h);
  EXPECT_THAT(batches, ElementsAre());
}

}  // namespace
}  // namespace tidemill::lambda
