#include "engine/mappings/batch.h"

#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

using std::chrono::seconds;

constexpr base::Time kNow{std::chrono::hours(1)};

StreamRecord record(uint64_t version, size_t bytes = 2, base::Duration age = {}) {
  std::string json(bytes, 'x');
  json.front() = '{';
  json.back() = '}';
  return {.position = {{version}, 0}, .sequence_number = "", .arrival = kNow - age, .event_json = std::move(json)};
}

std::deque<StreamRecord> records(size_t count, size_t bytes = 2) {
  std::deque<StreamRecord> all;
  for (size_t i = 1; i <= count; ++i) all.push_back(record(i, bytes));
  return all;
}

TEST(Batch, IsFullAtItsCount) {
  EXPECT_EQ(cut_batch(records(2), {.count_max = 3}).count, 2u);
  EXPECT_FALSE(cut_batch(records(2), {.count_max = 3}).full);
  EXPECT_EQ(cut_batch(records(3), {.count_max = 3}).count, 3u);
  EXPECT_TRUE(cut_batch(records(3), {.count_max = 3}).full);
  EXPECT_EQ(cut_batch(records(4), {.count_max = 3}).count, 3u);
  EXPECT_TRUE(cut_batch(records(1), {.count_max = 1}).full);
}

TEST(Batch, OfNothingIsEmptyAndNotFull) {
  const Batch batch = cut_batch({}, {.count_max = 1});
  EXPECT_EQ(batch.count, 0u);
  EXPECT_FALSE(batch.full);
  EXPECT_EQ(batch_payload({}, batch), R"({"Records":[]})");
}

TEST(Batch, CountsTheWholeEventTowardsSixMegabytes) {
  const size_t frame = std::string_view(R"({"Records":[]})").size();
  std::deque<StreamRecord> two = records(2, (kPayloadBytesMax - frame - 1) / 2);
  Batch batch = cut_batch(two, {.count_max = 100});
  EXPECT_EQ(batch.count, 2u);
  EXPECT_EQ(batch_payload(two, batch).size(), batch.payload_bytes);
  EXPECT_LE(batch.payload_bytes, kPayloadBytesMax);

  two.back() = record(2, two.back().event_json.size() + 2);
  batch = cut_batch(two, {.count_max = 100});
  EXPECT_EQ(batch.count, 1u);
  EXPECT_TRUE(batch.full);
}

TEST(Batch, TakesARecordThatIsTooLargeAlone) {
  std::deque<StreamRecord> all = records(1, kPayloadBytesMax + 1);
  all.push_back(record(2));
  const Batch batch = cut_batch(all, {.count_max = 100});
  EXPECT_EQ(batch.count, 1u);
  EXPECT_TRUE(batch.full);
}

TEST(Batch, ThatFailedEndsWhereItEnded) {
  const store::Position last{{2}, 0};
  EXPECT_EQ(cut_batch(records(5), {.count_max = 100, .last = last}).count, 2u);
  EXPECT_TRUE(cut_batch(records(2), {.count_max = 100, .last = last}).full);
  EXPECT_FALSE(cut_batch(records(1), {.count_max = 100, .last = last}).full);
  // Its records have been trimmed: nothing of it is left.
  EXPECT_EQ(cut_batch({record(7)}, {.count_max = 100, .last = last}).count, 0u);
}

TEST(Batch, PayloadListsRecordsInOrder) {
  std::deque<StreamRecord> all = records(3);
  all[0].event_json = R"({"a":1})";
  all[1].event_json = R"({"a":2})";
  const Batch batch = cut_batch(all, {.count_max = 2});
  EXPECT_EQ(batch_payload(all, batch), R"({"Records":[{"a":1},{"a":2}]})");
  EXPECT_EQ(batch_payload(all, batch).size(), batch.payload_bytes);
}

TEST(ExpiredPrefix, BeginsAtTheLimitAndEndsAtTheFirstYoungerRecord) {
  const std::deque<StreamRecord> all = {record(1, 2, seconds(61)), record(2, 2, seconds(60)), record(3, 2, seconds(59)),
                                        record(4, 2, seconds(90))};
  EXPECT_EQ(expired_prefix(all, kNow, seconds(60)), 2u);
  EXPECT_EQ(expired_prefix(all, kNow, seconds(61)), 1u);
  EXPECT_EQ(expired_prefix(all, kNow, seconds(100)), 0u);
  EXPECT_EQ(expired_prefix({}, kNow, seconds(60)), 0u);
}

}  // namespace
}  // namespace tidemill::engine
