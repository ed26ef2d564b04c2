// Counts of messages that are kept as messages come, change and go.
#include "services/sqs/counts.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "services/sqs/message_keys.h"
#include "services/sqs/testing.h"

namespace tidemill::sqs {
namespace {

using testing::World;
using namespace std::chrono_literals;

std::string body_of(std::string_view text) { return base::cat(R"("MessageBody":")", text, "\""); }

std::string queue_id(const World& world) {
  for (const auto& [key, value] : world.disk.data) {
    if (key[0] == 'Q') return std::string(queue_id_of_key(key));
  }
  return "";
}

size_t numbers(const World& world, const std::string& id) {
  const store::Range range = counts_range(id);
  size_t count = 0;
  for (const auto& [key, value] : world.disk.data) {
    if (range.begin <= key && key < range.end) ++count;
  }
  return count;
}

// As a version left it that did not count.
void forget_counts(World& world, const std::string& id) {
  (void)world.await(world.store->transact([&](store::Transaction& txn) -> Task<bool> {
    txn.erase(is_counted_key(id));
    txn.erase_range(counts_range(id));
    co_return true;
  }));
}

TEST(CountsTest, TimeAloneMovesMessagesFromOneCountToTheOther) {
  World world;
  world.create_queue("q");
  world.send("q", body_of("now"));
  world.send("q", base::cat(body_of("short"), R"(,"DelaySeconds":2)"));
  world.send("q", base::cat(body_of("long"), R"(,"DelaySeconds":900)"));
  EXPECT_EQ(world.receive("q", R"("VisibilityTimeout":43200)").size(), 1u);
  EXPECT_EQ(world.counts("q"), "0 1 2");
  world.advance(1900ms);
  EXPECT_EQ(world.counts("q"), "0 1 2");
  world.advance(100ms);
  EXPECT_EQ(world.counts("q"), "1 1 1");
  world.advance(895s);
  EXPECT_EQ(world.counts("q"), "1 1 1");
  world.advance(3s);
  EXPECT_EQ(world.counts("q"), "2 1 0");
  world.advance(42'200s);
  EXPECT_EQ(world.counts("q"), "2 1 0");
  world.advance(102s);
  EXPECT_EQ(world.counts("q"), "3 0 0");
}

TEST(CountsTest, ChangesOfVisibilityAndDeletionsLeaveNoNumberBehind) {
  World world;
  world.create_queue("q");
  for (int i = 0; i < 5; ++i) world.send("q", body_of("x"));
  auto received = world.receive("q");
  ASSERT_EQ(received.size(), 5u);
  EXPECT_EQ(world.hide("q", received[0], 0), "{}");
  EXPECT_EQ(world.hide("q", received[1], 3000), "{}");
  EXPECT_EQ(world.counts("q"), "1 4 0");
  const std::string id = queue_id(world);
  world.advance(31s);
  EXPECT_EQ(world.counts("q"), "4 1 0");
  received = world.receive("q", R"("MaxNumberOfMessages":10,"VisibilityTimeout":10)");
  ASSERT_EQ(received.size(), 4u);
  for (const auto& message : received) EXPECT_EQ(world.remove("q", message), "{}");
  EXPECT_EQ(world.counts("q"), "0 1 0");
  world.advance(1h);
  received = world.receive("q");
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(world.remove("q", received[0]), "{}");
  EXPECT_EQ(world.counts("q"), "0 0 0");
  EXPECT_EQ(numbers(world, id), 0u);
}

TEST(CountsTest, WhatIsGivenUpCountsWhereItGoes) {
  World world;
  world.create_queue("dead");
  world.create_queue_with_target("q", "dead", 1);
  world.send("q", body_of("x"));
  EXPECT_EQ(world.receive("q", R"("VisibilityTimeout":1)").size(), 1u);
  world.advance(2s);
  EXPECT_EQ(world.receive("q").size(), 0u);
  EXPECT_EQ(world.counts("q"), "0 0 0");
  EXPECT_EQ(world.counts("dead"), "1 0 0");
}

TEST(CountsTest, APurgedQueueAndOneMadeAgainCountFromNothing) {
  World world;
  world.create_queue("q");
  for (int i = 0; i < 3; ++i) world.send("q", body_of("x"));
  EXPECT_EQ(world.receive("q", R"("VisibilityTimeout":100)").size(), 1u);
  EXPECT_EQ(world.counts("q"), "2 1 0");
  (void)world.run("PurgeQueue", world.of_queue("q", ""));
  EXPECT_EQ(world.counts("q"), "0 0 0");
  world.send("q", body_of("x"));
  EXPECT_EQ(world.counts("q"), "1 0 0");
  const std::string id = queue_id(world);
  (void)world.run("DeleteQueue", world.of_queue("q", ""));
  EXPECT_EQ(numbers(world, id), 0u);
  world.create_queue("q");
  EXPECT_EQ(world.counts("q"), "0 0 0");
}

TEST(CountsTest, AQueueThatWasNeverCountedIsCountedOnce) {
  World world;
  world.create_queue("q");
  for (int i = 0; i < 4; ++i) world.send("q", body_of("x"));
  world.send("q", base::cat(body_of("later"), R"(,"DelaySeconds":60)"));
  const auto received = world.receive("q", R"("MaxNumberOfMessages":2,"VisibilityTimeout":100)");
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(world.counts("q"), "2 2 1");
  forget_counts(world, queue_id(world));
  // Numbers change before anybody asks: what they lack is found all the same.
  world.send("q", body_of("x"));
  EXPECT_EQ(world.remove("q", received[0]), "{}");
  EXPECT_EQ(world.counts("q"), "3 1 1");
  EXPECT_EQ(world.remove("q", received[1]), "{}");
  EXPECT_EQ(world.counts("q"), "3 0 1");
}

TEST(CountsTest, MessagesOfFifoQueuesCountOneByOne) {
  World world;
  world.create_queue("q.fifo", R"("FifoQueue":"true")");
  for (int i = 0; i < 3; ++i) world.send_fifo("q.fifo", "x", "g", std::to_string(i));
  world.send_fifo("q.fifo", "x", "h", "3");
  const auto received = world.receive("q.fifo", R"("MaxNumberOfMessages":2)");
  EXPECT_EQ(world.counts("q.fifo"), "2 2 0");
  forget_counts(world, queue_id(world));
  EXPECT_EQ(world.counts("q.fifo"), "2 2 0");
  for (const auto& message : received) EXPECT_EQ(world.remove("q.fifo", message), "{}");
  EXPECT_EQ(world.counts("q.fifo"), "2 0 0");
}

}  // namespace
}  // namespace tidemill::sqs
