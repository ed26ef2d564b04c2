// How messages lie in the store, in all their states: what there was before the one entry of a small message, what is
// left of a message that is gone, and what a large one is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "services/sqs/counts.h"
#include "services/sqs/message_keys.h"
#include "services/sqs/taking.h"
#include "services/sqs/testing.h"

namespace tidemill::sqs {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::World;

// The parts of the key space that hold something, once for each entry: "mv".
std::string parts(World& world) {
  std::string found;
  for (const auto& [key, value] : world.disk.data) {
    if (key[0] == 'Q') found += key[1 + kQueueIdSize];
  }
  return found;
}

std::string body_of(std::string_view text) { return base::cat(R"("MessageBody":")", text, "\""); }

const std::string kLarge(MessageRecord::kMessageBytesMax, 'x');

TEST(MessageLayoutTest, AMessageIsOneEntryUntilItIsReceived) {
  World world;
  world.create_queue("q");
  world.send("q", body_of("small"));
  EXPECT_EQ(parts(world), "v");
  const auto received = world.receive("q");
  EXPECT_EQ(parts(world), "mv");
  world.remove("q", received.at(0));
  EXPECT_EQ(parts(world), "");
}

TEST(MessageLayoutTest, ALargeMessageIsWrittenOnce) {
  World world;
  world.create_queue("q");
  world.send("q", body_of(kLarge));
  EXPECT_EQ(parts(world), "bmv");
  const auto received = world.receive("q");
  EXPECT_THAT(World::bodies(received), ElementsAre(kLarge));
  EXPECT_EQ(parts(world), "bmv");
  world.remove("q", received.at(0));
  EXPECT_EQ(parts(world), "");
}

TEST(MessageLayoutTest, NothingIsLeftOfADelayedOrHiddenMessage) {
  World world;
  world.create_queue("q");
  world.send("q", base::cat(body_of("later"), R"(,"DelaySeconds":5)"));
  EXPECT_EQ(world.counts("q"), "0 0 1");
  world.advance(5s);
  const auto received = world.receive("q");
  EXPECT_EQ(world.hide("q", received.at(0), 100), "{}");
  EXPECT_EQ(world.counts("q"), "0 1 0");
  world.remove("q", received.at(0));
  EXPECT_EQ(parts(world), "");
}

TEST(MessageLayoutTest, NothingIsLeftOfExpiredMessages) {
  for (const std::string& body : {std::string("small"), kLarge}) {
    World world;
    world.create_queue("q", R"("MessageRetentionPeriod":"60","VisibilityTimeout":"1")");
    world.send("q", body_of(body));
    world.receive("q");
    world.advance(30s);
    world.send("q", body_of(body));
    EXPECT_EQ(world.counts("q"), "2 0 0");
    world.advance(31s);
    EXPECT_EQ(world.counts("q"), "1 0 0");
    EXPECT_THAT(parts(world), SizeIs(body == kLarge ? 3 : 1)) << "the first is gone, the second is as it was";
    world.advance(60s);
    EXPECT_EQ(parts(world), "");
  }
}

TEST(MessageLayoutTest, AnExpiredMessageThatAReceiverComesUponIsGone) {
  World world;
  world.create_queue("q", R"("MessageRetentionPeriod":"1209600")");
  world.send("q", body_of("old"));
  world.advance(100s);
  world.run("SetQueueAttributes", World::of_queue("q", R"("Attributes":{"MessageRetentionPeriod":"60"})"));
  EXPECT_THAT(world.receive("q"), IsEmpty());
  world.settle();
  EXPECT_EQ(parts(world), "");
}

TEST(MessageLayoutTest, AMessageThatIsGivenUpKeepsItsBodyAndLeavesNothingBehind) {
  for (const std::string& body : {std::string("small"), kLarge}) {
    World world;
    world.create_queue("dead");
    world.create_queue_with_target("q", "dead", 1);
    world.send("q", body_of(body));
    world.receive("q", R"("VisibilityTimeout":0)");
    EXPECT_THAT(world.receive("q"), IsEmpty());
    const auto dead = world.receive("dead");
    EXPECT_THAT(World::bodies(dead), ElementsAre(body));
    world.remove("dead", dead.at(0));
    EXPECT_EQ(parts(world), "");
  }
}

TEST(MessageLayoutTest, AttributesCountAmongWhatOneReceiveMayCarry) {
  World world;
  world.create_queue("q", R"("MaximumMessageSize":"1048576")");
  const std::string attribute(1'000'000, 'x');
  for (int i = 0; i < 10; ++i) {
    world.send("q", base::cat(body_of("x"), R"(,"MessageAttributes":{"a":{"DataType":"String","StringValue":")", attribute,
                              "\"}}"));
  }
  EXPECT_EQ(world.receive("q").size(), Taking::kBytesMax / attribute.size() + 1) << "all that begin below the bound";
}

// As versions before the one entry wrote it.
void put_in_three_parts(World& world, const std::string& queue_id, std::string_view body, base::Time now) {
  Positions positions;
  (void)world.await(world.store->transact([&](store::Transaction& txn) -> Task<bool> {
    const Position position = positions.next(txn.version());
    const Message message{.id = "0", .sender = "000000000000", .body = std::string(body)};
    txn.put(message_key(queue_id, position), encode_message(message));
    txn.put(state_key(queue_id, position), encode_record({{.sent = now, .available = now}, ""}));
    txn.put(available_key(queue_id, now, position.bytes), "");
    txn.erase(is_counted_key(queue_id));
    txn.erase_range(counts_range(queue_id));
    co_return true;
  }));
}

TEST(MessageLayoutTest, MessagesOfEarlierVersionsAreReadAndGo) {
  World world;
  world.create_queue("q");
  world.send("q", body_of("first"));
  std::string id;
  for (const auto& [key, value] : world.disk.data) {
    if (key[0] == 'Q') id = key.substr(1, kQueueIdSize);
  }
  world.advance(1s);
  put_in_three_parts(world, id, "second", world.clock.now());
  EXPECT_EQ(parts(world), "bmvv");
  EXPECT_EQ(world.counts("q"), "2 0 0");
  const auto received = world.receive("q");
  EXPECT_THAT(World::bodies(received), ElementsAre("first", "second"));
  EXPECT_EQ(world.counts("q"), "0 2 0");
  for (const auto& message : received) EXPECT_EQ(world.remove("q", message), "{}");
  EXPECT_EQ(parts(world), "");
}

TEST(MessageLayoutTest, DamagedRecordsAreRefused) {
  const MessageRecord whole{{.receives = 3}, "message"};
  const std::string bytes = encode_record(whole);
  EXPECT_EQ(decode_record(bytes).message, "message");
  EXPECT_EQ(decode_record(bytes).state.receives, 3u);
  EXPECT_EQ(decode_record(encode_record({{.receives = 3}, ""})).message, "");
  EXPECT_THROW((void)decode_record(bytes.substr(0, bytes.size() - 7)), std::runtime_error) << "its message is missing";
  EXPECT_THROW((void)decode_record(bytes.substr(0, 10)), std::runtime_error);
  EXPECT_THROW((void)decode_record(""), std::runtime_error);
}

}  // namespace
}  // namespace tidemill::sqs
