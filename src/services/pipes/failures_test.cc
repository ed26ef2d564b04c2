// What becomes of failures and crashes in a pipe, and what it tells of itself.
#include "services/pipes/flow_testing.h"

namespace tidemill::pipes {
namespace {

using engine::InvokeOutcome;
using engine::InvokeStatus;
using testing::answers;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kFromStart;
using ::testing::SizeIs;
using testing::Texts;
using testing::World;
using namespace std::chrono_literals;

class PipeFailuresTest : public testing::PipeFlow {};

// ---- failures -----------------------------------------------------------------------------------------------------

TEST_F(PipeFailuresTest, OfAQueueOnlyWhatTheTargetRefusedComesBack) {
  world.create("p", World::queue("in"), World::arn("sns", "t"), R"(,"TargetParameters":{"InputTemplate":"<$.body>"})");
  world.call("StopPipe", "p");
  world.settle();
  for (const char* body : {"a", "b", "c"}) world.send("in", body);
  world.refuse = [](const std::string& message) { return std::string(message == "b" ? "InternalError" : ""); };
  world.call("StartPipe", "p");
  world.settle();
  EXPECT_THAT(world.published, ElementsAre("a", "c"));
  world.refuse = [](const std::string&) { return std::string(); };
  world.advance(31s);
  EXPECT_THAT(world.published, ElementsAre("a", "c", "b"));
}

TEST_F(PipeFailuresTest, OfAGroupOfLogsOnlyTheStreamThatWasRefusedComesBack) {
  world.create("p", World::queue("in"), World::arn("logs", "log-group:/g"),
               R"(,"TargetParameters":{"InputTemplate":"<$.body>","CloudWatchLogsParameters":{"LogStreamName":"$.body"}})");
  world.call("StopPipe", "p");
  world.settle();
  for (const char* body : {"a", "b", "c", "d"}) world.send("in", body);
  world.check_logged = [](const wire::logs::PutLogEventsInput& request) {
    if (request.log_stream_name == "a") throw wire::Error("ServiceUnavailableException", 500, "later");
    if (request.log_stream_name == "c") throw store::Overloaded("later");
  };
  const auto streams = [&] {
    Texts names;
    for (const auto& request : world.logged) names.push_back(request.log_stream_name);
    return names;
  };
  world.call("StartPipe", "p");
  world.settle();
  EXPECT_THAT(streams(), ElementsAre("b", "d"));
  world.check_logged = [](const auto&) {};
  world.advance(31s);
  EXPECT_THAT(streams(), ::testing::UnorderedElementsAre("b", "d", "a", "c"));
}

TEST_F(PipeFailuresTest, AFunctionReportsItemsByTheirIdentifiers) {
  world.create("p", World::queue("in"), World::function("f"));
  world.call("StopPipe", "p");
  world.settle();
  for (const char* body : {"a", "b", "c"}) world.send("in", body);
  handle([&](const std::string&, const json::Value& batch) {
    json::Array failures;
    for (const json::Value& one : batch.array()) {
      if (one.find("body")->string() == "b")
        failures.push_back(json::Object{{"itemIdentifier", *one.find("messageId")}});
    }
    return answers(json::write(json::Object{{"batchItemFailures", failures}}));
  });
  world.call("StartPipe", "p");
  world.settle();
  handle([](const std::string&, const json::Value&) { return answers("null"); });
  world.advance(31s);
  ASSERT_THAT(world.functions.calls, SizeIs(2));
  EXPECT_THAT(members(World::parse(world.functions.calls[1].payload), "body"), ElementsAre("b"));

  world.create_stream("s");
  for (const char* data : {"1", "2", "3"}) world.put("s", "k", data);
  world.functions.calls.clear();
  handle([&](const std::string&, const json::Value& batch) {
    const size_t count = batch.array().size();
    if (count != 3) return answers("{}");
    return answers(json::write(json::Object{
        {"batchItemFailures", json::Array{json::Object{{"itemIdentifier", *batch.array()[1].find("eventID")}}}}}));
  });
  world.create("q", World::stream("s"), World::function("f"), kFromStart);
  world.advance(2s);
  ASSERT_THAT(world.functions.calls, SizeIs(2));
  EXPECT_THAT(members(World::parse(world.functions.calls[1].payload), "data"),
              ElementsAre(base::base64_encode("2"), base::base64_encode("3")));
}

TEST_F(PipeFailuresTest, ABatchIsHalvedUntilTheOneThatFailsIsFound) {
  world.create_stream("s");
  world.create_queue("letters");
  for (int i = 0; i < 8; ++i) world.put("s", "k", std::to_string(i));
  handle([](const std::string&, const json::Value& batch) {
    for (const json::Value& one : batch.array()) {
      if (*base::base64_decode(one.find("data")->string()) == "5") {
        return InvokeOutcome{.status = InvokeStatus::function_error, .payload = R"({"errorMessage":"five"})"};
      }
    }
    return answers("null");
  });
  world.create("p", World::stream("s"), World::function("f"),
               R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"TRIM_HORIZON","BatchSize":8,)"
               R"("OnPartialBatchItemFailure":"AUTOMATIC_BISECT","MaximumRetryAttempts":1,"DeadLetterConfig":)"
               R"({"Arn":"arn:aws:sqs:us-east-1:000000000000:letters"}}})");
  world.advance(1min);
  const Texts letters = world.bodies("letters");
  ASSERT_THAT(letters, SizeIs(1));
  const json::Value letter = World::parse(letters[0]);
  EXPECT_EQ(
      json::write(*letter.find("context")),
      R"({"partnerResourceArn":"arn:aws:pipes:us-east-1:000000000000:pipe/p","condition":"RetryAttemptsExhausted"})");
  EXPECT_EQ(letter.find("KinesisBatchInfo")->find("batchSize")->to_int64(), 1);
  EXPECT_EQ(letter.find("requestContext"), nullptr);
}

TEST_F(PipeFailuresTest, RecordsThatAreTooOldAreGivenUp) {
  world.create_stream("s");
  world.create_queue("letters");
  world.put("s", "k", "1");
  handle([](const std::string&, const json::Value&) { return InvokeOutcome{.status = InvokeStatus::function_error}; });
  world.create(
      "p", World::stream("s"), World::function("f"),
      R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"TRIM_HORIZON",)"
      R"("MaximumRecordAgeInSeconds":60,"DeadLetterConfig":{"Arn":"arn:aws:sqs:us-east-1:000000000000:letters"}}})");
  world.advance(2min);
  ASSERT_THAT(world.bodies("letters"), ElementsAre(HasSubstr("RecordAgeExceeded")));
  const size_t calls = world.functions.calls.size();
  world.advance(2min);
  EXPECT_EQ(world.functions.calls.size(), calls);
}

