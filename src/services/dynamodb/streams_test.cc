// The streams of tables: what is recorded and how it is read, by clients and by event source mappings.
#include "engine/mappings/mapping.h"
#include "services/dynamodb/sequence_number.h"
#include "services/dynamodb/stream_source.h"
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using testing::World;

constexpr const char* kArn = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2026-03-14T00:00:00.000";
constexpr std::chrono::hours kDay{24};

class Streams : public ::testing::Test {
 protected:
  void create(std::string_view view) { world.create_table("Tab", "", view); }
  std::vector<std::string> shard_ids() {
    std::vector<std::string> ids;
    const auto answer = world.ask("DescribeStream", R"({"StreamArn":")" + std::string(kArn) + R"("})");
    for (const json::Value& shard : answer.find("StreamDescription")->find("Shards")->array()) {
      ids.push_back(shard.find("ShardId")->string());
    }
    return ids;
  }
  std::string iterator(const std::string& shard, const std::string& how) {
    const std::string answer = world.run("GetShardIterator", R"({"StreamArn":")" + std::string(kArn) + R"(","ShardId":")" +
                                                                 shard + R"(","ShardIteratorType":)" + how + "}");
    const auto document = json::parse(answer);
    return document ? document->find("ShardIterator")->string() : answer;
  }
  json::Value get(const std::string& token, int limit = 1000) {
    return world.ask("GetRecords", R"({"ShardIterator":")" + token + R"(","Limit":)" + std::to_string(limit) + "}");
  }
  std::string get_text(const std::string& token) { return world.run("GetRecords", R"({"ShardIterator":")" + token + R"("})"); }
  std::vector<json::Value> all() {
    std::vector<json::Value> records;
    for (const std::string& shard : shard_ids()) {
      const json::Value answer = get(iterator(shard, R"("TRIM_HORIZON")"));
      for (const json::Value& record : answer.find("Records")->array()) {
        records.push_back(record);
        shard_of_last = shard;
      }
    }
    return records;
  }
  static std::string sequence_of(const json::Value& record) {
    return record.find("dynamodb")->find("SequenceNumber")->string();
  }
  // "MODIFY old={…} new={…}"
  static std::string change(const json::Value& record) {
    std::string text = record.find("eventName")->string();
    if (const auto* old = record.find("dynamodb")->find("OldImage")) text += " old=" + json::write(*old);
    if (const auto* now = record.find("dynamodb")->find("NewImage")) text += " new=" + json::write(*now);
    return text;
  }
  std::vector<std::string> changes() {
    std::vector<std::string> result;
    for (const json::Value& record : all()) result.push_back(change(record));
    return result;
  }
  void put_three() {
    world.put(R"({"k":{"S":"a"},"x":{"N":"1"}})");
    world.put(R"({"k":{"S":"a"},"x":{"N":"2"}})");
    world.run("DeleteItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})");
  }

  World world;
  std::string shard_of_last;
};

TEST_F(Streams, NewAndOldImagesShowBoth) {
  create("NEW_AND_OLD_IMAGES");
  put_three();
  EXPECT_THAT(changes(), ElementsAre(R"(INSERT new={"k":{"S":"a"},"x":{"N":"1"}})",
                                     R"(MODIFY old={"k":{"S":"a"},"x":{"N":"1"}} new={"k":{"S":"a"},"x":{"N":"2"}})",
                                     R"(REMOVE old={"k":{"S":"a"},"x":{"N":"2"}})"));
}

TEST_F(Streams, NewImageShowsWhatIsThereNow) {
  create("NEW_IMAGE");
  put_three();
  EXPECT_THAT(changes(), ElementsAre(R"(INSERT new={"k":{"S":"a"},"x":{"N":"1"}})",
                                     R"(MODIFY new={"k":{"S":"a"},"x":{"N":"2"}})", "REMOVE"));
}

TEST_F(Streams, OldImageShowsWhatWasThere) {
  create("OLD_IMAGE");
  put_three();
  EXPECT_THAT(changes(), ElementsAre("INSERT", R"(MODIFY old={"k":{"S":"a"},"x":{"N":"1"}})",
                                     R"(REMOVE old={"k":{"S":"a"},"x":{"N":"2"}})"));
}

