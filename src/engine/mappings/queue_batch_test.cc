#include "engine/mappings/queue_batch.h"

#include <gtest/gtest.h>

#include "engine/mappings/batch.h"

namespace tidemill::engine {
namespace {

using std::chrono::seconds;

std::vector<ReceivedMessage> messages(std::vector<std::string> records) {
  std::vector<ReceivedMessage> result;
  for (std::string& record : records) result.push_back({.event_json = std::move(record)});
  return result;
}

TEST(QueueBatch, TakesAsManyAsItMay) {
  const auto three = messages({"1", "2", "3"});
  EXPECT_EQ(cut_messages(three, 2).count, 2u);
  EXPECT_TRUE(cut_messages(three, 2).full);
  EXPECT_TRUE(cut_messages(three, 3).full);
  EXPECT_EQ(cut_messages(three, 4).count, 3u);
  EXPECT_FALSE(cut_messages(three, 4).full);
}

TEST(QueueBatch, EndsWhereTheEventWouldBecomeTooLarge) {
  constexpr size_t kFrame = 14;  // {"Records":[]}
  const size_t half = (kPayloadBytesMax - kFrame - 1) / 2;
  const auto fitting = messages({std::string(half, 'a'), std::string(half, 'b'), "c"});
  EXPECT_EQ(cut_messages(fitting, 10).count, 2u);
  EXPECT_TRUE(cut_messages(fitting, 10).full);
  EXPECT_LE(event_of(std::span(fitting).first(2)).size(), kPayloadBytesMax);
  const auto beyond = messages({std::string(half, 'a'), std::string(half + 2, 'b')});
  EXPECT_EQ(cut_messages(beyond, 10).count, 1u);
  EXPECT_TRUE(cut_messages(beyond, 10).full);
}

TEST(QueueBatch, AMessageThatIsTooLargeGoesAlone) {
  const auto huge = messages({std::string(kPayloadBytesMax + 1, 'a'), "b"});
  EXPECT_EQ(cut_messages(huge, 10).count, 1u);
}

TEST(QueueBatch, AnEventListsItsRecords) {
  EXPECT_EQ(event_of(messages({R"({"a":1})", R"({"b":2})"})), R"({"Records":[{"a":1},{"b":2}]})");
}

TEST(QueueBatch, AWindowStretchesAVisibilityTimeoutThatIsTooShort) {
  EXPECT_EQ(visibility_of(seconds(30), seconds(0), seconds(900)), seconds(30));
  EXPECT_EQ(visibility_of(seconds(30), seconds(20), seconds(10)), seconds(30));
  EXPECT_EQ(visibility_of(seconds(30), seconds(20), seconds(11)), seconds(61));
  EXPECT_EQ(visibility_of(seconds(100), seconds(20), seconds(60)), seconds(100));
}

}  // namespace
}  // namespace tidemill::engine
