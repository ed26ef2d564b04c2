// Changes of items on their way to a data stream: over both services and the forwarder, with crashes.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/base64.h"
#include "services/dynamodb/kinesis_forwarder.h"
#include "services/dynamodb/service.h"
#include "services/kinesis/service.h"
#include "services/test_world.h"
#include "store/failing_store.h"

namespace tidemill::dynamodb {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"dynamodb", "kinesis"}, seed, faults) {
    boot();
    run("CreateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST",)"
                       R"("AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],)"
                       R"("KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]})");
    run("kinesis", "CreateStream", R"({"StreamName":"changes","ShardCount":1})");
    settle();
  }
  ~World() { shut_down(); }

  std::string destination(std::string_view operation, std::string_view more = "") {
    return run(base::cat(operation, "KinesisStreamingDestination"),
               base::cat(R"({"TableName":"Tab","StreamArn":"arn:aws:kinesis:us-east-1:000000000000:stream/changes")",
                         more.empty() ? "" : ",", more, "}"));
  }
  std::string put(std::string_view key, int value) { return run("PutItem", put_body(key, value)); }
  static std::string put_body(std::string_view key, int value) {
    return base::cat(R"({"TableName":"Tab","Item":{"k":{"S":")", key, R"("},"v":{"N":")", value, "\"}}}");
  }
  // The records of the stream, as documents.
  std::vector<json::Value> changes() {
    std::vector<json::Value> result;
    const json::Value iterator =
        ask("kinesis", "GetShardIterator",
            R"({"StreamName":"changes","ShardId":"shardId-000000000000","ShardIteratorType":"TRIM_HORIZON"})");
    const json::Value page = ask("kinesis", "GetRecords",
                                 base::cat(R"({"ShardIterator":")", iterator.find("ShardIterator")->string(), "\"}"));
    for (const json::Value& record : page.find("Records")->array()) {
      result.push_back(parse(*base::base64_decode(record.find("Data")->string())));
    }
    return result;
  }
  // Of the stream's last record, behind all its pages.
  std::string last_changed_key() {
    std::string iterator =
        ask("kinesis", "GetShardIterator",
            R"({"StreamName":"changes","ShardId":"shardId-000000000000","ShardIteratorType":"TRIM_HORIZON"})")
            .find("ShardIterator")
            ->string();
    std::string key;
    while (true) {
      const json::Value page = ask("kinesis", "GetRecords", base::cat(R"({"ShardIterator":")", iterator, "\"}"));
      const json::Array& records = page.find("Records")->array();
      if (records.empty()) return key;
      const json::Value change = parse(*base::base64_decode(records.back().find("Data")->string()));
      key = change.find("dynamodb")->find("Keys")->find("k")->find("S")->string();
      iterator = page.find("NextShardIterator")->string();
    }
  }
  static std::string value_of(const json::Value& change) {
    return change.find("dynamodb")->find("NewImage")->find("v")->find("N")->string();
  }

  store::Troubles troubles;
  // Of each PutRecords.
  void let_judge(wire::Authorizer& authorizer) { forwarders_->authorizer = &authorizer; }

 private:
  void make_services() override {
    dynamodb_ = std::make_unique<Service>(*store, clock);
    dynamodb_->register_operations(*registry);
    dynamodb_->register_timers(*timers);
    kinesis_ = std::make_unique<kinesis::Service>(*store, clock);
    kinesis_->register_operations(*registry);
    kinesis_->register_timers(*timers);
    // In front of the forwarder alone.
    store = std::make_unique<store::FailingStore>(std::move(store), troubles);
    forwarders_ = std::make_unique<wire::Platform>(wire::Platform{*store, clock, metrics, *registry, &gathered});
    forwarder_ = std::make_unique<KinesisForwarder>(*forwarders_, ownership_);
  }
  void start_services() override { forwarder_->start(); }
  void drop_services() override {
    forwarder_.reset();
    forwarders_.reset();
    kinesis_.reset();
    dynamodb_.reset();
  }

  std::unique_ptr<Service> dynamodb_;
  std::unique_ptr<kinesis::Service> kinesis_;
  engine::SoleOwnership ownership_;
  std::unique_ptr<wire::Platform> forwarders_;
  std::unique_ptr<KinesisForwarder> forwarder_;
};

