// Subscription filters: what goes to functions and data streams, through failures and crashes.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "base/base64.h"
#include "services/logs/testing.h"
#include "store/keys.h"
#include "store/queue.h"
#include "store/test_queue_floors.h"
#include "wire/gunzip_stream.h"
#include "wire/shapes/kinesis.h"
#include "wire/shapes/lambda.h"

namespace tidemill::logs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using testing::World;

constexpr std::string_view kFunction = "arn:aws:lambda:us-east-1:000000000000:function:f";
constexpr std::string_view kStream = "arn:aws:kinesis:us-east-1:000000000000:stream/d";

json::Value unpacked(std::string_view bytes) {
  wire::GunzipStream stream;
  stream.add(std::string(bytes));
  std::string text;
  while (const auto part = stream.next()) text += *part;
  EXPECT_TRUE(stream.is_whole());
  return World::parse(text);
}

// What a data stream and a function were given, and what they answer.
struct Destinations {
  struct Record {
    std::string partition_key;
    json::Value document;
  };
  std::vector<Record> records;
  std::vector<json::Value> events;  // of the function
  bool is_function_there = true;
  std::string tells;                     // as whom
  std::function<std::string()> trouble;  // an error's code; "partial": takes one record; empty: none

  void add_to(wire::Registry& registry) {
    registry.add<wire::lambda::ops::Invoke>(
        [this](wire::Context& context, const wire::lambda::InvokeInput& request) -> Task<wire::lambda::InvokeOutput> {
          tells = context.principal.name();
          if (!is_function_there) throw wire::lambda::errors::resource_not_found_exception("Function not found");
          if (request.invocation_type == wire::lambda::InvocationType::kEvent) {
            const json::Value event = World::parse(request.payload.value_or(""));
            events.push_back(unpacked(*base::base64_decode(event.find("awslogs")->find("data")->string())));
          }
          co_return wire::lambda::InvokeOutput{};
        });
    registry.add<wire::kinesis::ops::PutRecord>(
        [this](wire::Context& context,
               const wire::kinesis::PutRecordInput& request) -> Task<wire::kinesis::PutRecordOutput> {
          tells = context.principal.name();
          fail(trouble ? trouble() : "");
          records.push_back({request.partition_key, unpacked(request.data)});
          co_return wire::kinesis::PutRecordOutput{};
        });
    registry.add<wire::kinesis::ops::PutRecords>(
        [this](wire::Context&, const wire::kinesis::PutRecordsInput& request) -> Task<wire::kinesis::PutRecordsOutput> {
          co_return put(request);
        });
  }

  wire::kinesis::PutRecordsOutput put(const wire::kinesis::PutRecordsInput& request) {
    const std::string wrong = trouble ? trouble() : "";
    if (wrong != "partial") fail(wrong);
    wire::kinesis::PutRecordsOutput out;
    for (const auto& entry : request.records) {
      auto& result = out.records.emplace_back();
      if (wrong == "partial" && &entry != &request.records.front()) {
        result.error_code = "ProvisionedThroughputExceededException";
      } else {
        records.push_back({entry.partition_key, unpacked(entry.data)});
      }
    }
    return out;
  }
  static void fail(const std::string& code) {
    if (!code.empty()) throw wire::Error(code, code == "InternalFailure" ? 500 : 400, "trouble");
  }

  // The messages of all records, in their order.
  [[nodiscard]] std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const Record& record : records) {
      if (record.document.find("messageType")->string() != "DATA_MESSAGE") continue;
      for (const std::string& message : World::texts_of(record.document, "logEvents", "message"))
        all.push_back(message);
    }
    return all;
  }
};

std::string put_filter(World& world, std::string_view name, std::string_view pattern, std::string_view destination,
                       std::string_view more = "") {
  return world.run("PutSubscriptionFilter",
                   World::of_group("g", base::cat(R"("filterName":")", name, R"(","filterPattern":")", pattern,
                                                  R"(","destinationArn":")", destination, "\"", more)));
}
std::string put_stream_filter(World& world, std::string_view name, std::string_view more = "") {
  return put_filter(world, name, "", kStream, base::cat(R"(,"roleArn":"arn:aws:iam::000000000000:role/r")", more));
}

