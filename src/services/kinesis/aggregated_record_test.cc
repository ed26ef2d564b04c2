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

// As aws-kinesis-agg 4.2.8 for Node.js writes three records, of which the second has an explicit hash key.
TEST(AggregatedRecordTest, WhatAnotherImplementationWritesIsRead) {
  constexpr unsigned char kBytes[] = {
      0xf3, 0x89, 0x9a, 0xc2, 0x0a, 0x05, 0x6b, 0x65, 0x79, 0x2d, 0x31, 0x0a, 0x05, 0x6b, 0x65, 0x79, 0x2d, 0x32,
      0x12, 0x14, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36,
      0x37, 0x38, 0x39, 0x30, 0x1a, 0x09, 0x08, 0x00, 0x1a, 0x05, 0x66, 0x69, 0x72, 0x73, 0x74, 0x1a, 0x0c, 0x08,
      0x01, 0x10, 0x00, 0x1a, 0x06, 0x73, 0x65, 0x63, 0x6f, 0x6e, 0x64, 0x1a, 0x04, 0x08, 0x00, 0x1a, 0x00, 0x89,
      0x96, 0x5d, 0xbc, 0xdd, 0x12, 0xac, 0x5f, 0xc6, 0x4f, 0x8e, 0x1e, 0xcc, 0xb7, 0x6c, 0x53};
  const std::string_view data(reinterpret_cast<const char*>(kBytes), sizeof(kBytes));
  EXPECT_EQ(texts(data), "key-1=first key-2=second key-1=");
  EXPECT_TRUE((*parse_aggregated_record(data))[1].hash_key() == HashKey{12345678901234567890U});
}

}  // namespace
}  // namespace tidemill::kinesis