TEST_F(Streams, EveryRecordHasItsKey) {
  create("KEYS_ONLY");
  put_three();
  const auto records = all();
  ASSERT_EQ(records.size(), 3u);
  for (const json::Value& record : records) {
    EXPECT_EQ(json::write(*record.find("dynamodb")->find("Keys")), R"({"k":{"S":"a"}})");
    EXPECT_EQ(*record.find("dynamodb")->find("SizeBytes")->to_int64(), 2);
    EXPECT_THAT(record.find("eventID")->string(), MatchesRegex("[0-9a-f]{32}"));
    EXPECT_EQ(record.find("dynamodb")->find("StreamViewType")->string(), "KEYS_ONLY");
    EXPECT_EQ(record.find("dynamodb")->find("ApproximateCreationDateTime")->to_double(), 1773446400.0);
  }
}

TEST_F(Streams, NothingIsRecordedWhereNothingChanges) {
  create("NEW_AND_OLD_IMAGES");
  world.put(R"({"k":{"S":"a"},"x":{"N":"1"},"s":{"SS":["p","q"]}})");
  world.put(R"({"k":{"S":"a"},"s":{"SS":["q","p"]},"x":{"N":"1.0"}})");
  world.run("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}},"UpdateExpression":"REMOVE absent_one"})");
  world.run("DeleteItem", R"({"TableName":"Tab","Key":{"k":{"S":"missing"}}})");
  world.run("BatchWriteItem", R"({"RequestItems":{"Tab":[{"DeleteRequest":{"Key":{"k":{"S":"b"}}}}]}})");
  EXPECT_EQ(changes().size(), 1u);
}

// facts 2: recorded on AWS.
TEST_F(Streams, SizeBytesCountsKeysAndImages) {
  world.run("CreateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"Id","AttributeType":"N"}],
      "KeySchema":[{"AttributeName":"Id","KeyType":"HASH"}],"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})");
  world.put(R"({"Id":{"N":"101"},"Message":{"S":"New item!"}})");
  world.put(R"({"Id":{"N":"101"},"Message":{"S":"This item has changed"}})");
  world.run("DeleteItem", R"({"TableName":"Tab","Key":{"Id":{"N":"101"}}})");
  std::vector<int64_t> sizes;
  for (const json::Value& record : all()) sizes.push_back(*record.find("dynamodb")->find("SizeBytes")->to_int64());
  EXPECT_THAT(sizes, ElementsAre(26, 59, 38));
}

TEST_F(Streams, ATableOfLittleThroughputHasOneShard) {
  const auto shards_of = [&](int units) {
    world.run("DeleteTable", R"({"TableName":"Tab"})");
    world.run("CreateTable", base::cat(R"({"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"},
        "ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":)", units, "}}"));
    const auto table = world.ask("DescribeTable", R"({"TableName":"Tab"})");
    const std::string arn = table.find("Table")->find("LatestStreamArn")->string();
    const auto stream = world.ask("DescribeStream", base::cat(R"({"StreamArn":")", arn, "\"}"));
    return stream.find("StreamDescription")->find("Shards")->array().size();
  };
  EXPECT_EQ(shards_of(5), 1u);
  EXPECT_EQ(shards_of(1001), 2u);
  EXPECT_EQ(shards_of(100'000), kStreamShards);
}

TEST_F(Streams, ShardsLookAsClientsExpect) {
  create("KEYS_ONLY");
  const auto ids = shard_ids();
  EXPECT_EQ(ids.size(), kStreamShards);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_THAT(ids, ::testing::Each(MatchesRegex("shardId-[0-9]{20}-[0-9a-f]{8}")));
  const std::string page =
      world.run("DescribeStream", R"({"StreamArn":")" + std::string(kArn) + R"(","Limit":3})");
  EXPECT_THAT(page, HasSubstr(R"("LastEvaluatedShardId":")" + ids[2]));
  const std::string next = world.run("DescribeStream", R"({"StreamArn":")" + std::string(kArn) +
                                                           R"(","ExclusiveStartShardId":")" + ids[2] + R"("})");
  EXPECT_THAT(next, HasSubstr(ids[3]));
  EXPECT_THAT(next, ::testing::Not(HasSubstr(ids[2])));
  EXPECT_THAT(world.run("DescribeStream", R"({"StreamArn":")" + std::string(kArn) +
                                              R"(","ShardFilter":{"Type":"CHILD_SHARDS","ShardId":")" + ids[0] + R"("}})"),
              HasSubstr(R"("Shards":[])"));
}

