// BisectBatchOnFunctionError and ReportBatchItemFailures (facts 1.7).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/mappings/item_failures.h"
#include "engine/mappings/mapping_test_world.h"

namespace tidemill::engine {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class MappingBisectTest : public OneShardTest {
 protected:
  static Mapping bisecting(int retries) {
    Mapping mapping = MappingWorld::mapping();
    mapping.bisect_on_error = true;
    mapping.retry_attempts_max = retries;
    return mapping;
  }
  static Mapping reporting(int retries) {
    Mapping mapping = MappingWorld::mapping();
    mapping.report_item_failures = true;
    mapping.retry_attempts_max = retries;
    return mapping;
  }
  void raise_for(std::set<std::string> bad) {
    world.invoker.handler = [bad](const Call& call) -> Task<InvokeOutcome> {
      const bool fails =
          std::ranges::any_of(call.changes, [&](const Change& change) { return bad.contains(change.item); });
      co_return fails ? outcome(InvokeStatus::function_error) : InvokeOutcome{};
    };
  }
  // Reports the first bad record of each batch.
  void report(std::set<std::string> bad) {
    world.invoker.handler = [bad](const Call& call) -> Task<InvokeOutcome> {
      for (const Change& change : call.changes) {
        if (!bad.contains(change.item)) continue;
        co_return answer(R"({"batchItemFailures":[{"itemIdentifier":")" + change.item + "/" +
                         std::to_string(change.number) + R"("}]})");
      }
      co_return answer(R"({"batchItemFailures":[]})");
    };
  }
  static InvokeOutcome answer(std::string payload) { return {.payload = std::move(payload)}; }
  void always_answer(std::string payload) {
    world.invoker.handler = [payload](const Call&) -> Task<InvokeOutcome> { co_return answer(payload); };
  }
  std::vector<BatchPiece> pieces() {
    const auto checkpoint = world.checkpoint();
    return checkpoint->lanes.empty() ? std::vector<BatchPiece>() : checkpoint->lanes.front().pieces;
  }
};

TEST_F(MappingBisectTest, AFailedBatchIsHalvedUntilTheBadRecordIsAlone) {
  raise_for({"d"});
  write({"a", "b", "c", "d", "e"});
  start(bisecting(1));
  world.advance(hours(1));
  EXPECT_EQ(world.delivered(), "a1 b1 c1 d1 e1 | a1 b1 | c1 d1 e1 | c1 | d1 e1 | d1 | d1 | e1");
}

TEST_F(MappingBisectTest, SplittingUsesUpNoAttempts) {
  raise_for({"b"});
  write({"a", "b"});
  start(bisecting(0));
  EXPECT_EQ(world.delivered(), "a1 b1 | a1 | b1");
  EXPECT_TRUE(pieces().empty());
}

TEST_F(MappingBisectTest, HalvesAreTriedAtOnceAndABadRecordAfterAPause) {
  raise_for({"b"});
  write({"a", "b"});
  start(bisecting(2));
  EXPECT_EQ(world.delivered(), "a1 b1 | a1 | b1");
  world.advance(milliseconds(500));
  EXPECT_EQ(world.delivered(), "a1 b1 | a1 | b1 | b1");
}

TEST_F(MappingBisectTest, TheHalvesSurviveACrash) {
  raise_for({"a"});
  write({"a", "b", "c", "d"});
  start(bisecting(1));
  ASSERT_EQ(world.delivered(), "a1 b1 c1 d1 | a1 b1 | a1");
  ASSERT_EQ(pieces().size(), 3u);
  EXPECT_EQ(pieces()[0].attempts, 1u);
  world.crash();
  world.settle();
  EXPECT_EQ(world.delivered(), "a1 b1 c1 d1 | a1 b1 | a1 | a1 | b1 | c1 d1");
}

TEST_F(MappingBisectTest, TheNextBatchIsOfTheConfiguredSizeAgain) {
  raise_for({"a"});
  write({"a", "b", "c", "d"});
  Mapping mapping = bisecting(0);
  mapping.batch_size = 2;
  start(mapping);
  EXPECT_EQ(world.delivered(), "a1 b1 | a1 | b1 | c1 d1");
}

TEST_F(MappingBisectTest, ReportedFailuresSplitTheBatchThere) {
  report({"c"});
  write({"a", "b", "c", "d"});
  start(reporting(1));
  world.advance(hours(1));
  EXPECT_EQ(world.delivered(), "a1 b1 c1 d1 | c1 d1 | c1 d1");
}

// Recorded against AWS: 3 retries, and the bad record is delivered five times.
TEST_F(MappingBisectTest, APartialSuccessStartsTheAttemptsAnew) {
  report({"c"});
  write({"a", "b", "c"});
  start(reporting(3));
  world.advance(hours(1));
  EXPECT_EQ(world.delivered(), "a1 b1 c1 | c1 | c1 | c1 | c1");
}

