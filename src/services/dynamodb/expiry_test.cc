// Items that expire when their attribute says so, on a clock that the tests turn.
#include <algorithm>
#include <random>

#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::World;

constexpr const char* kEnable =
    R"({"TableName":"Tab","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"due"}})";
constexpr const char* kDisable =
    R"({"TableName":"Tab","TimeToLiveSpecification":{"Enabled":false,"AttributeName":"due"}})";

struct Expiring : World {
  explicit Expiring(std::string_view stream = "") {
    create_table("Tab", "", stream);
    EXPECT_THAT(run("UpdateTimeToLive", kEnable), HasSubstr("Enabled"));
    settle();
  }

  int64_t now() const { return std::chrono::floor<seconds>(clock.now()).time_since_epoch().count(); }
  std::string put_due(std::string_view key, std::string_view due) {
    return put(R"({"k":{"S":")" + std::string(key) + R"("},"due":{"N":")" + std::string(due) + R"("}})");
  }
  std::string put_due_in(std::string_view key, int64_t in_seconds) {
    return put_due(key, std::to_string(now() + in_seconds));
  }
  bool is_there(std::string_view key) {
    return run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":")" + std::string(key) + R"("}}})") != "{}";
  }
};

TEST(Expiry, AnItemGoesWithinASecondOfItsTime) {
  Expiring world;
  world.put_due_in("a", 10);
  world.advance(seconds(9));
  EXPECT_TRUE(world.is_there("a"));
  world.advance(seconds(1));
  EXPECT_FALSE(world.is_there("a"));
}

TEST(Expiry, ManyGoInTheSameSecond) {
  Expiring world;
  for (int i = 0; i < 350; ++i) world.put_due_in("k" + std::to_string(i), 5);
  world.advance(seconds(5));
  EXPECT_THAT(world.run("Scan", R"({"TableName":"Tab","Select":"COUNT"})"), HasSubstr(R"("Count":0)"));
}

// Each second's handler takes its own entries: what fell due while nobody ran goes side by side.
TEST(Expiry, SecondsThatFallDueTogetherLoseNoRacesAgainstEachOther) {
  Expiring world;
  for (int i = 0; i < 600; ++i) world.put_due_in("k" + std::to_string(i), 1 + i % 5);
  world.crash();
  world.advance(seconds(5));
  EXPECT_THAT(world.run("Scan", R"({"TableName":"Tab","Select":"COUNT"})"), HasSubstr(R"("Count":0)"));
}

TEST(Expiry, AnotherTimeIsAnotherChance) {
  Expiring world;
  world.put_due_in("later", 10);
  world.put_due_in("sooner", 100);
  world.put_due_in("never", 10);
  world.put_due_in("later", 20);
  world.put_due_in("sooner", 5);
  world.run("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":"never"}},"UpdateExpression":"REMOVE due"})");
  world.advance(seconds(15));
  EXPECT_TRUE(world.is_there("later"));
  EXPECT_FALSE(world.is_there("sooner"));
  EXPECT_TRUE(world.is_there("never"));
  world.advance(seconds(5));
  EXPECT_FALSE(world.is_there("later"));
}

