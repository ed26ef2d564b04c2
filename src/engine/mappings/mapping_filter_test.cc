// FilterCriteria of streams (facts 1.10): what passes, and that what does not leaves no trace but the position.
#include <gtest/gtest.h>

#include "base/base64.h"
#include "engine/mappings/mapping_test_world.h"
#include "engine/mappings/record_filter.h"

namespace tidemill::engine {
namespace {

using std::chrono::seconds;

constexpr std::string_view kTable = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2024-11-20T17:05:00.000";
constexpr std::string_view kStream = "arn:aws:kinesis:us-east-1:000000000000:stream/s";

bool passes(std::string_view arn, const std::string& record, std::vector<std::string> patterns) {
  return RecordFilter(patterns, arn).passes(record);
}

std::string change(std::string_view new_image) {
  return R"({"eventID":"1","eventName":"INSERT","eventVersion":"1.1","eventSource":"aws:dynamodb",)"
         R"("awsRegion":"us-east-1","dynamodb":{"ApproximateCreationDateTime":1732123200.0,"Keys":{"id":{"S":"x"}},)"
         R"("NewImage":)" +
         std::string(new_image) + R"(,"SequenceNumber":"1"},"eventSourceARN":"arn"})";
}

std::string put(std::string_view data) {
  return R"({"kinesis":{"kinesisSchemaVersion":"1.0","partitionKey":"p","sequenceNumber":"1","data":")" +
         base::base64_encode(data) +
         R"(","approximateArrivalTimestamp":1.5},"eventSource":"aws:kinesis",)"
         R"("eventID":"shardId-0:1","eventName":"aws:kinesis:record"})";
}

TEST(RecordFilter, PassesWhatAnyPatternMatches) {
  const std::string record = change(R"({"id":{"S":"x"}})");
  EXPECT_TRUE(passes(kTable, record, {R"({"eventName":["INSERT"]})"}));
  EXPECT_FALSE(passes(kTable, record, {R"({"eventName":["REMOVE"]})"}));
  EXPECT_TRUE(passes(kTable, record, {R"({"eventName":["REMOVE"]})", R"({"eventName":["INSERT"]})"}));
}

TEST(RecordFilter, MatchesATablesNumbersAsText) {
  const std::string record = change(R"({"n":{"N":"101"}})");
  EXPECT_TRUE(passes(kTable, record, {R"({"dynamodb":{"NewImage":{"n":{"N":["101"]}}}})"}));
  EXPECT_FALSE(passes(kTable, record, {R"({"dynamodb":{"NewImage":{"n":{"N":[{"numeric":[">",100]}]}}}})"}));
}

TEST(RecordFilter, KnowsTheTimeAsANumber) {
  const std::string record = change("{}");
  EXPECT_TRUE(passes(kTable, record, {R"({"dynamodb":{"ApproximateCreationDateTime":[{"numeric":[">",0]}]}})"}));
}

TEST(RecordFilter, AsksOnlyLeavesWhetherTheyExist) {
  const std::string with = change(R"({"attr":{"S":"v"}})");
  const std::string without = change("{}");
  const std::string exists = R"({"dynamodb":{"NewImage":{"attr":[{"exists":true}]}}})";
  const std::string leaf_exists = R"({"dynamodb":{"NewImage":{"attr":{"S":[{"exists":true}]}}}})";
  const std::string absent = R"({"dynamodb":{"NewImage":{"attr":[{"exists":false}]}}})";
  EXPECT_FALSE(passes(kTable, with, {exists}));
  EXPECT_TRUE(passes(kTable, with, {leaf_exists}));
  EXPECT_FALSE(passes(kTable, without, {leaf_exists}));
  EXPECT_TRUE(passes(kTable, with, {absent}));
  EXPECT_TRUE(passes(kTable, without, {absent}));
}

TEST(RecordFilter, DoesNotSeeWhatTheMappingAdds) {
  const std::string record = change("{}");
  EXPECT_FALSE(passes(kTable, record, {R"({"eventSourceARN":["arn"]})"}));
  EXPECT_FALSE(passes(kTable, record, {R"({"awsRegion":["us-east-1"]})"}));
}

TEST(RecordFilter, LooksIntoDataOfAStream) {
  EXPECT_TRUE(passes(kStream, put(R"({"price":{"eur":7}})"), {R"({"data":{"price":{"eur":[7]}}})"}));
  EXPECT_FALSE(passes(kStream, put(R"({"price":{"eur":8}})"), {R"({"data":{"price":{"eur":[7]}}})"}));
  EXPECT_TRUE(passes(kStream, put("anything"), {R"({"partitionKey":["p"]})"}));
}