TEST_F(Streams, IteratorsStartWhereTheySay) {
  create("NEW_IMAGE");
  for (int i = 0; i < 5; ++i) world.put(R"({"k":{"S":"a"},"x":{"N":")" + std::to_string(i) + R"("}})");
  const auto records = all();
  ASSERT_EQ(records.size(), 5u);
  const std::string shard = shard_of_last;
  const auto count = [&](const std::string& how) { return get(iterator(shard, how)).find("Records")->array().size(); };
  const std::string second = sequence_of(records[1]);
  EXPECT_EQ(count(R"("AT_SEQUENCE_NUMBER","SequenceNumber":")" + second + "\""), 4u);
  EXPECT_EQ(count(R"("AFTER_SEQUENCE_NUMBER","SequenceNumber":")" + second + "\""), 3u);
  EXPECT_EQ(count(R"("LATEST")"), 0u);
  const std::string latest = iterator(shard, R"("LATEST")");
  world.put(R"({"k":{"S":"a"},"x":{"N":"5"}})");
  EXPECT_EQ(get(latest).find("Records")->array().size(), 1u);
}

TEST_F(Streams, ReadingOnGivesEachRecordOnce) {
  create("NEW_IMAGE");
  for (int i = 0; i < 7; ++i) world.put(R"({"k":{"S":"a"},"x":{"N":")" + std::to_string(i) + R"("}})");
  const auto expected = changes();
  std::string token = iterator(shard_of_last, R"("TRIM_HORIZON")");
  std::vector<std::string> found;
  for (int page = 0; page < 5; ++page) {
    const auto answer = get(token, 2);
    for (const json::Value& record : answer.find("Records")->array()) found.push_back(change(record));
    token = answer.find("NextShardIterator")->string();
  }
  EXPECT_EQ(found, expected);
}

TEST_F(Streams, WrongIteratorsAreRefused) {
  create("NEW_IMAGE");
  const std::string shard = shard_ids()[0];
  EXPECT_EQ(get_text("garbage"), "ValidationException: Invalid ShardIterator");
  std::string token = iterator(shard, R"("TRIM_HORIZON")");
  token[token.size() - 6] ^= 1;
  EXPECT_EQ(get_text(token), "ValidationException: Invalid ShardIterator");
  EXPECT_THAT(iterator(shard, R"("AT_SEQUENCE_NUMBER")"), StartsWith("ValidationException"));
  EXPECT_THAT(iterator(shard, R"("LATEST","SequenceNumber":"1000000000000000000000000000000")"), StartsWith("ValidationException"));
  EXPECT_THAT(iterator(shard, R"("AT_SEQUENCE_NUMBER","SequenceNumber":"222222222222222222222")"), StartsWith("ValidationException"));
  EXPECT_THAT(iterator("shardId-00000001573689847184-864758bb", R"("LATEST")"), StartsWith("ResourceNotFoundException"));
  EXPECT_EQ(world.run("DescribeStream", R"({"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2020-01-01T00:00:00.000"})"),
            "ResourceNotFoundException: Requested resource not found: Stream: "
            "arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2020-01-01T00:00:00.000 not found");
  EXPECT_THAT(world.run("DescribeStream", R"({"StreamArn":"arn:that:is:not:a:stream:at:all:but:long:enough"})"),
              StartsWith("ValidationException"));
}

TEST_F(Streams, AnIteratorExpiresAfterFifteenMinutes) {
  create("NEW_IMAGE");
  const std::string token = iterator(shard_ids()[0], R"("TRIM_HORIZON")");
  world.advance(std::chrono::minutes(14));
  EXPECT_THAT(get_text(token), StartsWith("{"));
  world.advance(std::chrono::minutes(1));
  EXPECT_THAT(get_text(token), StartsWith("ExpiredIteratorException"));
}

