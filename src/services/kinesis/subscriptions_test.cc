// Consumers that have the records of a shard pushed to them.
#include "services/kinesis/testing.h"
#include "wire/shapes/kinesis.h"

namespace tidemill::kinesis {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::text_at;
using testing::World;

namespace shapes = wire::kinesis;

using Events = wire::EventStream<shapes::SubscribeToShardEventStream>;

// A client that takes events as they come.
struct Client {
  std::vector<shapes::SubscribeToShardEvent> events;
  bool ended = false;
  std::string error;

  [[nodiscard]] std::vector<std::string> data() const {
    std::vector<std::string> result;
    for (const auto& event : events) {
      for (const auto& record : event.records) result.push_back(record.data);
    }
    return result;
  }
};

class SubscribeWorld : public World {
 public:
  SubscribeWorld() {
    create_stream("s", 1);
    consumer =
        text_at(*ask("RegisterStreamConsumer", base::cat(R"({"StreamARN":")", arn("s"), R"(","ConsumerName":"c"})"))
                     .find("Consumer"),
                "ConsumerARN");
  }

  // A subscription that is read until it ends, or its client leaves.
  std::shared_ptr<Client> subscribe(base::Scope& scope, std::string type = "TRIM_HORIZON",
                                    std::optional<std::string> sequence_number = std::nullopt) {
    auto client = std::make_shared<Client>();
    const base::Executor::Enter enter(executor);
    scope.spawn(follow(
        client, {.consumer_arn = consumer,
                 .shard_id = shard_id(0),
                 .starting_position = {.type = std::move(type), .sequence_number = std::move(sequence_number)}}));
    settle();
    return client;
  }

  std::string consumer;

 private:
  Task<void> follow(std::shared_ptr<Client> client, shapes::SubscribeToShardInput request) {
    wire::Context context(*platform, std::string(kAccount), std::string(kRegion), "request", "tester");
    try {
      const auto output = co_await registry->call<shapes::ops::SubscribeToShard>(context, request);
      const Events events = output.event_stream;
      while (auto event = co_await events.next()) client->events.push_back(*std::move(event->subscribe_to_shard_event));
    } catch (const wire::Error& error) {
      client->error = error.code;
    }
    client->ended = true;
  }
};

TEST(SubscriptionsTest, RecordsArePushedAsTheyAreCommitted) {
  SubscribeWorld world;
  world.put("s", "k", "1");
  base::Scope scope;
  const auto client = world.subscribe(scope);
  EXPECT_THAT(client->data(), ElementsAre("1"));
  const auto put = world.put("s", "k", "2");
  world.settle();
  EXPECT_THAT(client->data(), ElementsAre("1", "2"));
  EXPECT_EQ(client->events.back().millis_behind_latest, 0);
  EXPECT_GE(client->events.back().continuation_sequence_number.value(), put.sequence_number);
  world.leave(scope);
}

TEST(SubscriptionsTest, ASubscriptionGoesOnAfterItsContinuation) {
  SubscribeWorld world;
  world.put("s", "k", "1");
  base::Scope first;
  const auto client = world.subscribe(first);
  const std::string continuation = client->events.back().continuation_sequence_number.value();
  world.leave(first);
  world.put("s", "k", "2");
  base::Scope second;
  EXPECT_THAT(world.subscribe(second, "AFTER_SEQUENCE_NUMBER", continuation)->data(), ElementsAre("2"));
  world.leave(second);
}

TEST(SubscriptionsTest, AnIdleSubscriptionBeatsEveryFiveSecondsAndEndsAfterFiveMinutes) {
  SubscribeWorld world;
  base::Scope scope;
  const auto client = world.subscribe(scope, "LATEST");
  EXPECT_EQ(client->events.size(), 1u);
  world.advance(5s);
  EXPECT_EQ(client->events.size(), 2u);
  EXPECT_THAT(client->data(), IsEmpty());
  world.advance(5min);
  EXPECT_TRUE(client->ended);
  EXPECT_EQ(client->error, "");
}

TEST(SubscriptionsTest, ASecondSubscriptionIsRefusedAtFirstAndTakesOverLater) {
  SubscribeWorld world;
  base::Scope scope;
  const auto first = world.subscribe(scope);
  world.advance(4s);
  EXPECT_EQ(world.subscribe(scope)->error, "ResourceInUseException");
  world.advance(1s);
  const auto third = world.subscribe(scope);
  EXPECT_EQ(first->error, "ResourceInUseException");
  EXPECT_FALSE(third->ended);
  world.leave(scope);
}

TEST(SubscriptionsTest, AClosedShardEndsWithItsChildren) {
  SubscribeWorld world;
  base::Scope scope;
  const auto client = world.subscribe(scope);
  world.put("s", "k", "last");
  world.run("UpdateShardCount", World::of_stream("s", R"("TargetShardCount":2,"ScalingType":"UNIFORM_SCALING")"));
  world.settle();
  EXPECT_TRUE(client->ended);
  EXPECT_THAT(client->data(), ElementsAre("last"));
  const auto& last = client->events.back();
  ASSERT_TRUE(last.child_shards);
  EXPECT_EQ(last.child_shards->size(), 2u);
  EXPECT_FALSE(last.continuation_sequence_number) << "clients know the end of a shard by this";
  EXPECT_TRUE(client->events.front().continuation_sequence_number);
}

TEST(SubscriptionsTest, TheEndOfAShardIsAnEventBehindItsRecords) {
  SubscribeWorld world;
  world.put("s", "k", "last");
  world.run("UpdateShardCount", World::of_stream("s", R"("TargetShardCount":2,"ScalingType":"UNIFORM_SCALING")"));
  world.settle();
  base::Scope scope;
  const auto client = world.subscribe(scope);
  EXPECT_TRUE(client->ended);
  ASSERT_EQ(client->events.size(), 2u);
  EXPECT_THAT(client->data(), ElementsAre("last"));
  EXPECT_TRUE(client->events.front().continuation_sequence_number);
  EXPECT_FALSE(client->events.front().child_shards);
  EXPECT_THAT(client->events.back().records, IsEmpty());
  EXPECT_FALSE(client->events.back().continuation_sequence_number);
}

TEST(SubscriptionsTest, WhoIsDeregisteredIsCutOff) {
  SubscribeWorld world;
  base::Scope scope;
  const auto client = world.subscribe(scope);
  world.run("DeregisterStreamConsumer", base::cat(R"({"ConsumerARN":")", world.consumer, "\"}"));
  world.settle();
  EXPECT_EQ(client->error, "ResourceNotFoundException");
  EXPECT_EQ(world.subscribe(scope)->error, "ResourceNotFoundException");
}

}  // namespace
}  // namespace tidemill::kinesis
