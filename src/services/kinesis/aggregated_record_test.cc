#include "services/kinesis/aggregated_record.h"

#include <gtest/gtest.h>

#include "services/kinesis/testing_aggregation.h"

namespace tidemill::kinesis {
namespace {

using testing::aggregated;
using testing::bytes_field;
using testing::user_record;
using testing::varint_field;
using testing::wrapped;

// "a=1 b=2": keys and data.
std::string texts(std::string_view data) {
  const auto records = parse_aggregated_record(data);
  if (!records) return "none";
  std::string text;
  for (const UserRecord& record : *records) {
    if (!text.empty()) text += " ";
    text += std::string(record.partition_key) + "=" + std::string(record.data);
  }
  return text;
}

TEST(AggregatedRecordTest, ItsUserRecordsHaveTheirOwnKeysAndData) {
  EXPECT_EQ(texts(aggregated({{"a", "1"}, {"b", ""}, {"a", "3"}})), "a=1 b= a=3");
}

TEST(AggregatedRecordTest, RecordsMayShareKeysAndStandBeforeThem) {
  EXPECT_EQ(texts(wrapped(user_record(1, "x") + user_record(1, "y") + bytes_field(1, "a") + bytes_field(1, "b"))),
            "b=x b=y");
}

TEST(AggregatedRecordTest, AnExplicitHashKeyCountsInsteadOfTheKeysHash) {
  const std::string record = bytes_field(3, varint_field(1, 0) + varint_field(2, 0) + bytes_field(3, "x"));
  const std::string data = wrapped(bytes_field(1, "a") + bytes_field(2, "17") + record + user_record(0, "y"));
  const auto records = parse_aggregated_record(data);
  ASSERT_TRUE(records);
  EXPECT_TRUE((*records)[0].hash_key() == HashKey{17});
  EXPECT_TRUE((*records)[1].hash_key() == hash_of("a"));
}

TEST(AggregatedRecordTest, TagsAndUnknownFieldsArePassedOver) {
  const std::string record =
      bytes_field(3, varint_field(1, 0) + bytes_field(3, "x") + bytes_field(4, "tag") + varint_field(9, 1));
  EXPECT_EQ(texts(wrapped(bytes_field(1, "a") + record + bytes_field(7, "new"))), "a=x");
}

TEST(AggregatedRecordTest, WhatIsNotOneToTheEndIsNone) {
  const std::string good = aggregated({{"a", "1"}});
  EXPECT_EQ(texts(""), "none");
  EXPECT_EQ(texts("plain data"), "none");
  EXPECT_EQ(texts("\xf3\x89\x9a\xc2"), "none");
  EXPECT_EQ(texts(good.substr(0, good.size() - 1)), "none");
  std::string other_digest = good;
  other_digest.back() ^= 1;
  EXPECT_EQ(texts(other_digest), "none");
  const std::string key = bytes_field(1, "a");
  EXPECT_EQ(texts(wrapped("")), "none");
  EXPECT_EQ(texts(wrapped(key)), "none") << "no record";
  EXPECT_EQ(texts(wrapped(key + user_record(1, "x"))), "none") << "no such key";
  EXPECT_EQ(texts(wrapped(key + bytes_field(3, varint_field(1, 0)))), "none") << "no data";
  EXPECT_EQ(texts(wrapped(key + bytes_field(3, bytes_field(3, "x")))), "none") << "no key";
  EXPECT_EQ(texts(wrapped(key + bytes_field(2, "no number") + user_record(0, "x"))), "none");
  EXPECT_EQ(texts(wrapped(bytes_field(1, "\xff") + user_record(0, "x"))), "none") << "a key that is no text";
  EXPECT_EQ(texts(wrapped(key + user_record(0, "x") + "\x1a\x05")), "none") << "a field cut off";
  EXPECT_EQ(texts(wrapped(key + user_record(0, "x") + varint_field(3, 1))), "none") << "a field of another type";
  EXPECT_EQ(texts(wrapped(key + user_record(0, "x") + "\x0b")), "none") << "a group";
}

// The message byte by byte, without the helpers: two records of one key.
TEST(AggregatedRecordTest, TheFormatsBytesAreRead) {
  const std::string message("\x0a\x02pk\x1a\x07\x08\x00\x1a\x03one\x1a\x07\x08\x00\x1a\x03two", 22);
  EXPECT_EQ(texts(wrapped(message)), "pk=one pk=two");
}

}  // namespace
}  // namespace tidemill::kinesis
