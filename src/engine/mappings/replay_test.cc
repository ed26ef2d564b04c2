// Discarded batches that are given to their function again.
#include "engine/mappings/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/mappings/failure_destination.h"
#include "engine/mappings/mapping_test_world.h"
#include "engine/mappings/pinned_batch.h"

namespace tidemill::engine {
namespace {

using testing::HasSubstr;

class ReplayTest : public testing::Test {
 protected:
  ReplayTest() {
    world.put_shard({.shard_id = "s-1"});
    world.invoker.handler = [this](const Call& call) -> Task<InvokeOutcome> {
      const bool is_poisoned = call.payload.find(poison) != std::string::npos;
      co_return is_poisoned && !healed ? outcome(InvokeStatus::function_error) : InvokeOutcome{.payload = answer};
    };
  }

  static Mapping mapping() {
    Mapping mapping = MappingWorld::mapping();
    mapping.batch_size = 10;
    mapping.retry_attempts_max = 0;
    mapping.failure_destination = "arn:aws:sqs:us-east-1:000000000000:failures";
    return mapping;
  }

  // Lets the mapping discard what it must, and takes the one document that it sends.
  std::string discarded(const Mapping& mapping, const std::vector<std::string>& items) {
    world.write("s-1", items);
    world.put_mapping(mapping);
    world.settle();
    const auto documents = world.documents();
    EXPECT_EQ(documents.size(), 1U);
    world.invoker.calls.clear();
    return documents.empty() ? "" : document_in(documents.front());
  }

  ReplayReport replay(const std::string& document) {
    ReplayReport report;
    Replayer replayer(*world.store, {world.stream.get()}, world.invoker);
    world.run([&]() -> Task<void> { report = co_await replayer.replay(document); });
    return report;
  }

  std::string refusal(const std::string& document) {
    std::string why;
    Replayer replayer(*world.store, {world.stream.get()}, world.invoker);
    world.run([&]() -> Task<void> {
      try {
        (void)co_await replayer.replay(document);
      } catch (const NotADocument& error) {
        why = error.what();
      }
    });
    return why;
  }