TEST_F(PipeFailuresTest, WhatFailsForOurReasonsUsesUpNoAttempt) {
  world.create_stream("s");
  world.put("s", "k", "1");
  int calls = 0;
  handle([&](const std::string&, const json::Value&) {
    return ++calls < 5 ? InvokeOutcome{.status = InvokeStatus::failed} : answers("null");
  });
  world.create_queue("letters");
  world.create(
      "p", World::stream("s"), World::function("f"),
      R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"TRIM_HORIZON","MaximumRetryAttempts":0,)"
      R"("DeadLetterConfig":{"Arn":"arn:aws:sqs:us-east-1:000000000000:letters"}}})");
  world.advance(1min);
  EXPECT_EQ(calls, 5);
  EXPECT_THAT(world.bodies("letters"), IsEmpty());
}

TEST_F(PipeFailuresTest, WhoIsThrottledStandsInTheLineOfThatFunction) {
  bool has_place = false;
  world.functions.handler = [&](std::string name, std::string) -> Task<InvokeOutcome> {
    if (name == "target" && !has_place)
      co_return InvokeOutcome{.status = InvokeStatus::throttled, .detail = "no place"};
    co_return answers(R"([{"n":1}])");
  };
  world.create("p", World::queue("in"), World::function("target"),
               base::cat(R"(,"Enrichment":")", World::function("first"), "\""));
  world.send("in", "x");
  world.settle();
  EXPECT_EQ(world.functions.line.size(), 1u);
  const size_t before = world.functions.calls.size();
  has_place = true;
  world.functions.line.call_next();
  world.settle();
  ASSERT_EQ(world.functions.calls.size(), before + 2) << "once more through the whole pipe, without a wait";
  EXPECT_EQ(world.functions.calls.back().function, "target");
  EXPECT_EQ(world.functions.line.size(), 0u);
  EXPECT_THAT(world.bodies("in"), IsEmpty());
}

