#include "engine/mappings/mapping.h"

#include <gtest/gtest.h>

#include "base/ordered.h"

namespace tidemill::engine {
namespace {

TEST(MappingRecord, ReadsBackAsWritten) {
  Mapping mapping;
  mapping.uuid = "14e0db71-5d35-4eb5-b481-8945cf9d10c2";
  mapping.account = "000000000000";
  mapping.region = "us-east-1";
  mapping.event_source_arn = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2024";
  mapping.function_arn = "arn:aws:lambda:us-east-1:000000000000:function:f:$LATEST";
  mapping.batch_size = 10'000;
  mapping.batching_window_seconds = 300;
  mapping.starting_position = StartingPosition::trim_horizon;
  mapping.starting_timestamp = base::Time(base::Duration(1'560'209'851'000'000));
  mapping.filters = {R"({"eventName":["INSERT"]})", R"({"a":["\""]})"};
  mapping.report_item_failures = true;
  mapping.count_errors = true;
  mapping.tags = {{"team", "tide"}};
  mapping.parallelization_factor = 10;
  mapping.bisect_on_error = true;
  mapping.tumbling_window_seconds = 900;
  mapping.failure_destination = "arn:aws:sqs:us-east-1:000000000000:failures";
  mapping.concurrency_max = 1000;
  mapping.pollers_min = 1;
  mapping.pollers_max = 10'000;
  mapping.retry_attempts_max = 10'000;
  mapping.record_age_seconds_max = 604'800;
  mapping.last_role = "arn:aws:iam::000000000000:role/reader";
  mapping.state = MappingState::deleting;
  mapping.last_modified = base::Time(base::Duration(1'560'209'851'963'001));

  const std::string bytes = encode_mapping(mapping);
  const auto read = decode_mapping(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(encode_mapping(*read), bytes);
  EXPECT_EQ(read->function_arn, mapping.function_arn);
  EXPECT_EQ(read->last_role, mapping.last_role);
  EXPECT_EQ(read->batch_size, 10'000);
  EXPECT_EQ(read->filters, mapping.filters);
  EXPECT_EQ(read->tags, mapping.tags);
  EXPECT_EQ(read->pollers_max, 10'000);
  EXPECT_EQ(read->starting_position, StartingPosition::trim_horizon);
  EXPECT_EQ(read->state, MappingState::deleting);
  EXPECT_EQ(read->last_modified, mapping.last_modified);
}

TEST(MappingRecord, IsReadInTheFormatBeforeThis) {
  std::string bytes("\x01", 1);
  for (const char* text : {"u", "000000000000", "us-east-1", "arn:stream", "arn:function"}) {
    base::append_string(bytes, text);
  }
  base::append_i64(bytes, 7);
  base::append_i64(bytes, 0);
  base::append_u8(bytes, 0);
  base::append_i64(bytes, 2);
  base::append_i64(bytes, -1);
  base::append_u8(bytes, 4);
  base::append_i64(bytes, 1'000'000);
  const auto mapping = decode_mapping(bytes);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->function_arn, "arn:function");
  EXPECT_EQ(mapping->batch_size, 7);
  EXPECT_EQ(mapping->retry_attempts_max, 2);
  EXPECT_EQ(mapping->starting_position, StartingPosition::trim_horizon);
  EXPECT_EQ(mapping->state, MappingState::disabled);
  EXPECT_EQ(mapping->parallelization_factor, 1);
}

TEST(MappingRecord, IsRefusedWhenDamagedOrOfANewerFormat) {
  std::string bytes = encode_mapping(Mapping{});
  EXPECT_FALSE(decode_mapping(""));
  EXPECT_FALSE(decode_mapping(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(decode_mapping(bytes + "x"));
  ++bytes.front();
  EXPECT_FALSE(decode_mapping(bytes));
}

TEST(MappingKeys, AreApartAndNameTheirShard) {
  const auto inside = [](const store::Range& range, const std::string& key) {
    return range.begin <= key && key < range.end;
  };
  EXPECT_TRUE(inside(all_mappings(), mapping_key("u")));
  EXPECT_FALSE(inside(all_mappings(), checkpoint_key("u", "s")));
  EXPECT_FALSE(inside(all_mappings(), result_key("u")));
  EXPECT_TRUE(inside(all_checkpoints("u"), checkpoint_key("u", "s")));
  EXPECT_FALSE(inside(all_checkpoints("u"), checkpoint_key("uu", "s")));
  EXPECT_EQ(checkpoint_shard(checkpoint_key("u", "shardId-00000001")), "shardId-00000001");
}

}  // namespace
}  // namespace tidemill::engine