  MappingWorld world;
  std::string poison = "\"item\":\"x\"";
  bool healed = false;
  std::string answer;
};

TEST_F(ReplayTest, TheFunctionGetsTheSameRecordsAgain) {
  const std::string document = discarded(mapping(), {"a", "x", "b"});
  world.write("s-1", {"later"});
  world.settle();
  world.invoker.calls.clear();
  healed = true;
  const ReplayReport report = replay(document);
  EXPECT_EQ(report.status, ReplayStatus::replayed);
  EXPECT_THAT(report.detail, HasSubstr("3 records a/1..b/1 of s-1 by "));
  EXPECT_EQ(world.delivered(), "a1 x1 b1");
}

TEST_F(ReplayTest, AFailureIsToldAndNothingIsTriedTwice) {
  const std::string document = discarded(mapping(), {"a", "x"});
  const ReplayReport report = replay(document);
  EXPECT_EQ(report.status, ReplayStatus::failed);
  EXPECT_THAT(report.detail, HasSubstr("as the test wants it"));
  EXPECT_EQ(world.delivered(), "a1 x1");
}

TEST_F(ReplayTest, ReportedFailuresCountWhereTheMappingReadsThem) {
  Mapping reporting = mapping();
  reporting.report_item_failures = true;
  const std::string document = discarded(reporting, {"x"});
  healed = true;
  answer = R"({"batchItemFailures":[{"itemIdentifier":"x/1"}]})";
  EXPECT_EQ(replay(document).status, ReplayStatus::failed);
  answer = R"({"batchItemFailures":[]})";
  EXPECT_EQ(replay(document).status, ReplayStatus::replayed);
}

TEST_F(ReplayTest, WhatTheFilterKeptAwayStaysAway) {
  Mapping filtered = mapping();
  filtered.event_source_arn = MappingWorld::kArn;
  filtered.filters = {R"({"parity":["odd"]})"};
  world.write("s-1", {"y", "y"});  // y2 is even
  const std::string document = discarded(filtered, {"x", "y", "x"});
  world.invoker.calls.clear();
  healed = true;
  EXPECT_EQ(replay(document).status, ReplayStatus::replayed);
  EXPECT_EQ(world.delivered(), "y1 x1 y3");
}

TEST_F(ReplayTest, OtherLanesAreNotDisturbed) {
  Mapping parallel = mapping();
  parallel.parallelization_factor = 10;
  // The poisoned item's changes are the lane's first and last; those between are of other lanes, or of this one.
  const std::string document = discarded(parallel, {"x", "a", "b", "c", "d", "e", "x"});
  healed = true;
  EXPECT_EQ(replay(document).status, ReplayStatus::replayed);
  ASSERT_EQ(world.invoker.calls.size(), 1U);
  for (const Change& change : world.invoker.calls.front().changes) {
    EXPECT_EQ(lane_of(change.item, 10), lane_of("x", 10)) << change.item;
  }
}

TEST_F(ReplayTest, ALaneIsFoundThoughTheMappingHasOthersNow) {
  Mapping parallel = mapping();
  parallel.parallelization_factor = 10;
  const std::string document = discarded(parallel, {"x", "a", "b", "c", "d", "e", "x"});
  healed = true;
  for (const int factor : {1, 2}) {
    world.invoker.calls.clear();
    parallel.parallelization_factor = factor;
    world.put_mapping(parallel);
    world.settle();
    world.invoker.calls.clear();
    EXPECT_EQ(replay(document).status, ReplayStatus::replayed);
    ASSERT_EQ(world.invoker.calls.size(), 1U);
    for (const Change& change : world.invoker.calls.front().changes) {
      EXPECT_EQ(lane_of(change.item, 10), lane_of("x", 10)) << change.item;
    }
  }
}

TEST_F(ReplayTest, RecordsThatCannotBeToldFromOthersAreNotReplayed) {
  Mapping filtered = mapping();
  filtered.filters = {R"({"parity":["odd"]})"};
  const std::string document = discarded(filtered, {"x", "x", "x"});  // the second is even
  filtered.filters.clear();
  world.put_mapping(filtered);
  world.settle();
  world.invoker.calls.clear();
  healed = true;
  const ReplayReport report = replay(document);
  EXPECT_EQ(report.status, ReplayStatus::lost);
  EXPECT_NE(report.detail.find("holds more records there that the mapping would take as one batch"), std::string::npos)
      << report.detail;
  EXPECT_TRUE(world.invoker.calls.empty());
}

// Or it would hold them all in memory.
TEST_F(ReplayTest, OfARangeThatIsNoBatchOnlyTheBeginningIsRead) {
  std::string document = discarded(mapping(), {"x"});
  healed = true;
  world.write("s-1", std::vector<std::string>(10'000, "x"));
  world.settle();
  world.invoker.calls.clear();
  const std::string end = R"("endSequenceNumber":"x/1")";
  document.replace(document.find(end), end.size(), R"("endSequenceNumber":"x/10001")");
  const int reads = world.stream->reads;
  EXPECT_EQ(replay(document).status, ReplayStatus::lost);
  EXPECT_LE(world.stream->reads - reads, 1 + kLanesMax);  // one for each number of lanes that the mapping may have had
  EXPECT_TRUE(world.invoker.calls.empty());
}

TEST_F(ReplayTest, RecordsThatAreGoneAreNotReplayedInPart) {
  std::string document = discarded(mapping(), {"a", "x"});
  const std::string two = "\"batchSize\":2";
  document.replace(document.find(two), two.size(), "\"batchSize\":3");
  const ReplayReport report = replay(document);
  EXPECT_EQ(report.status, ReplayStatus::lost);
  EXPECT_EQ(world.delivered(), "");
}

TEST_F(ReplayTest, ADocumentOfABucketBringsItsRecords) {
  const std::string document = discarded(mapping(), {"x"});
  healed = true;
  const std::string with_records =
      document.substr(0, document.size() - 1) + R"(,"payload":{"Records":[{"item":"kept","n":7}]}})";
  EXPECT_EQ(replay(with_records).status, ReplayStatus::replayed);
  EXPECT_EQ(world.delivered(), "kept7");
}

TEST_F(ReplayTest, WhatAMappingPinsOutlivesTheStreamUntilItIsReplayed) {
  Mapping pinning = mapping();
  pinning.tags = {{kPinTag, "true"}};
  const std::string document = discarded(pinning, {"a", "x"});
  world.crash();
  world.put_mapping(pinning);
  world.stream->spans.clear();  // the stream knows nothing of them any more
  EXPECT_EQ(replay(document).status, ReplayStatus::failed);
  healed = true;
  world.invoker.calls.clear();
  EXPECT_EQ(replay(document).status, ReplayStatus::replayed);
  EXPECT_EQ(world.delivered(), "a1 x1");
  EXPECT_FALSE(world.value(pinned_batch_key("u-1", "s-1", "a/1", "x/1")));
}

TEST_F(ReplayTest, WhatIsPinnedCanBeDroppedAndGoesWithItsMapping) {
  Mapping pinning = mapping();
  pinning.tags = {{kPinTag, "true"}};
  const std::string document = discarded(pinning, {"x"});
  ReplayReport report;
  Replayer replayer(*world.store, {world.stream.get()}, world.invoker);
  world.run([&]() -> Task<void> { report = co_await replayer.drop(document); });
  EXPECT_EQ(report.status, ReplayStatus::dropped);
  EXPECT_EQ(world.delivered(), "");
  EXPECT_FALSE(world.value(pinned_batch_key("u-1", "s-1", "x/1", "x/1")));

  world.write("s-1", {"x"});
  world.settle();
  EXPECT_TRUE(world.value(pinned_batch_key("u-1", "s-1", "x/2", "x/2")));
  pinning.state = MappingState::deleting;
  world.put_mapping(pinning);
  world.settle();
  EXPECT_FALSE(world.value(pinned_batch_key("u-1", "s-1", "x/2", "x/2")));
}

TEST_F(ReplayTest, BatchesOfOneAggregatedRecordAreToldOfAndPinnedEach) {
  Mapping pinning = mapping();
  pinning.bisect_on_error = true;
  pinning.tags = {{kPinTag, "true"}};
  // Of one sequence number, as the user records of an aggregated record are.
  world.transact([&](store::Transaction& txn) {
    for (int i = 0; i < 2; ++i) ModelStream::append(txn, MappingWorld::kArn, "s-1", {"x", 1}, world.clock.now());
  });
  world.put_mapping(pinning);
  world.settle();
  ASSERT_EQ(world.delivered(), "x1 x1 | x1 | x1");
  const auto documents = world.documents();
  EXPECT_EQ(documents.size(), 2U);
  world.stream->spans.clear();  // the stream knows nothing of them any more
  world.invoker.calls.clear();
  healed = true;
  EXPECT_EQ(replay(document_in(documents.front())).status, ReplayStatus::replayed);
  EXPECT_EQ(world.delivered(), "x1 x1");
}

TEST_F(ReplayTest, WhatIsNoDocumentIsRefused) {
  const std::string document = discarded(mapping(), {"x"});
  EXPECT_THAT(refusal("nonsense"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("requestContext"));
  EXPECT_THAT(refusal(R"({"requestContext":{"functionArn":"f"}})"), HasSubstr("KinesisBatchInfo"));
  EXPECT_THAT(refusal(R"({"requestContext":{"functionArn":7},"KinesisBatchInfo":{}})"), HasSubstr("functionArn"));
  std::string elsewhere = document;
  elsewhere.replace(elsewhere.find("arn:model:stream"), 16, "arn:other:stream");
  EXPECT_THAT(refusal(elsewhere), HasSubstr("is no stream"));
  std::string unknown = document;
  unknown.replace(unknown.find("x/1"), 3, "y/9");
  EXPECT_THAT(refusal(unknown), HasSubstr("sequence numbers"));
}

}  // namespace
}  // namespace tidemill::engine
