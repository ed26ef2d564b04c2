// TumblingWindowInSeconds (facts 1.9).
#include <gtest/gtest.h>

#include "base/json.h"
#include "engine/mappings/failure_destination.h"
#include "engine/mappings/mapping_test_world.h"

namespace tidemill::engine {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// The world's clock begins at a multiple of every window size here.
class MappingWindowsTest : public OneShardTest {
 protected:
  void SetUp() override {
    OneShardTest::SetUp();
    world.invoker.handler = [](const Call& call) { return aggregate(call); };
  }

  static Mapping windows(int size) {
    Mapping mapping = MappingWorld::mapping();
    mapping.tumbling_window_seconds = size;
    return mapping;
  }
  void change(const std::function<void(Mapping&)>& edit) {
    Mapping mapping = *world.load();
    edit(mapping);
    world.put_mapping(mapping);
    world.settle();
  }

  // The usual handler: adds up, and hands on its state.
  static Task<InvokeOutcome> aggregate(Call call) {
    const json::Value event = *json::parse(call.payload);
    std::string seen;
    if (const json::Value* state = event.find("state")->find("seen")) seen = state->string();
    for (const Change& change : call.changes) seen += change.item + std::to_string(change.number) + " ";
    co_return InvokeOutcome{.payload = R"({"state":{"seen":")" + seen + R"("}})"};
  }
  // Each event's records, its state, and F or E if it is final or early: "a1 b1 < | < a1 b1 F".
  std::string story() const {
    std::string text;
    for (const Call& call : world.invoker.calls) {
      const json::Value event = *json::parse(call.payload);
      if (!text.empty()) text += "| ";
      for (const Change& change : call.changes) text += change.item + std::to_string(change.number) + " ";
      text += "< ";
      if (const json::Value* seen = event.find("state")->find("seen")) text += seen->string();
      if (event.find("isFinalInvokeForWindow")->boolean()) text += "F ";
      if (event.find("isWindowTerminatedEarly")->boolean()) text += "E ";
    }
    return text;
  }
  static std::string start_of(const Call& call) {
    return json::parse(call.payload)->find("window")->find("start")->string();
  }
};

TEST_F(MappingWindowsTest, TheEventSaysWhatItsWindowIs) {
  write({"a"});
  start(windows(120));
  ASSERT_EQ(world.invoker.calls.size(), 1u);
  const std::string& payload = world.invoker.calls[0].payload;
  EXPECT_EQ(payload.substr(payload.find("],") + 1),
            R"(,"window":{"start":"2019-12-20T00:00:00Z","end":"2019-12-20T00:02:00Z"},"state":{},"shardId":"s-1",)"
            R"("eventSourceARN":"arn:model:stream","isFinalInvokeForWindow":false,"isWindowTerminatedEarly":false})");
}

TEST_F(MappingWindowsTest, StateGoesFromInvocationToInvocationUntilTheFinalOne) {
  start(windows(60));
  write({"a"});
  write({"b"});
  world.advance(seconds(60));
  write({"c"});
  EXPECT_EQ(story(), "a1 < | b1 < a1 | < a1 b1 F | c1 < ");
  EXPECT_NE(world.invoker.calls[2].payload.find(R"("Records":[])"), std::string::npos);
  EXPECT_EQ(start_of(world.invoker.calls[2]), start_of(world.invoker.calls[0]));
  EXPECT_NE(start_of(world.invoker.calls[3]), start_of(world.invoker.calls[0]));
}

TEST_F(MappingWindowsTest, ABatchEndsWhereItsWindowDoes) {
  write({"a", "b"});
  world.advance(seconds(60));
  write({"c"});
  start(windows(60));
  EXPECT_EQ(story(), "a1 b1 < | < a1 b1 F | c1 < ");
}

TEST_F(MappingWindowsTest, WindowsBeginAtMultiplesOfTheirSize) {
  world.advance(seconds(200));
  write({"a"});
  start(windows(120));
  EXPECT_EQ(start_of(world.invoker.calls.at(0)), "2019-12-20T00:02:00Z");
}

TEST_F(MappingWindowsTest, AnIdleWindowIsClosedTwoMinutesAfterItsEnd) {
  start(windows(60));
  write({"a"});
  world.advance(seconds(60) + minutes(2) - milliseconds(1));
  EXPECT_EQ(story(), "a1 < ");
  world.advance(milliseconds(1));
  EXPECT_EQ(story(), "a1 < | < a1 F ");
  world.advance(hours(1));
  EXPECT_EQ(world.invoker.calls.size(), 2u);
  EXPECT_FALSE(world.window());
}

TEST_F(MappingWindowsTest, AWindowOfFifteenMinutesSurvivesACrash) {
  start(windows(900));
  write({"a"});
  world.advance(minutes(10));
  world.crash();
  world.settle();
  write({"b"});
  world.crash();
  world.settle();
  world.advance(minutes(7));
  EXPECT_EQ(story(), "a1 < | b1 < a1 | < a1 b1 F ");
}

TEST_F(MappingWindowsTest, AFinalInvocationThatSucceededIsNotRepeated) {
  start(windows(60));
  write({"a"});
  world.advance(minutes(3));
  ASSERT_EQ(story(), "a1 < | < a1 F ");
  world.crash();
  world.advance(hours(1));
  EXPECT_EQ(world.invoker.calls.size(), 2u);
}

TEST_F(MappingWindowsTest, AClosedShardClosesItsWindow) {
  world.put_shard({.shard_id = "s-2", .parents = {"s-1"}});
  start(windows(900));
  write({"a"});
  world.put_shard({.shard_id = "s-1", .closed = true});
  world.write("s-2", {"b"});
  world.settle();
  EXPECT_EQ(story(), "a1 < | < a1 F | b1 < ");
}

TEST_F(MappingWindowsTest, AnAnswerWithoutStateIsAFailure) {
  world.invoker.handler = [this](const Call& call) -> Task<InvokeOutcome> {
    if (world.invoker.calls.size() == 1) co_return InvokeOutcome{.payload = R"({"done":true})"};
    co_return co_await aggregate(call);
  };
  start(windows(60));
  write({"a"});
  EXPECT_EQ(world.result(), "PROBLEM: Function call failed");
  world.advance(seconds(1));
  EXPECT_EQ(story(), "a1 < | a1 < ");
}

TEST_F(MappingWindowsTest, AFailingFinalInvocationBlocksTheShard) {
  int failures = 2;
  world.invoker.handler = [&failures](const Call& call) -> Task<InvokeOutcome> {
    if (call.changes.empty() && failures-- > 0) co_return outcome(InvokeStatus::function_error);
    co_return co_await aggregate(call);
  };
  start(windows(60));
  write({"a"});
  world.advance(seconds(60));
  write({"b"});
  EXPECT_EQ(story(), "a1 < | < a1 F ");
  world.advance(seconds(2));
  EXPECT_EQ(story(), "a1 < | < a1 F | < a1 F | < a1 F | b1 < ");
}

TEST_F(MappingWindowsTest, AFinalInvocationIsGivenUpWithItsAttemptsAndToldOf) {
  world.invoker.handler = [](const Call& call) -> Task<InvokeOutcome> {
    if (call.changes.empty()) co_return outcome(InvokeStatus::function_error);
    co_return co_await aggregate(call);
  };
  Mapping mapping = windows(60);
  mapping.retry_attempts_max = 1;
  mapping.failure_destination = "arn:aws:sqs:us-east-1:000000000000:failures";
  start(mapping);
  write({"a", "b"});
  world.advance(seconds(60));
  write({"c"});
  world.advance(seconds(30));
  EXPECT_EQ(story(), "a1 b1 < | < a1 b1 F | < a1 b1 F | c1 < ");
  const auto documents = world.documents();
  ASSERT_EQ(documents.size(), 1u);
  const auto document = json::parse(document_in(documents[0]));
  EXPECT_EQ(document->find("DDBStreamBatchInfo")->find("batchSize")->to_int64(), 2);
  EXPECT_EQ(document->find("DDBStreamBatchInfo")->find("endSequenceNumber")->string(), "b/1");
  EXPECT_EQ(document->find("requestContext")->find("approximateInvokeCount")->to_int64(), 2);
}

TEST_F(MappingWindowsTest, AWindowWhoseFunctionIsGoneIsGivenUpByItsAge) {
  bool is_gone = false;
  world.invoker.handler = [&is_gone](const Call& call) -> Task<InvokeOutcome> {
    if (is_gone) co_return outcome(InvokeStatus::no_function);
    co_return co_await aggregate(call);
  };
  Mapping mapping = windows(60);
  mapping.record_age_seconds_max = 90;
  mapping.failure_destination = "arn:aws:sqs:us-east-1:000000000000:failures";
  start(mapping);
  write({"a"});
  is_gone = true;
  world.advance(seconds(60));
  write({"b", "c", "d"});
  world.advance(seconds(80));
  EXPECT_EQ(world.documents().size(), 0u);
  world.advance(seconds(120));
  std::vector<std::string> told;
  for (const auto& delivery : world.documents()) {
    const auto document = json::parse(document_in(delivery));
    EXPECT_EQ(document->find("requestContext")->find("condition")->string(), "RecordAgeExceeded");
    told.push_back(document->find("DDBStreamBatchInfo")->find("endSequenceNumber")->string());
  }
  EXPECT_EQ(told, (std::vector<std::string>{"a/1", "d/1"})) << "the window, then the batch behind it as one";
}

TEST_F(MappingWindowsTest, TooLargeAStateEndsTheWindowEarlyAndItGoesOnAfresh) {
  world.invoker.handler = [this](const Call& call) -> Task<InvokeOutcome> {
    if (world.invoker.calls.size() == 1) {
      co_return InvokeOutcome{.payload = R"({"state":{"big":")" + std::string(kWindowStateBytesMax, 'x') + R"("}})"};
    }
    co_return co_await aggregate(call);
  };
  start(windows(900));
  write({"a"});
  write({"b"});
  EXPECT_EQ(story(), "a1 < | < E | b1 < ");
  EXPECT_EQ(start_of(world.invoker.calls[2]), start_of(world.invoker.calls[0]));
  world.advance(minutes(17));
  EXPECT_EQ(story(), "a1 < | < E | b1 < | < b1 F ");
}

TEST_F(MappingWindowsTest, APartialSuccessKeepsTheStateOfWhatItTook) {
  Mapping mapping = windows(60);
  mapping.report_item_failures = true;
  world.invoker.handler = [this](const Call& call) -> Task<InvokeOutcome> {
    if (world.invoker.calls.size() == 1) {
      co_return InvokeOutcome{.payload = R"({"state":{"seen":"a1 "},"batchItemFailures":[{"itemIdentifier":"b/1"}]})"};
    }
    co_return co_await aggregate(call);
  };
  write({"a", "b"});
  start(mapping);
  world.advance(minutes(3));
  EXPECT_EQ(story(), "a1 b1 < | b1 < a1 | < a1 b1 F ");
}

TEST_F(MappingWindowsTest, ABadRecordIsIsolatedWithinItsWindow) {
  Mapping mapping = windows(60);
  mapping.bisect_on_error = true;
  mapping.retry_attempts_max = 0;
  world.invoker.handler = [](const Call& call) -> Task<InvokeOutcome> {
    for (const Change& change : call.changes) {
      if (change.item == "b") co_return outcome(InvokeStatus::function_error);
    }
    co_return co_await aggregate(call);
  };
  write({"a", "b", "c", "d"});
  start(mapping);
  world.advance(minutes(3));
  EXPECT_EQ(story(), "a1 b1 c1 d1 < | a1 b1 < | a1 < | b1 < a1 | c1 d1 < a1 | < a1 c1 d1 F ");
}

TEST_F(MappingWindowsTest, AWindowOfAnotherSizeIsClosedFirst) {
  start(windows(900));
  write({"a"});
  change([](Mapping& mapping) {
    mapping.state = MappingState::updating;
    mapping.tumbling_window_seconds = 0;
    mapping.parallelization_factor = 2;
  });
  EXPECT_EQ(story(), "a1 < | < a1 F ");
  EXPECT_FALSE(world.window());
}

TEST_F(MappingWindowsTest, ADisabledMappingKeepsItsWindow) {
  start(windows(900));
  write({"a"});
  change([](Mapping& mapping) { mapping.state = MappingState::disabling; });
  world.advance(minutes(5));
  change([](Mapping& mapping) { mapping.state = MappingState::enabling; });
  write({"b"});
  EXPECT_EQ(story(), "a1 < | b1 < a1 ");
}

TEST_F(MappingWindowsTest, DeletingLeavesNoWindowBehind) {
  start(windows(900));
  write({"a"});
  ASSERT_TRUE(world.window());
  change([](Mapping& mapping) { mapping.state = MappingState::deleting; });
  EXPECT_FALSE(world.window());
}

TEST(OpenWindow, ReadsBackAsWritten) {
  OpenWindow window = window_at(base::Time(seconds(1'000'001)), seconds(300));
  EXPECT_EQ(window.start, base::Time(seconds(999'900)));
  window.state = R"({"total":7})";
  window.closing.attempts = 3;
  window.add({.position = {}, .sequence_number = "17", .arrival = base::Time(seconds(1'000'001))});
  const std::string bytes = encode_window(window);
  const auto read = decode_window(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(encode_window(*read), bytes);
  EXPECT_EQ(read->state, window.state);
  EXPECT_EQ(read->end(), base::Time(seconds(1'000'200)));
  EXPECT_FALSE(decode_window(bytes.substr(0, 8)));
  EXPECT_FALSE(decode_window("\x07" + bytes.substr(1)));
}

}  // namespace
}  // namespace tidemill::engine
