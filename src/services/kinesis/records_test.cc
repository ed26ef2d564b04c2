// Records from PutRecord to GetRecords.
#include "services/kinesis/testing.h"

namespace tidemill::kinesis {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Page;
using testing::Put;
using testing::text_at;
using testing::World;

const std::string kShard = World::shard_id(0);

TEST(RecordsTest, ARecordIsReadAsItWasWritten) {
  World world;
  world.create_stream("s", 1);
  const Put put = world.put("s", "key", std::string("\0\xff data", 7));
  EXPECT_EQ(put.shard, kShard);
  EXPECT_EQ(put.sequence_number.size(), 56u);
  const Page page = world.page(world.iterator("s", kShard, "TRIM_HORIZON"));
  ASSERT_THAT(page.data, ElementsAre(std::string("\0\xff data", 7)));
  const json::Value& record = page.document.find("Records")->array().front();
  EXPECT_EQ(text_at(record, "PartitionKey"), "key");
  EXPECT_EQ(text_at(record, "SequenceNumber"), put.sequence_number);
  EXPECT_EQ(text_at(record, "ApproximateArrivalTimestamp"), "1773446400");
  EXPECT_EQ(text_at(page.document, "MillisBehindLatest"), "0");
  EXPECT_FALSE(page.next.empty());
}

TEST(RecordsTest, TheHashOfThePartitionKeyChoosesTheShard) {
  World world;
  world.create_stream("s", 2);
  EXPECT_EQ(world.put("s", "a", "x").shard, World::shard_id(0));  // md5 0cc1…
  EXPECT_EQ(world.put("s", "b", "x").shard, World::shard_id(1));  // md5 92eb…
  EXPECT_EQ(world.put("s", "a", "x", R"("ExplicitHashKey":"340282366920938463463374607431768211455")").shard,
            World::shard_id(1));
  EXPECT_THAT(world.run("PutRecord",
                        World::of_stream("s", world.put_members("a", "x") +
                                                  R"(,"ExplicitHashKey":"340282366920938463463374607431768211456")")),
              HasSubstr("InvalidArgumentException: Invalid ExplicitHashKey."));
}

TEST(RecordsTest, ABatchKeepsItsOrderAndAnswersEachRecord) {
  World world;
  world.create_stream("s", 2);
  const json::Value answer = world.ask(
      "PutRecords",
      World::of_stream("s", base::cat("\"Records\":[{", world.put_members("a", "1"), "},{", world.put_members("b", "2"),
                                      "},{", world.put_members("a", "3"), "}]")));
  EXPECT_EQ(text_at(answer, "FailedRecordCount"), "0");
  const json::Array& records = answer.find("Records")->array();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(text_at(records[1], "ShardId"), World::shard_id(1));
  EXPECT_LT(text_at(records[0], "SequenceNumber"), text_at(records[2], "SequenceNumber"));
  EXPECT_THAT(world.read("s", World::shard_id(0)), ElementsAre("1", "3"));
  EXPECT_THAT(world.read("s", World::shard_id(1)), ElementsAre("2"));
}

TEST(RecordsTest, EachTypeOfIteratorBeginsWhereItSays) {
  World world;
  world.create_stream("s", 1);
  world.put("s", "k", "1");
  world.advance(10s);
  const Put second = world.put("s", "k", "2");
  world.advance(10s);
  world.put("s", "k", "3");
  const std::string named = base::cat(R"("StartingSequenceNumber":")", second.sequence_number, "\"");
  EXPECT_THAT(world.page(world.iterator("s", kShard, "TRIM_HORIZON")).data, ElementsAre("1", "2", "3"));
  EXPECT_THAT(world.page(world.iterator("s", kShard, "AT_SEQUENCE_NUMBER", named)).data, ElementsAre("2", "3"));
  EXPECT_THAT(world.page(world.iterator("s", kShard, "AFTER_SEQUENCE_NUMBER", named)).data, ElementsAre("3"));
  EXPECT_THAT(world.page(world.iterator("s", kShard, "AT_TIMESTAMP", R"("Timestamp":1773446405)")).data,
              ElementsAre("2", "3"));
  const std::string latest = world.iterator("s", kShard, "LATEST");
  EXPECT_THAT(world.page(latest).data, IsEmpty());
  world.put("s", "k", "4");
  EXPECT_THAT(world.page(latest).data, ElementsAre("4"));
}

TEST(RecordsTest, AnIteratorMayStandInQuotes) {
  World world;
  world.create_stream("s", 1);
  world.put("s", "a", "1");
  const std::string iterator = world.iterator("s", kShard, "TRIM_HORIZON");
  EXPECT_THAT(world.page(base::cat(R"(\")", iterator, R"(\")")).data, ElementsAre("1"));
}