TEST_F(MappingBisectTest, APartialSuccessIsDurable) {
  report({"c"});
  write({"a", "b", "c"});
  start(reporting(3));
  world.crash();
  world.settle();
  EXPECT_EQ(world.delivered(), "a1 b1 c1 | c1");
}

TEST_F(MappingBisectTest, OfSeveralFailuresTheLowestCounts) {
  world.invoker.handler = [this](const Call&) -> Task<InvokeOutcome> {
    const bool first = world.invoker.calls.size() == 1;
    co_return answer(first ? R"({"batchItemFailures":[{"itemIdentifier":"d/1"},{"itemIdentifier":"b/1"},)"
                             R"({"itemIdentifier":"c/1"}]})"
                           : "null");
  };
  write({"a", "b", "c", "d"});
  start(reporting(-1));
  world.advance(seconds(1));
  EXPECT_EQ(world.delivered(), "a1 b1 c1 d1 | b1 c1 d1");
}

TEST_F(MappingBisectTest, WithBothAnErrorHalvesAndAReportSplits) {
  write({"a", "b", "c", "d"});
  Mapping mapping = reporting(1);
  mapping.bisect_on_error = true;
  world.invoker.handler = [this](const Call& call) -> Task<InvokeOutcome> {
    if (world.invoker.calls.size() == 1) {
      co_return answer(R"({"batchItemFailures":[{"itemIdentifier":"b/1"}]})");
    }
    const bool bad = std::ranges::any_of(call.changes, [](const Change& change) { return change.item == "b"; });
    co_return bad ? outcome(InvokeStatus::function_error) : InvokeOutcome{};
  };
  start(mapping);
  world.advance(hours(1));
  EXPECT_EQ(world.delivered(), "a1 b1 c1 d1 | b1 c1 d1 | b1 | b1 | c1 d1");
}

TEST_F(MappingBisectTest, WithoutTheSettingTheAnswerIsIgnored) {
  always_answer(R"({"batchItemFailures":[{"itemIdentifier":""}]})");
  write({"a"});
  start(MappingWorld::mapping());
  world.advance(hours(1));
  EXPECT_EQ(world.delivered(), "a1");
}

TEST_F(MappingBisectTest, EveryFormOfSuccessIsTakenAsOne) {
  for (const char* text : {R"("")", "null", "{}", R"({"batchItemFailures":[]})", R"({"batchItemFailures":null})", "[]",
                           "", R"("processed")", R"({"statusCode":200})"}) {
    MappingWorld fresh;
    fresh.put_shard({.shard_id = "s-1"});
    fresh.invoker.handler = [text](const Call&) -> Task<InvokeOutcome> { co_return answer(text); };
    fresh.write("s-1", {"a", "b"});
    fresh.put_mapping(reporting(0));
    fresh.settle();
    EXPECT_EQ(fresh.result(), "OK") << text;
    EXPECT_EQ(fresh.delivered(), "a1 b1") << text;
  }
}

TEST_F(MappingBisectTest, EveryFormOfFailureFailsTheWholeBatch) {
  for (const char* text :
       {R"({"batchItemFailures":[{"itemIdentifier":""}]})", R"({"batchItemFailures":[{"itemIdentifier":null}]})",
        R"({"batchItemFailures":[{"foo":"b/1"}]})", R"({"batchItemFailures":[{"foo":null}]})",
        R"({"batchItemFailures":[{"itemIdentifier":"z/9"}]})",
        R"({"batchItemFailures":[{"itemIdentifier":"b/1"},{"itemIdentifier":"z/9"}]})"}) {
    MappingWorld fresh;
    fresh.put_shard({.shard_id = "s-1"});
    fresh.invoker.handler = [text](const Call&) -> Task<InvokeOutcome> { co_return answer(text); };
    fresh.write("s-1", {"a", "b"});
    fresh.put_mapping(reporting(1));
    fresh.settle();
    EXPECT_EQ(fresh.result(), "PROBLEM: Function call failed") << text;
    fresh.advance(hours(1));
    EXPECT_EQ(fresh.delivered(), "a1 b1 | a1 b1") << text;
  }
}

TEST(ItemFailures, AreTheIdentifiersOfTheList) {
  const auto of = [](std::string_view text) { return item_failures(*json::parse(text)); };
  EXPECT_EQ(of(R"({"batchItemFailures":[{"itemIdentifier":"1"},{"itemIdentifier":"2"}]})"),
            (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(of(R"({"batchItemFailures":7})"), std::nullopt);
  EXPECT_EQ(of(R"({"batchItemFailures":[7]})"), std::nullopt);
}

}  // namespace
}  // namespace tidemill::engine