TEST(Subscriptions, AFunctionGetsWhatMatchesInAwsForm) {
  World world;
  Destinations others;
  world.with([&](wire::Registry& registry) { others.add_to(registry); });
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "errors", "ERROR", kFunction), "{}");
  EXPECT_EQ(others.tells, "logs.amazonaws.com");
  const Milliseconds now = world.now();
  (void)world.put("g", "s", {{now, "ERROR one"}, {now, "fine"}, {now + 1, "ERROR two"}});
  (void)world.put("g", "s", {{now, "fine"}});
  world.settle();
  ASSERT_THAT(others.events, SizeIs(1));
  const json::Value& event = others.events[0];
  EXPECT_EQ(World::text(event, "messageType"), "DATA_MESSAGE");
  EXPECT_EQ(World::text(event, "owner"), "000000000000");
  EXPECT_EQ(World::text(event, "logGroup"), "g");
  EXPECT_EQ(World::text(event, "logStream"), "s");
  EXPECT_EQ(json::write(*event.find("subscriptionFilters")), R"(["errors"])");
  EXPECT_THAT(World::texts_of(event, "logEvents", "message"), ElementsAre("ERROR one", "ERROR two"));
  EXPECT_EQ(event.find("logEvents")->array()[1].find("timestamp")->to_int64(), now + 1);
  // The events have the ids by which a search shows them.
  EXPECT_EQ(World::texts_of(event, "logEvents", "id"),
            World::texts_of(world.filter("g", R"("filterPattern":"ERROR")"), "events", "eventId"));
}

TEST(Subscriptions, ADataStreamIsTriedAndThenGetsAStreamsEventsUnderOneKey) {
  World world;
  Destinations others;
  world.with([&](wire::Registry& registry) { others.add_to(registry); });
  world.create("g", "s");
  world.create_stream("g", "t");
  EXPECT_EQ(put_stream_filter(world, "all"), "{}");
  ASSERT_THAT(others.records, SizeIs(1));
  EXPECT_EQ(World::text(others.records[0].document, "messageType"), "CONTROL_MESSAGE");
  for (const std::string_view stream : {"s", "t", "s"}) {
    (void)world.put("g", stream, {{world.now(), "hello"}});
    world.settle();
  }
  ASSERT_THAT(others.records, SizeIs(4));
  EXPECT_EQ(others.records[1].partition_key, others.records[3].partition_key);
  EXPECT_NE(others.records[1].partition_key, others.records[2].partition_key);
  EXPECT_EQ(put_stream_filter(world, "all", R"(,"distribution":"Random")"), "{}");
  (void)world.put("g", "s", {{world.now(), "anywhere"}});
  world.settle();
  EXPECT_NE(others.records.back().partition_key, others.records[1].partition_key);
}

TEST(Subscriptions, WhatIsNoDestinationIsRefusedInAwsWords) {
  World world;
  Destinations others;
  world.with([&](wire::Registry& registry) { others.add_to(registry); });
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "f", "", kStream),
            "InvalidParameterException: destinationArn for vendor kinesis cannot be used without roleArn");
  EXPECT_EQ(put_filter(world, "f", "", kFunction, R"(,"roleArn":"arn:aws:iam::000000000000:role/r")"),
            "InvalidParameterException: destinationArn for vendor lambda cannot be used with roleArn");
  EXPECT_THAT(put_filter(world, "f", "", "arn:aws:sns:us-east-1:000000000000:t"), HasSubstr("for vendor sns"));
  EXPECT_THAT(put_filter(world, "f", "", "arn:aws:firehose:us-east-1:000000000000:deliverystream/d"),
              HasSubstr("Tidemill does not support the destination"));
  EXPECT_THAT(put_filter(world, "f", "{ $.a", kFunction), HasSubstr("InvalidParameterException: "));
  others.is_function_there = false;
  EXPECT_EQ(
      put_filter(world, "f", "", kFunction),
      "InvalidParameterException: Could not execute the lambda function. Make sure you have given CloudWatch Logs "
      "permission to execute your function.");
  others.trouble = [] { return "ResourceNotFoundException"; };
  EXPECT_THAT(put_stream_filter(world, "f"), HasSubstr("Could not deliver test message to specified Kinesis stream."));
}