TEST(Expiry, OnlyANumberOfSecondsCounts) {
  Expiring world;
  const std::string soon = std::to_string(world.now() + 10);
  world.put(R"({"k":{"S":"text"},"due":{"S":")" + soon + R"("}})");
  world.put_due("milliseconds", soon + "000");
  world.put_due("fraction", std::to_string(world.now() + 9) + ".5");
  world.put_due("exponent", std::to_string(world.now() / 100 * 100 + 100) + "e0");
  world.put_due("negative", "-5");
  world.put_due("huge", "1e60");
  world.put_due("long ago", "100");
  world.put_due("yesterday", std::to_string(world.now() - 86'400));
  world.advance(seconds(9));
  EXPECT_TRUE(world.is_there("fraction"));
  EXPECT_FALSE(world.is_there("yesterday")) << "what is due already goes at once";
  world.advance(seconds(200));
  for (const char* key : {"text", "milliseconds", "negative", "huge", "long ago"})
    EXPECT_TRUE(world.is_there(key)) << key;
  for (const char* key : {"fraction", "exponent"}) EXPECT_FALSE(world.is_there(key)) << key;
}

TEST(Expiry, ItemsFromBeforeExpireToo) {
  World world;
  world.create_table("Tab");
  const int64_t now = std::chrono::floor<seconds>(world.clock.now()).time_since_epoch().count();
  for (int i = 0; i < 1200; ++i) {
    world.put(R"({"k":{"S":")" + std::to_string(i) + R"("},"due":{"N":")" + std::to_string(now + 10) + R"("}})");
  }
  world.run("UpdateTimeToLive", kEnable);
  EXPECT_THAT(world.run("DescribeTimeToLive", R"({"TableName":"Tab"})"), HasSubstr("ENABL"));
  world.settle();
  EXPECT_THAT(world.run("DescribeTimeToLive", R"({"TableName":"Tab"})"), HasSubstr(R"("ENABLED")"));
  world.advance(seconds(10));
  EXPECT_THAT(world.run("Scan", R"({"TableName":"Tab","Select":"COUNT"})"), HasSubstr(R"("Count":0)"));
}

TEST(Expiry, NothingExpiresOnceItIsDisabled) {
  Expiring world;
  world.advance(std::chrono::minutes(31));
  world.put_due_in("a", 10);
  EXPECT_THAT(world.run("UpdateTimeToLive", kDisable), HasSubstr("Enabled"));
  world.advance(std::chrono::minutes(31));
  EXPECT_TRUE(world.is_there("a"));
  EXPECT_THAT(world.run("UpdateTimeToLive", kEnable), HasSubstr("Enabled"));
  world.settle();
  EXPECT_FALSE(world.is_there("a")) << "its time has passed meanwhile";
}

TEST(Expiry, TheStreamSaysThatTheServiceRemovedIt) {
  Expiring world("NEW_AND_OLD_IMAGES");
  world.put_due_in("a", 10);
  world.advance(seconds(10));
  std::string records;
  const auto described =
      world.ask("DescribeStream",
                R"({"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2026-03-14T00:00:00.000"})");
  for (const auto& shard : described.find("StreamDescription")->find("Shards")->array()) {
    const auto iterator = world.ask(
        "GetShardIterator",
        R"({"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2026-03-14T00:00:00.000","ShardId":")" +
            shard.find("ShardId")->string() + R"(","ShardIteratorType":"TRIM_HORIZON"})");
    records += world.run("GetRecords", R"({"ShardIterator":")" + iterator.find("ShardIterator")->string() + R"("})");
  }
  EXPECT_THAT(records, HasSubstr(R"("eventName":"REMOVE")"));
  EXPECT_THAT(records, HasSubstr(R"("userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"})"));
}

// A stream's records are forgotten after a day also if the service alone writes any.
TEST(Expiry, TheRecordsOfWhatItRemovedAreForgottenThoughNobodyWritesAnyMore) {
  using std::chrono::days;
  constexpr std::string_view kStream =
      "arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2026-03-14T00:00:00.000";
  Expiring world("NEW_AND_OLD_IMAGES");
  const auto described = world.ask("DescribeStream", R"({"StreamArn":")" + std::string(kStream) + "\"}");
  const auto has_records = [&] {
    bool any = false;
    for (const auto& shard : described.find("StreamDescription")->find("Shards")->array()) {
      const auto log = shard_log(kStream, shard.find("ShardId")->string());
      any = any || world.await(world.store->snapshot()->last_position(log)).has_value();
    }
    return any;
  };
  world.put_due_in("a", std::chrono::seconds(days(30)).count());
  EXPECT_TRUE(has_records());
  world.advance(days(3));
  EXPECT_FALSE(has_records()) << "that of the writer";
  world.advance(days(27) + seconds(1));
  EXPECT_FALSE(world.is_there("a"));
  EXPECT_TRUE(has_records());
  world.advance(days(2));
  EXPECT_FALSE(has_records());
}