TEST_F(PipeFailuresTest, ATargetThatIsNotThereIsTriedAgain) {
  world.create("p", World::queue("in"), World::queue("later"), R"(,"TargetParameters":{"InputTemplate":"<$.body>"})");
  world.send("in", "x");
  world.settle();
  world.create_queue("later");
  world.advance(31s);
  EXPECT_THAT(world.bodies("later"), ElementsAre("x"));
}

// ---- what a pipe tells of itself ----------------------------------------------------------------------------------

TEST_F(PipeFailuresTest, APipeTellsItsStepsAsItsLevelSays) {
  const auto steps = [&](std::string_view level, std::string_view more) {
    world.logged.clear();
    world.create(
        "p", World::queue("in"), World::function("f"),
        base::cat(R"(,"LogConfiguration":{"Level":")", level, R"(","CloudwatchLogsLogDestination":{"LogGroupArn":)",
                  R"("arn:aws:logs:us-east-1:000000000000:log-group:/pipes"})", more, "}"));
    world.send("in", "secret");
    world.advance(1s);
    world.call("DeletePipe", "p");
    world.settle();
    std::string text;
    for (const auto& request : world.logged) {
      EXPECT_EQ(request.log_group_name, "/pipes");
      for (const auto& event : request.log_events) {
        const json::Value record = World::parse(event.message);
        text += record.find("messageType")->string() + (record.find("payload") ? "+ " : " ");
        EXPECT_EQ(record.find("resourceArn")->string(), "arn:aws:pipes:us-east-1:000000000000:pipe/p");
        EXPECT_EQ(record.find("logLevel")->string(), level);
      }
    }
    return text;
  };
  EXPECT_EQ(steps("OFF", ""), "");
  EXPECT_EQ(steps("ERROR", ""), "");
  EXPECT_EQ(steps("INFO", ""), "EXECUTION_STARTED TARGET_STAGE_ENTERED TARGET_STAGE_EXITED EXECUTION_SUCCEEDED ");
  EXPECT_EQ(steps("TRACE", R"(,"IncludeExecutionData":["ALL"])"),
            "EXECUTION_STARTED+ TARGET_STAGE_ENTERED TARGET_INVOCATION_STARTED+ TARGET_INVOCATION_SUCCEEDED+ "
            "TARGET_STAGE_EXITED EXECUTION_SUCCEEDED ");
  handle([](const std::string&, const json::Value&) {
    return InvokeOutcome{.status = InvokeStatus::function_error, .payload = "broken"};
  });
  EXPECT_EQ(steps("ERROR", ""), "TARGET_INVOCATION_FAILED EXECUTION_FAILED ");
}

TEST_F(PipeFailuresTest, ATemplateThatMakesTooMuchIsAFailureThatSaysSo) {
  std::string places;
  for (int i = 0; i < 300; ++i) places += "<$.body>";
  world.create(
      "p", World::queue("in"), World::queue("out"),
      base::cat(R"(,"LogConfiguration":{"Level":"ERROR","CloudwatchLogsLogDestination":{"LogGroupArn":)",
                R"("arn:aws:logs:us-east-1:000000000000:log-group:/pipes"}},"TargetParameters":{"InputTemplate":")",
                places, "\"}"));
  world.send("in", std::string(200'000, 'x'));
  world.advance(1s);
  EXPECT_THAT(world.bodies("out"), IsEmpty());
  std::string told;
  for (const auto& request : world.logged) {
    for (const auto& event : request.log_events) told += event.message + "\n";
  }
  EXPECT_THAT(told, HasSubstr("TARGET_TRANSFORMATION_FAILED"));
  EXPECT_THAT(told, HasSubstr("what the InputTemplate makes of the batch is larger than 33554432 bytes"));
}

TEST_F(PipeFailuresTest, APipeMeasuresItsExecutionsUnderAwsNames) {
  world.create("p", World::queue("in"), World::function("target"),
               base::cat(R"(,"Enrichment":")", World::function("first"), "\""));
  handle([](const std::string& name, const json::Value& batch) {
    return name == "first" ? answers(json::write(batch)) : answers("null");
  });
  world.send("in", "x");
  world.settle();
  auto measured = world.measured("AWS/EventBridge/Pipes");
  EXPECT_EQ(measured["Invocations p"], "1 of 1");
  EXPECT_EQ(measured["EventCount p"], "1 of 1");
  EXPECT_EQ(measured.count("Duration p") + measured.count("EnrichmentStageDuration p") +
                measured.count("TargetStageDuration p") + measured.count("EventSize p"),
            4u);
  EXPECT_EQ(measured.count("ExecutionFailed p"), 0u);

  handle([](const std::string& name, const json::Value&) {
    if (name == "first") return answers("[]");
    return answers("null");
  });
  world.send("in", "x");
  world.settle();
  EXPECT_EQ(world.measured("AWS/EventBridge/Pipes")["TargetStageSkipped p"], "1 of 1");
  handle([](const std::string&, const json::Value&) { return InvokeOutcome{.status = InvokeStatus::function_error}; });
  world.send("in", "x");
  world.settle();
  measured = world.measured("AWS/EventBridge/Pipes");
  EXPECT_EQ(measured["ExecutionFailed p"], "1 of 1");
  EXPECT_EQ(measured["EnrichmentStageFailed p"], "1 of 1");
}