TEST(Subscriptions, AGroupHasTwoFiltersThatAreShownAndDeleted) {
  World world;
  Destinations others;
  world.with([&](wire::Registry& registry) { others.add_to(registry); });
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "b", "", kFunction), "{}");
  EXPECT_EQ(put_filter(world, "a", "", kFunction), "{}");
  EXPECT_EQ(put_filter(world, "c", "", kFunction), "LimitExceededException: Resource limit exceeded.");
  EXPECT_EQ(put_filter(world, "b", "ERROR", kFunction), "{}") << "a filter may be put anew";
  const json::Value first = world.ask("DescribeSubscriptionFilters", World::of_group("g", R"("limit":1)"));
  EXPECT_THAT(World::texts_of(first, "subscriptionFilters", "filterName"), ElementsAre("a"));
  EXPECT_THAT(World::texts_of(first, "subscriptionFilters", "distribution"), ElementsAre("ByLogStream"));
  const json::Value second =
      world.ask("DescribeSubscriptionFilters",
                World::of_group("g", base::cat(R"("nextToken":")", World::text(first, "nextToken"), "\"")));
  EXPECT_THAT(World::texts_of(second, "subscriptionFilters", "filterPattern"), ElementsAre("ERROR"));
  EXPECT_EQ(world.run("DeleteSubscriptionFilter", World::of_group("g", R"("filterName":"a")")), "{}");
  EXPECT_THAT(world.run("DeleteSubscriptionFilter", World::of_group("g", R"("filterName":"a")")),
              HasSubstr("ResourceNotFoundException: The specified subscription filter does not exist."));
}