TEST_F(Streams, RecordsAreKeptForADayAndTheirSpaceIsGivenBack) {
  create("NEW_IMAGE");
  world.put(R"({"k":{"S":"a"},"x":{"N":"1"}})");
  const std::string first = sequence_of(all().at(0));
  const std::string shard = shard_of_last;
  world.advance(kDay - std::chrono::minutes(1));
  world.put(R"({"k":{"S":"a"},"x":{"N":"2"}})");
  EXPECT_EQ(changes().size(), 2u);
  world.advance(std::chrono::minutes(2));
  EXPECT_THAT(changes(), ElementsAre(R"(MODIFY new={"k":{"S":"a"},"x":{"N":"2"}})"));
  EXPECT_THAT(get_text(iterator(shard, R"("AFTER_SEQUENCE_NUMBER","SequenceNumber":")" + first + "\"")),
              StartsWith("TrimmedDataAccessException"));

  const auto stored = [&] { return world.await(world.store->snapshot()->last_position(shard_log(kArn, shard))); };
  EXPECT_TRUE(stored());
  world.advance(2 * kDay);
  EXPECT_FALSE(stored()) << "the log is empty";
  EXPECT_FALSE(world.await(store::next_timer_due(*world.store->snapshot()))) << "nothing is left to trim";
  world.put(R"({"k":{"S":"a"},"x":{"N":"3"}})");
  EXPECT_TRUE(world.await(store::next_timer_due(*world.store->snapshot()))) << "now there is again";
}

TEST_F(Streams, AnIteratorOfAnIdleShardIsNotTrimmed) {
  create("NEW_IMAGE");
  world.put(R"({"k":{"S":"a"}})");
  const std::string shard = shard_ids()[0];
  world.advance(3 * kDay);
  const auto answer = get(iterator(shard, R"("LATEST")"));
  EXPECT_EQ(get(answer.find("NextShardIterator")->string()).find("Records")->array().size(), 0u);
}

TEST_F(Streams, ADisabledStreamIsReadToItsEndAndThenForgotten) {
  create("KEYS_ONLY");
  world.put(R"({"k":{"S":"a"}})");
  world.run("UpdateTable", R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":false}})");
  world.put(R"({"k":{"S":"b"}})");
  EXPECT_EQ(changes().size(), 1u);
  const std::string description = world.run("DescribeStream", R"({"StreamArn":")" + std::string(kArn) + R"("})");
  EXPECT_THAT(description, HasSubstr(R"("StreamStatus":"DISABLED")"));
  EXPECT_THAT(description, HasSubstr("EndingSequenceNumber"));
  EXPECT_FALSE(get(iterator(shard_ids()[0], R"("TRIM_HORIZON")")).find("NextShardIterator"));
  world.advance(kDay + std::chrono::seconds(1));
  EXPECT_THAT(world.run("DescribeStream", R"({"StreamArn":")" + std::string(kArn) + R"("})"),
              StartsWith("ResourceNotFoundException"));
  EXPECT_EQ(world.run("ListStreams", "{}"), R"({"Streams":[]})");
}

TEST_F(Streams, TheStreamOfADeletedTableStaysReadable) {
  create("OLD_IMAGE");
  world.put(R"({"k":{"S":"a"}})");
  world.run("DeleteTable", R"({"TableName":"Tab"})");
  EXPECT_EQ(changes().size(), 1u);
  EXPECT_EQ(world.run("ListStreams", R"({"TableName":"Tab"})"),
            R"({"Streams":[{"StreamArn":")" + std::string(kArn) + R"(","TableName":"Tab","StreamLabel":"2026-03-14T00:00:00.000"}]})");
}

TEST_F(Streams, StreamsAreListedAndPaged) {
  create("KEYS_ONLY");
  world.create_table("Uuu", "", "KEYS_ONLY");
  const std::string first = world.run("ListStreams", R"({"Limit":1})");
  EXPECT_THAT(first, HasSubstr(R"("LastEvaluatedStreamArn":")" + std::string(kArn)));
  const std::string second = world.run("ListStreams", R"({"Limit":1,"ExclusiveStartStreamArn":")" + std::string(kArn) + R"("})");
  EXPECT_THAT(second, HasSubstr("table/Uuu/stream/"));
  EXPECT_THAT(second, ::testing::Not(HasSubstr("LastEvaluatedStreamArn")));
}

TEST_F(Streams, ChangesOfAnItemAreInOrderWhateverTheCommitsDo) {
  World busy(7, store::SimFaults{});
  busy.create_table("Tab", "", "NEW_IMAGE");
  for (int i = 0; i < 100; ++i) {
    busy.start("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":")" + std::to_string(i % 5) + R"("}},
        "UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}})");
  }
  busy.settle();
  DynamodbStreamSource source(*busy.store, busy.clock);
  std::map<std::string, int> last;
  int count = 0;
  const engine::Mapping mapping{.event_source_arn = kArn};
  for (const auto& shard : busy.await(source.shards(kArn))) {
    const auto position = store::Position::before_all();
    for (const auto& record : busy.await(source.read(mapping, shard.shard_id, position, 1000, 1 << 20))) {
      const auto event = json::parse(record.event_json);
      const json::Value& image = *event->find("dynamodb")->find("NewImage");
      int& before = last[image.find("k")->find("S")->string()];
      EXPECT_EQ(image.find("n")->find("N")->string(), std::to_string(++before));
      ++count;
    }
  }
  EXPECT_EQ(count, 100);
}