TEST(RecordsTest, IteratorsAreChecked) {
  World world;
  world.create_stream("s", 2);
  const Put put = world.put("s", "a", "1");
  const auto ask = [&](std::string_view shard, std::string_view more) {
    return world.run("GetShardIterator", World::of_stream("s", base::cat(R"("ShardId":")", shard, "\",", more)));
  };
  EXPECT_THAT(ask("shardId-000000000009", R"("ShardIteratorType":"LATEST")"),
              HasSubstr("ResourceNotFoundException: Shard shardId-000000000009 in stream s under account 000000000000 "
                        "does not exist"));
  EXPECT_THAT(ask(kShard, R"("ShardIteratorType":"LATEST","StartingSequenceNumber":"1")"),
              HasSubstr("Request specified LATEST and also a StartingSequenceNumber."));
  EXPECT_THAT(ask(kShard, R"("ShardIteratorType":"AT_SEQUENCE_NUMBER")"), HasSubstr("InvalidArgumentException"));
  EXPECT_THAT(ask(kShard, R"("ShardIteratorType":"AT_TIMESTAMP")"), HasSubstr("Must specify timestampInMillis"));
  EXPECT_THAT(ask(kShard, R"("ShardIteratorType":"AT_TIMESTAMP","Timestamp":1999999999)"),
              HasSubstr("cannot be greater than the currentTimestampInMillis"));
  EXPECT_THAT(
      ask(World::shard_id(1), base::cat(R"("ShardIteratorType":"AT_SEQUENCE_NUMBER","StartingSequenceNumber":")",
                                        put.sequence_number, "\"")),
      HasSubstr("It encodes shardId-000000000000, while it was used in a call to a shard with "
                "shardId-000000000001"));
  EXPECT_THAT(ask(kShard, R"("ShardIteratorType":"AT_SEQUENCE_NUMBER","StartingSequenceNumber":"5")"),
              HasSubstr("It encodes shardId-000000000005, while it was used in a call to a shard with "
                        "shardId-000000000000"));
  EXPECT_THAT(world.run("GetRecords", R"({"ShardIterator":"AAAA"})"),
              HasSubstr("InvalidArgumentException: Invalid ShardIterator."));
}

TEST(RecordsTest, ASequenceNumberOfAnEarlierStreamOfTheNameIsRefused) {
  World world;
  world.create_stream("s", 1);
  const Put put = world.put("s", "k", "1");
  world.run("DeleteStream", World::of_stream("s"));
  world.advance(1s);
  world.create_stream("s", 1);
  const auto refusal = [&](std::string_view number, std::string_view why) {
    return base::cat("InvalidArgumentException: StartingSequenceNumber ", number, " used in GetShardIterator on shard ",
                     kShard, " in stream s under account 000000000000 is invalid", why, ".");
  };
  const auto ask = [&](std::string_view number) {
    return world.run("GetShardIterator",
                     World::of_stream("s", base::cat(R"("ShardId":")", kShard,
                                                     R"(","ShardIteratorType":"AFTER_SEQUENCE_NUMBER",)",
                                                     R"("StartingSequenceNumber":")", number, "\"")));
  };
  EXPECT_EQ(ask(put.sequence_number), refusal(put.sequence_number, " because it did not come from this stream"));
  EXPECT_EQ(ask("0"), refusal("0", ""));
}

TEST(RecordsTest, AnIteratorIsGoodForFiveMinutes) {
  World world;
  world.create_stream("s", 1);
  const std::string iterator = world.iterator("s", kShard, "TRIM_HORIZON");
  world.advance(299s);
  EXPECT_FALSE(world.page(iterator).next.empty());
  world.advance(1s);
  EXPECT_EQ(
      world.run("GetRecords", base::cat(R"({"ShardIterator":")", iterator, "\"}")),
      "ExpiredIteratorException: Iterator expired. The iterator was created at time Sat Mar 14 00:00:00 UTC 2026 "
      "while right now it is Sat Mar 14 00:05:00 UTC 2026 which is further in the future than the tolerated delay "
      "of 300000 milliseconds.");
}

TEST(RecordsTest, APageEndsAtItsLimitAndSaysHowFarBehindItIs) {
  World world;
  world.create_stream("s", 1);
  for (const char* data : {"1", "2", "3"}) world.put("s", "k", data);
  world.advance(2s);
  const Page first = world.page(world.iterator("s", kShard, "TRIM_HORIZON"), "\"Limit\":2");
  EXPECT_THAT(first.data, ElementsAre("1", "2"));
  EXPECT_EQ(text_at(first.document, "MillisBehindLatest"), "2000");
  EXPECT_THAT(world.page(first.next).data, ElementsAre("3"));
}

TEST(RecordsTest, APageHasTenMebibytesAtMost) {
  World world;
  world.create_stream("s", 1);
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < 11; ++i) world.put("s", std::to_string(i), large.substr(10));
  const Page first = world.page(world.iterator("s", kShard, "TRIM_HORIZON"));
  EXPECT_EQ(first.data.size(), 10u);
  EXPECT_EQ(world.page(first.next).data.size(), 1u);
}