// Who is killed between the commit and the note of it leaves nobody to give the space back until the next write does.
TEST(Expiry, RecordsThatNobodyWasLeftToForgetAreNotReadBeyondTheirDay) {
  using std::chrono::days;
  constexpr std::string_view kStream =
      "arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2026-03-14T00:00:00.000";
  bool were_left = false;
  for (int steps = 1; steps < 200 && !were_left; ++steps) {
    Expiring world("NEW_AND_OLD_IMAGES");
    const auto described = world.ask("DescribeStream", R"({"StreamArn":")" + std::string(kStream) + "\"}");
    const auto& shards = described.find("StreamDescription")->find("Shards")->array();
    const auto are_stored = [&] {
      return std::ranges::any_of(shards, [&](const json::Value& shard) {
        const auto log = shard_log(kStream, shard.find("ShardId")->string());
        return world.await(world.store->snapshot()->last_position(log)).has_value();
      });
    };
    const auto read = [&] {
      size_t records = 0;
      for (const json::Value& shard : shards) {
        const auto iterator = world.ask("GetShardIterator", base::cat(R"({"StreamArn":")", kStream, R"(","ShardId":")",
                                                                      shard.find("ShardId")->string(),
                                                                      R"(","ShardIteratorType":"TRIM_HORIZON"})"));
        const auto answer = world.ask("GetRecords", base::cat(R"({"ShardIterator":")",
                                                              iterator.find("ShardIterator")->string(), R"("})"));
        records += answer.find("Records")->array().size();
      }
      return records;
    };
    world.put_due_in("a", seconds(days(5)).count());
    world.advance(days(3));  // the writer's own record is forgotten
    world.clock.advance_to(world.clock.now() + days(2), {});
    for (int step = 0; step < steps; ++step) world.executor.run_one();
    world.crash();
    world.advance(days(2));
    were_left = are_stored();
    EXPECT_EQ(read(), 0u) << steps;
    if (!were_left) continue;
    world.put_due_in("b", seconds(days(30)).count());
    EXPECT_EQ(read(), 1u);
    world.advance(days(2));
    EXPECT_FALSE(are_stored());
  }
  EXPECT_TRUE(were_left) << "no kill came between the two";
}

TEST(Expiry, ItSurvivesACrash) {
  Expiring world;
  world.put_due_in("a", 10);
  world.crash();
  world.advance(seconds(10));
  EXPECT_FALSE(world.is_there("a"));
}

TEST(Expiry, ANewTableOfTheNameKeepsItsItems) {
  Expiring world;
  world.put_due_in("a", 10);
  world.run("DeleteTable", R"({"TableName":"Tab"})");
  world.create_table("Tab");
  world.put_due_in("a", 10);
  world.advance(seconds(20));
  EXPECT_TRUE(world.is_there("a"));
}

// Writers move the times of items about while the clock runs and the process dies; whatever happens, every item is
// there until its time and gone after it.
TEST(ExpirySimulation, EveryItemGoesAtItsTimeThroughCrashesAndConflicts) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed, store::SimFaults{});
    world.create_table("Tab");
    world.run("UpdateTimeToLive", kEnable);
    std::mt19937_64 random(seed);
    std::map<std::string, std::shared_ptr<World::Request>> last;  // write of each item
    std::map<std::string, int64_t> due;
    const auto seconds_now = [&] { return std::chrono::floor<seconds>(world.clock.now()).time_since_epoch().count(); };
    for (int step = 0; step < 150; ++step) {
      const std::string key = std::to_string(random() % 12);
      if (!last[key] || last[key]->done) {  // one write of an item at a time, so that the last one is known
        due[key] = seconds_now() + 1 + static_cast<int64_t>(random() % 30);
        last[key] = world.start("PutItem", R"({"TableName":"Tab","Item":{"k":{"S":")" + key + R"("},"due":{"N":")" +
                                               std::to_string(due[key]) + R"("}}})");
      }
      for (int i = static_cast<int>(random() % 20); i > 0; --i) world.executor.run_one();
      if (random() % 10 == 0) world.advance(seconds(random() % 8));
      if (random() % 40 == 0) {
        world.crash();
        for (auto& [name, request] : last) {
          if (!request->done) due.erase(name);  // nobody knows whether it was written
        }
        last.clear();
      }
    }
    world.settle();
    const int64_t now = seconds_now();
    for (const auto& [key, time] : due) {
      if (!last[key] || last[key]->answer != "{}") continue;
      const bool there = world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":")" + key + R"("}}})") != "{}";
      EXPECT_EQ(there, time > now) << "item " << key << " due " << time << " at " << now;
    }
    world.advance(seconds(60));
    EXPECT_THAT(world.run("Scan", R"({"TableName":"Tab","Select":"COUNT"})"), HasSubstr(R"("Count":0)"));
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