TEST(Subscriptions, EventsThatAreTooMuchForOneDocumentComeInSeveral) {
  World world;
  Destinations others;
  world.with([&](wire::Registry& registry) { others.add_to(registry); });
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "all", "", kFunction), "{}");
  World::Events events;
  for (int i = 0; i < 10; ++i) events.emplace_back(world.now(), std::string(60'000, static_cast<char>('a' + i)));
  (void)world.put("g", "s", events);
  world.settle();
  EXPECT_GE(others.events.size(), 4u);
  size_t count = 0;
  for (const json::Value& event : others.events) {
    EXPECT_LE(json::write(event).size(), 200'000u);
    count += event.find("logEvents")->array().size();
  }
  EXPECT_EQ(count, 10u);
}

TEST(Subscriptions, WhatADataStreamRefusesIsDroppedAndWhatItCannotTakeNowComesLater) {
  World world;
  Destinations others;
  world.with([&](wire::Registry& registry) { others.add_to(registry); });
  world.create("g", "s");
  EXPECT_EQ(put_stream_filter(world, "all"), "{}");
  others.trouble = [] { return "InternalFailure"; };
  (void)world.put("g", "s", {{world.now(), "one"}});
  (void)world.put("g", "s", {{world.now(), "two"}});
  world.advance(1min);
  EXPECT_THAT(others.messages(), SizeIs(0));
  others.trouble = nullptr;
  world.advance(5min);
  EXPECT_THAT(others.messages(), ElementsAre("one", "two"));
  others.trouble = [] { return "ResourceNotFoundException"; };
  (void)world.put("g", "s", {{world.now(), "lost"}});
  world.settle();
  others.trouble = nullptr;
  (void)world.put("g", "s", {{world.now(), "three"}});
  world.advance(5min);
  EXPECT_THAT(others.messages(), ElementsAre("one", "two", "three"));
}

TEST(Subscriptions, AreDroppedWithTheirGroupAndAfterADay) {
  World world;
  Destinations others;
  world.with([&](wire::Registry& registry) { others.add_to(registry); });
  world.create("g", "s");
  EXPECT_EQ(put_stream_filter(world, "all"), "{}");
  others.trouble = [] { return "InternalFailure"; };
  (void)world.put("g", "s", {{world.now(), "old"}});
  world.advance(24h);
  (void)world.put("g", "s", {{world.now(), "young"}});
  world.advance(1h);
  others.trouble = nullptr;
  world.advance(5min);
  EXPECT_THAT(others.messages(), ElementsAre("young"));
  others.trouble = [] { return "InternalFailure"; };
  (void)world.put("g", "s", {{world.now(), "of a group that is gone"}});
  world.settle();
  (void)world.run("DeleteLogGroup", World::of_group("g"));
  others.trouble = nullptr;
  world.advance(5min);
  EXPECT_THAT(others.messages(), ElementsAre("young"));
}

size_t floors_of_logs(World& world) {
  size_t count = 0;
  const auto look = [&]() -> Task<bool> {
    const auto snapshot = world.store->snapshot();
    const store::Range floors = store::Queue::floors(std::string(1, static_cast<char>(store::KeySpace::log_event)));
    co_await snapshot->scan(floors, store::Direction::forward, [&](std::string_view, std::string_view) {
      ++count;
      return true;
    });
    co_return true;
  };
  (void)world.await(look());
  return count;
}

// Their keys are dead for a while: looks for what waits must not step over all of them.
TEST(Subscriptions, LooksBeginBehindWhatHasGoneOut) {
  World world;
  Destinations others;
  world.with([&](wire::Registry& registry) { others.add_to(registry); });
  world.create("g", "s");
  EXPECT_EQ(put_stream_filter(world, "all"), "{}");
  for (size_t i = 0; i <= store::FloorPace::kLooksMax; ++i) {
    (void)world.put("g", "s", {{world.now(), "hello"}});
    world.settle();
  }
  EXPECT_THAT(others.messages(), SizeIs(store::FloorPace::kLooksMax + 1));
  EXPECT_EQ(floors_of_logs(world), 1u);
  EXPECT_EQ(store::entry_below_floor(world.disk), "");
  EXPECT_EQ(world.run("DeleteLogStream", World::of_stream("g", "s")), "{}");
  EXPECT_EQ(floors_of_logs(world), 0u);
}

// Seeds drive writers through conflicts, crashes and a data stream that is out of order.
TEST(Subscriptions, NothingAcknowledgedIsLostAndEachStreamsEventsKeepTheirOrder) {
  const char* wanted = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = wanted ? std::strtoull(wanted, nullptr, 10) : 40;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed, store::SimFaults{});
    Destinations others;
    std::mt19937_64 random(seed);
    world.with([&](wire::Registry& registry) { others.add_to(registry); });
    world.create("g", "s");
    world.create_stream("g", "t");
    ASSERT_EQ(put_stream_filter(world, "all"), "{}");
    constexpr std::string_view kTroubles[] = {"", "", "partial", "InternalFailure",
                                              "ProvisionedThroughputExceededException"};
    others.trouble = [&] { return std::string(kTroubles[random() % std::size(kTroubles)]); };
    std::map<std::string, std::vector<std::string>> acknowledged;
    int number = 0;
    for (int step = 0; step < 60; ++step) {
      const std::string stream = random() % 2 == 0 ? "s" : "t";
      const std::string message = base::cat(stream, "-", ++number);
      const auto request = world.start("PutLogEvents", World::put_body("g", stream, {{world.now(), message}}));
      for (int i = 0; i < 200 && !request->done; ++i) world.executor.run_one();
      if (request->done && !request->refused) acknowledged[stream].push_back(message);
      if (random() % 4 == 0) world.advance(std::chrono::milliseconds(random() % 500));
      if (random() % 12 == 0) world.crash();
      ASSERT_EQ(store::entry_below_floor(world.disk), "");
    }
    others.trouble = nullptr;
    world.advance(5min);
    for (const auto& [stream, messages] : acknowledged) {
      std::vector<std::string> came;  // each where it came first
      for (const std::string& message : others.messages()) {
        if (std::ranges::find(messages, message) == messages.end()) continue;
        if (std::ranges::find(came, message) == came.end()) came.push_back(message);
      }
      EXPECT_EQ(came, messages);
    }
    ASSERT_GT(number, 30);
  }
}

}  // namespace
}  // namespace tidemill::logs