TEST_F(Streams, AFunctionsEventHasTheFormOfAws) {
  create("NEW_AND_OLD_IMAGES");
  world.put(R"({"k":{"S":"a"},"b":{"B":"Zm9vYmFy"}})");
  DynamodbStreamSource source(*world.store, world.clock);
  EXPECT_TRUE(source.owns(kArn));
  EXPECT_FALSE(source.owns("arn:aws:kinesis:us-east-1:000000000000:stream/s"));
  EXPECT_TRUE(world.await(source.exists(kArn)));
  int woken = 0;
  std::vector<store::Subscription> subscriptions;
  std::vector<engine::StreamRecord> records;
  const engine::Mapping mapping{.event_source_arn = kArn};
  for (const auto& shard : world.await(source.shards(kArn))) {
    subscriptions.push_back(source.watch_shard(kArn, shard.shard_id, [&] { ++woken; }));
    for (auto& record : world.await(source.read(mapping, shard.shard_id, store::Position::before_all(), 10, 1000))) {
      records.push_back(std::move(record));
    }
  }
  ASSERT_EQ(records.size(), 1u);
  const engine::StreamRecord& record = records[0];
  EXPECT_EQ(position_from_sequence(record.sequence_number), record.position);
  const auto event = json::parse(record.event_json);
  EXPECT_EQ(record.event_json,
            R"({"eventID":")" + event->find("eventID")->string() +
                R"(","eventName":"INSERT","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"us-east-1",)"
                R"("dynamodb":{"ApproximateCreationDateTime":1773446400.0,"Keys":{"k":{"S":"a"}},)"
                R"("NewImage":{"b":{"B":"Zm9vYmFy"},"k":{"S":"a"}},"SequenceNumber":")" +
                record.sequence_number +
                R"(","SizeBytes":11,"StreamViewType":"NEW_AND_OLD_IMAGES"},"eventSourceARN":")" + kArn + R"("})");
  world.put(R"({"k":{"S":"a"}})");
  EXPECT_EQ(woken, 1);
}

TEST_F(Streams, TheSourceTellsOfTheEndOfAStream) {
  create("KEYS_ONLY");
  DynamodbStreamSource source(*world.store, world.clock);
  int told = 0;
  const auto subscription = source.watch_shards(kArn, [&] { ++told; });
  world.run("UpdateTable", R"({"TableName":"Tab","StreamSpecification":{"StreamEnabled":false}})");
  EXPECT_EQ(told, 1);
  for (const auto& shard : world.await(source.shards(kArn))) EXPECT_TRUE(shard.closed);
  world.advance(kDay + std::chrono::seconds(1));
  EXPECT_FALSE(world.await(source.exists(kArn)));
  EXPECT_EQ(told, 2);
}

TEST(SequenceNumbers, AreExactAndOrdered) {
  const std::vector<store::Position> positions = {
      {{0}, 0}, {{0}, 7}, {{1}, 0}, {{7'222'222'222'222'222'222}, 3}, {{~uint64_t{0}}, ~uint32_t{0}}};
  std::string last;
  for (const store::Position& position : positions) {
    const std::string number = sequence_number(position);
    EXPECT_THAT(number, MatchesRegex("[1-9][0-9]{30}"));
    EXPECT_LT(last, number);
    EXPECT_EQ(position_from_sequence(number), position);
    last = number;
  }
  EXPECT_FALSE(position_from_sequence("1"));
  EXPECT_FALSE(position_from_sequence("2000000000000000000000000000000"));
  EXPECT_FALSE(position_from_sequence("1999999999999999999990000000000"));
  EXPECT_FALSE(position_from_sequence("10000000000000000000a0000000000"));
}

}  // namespace
}  // namespace tidemill::dynamodb