TEST(KinesisDestinationTest, AChangeOfAnItemBecomesARecord) {
  World world;
  world.put("a", 1);
  EXPECT_THAT(world.destination("Enable"), HasSubstr(R"("DestinationStatus":"ENABLING")"));
  world.put("a", 2);
  world.run("DeleteItem", R"({"TableName":"Tab","Key":{"k":{"S":"a"}}})");
  world.settle();
  const auto changes = world.changes();
  ASSERT_EQ(changes.size(), 2u);
  const json::Value& first = changes.front();
  EXPECT_EQ(first.find("eventName")->string(), "MODIFY");
  EXPECT_EQ(first.find("eventSource")->string(), "aws:dynamodb");
  EXPECT_EQ(first.find("recordFormat")->string(), "application/json");
  EXPECT_EQ(first.find("tableName")->string(), "Tab");
  EXPECT_EQ(first.find("eventID")->string().size(), 36u);
  EXPECT_TRUE(first.find("userIdentity")->is_null());
  EXPECT_EQ(json::write(*first.find("dynamodb")),
            R"({"ApproximateCreationDateTime":1773446400000,"Keys":{"k":{"S":"a"}},)"
            R"("NewImage":{"k":{"S":"a"},"v":{"N":"2"}},"OldImage":{"k":{"S":"a"},"v":{"N":"1"}},"SizeBytes":12})");
  EXPECT_EQ(changes.back().find("eventName")->string(), "REMOVE");
}

TEST(KinesisDestinationTest, ADestinationIsDescribedUpdatedAndDisabled) {
  World world;
  EXPECT_EQ(world.destination("Describe"), R"({"TableName":"Tab","KinesisDataStreamDestinations":[]})");
  world.destination("Enable");
  EXPECT_THAT(world.destination("Enable"), HasSubstr("must be DISABLED or ENABLE_FAILED to perform ENABLE operation."));
  EXPECT_THAT(world.destination("Describe"), HasSubstr(R"("DestinationStatus":"ACTIVE"})"));
  world.destination("Update",
                    R"("UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"})");
  world.put("a", 1);
  world.settle();
  EXPECT_THAT(json::write(world.changes().front()), HasSubstr(R"("ApproximateCreationDateTime":1773446400000000)"));
  EXPECT_THAT(world.destination("Disable"), HasSubstr("DISABLING"));
  world.put("a", 2);
  world.settle();
  EXPECT_EQ(world.changes().size(), 1u);
  EXPECT_THAT(world.destination("Describe"), HasSubstr("DISABLED"));
  EXPECT_THAT(world.destination("Disable"), HasSubstr("must be ACTIVE to perform DISABLE operation."));
}

// Enabled before, later changes could arrive before earlier ones.
TEST(KinesisDestinationTest, ADestinationIsDisablingUntilItsChangesHaveArrived) {
  World world;
  world.destination("Enable");
  world.settle();
  for (int i = 0; i < 20; ++i) world.start("PutItem", World::put_body(base::cat("k", i), 1));
  world.run("PutItem", World::put_body("last", 1));
  world.destination("Disable");
  EXPECT_THAT(world.destination("Describe"), HasSubstr(R"("DestinationStatus":"DISABLING")"));
  EXPECT_THAT(world.destination("Enable"), HasSubstr("must be DISABLED or ENABLE_FAILED to perform ENABLE operation."));
  world.settle();
  EXPECT_THAT(world.destination("Describe"), HasSubstr(R"("DestinationStatus":"DISABLED")"));
  EXPECT_THAT(world.destination("Enable"), HasSubstr("ENABLING"));
}

TEST(KinesisDestinationTest, AStreamThatIsNotThereIsRefused) {
  World world;
  world.run("kinesis", "DeleteStream", R"({"StreamName":"changes"})");
  world.settle();
  EXPECT_EQ(world.destination("Enable"), "ValidationException: User does not have a permission to use kinesis stream");
}

TEST(KinesisDestinationTest, AStreamThatGoesEndsItsDestination) {
  World world;
  world.destination("Enable");
  world.run("kinesis", "DeleteStream", R"({"StreamName":"changes"})");
  world.settle();
  world.put("a", 1);
  world.settle();
  EXPECT_THAT(world.destination("Describe"), HasSubstr("DISABLED"));
}

TEST(KinesisDestinationTest, WhatATableChangedBeforeItWasDeletedArrives) {
  World world;
  world.destination("Enable");
  const auto first = world.start("PutItem", World::put_body("a", 1));
  world.run("PutItem", World::put_body("b", 1));
  while (!first->done && world.executor.run_one()) {  // what is not acknowledged may come too late
  }
  world.run("DeleteTable", R"({"TableName":"Tab"})");
  world.settle();
  EXPECT_EQ(world.changes().size(), 2u);
}