// ---- crashes ------------------------------------------------------------------------------------------------------

// Each key's records reach the FIFO queue in their order, and all of them, however often the process dies on the way.
TEST(PipesSimulation, NothingIsLostAndEachKeyStaysInOrder) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed, store::SimFaults{});
    world.create_stream("s", 2);
    world.create("p", World::stream("s"), World::function("f"),
                 R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"TRIM_HORIZON","BatchSize":3,)"
                 R"("ParallelizationFactor":2}},"TargetParameters":)"
                 R"({"InputTemplate":"{\"k\":<$.partitionKey>,\"n\":<$.data.n>}"})");
    std::map<std::string, int64_t> next;  // of each key: what must come, or has come before
    world.functions.handler = [&](std::string, std::string payload) -> Task<InvokeOutcome> {
      for (const json::Value& one : json::parse(payload)->array()) {
        const int64_t number = one.find("n")->to_int64().value();
        int64_t& expected = next[one.find("k")->string()];
        EXPECT_LE(number, expected) << "none is left out";
        expected = std::max(expected, number + 1);
        co_await base::yield();
      }
      co_return answers("null");
    };
    std::map<std::string, int64_t> put;
    for (int i = 0; i < 60; ++i) {
      const std::string key = base::cat("k", (seed * 7 + static_cast<uint64_t>(i) * 13) % 5);
      world.put("s", key, base::cat(R"({"n":)", put[key]++, "}"));
      for (uint64_t step = (seed + static_cast<uint64_t>(i) * 31) % 97; step > 0 && world.executor.run_one(); --step) {
      }
      if ((seed + static_cast<uint64_t>(i)) % 9 == 0) world.crash();
    }
    world.advance(5min);
    EXPECT_EQ(next, put);
    EXPECT_EQ(world.state("p"), "RUNNING");
  }
}

// Of a FIFO queue a message that fails keeps those of its group behind it.
TEST_F(PipeFailuresTest, AFifoSourceStaysInOrderPastAFailure) {
  world.create_fifo_queue("in.fifo");
  world.create("p", World::queue("in.fifo"), World::arn("sns", "t"),
               R"(,"TargetParameters":{"InputTemplate":"<$.body>"})");
  world.call("StopPipe", "p");
  world.settle();
  for (const char* body : {"a", "b", "c"}) world.send("in.fifo", body, "g");
  world.refuse = [](const std::string& message) { return std::string(message == "b" ? "InternalError" : ""); };
  world.call("StartPipe", "p");
  world.settle();
  world.refuse = [](const std::string&) { return std::string(); };
  world.advance(1min);
  ASSERT_GE(world.published.size(), 3u);
  const auto last = [&](std::string_view text) {
    return std::ranges::find(world.published.rbegin(), world.published.rend(), text) - world.published.rbegin();
  };
  EXPECT_LT(last("c"), last("b")) << "c comes again behind b";
}

}  // namespace
}  // namespace tidemill::pipes