TEST(RecordFilter, DropsDataThatIsNoJson) {
  EXPECT_FALSE(passes(kStream, put("price 7"), {R"({"data":{"price":[7]}})"}));
  EXPECT_FALSE(passes(kStream, put(""), {R"({"data":{"price":[7]}})"}));
}

class MappingFilterTest : public OneShardTest {
 protected:
  static Mapping wanting(std::vector<std::string> patterns) {
    Mapping mapping = MappingWorld::mapping();
    mapping.filters = std::move(patterns);
    return mapping;
  }
};

TEST_F(MappingFilterTest, ABatchFillsWithMatchingRecordsOnly) {
  write({"a", "b", "c", "a", "d", "e", "a", "a"});
  Mapping mapping = wanting({R"({"item":["a"]})"});
  mapping.batch_size = 3;
  start(mapping);
  EXPECT_EQ(world.delivered(), "a1 a2 a3 | a4");
}

TEST_F(MappingFilterTest, NothingIsDeliveredWhereNothingMatches) {
  start(wanting({R"({"item":["z"]})"}));
  for (int i = 0; i < 10; ++i) write({"a", "b"});
  EXPECT_EQ(world.delivered(), "");
}

TEST_F(MappingFilterTest, ThePositionMovesPastFilteredRecords) {
  start(wanting({R"({"item":["z"]})"}));
  for (int i = 0; i < 10; ++i) write({"a"});
  Mapping mapping = *world.load();
  mapping.state = MappingState::disabling;
  start(mapping);
  mapping = *world.load();
  mapping.state = MappingState::enabling;
  mapping.filters.clear();
  start(mapping);
  EXPECT_EQ(world.delivered(), "");
  write({"b"});
  EXPECT_EQ(world.delivered(), "b1");
}

TEST_F(MappingFilterTest, ALongRunOfFilteredRecordsIsNotReadAgainAfterACrash) {
  for (int i = 0; i < 50; ++i) write({"a"});
  Mapping mapping = wanting({R"({"item":["z"]})"});
  mapping.batch_size = 5;
  start(mapping);
  ASSERT_TRUE(world.checkpoint());
  EXPECT_GT(world.checkpoint()->done, store::Position::before_all());
}

TEST_F(MappingFilterTest, AnUpdateAppliesToWhatComesAfterIt) {
  start(wanting({R"({"item":["a"]})"}));
  write({"a", "b"});
  Mapping mapping = *world.load();
  mapping.state = MappingState::updating;
  mapping.filters = {R"({"item":["b"]})"};
  start(mapping);
  write({"a", "b"});
  EXPECT_EQ(world.delivered(), "a1 | b2");
}

TEST_F(MappingFilterTest, FilteredRecordsDoNotKeepABatchOpen) {
  Mapping mapping = wanting({R"({"item":["a"]})"});
  mapping.batching_window_seconds = 10;
  start(mapping);
  write({"b"});
  world.advance(seconds(5));
  write({"a"});
  world.advance(seconds(9));
  EXPECT_EQ(world.delivered(), "");
  world.advance(seconds(1));
  EXPECT_EQ(world.delivered(), "a1");
}

TEST_F(MappingFilterTest, AFailedBatchThatIsNotWantedAnyMoreDoesNotMakeItReadAllThatFollows) {
  world.invoker.handler = [](const Call&) -> Task<InvokeOutcome> { co_return outcome(InvokeStatus::function_error); };
  Mapping mapping = MappingWorld::mapping();
  mapping.batch_size = 2;
  write({"a", "b"});
  start(mapping);
  ASSERT_FALSE(world.checkpoint()->lanes.empty());
  for (int i = 0; i < 200; ++i) write({"a", "b"});

  const int reads_before = world.stream->reads;
  int reads = 0;
  world.invoker.handler = [&](const Call&) -> Task<InvokeOutcome> {
    if (reads == 0) reads = world.stream->reads - reads_before;
    co_return InvokeOutcome{};
  };
  mapping.filters = {R"({"parity":["even"]})"};
  mapping.state = MappingState::updating;
  start(mapping);
  EXPECT_GT(reads, 0);
  EXPECT_LT(reads, 10);
}

}  // namespace
}  // namespace tidemill::engine