TEST(RecordsTest, TheLargestRecordIsAsTheStreamSays) {
  World world;
  world.create_stream("s", 1);
  const std::string large(1 << 20, 'x');
  const std::string request = World::of_stream("s", world.put_members("k", large));
  EXPECT_THAT(world.run("PutRecord", request), HasSubstr("InvalidArgumentException"));
  world.run("UpdateMaxRecordSize", base::cat(R"({"StreamARN":")", World::arn("s"), R"(","MaxRecordSizeInKiB":2048})"));
  world.settle();
  EXPECT_THAT(world.run("PutRecord", request), HasSubstr("SequenceNumber"));
  EXPECT_EQ(world.read("s", kShard).front().size(), large.size());
}

TEST(RecordsTest, ASequenceNumberForOrderingMustBeOfThePast) {
  World world;
  world.create_stream("s", 1);
  const Put put = world.put("s", "k", "1");
  const auto next = world.put("s", "k", "2", base::cat(R"("SequenceNumberForOrdering":")", put.sequence_number, "\""));
  EXPECT_LT(put.sequence_number, next.sequence_number);
  EXPECT_THAT(world.run("PutRecord",
                        World::of_stream("s", world.put_members("k", "3") + R"(,"SequenceNumberForOrdering":"7")")),
              HasSubstr("ExclusiveMinimumSequenceNumber 7 used in PutRecord on stream s under account 000000000000 is "
                        "invalid."));
}

TEST(RecordsTest, RecordsAreForgottenAfterTheRetention) {
  World world;
  world.create_stream("s", 1);
  world.put("s", "k", "1");
  world.advance(1h);
  world.put("s", "k", "2");
  world.advance(23h);
  EXPECT_THAT(world.read("s", kShard), ElementsAre("1", "2"));
  world.advance(1us);
  EXPECT_THAT(world.read("s", kShard), ElementsAre("2"));
  world.advance(2h);
  EXPECT_THAT(world.read("s", kShard), IsEmpty());
  // The space is given back, too, and the next record is trimmed as the first ones were.
  EXPECT_EQ(world.disk_records(kShard, "s"), 0);
  world.put("s", "k", "3");
  EXPECT_EQ(world.disk_records(kShard, "s"), 1);
  world.advance(25h);
  EXPECT_EQ(world.disk_records(kShard, "s"), 0);
}

TEST(RecordsTest, ALongerRetentionDoesNotBringBackWhatWasTrimmed) {
  World world;
  world.create_stream("s", 1);
  world.put("s", "k", "1");
  world.advance(24h);
  world.put("s", "k", "2");
  world.advance(1us);
  world.run("IncreaseStreamRetentionPeriod", World::of_stream("s", "\"RetentionPeriodHours\":100"));
  world.settle();
  EXPECT_THAT(world.read("s", kShard), ElementsAre("2"));
  world.advance(99h);
  EXPECT_THAT(world.read("s", kShard), ElementsAre("2"));
}

TEST(RecordsTest, WhatIsAcknowledgedSurvivesACrash) {
  World world;
  world.create_stream("s", 1);
  world.put("s", "k", "1");
  const std::string iterator = world.iterator("s", kShard, "TRIM_HORIZON");
  world.crash();
  EXPECT_THAT(world.page(iterator).data, ElementsAre("1"));
}

TEST(RecordsTest, ShardsHaveTheirThroughputIfThatIsEnforced) {
  World world(1, store::SimFaults::none(), true);
  world.create_stream("s", 1);
  const std::string large(600'000, 'x');
  world.put("s", "k", large);
  world.put("s", "k", large);  // leaves a debt
  const std::string request = World::of_stream("s", base::cat("\"Records\":[{", world.put_members("k", "1"), "}]"));
  const json::Value refused = world.ask("PutRecords", request);
  EXPECT_EQ(text_at(refused, "FailedRecordCount"), "1");
  EXPECT_EQ(text_at(refused.find("Records")->array().front(), "ErrorCode"), "ProvisionedThroughputExceededException");
  EXPECT_EQ(text_at(refused.find("Records")->array().front(), "ErrorMessage"),
            "Rate exceeded for shard shardId-000000000000 in stream s under account 000000000000.");
  world.advance(1s);
  EXPECT_EQ(text_at(world.ask("PutRecords", request), "FailedRecordCount"), "0");
  const std::string iterator = world.iterator("s", kShard, "LATEST");
  for (int i = 0; i < 5; ++i) world.page(iterator);
  EXPECT_THAT(world.run("GetRecords", base::cat(R"({"ShardIterator":")", iterator, "\"}")),
              HasSubstr("ProvisionedThroughputExceededException"));
}

}  // namespace
}  // namespace tidemill::kinesis