// The store refuses commits while too many wait for the disk; the outbox is emptied all the same once they do not.
TEST(KinesisDestinationTest, ChangesArriveAfterTheStoreHadTooMuchToDo) {
  World world(1, {.conflict_probability = 0, .slow_commit_probability = 1});
  world.destination("Enable");
  std::vector<World::RequestPtr> puts;
  for (const int count : {17'000, 1'000, 1'000, 1'000, 1'000, 1'000, 1'000, 1'000, 1'000}) {
    for (int i = 0; i < count; ++i) {
      puts.push_back(world.start("PutItem", World::put_body(base::cat("k", puts.size()), 1)));
    }
    for (int steps = 0; steps < 1'000; ++steps) world.executor.run_one();
  }
  world.settle();
  EXPECT_TRUE(std::ranges::any_of(puts, [](const auto& put) { return put->refused; }));
  world.put("last", 1);
  world.settle();
  EXPECT_EQ(world.last_changed_key(), "last");
}

// As where no file can be opened: when the outboxes are listed, when one is read, and when what has arrived is to go. The clock stands
// meanwhile.
TEST(KinesisDestinationTest, ChangesArriveAfterTheStoreFailedForAMoment) {
  const std::runtime_error error("Too many open files");
  World world;
  world.troubles.snapshots.next(2, error);
  world.destination("Enable");
  world.put("a", 1);
  world.settle();
  EXPECT_EQ(world.last_changed_key(), "a");
  world.troubles.snapshots.next(3, error);
  world.put("b", 1);
  world.settle();
  EXPECT_EQ(world.last_changed_key(), "b");
  world.troubles.commits.next(3, error);
  world.put("c", 1);
  world.settle();
  world.put("d", 1);
  world.settle();
  EXPECT_EQ(world.last_changed_key(), "d");
  EXPECT_EQ(world.troubles.snapshots.left() + world.troubles.commits.left(), 0);
  world.destination("Disable");
  world.settle();
  EXPECT_THAT(world.destination("Describe"), HasSubstr("DISABLED"));
}

// A store that is busy when the records are put, for so many of them.
struct Busy final : wire::Authorizer {
  Task<void> authorize(const wire::Access&) override {
    if (times > 0) {
      --times;
      throw store::Overloaded("too much waits for the disk");
    }
    co_return;
  }
  int times = 3;
};

// The clock stands meanwhile.
TEST(KinesisDestinationTest, ChangesArriveAfterTheStoreWasBusy) {
  Busy busy;
  World world;
  world.let_judge(busy);
  world.destination("Enable");
  world.put("a", 1);
  world.settle();
  EXPECT_EQ(busy.times, 0);
  EXPECT_EQ(world.last_changed_key(), "a");
  world.troubles.commits.next(3, store::Overloaded("too much waits for the disk"));
  world.put("b", 1);
  world.settle();
  world.put("c", 1);
  world.settle();
  EXPECT_EQ(world.troubles.commits.left(), 0);
  EXPECT_EQ(world.last_changed_key(), "c");
}

// Whatever crashes: each acknowledged change arrives, and an item's changes arrive in their order.
TEST(KinesisDestinationTest, ChangesArriveThroughCrashes) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(base::cat("seed ", seed));
    World world(seed, store::SimFaults{});
    std::mt19937_64 random(seed);
    world.destination("Enable");
    std::map<std::string, int> acknowledged;
    for (int i = 1; i <= 40; ++i) {
      const std::string key = base::cat("k", random() % 3);
      if (world.put(key, i) == "{}") acknowledged[key] = i;
      for (int steps = static_cast<int>(random() % 20); steps > 0; --steps) world.executor.run_one();
      if (random() % 10 == 0) world.crash();
    }
    world.settle();
    std::map<std::string, int> arrived;  // the last new one of each item
    std::map<std::string, std::set<int>> all;
    for (const json::Value& change : world.changes()) {
      const std::string key = change.find("dynamodb")->find("Keys")->find("k")->find("S")->string();
      const int value = std::stoi(World::value_of(change));
      // Twice is fine; an older one that was never seen before a newer one is not.
      if (all[key].insert(value).second) EXPECT_GT(value, arrived[key]);
      arrived[key] = std::max(arrived[key], value);
    }
    for (const auto& [key, value] : acknowledged) EXPECT_GE(arrived[key], value) << key;
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
