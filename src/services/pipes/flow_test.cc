// What goes through a pipe: sources, filters, enrichments, templates and targets.
#include "services/pipes/flow_testing.h"

namespace tidemill::pipes {
namespace {

using engine::InvokeOutcome;
using testing::answers;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kFromStart;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::Texts;
using testing::World;
using namespace std::chrono_literals;

class FlowTest : public testing::PipeFlow {};

// ---- templates ----------------------------------------------------------------------------------------------------

TEST_F(FlowTest, WithoutATemplateTheTargetGetsTheRecord) {
  world.create("p", World::queue("in"), World::queue("out"));
  world.send("in", R"({"n":1})");
  world.settle();
  const Texts bodies = world.bodies("out");
  ASSERT_THAT(bodies, SizeIs(1));
  const json::Value record = World::parse(bodies[0]);
  EXPECT_EQ(record.find("body")->string(), R"({"n":1})");
  EXPECT_EQ(record.find("eventSource")->string(), "aws:sqs");
  EXPECT_THAT(world.bodies("in"), IsEmpty()) << "what has arrived is removed";
}

TEST_F(FlowTest, TemplatesReadWhatIsInABody) {
  EXPECT_EQ(through(R"({"id":<$.body.id>,"all":<$.body>,"says":"hello <$.body.name>"})", R"({"id":7,"name":"Ann"})"),
            R"({"id":7,"all":{"id":7,"name":"Ann"},"says":"hello Ann"})");
  EXPECT_EQ(through("<$.body.items[1].n>", R"({"items":[{"n":1},{"n":"two"}]})"), "two");
  EXPECT_EQ(through("<$.body.items[*].n>", R"({"items":[{"n":1},{"n":"two"}]})"), R"([1,"two"])");
  EXPECT_EQ(through("<$.body>", "just text"), "just text") << "the body itself";
  EXPECT_EQ(through(R"({"missing":<$.body.none>})", "{}"), R"({"missing":""})");
  EXPECT_EQ(through("always the same", "x"), "always the same");
}

TEST_F(FlowTest, TemplatesKnowTheirPipe) {
  EXPECT_EQ(
      through(R"(["<aws.pipes.pipe-arn>","<aws.pipes.pipe-name>","<aws.pipes.source-arn>","<aws.pipes.target-arn>",)"
              R"("<aws.pipes.enrichment-arn>"])",
              "x"),
      R"(["arn:aws:pipes:us-east-1:000000000000:pipe/t","t","arn:aws:sqs:us-east-1:000000000000:in",)"
      R"("arn:aws:sqs:us-east-1:000000000000:out",""])");
  EXPECT_THAT(through("<aws.pipes.event.ingestion-time>", "x"), StartsWith("2026-03-14T00:00:0"));
  EXPECT_EQ(World::parse(through(R"({"e":<aws.pipes.event>})", R"({"n":1})")).find("e")->find("body")->string(),
            R"({"n":1})");
  EXPECT_EQ(
      json::write(*World::parse(through(R"({"e":<aws.pipes.event.json>})", R"({"n":1})")).find("e")->find("body")),
      R"({"n":1})");
  EXPECT_EQ(through(R"({"e":<aws.pipes.event.json>})", "no JSON"), R"({"e":""})");
}

// ---- filters and sources ------------------------------------------------------------------------------------------

TEST_F(FlowTest, AFilterRemovesWhatItDoesNotWant) {
  world.create("p", World::queue("in"), World::queue("out"),
               R"(,"SourceParameters":{"FilterCriteria":{"Filters":[{"Pattern":"{\"body\":{\"kind\":[\"tea\"]}}"}]}},)"
               R"("TargetParameters":{"InputTemplate":"<$.body.n>"})");
  world.send("in", R"({"kind":"tea","n":1})");
  world.send("in", R"({"kind":"coffee","n":2})");
  world.settle();
  EXPECT_THAT(world.bodies("out"), ElementsAre("1"));
  EXPECT_THAT(world.bodies("in"), IsEmpty());
}

TEST_F(FlowTest, RecordsOfADataStreamAreFlatAndTheirDataIsRead) {
  world.create_stream("s");
  world.put("s", "k", R"({"n":1})");
  world.put("s", "k", "plain");
  world.create("p", World::stream("s"), World::function("f"), kFromStart);
  ASSERT_THAT(world.functions.calls, SizeIs(1));
  const json::Value batch = World::parse(world.functions.calls[0].payload);
  ASSERT_TRUE(batch.is_array()) << "bare, without Records";
  const json::Value& record = batch.array()[0];
  EXPECT_EQ(record.find("partitionKey")->string(), "k");
  EXPECT_EQ(*base::base64_decode(record.find("data")->string()), R"({"n":1})");
  EXPECT_EQ(record.find("invokeIdentityArn")->string(), "arn:aws:iam::000000000000:role/r");
  EXPECT_EQ(record.find("eventSource")->string(), "aws:kinesis");
  EXPECT_EQ(record.find("kinesis"), nullptr);

  world.create("q", World::stream("s"), World::queue("out"),
               base::cat(kFromStart, R"(,"TargetParameters":{"InputTemplate":"<$.partitionKey>: <$.data>"})"));
  EXPECT_THAT(world.bodies("out"),
              ElementsAre(R"("k": {"n":1})", base::cat(R"("k": ")", base::base64_encode("plain"), "\"")));
}

TEST_F(FlowTest, ATableStreamFlowsIntoADataStream) {
  const std::string stream = world.create_table("tab");
  world.create_stream("s", 2);
  world.create("p", stream, World::stream("s"),
               R"(,"SourceParameters":{"FilterCriteria":{"Filters":[{"Pattern":"{\"eventName\":[\"INSERT\"]}"}]},)"
               R"("DynamoDBStreamParameters":{"StartingPosition":"LATEST","BatchSize":100}},"TargetParameters":)"
               R"({"InputTemplate":"{\"id\":<$.dynamodb.Keys.id.S>}","KinesisStreamParameters":)"
               R"({"PartitionKey":"$.dynamodb.Keys.id.S"}})");
  world.create("q", World::stream("s"), World::function("f"), kFromStart);
  for (const char* id : {"a", "b"}) {
    world.run("PutItem", base::cat(R"({"TableName":"tab","Item":{"id":{"S":")", id, R"("}}})"));
    world.run("DeleteItem", base::cat(R"({"TableName":"tab","Key":{"id":{"S":")", id, R"("}}})"));
  }
  world.settle();
  Texts seen;
  for (const auto& call : world.functions.calls) {
    for (const json::Value& record : World::parse(call.payload).array()) {
      seen.push_back(record.find("partitionKey")->string() + " " + *base::base64_decode(record.find("data")->string()));
    }
  }
  std::ranges::sort(seen);
  EXPECT_THAT(seen, ElementsAre(R"(a {"id":"a"})", R"(b {"id":"b"})"));
}

TEST_F(FlowTest, LatestBeginsAtTheCreationAndAStoppedPipeGoesOnWhereItWas) {
  world.create_stream("s");
  world.put("s", "k", "before");
  world.create("p", World::stream("s"), World::queue("out"),
               R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"LATEST"}},)"
               R"("TargetParameters":{"InputTemplate":"<$.sequenceNumber>"})");
  world.put("s", "k", "1");
  world.settle();
  EXPECT_THAT(world.bodies("out"), SizeIs(1));
  world.call("StopPipe", "p");
  world.settle();
  world.put("s", "k", "2");
  world.put("s", "k", "3");
  world.crash();
  world.call("StartPipe", "p");
  world.settle();
  EXPECT_THAT(world.bodies("out"), SizeIs(2));
}

TEST_F(FlowTest, AConsumerOfADataStreamIsASource) {
  world.create_stream("s");
  const json::Value made = world.ask("RegisterStreamConsumer",
                                     base::cat(R"({"StreamARN":")", World::stream("s"), R"(","ConsumerName":"c"})"));
  world.settle();
  world.create("p", made.find("Consumer")->find("ConsumerARN")->string(), World::queue("out"),
               base::cat(kFromStart, R"(,"TargetParameters":{"InputTemplate":"<$.partitionKey>"})"));
  EXPECT_EQ(world.state("p"), "RUNNING");
  world.put("s", "k", "x");
  world.settle();
  EXPECT_THAT(world.bodies("out"), ElementsAre("k"));
}

TEST_F(FlowTest, AtTimestampBeginsWithTheRecordsOfThatTime) {
  world.create_stream("s");
  world.put("s", "early", "x");
  world.advance(10s);
  world.put("s", "late", "x");
  const auto at = std::chrono::floor<std::chrono::seconds>(world.clock.now()).time_since_epoch().count() - 5;
  world.create("p", World::stream("s"), World::queue("out"),
               base::cat(R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"AT_TIMESTAMP",)",
                         R"("StartingPositionTimestamp":)", at,
                         R"(}},"TargetParameters":{"InputTemplate":"<$.partitionKey>"})"));
  world.settle();
  EXPECT_THAT(world.bodies("out"), ElementsAre("late"));
}

TEST_F(FlowTest, ABatchGathersForItsWindow) {
  world.create("p", World::queue("in"), World::function("f"),
               R"(,"SourceParameters":{"SqsQueueParameters":{"BatchSize":20,"MaximumBatchingWindowInSeconds":5}})");
  for (int i = 0; i < 12; ++i) world.send("in", "x");
  world.settle();
  EXPECT_THAT(world.functions.calls, IsEmpty());
  world.advance(6s);
  ASSERT_THAT(world.functions.calls, SizeIs(1));
  EXPECT_THAT(World::parse(world.functions.calls[0].payload).array(), SizeIs(12));
}

// ---- enrichment ---------------------------------------------------------------------------------------------------

TEST_F(FlowTest, AnEnrichmentMakesTheEventsOfTheTarget) {
  world.create("p", World::queue("in"), World::queue("out"),
               base::cat(R"(,"Enrichment":")", World::function("f"),
                         R"(","EnrichmentParameters":{"InputTemplate":"{\"n\":<$.body.n>}"},)"
                         R"("TargetParameters":{"InputTemplate":"made <$.twice>"})"));
  handle([](const std::string&, const json::Value& batch) {
    json::Array made;
    for (const json::Value& one : batch.array()) {
      made.push_back(json::Object{{"twice", 2 * one.find("n")->to_int64().value()}});
      made.push_back(json::Object{{"twice", 0}});
    }
    return answers(json::write(made));
  });
  world.send("in", R"({"n":21})");
  world.settle();
  EXPECT_EQ(world.functions.calls.at(0).payload, R"([{"n":21}])");
  EXPECT_THAT(world.bodies("out"), ElementsAre("made 42", "made 0"));
}

TEST_F(FlowTest, AnEnrichmentMayAnswerNothingOrSomethingElse) {
  world.create("p", World::queue("in"), World::queue("out"),
               base::cat(R"(,"Enrichment":")", World::function("f"), "\""));
  std::string answer;
  handle([&](const std::string&, const json::Value&) { return answers(answer); });
  for (const char* nothing : {"", "null", "{}", "[]", "\"\""}) {
    answer = nothing;
    world.send("in", "x");
    world.settle();
    EXPECT_THAT(world.bodies("out"), IsEmpty()) << nothing;
  }
  EXPECT_THAT(world.functions.calls, SizeIs(5)) << "and the messages were done with";
  answer = R"([{}])";
  world.send("in", "x");
  world.settle();
  EXPECT_THAT(world.bodies("out"), ElementsAre("{}"));
  answer = R"({"one":1})";
  world.send("in", "x");
  world.settle();
  EXPECT_THAT(world.bodies("out"), ElementsAre(R"({"one":1})"));
  answer = R"(["text"])";
  world.send("in", "x");
  world.settle();
  EXPECT_THAT(world.bodies("out"), ElementsAre("text"));
}

TEST_F(FlowTest, MoreThanTheTargetTakesIsNotSent) {
  world.create("p", World::queue("in"), World::queue("out"),
               base::cat(R"(,"Enrichment":")", World::function("f"), "\""));
  handle([](const std::string&, const json::Value&) { return answers("[1,2,3,4,5,6,7,8,9,10,11]"); });
  world.send("in", "x");
  world.settle();
  EXPECT_THAT(world.bodies("out"), IsEmpty());
  handle([](const std::string&, const json::Value&) { return answers("[1]"); });
  world.advance(31s);
  EXPECT_THAT(world.bodies("out"), ElementsAre("1")) << "the message has come back";
}

// ---- targets ------------------------------------------------------------------------------------------------------

TEST_F(FlowTest, AFunctionThatIsNotWaitedForGetsTheArrayAsAnEvent) {
  world.create("p", World::queue("in"), World::function("f"),
               R"(,"TargetParameters":{"InputTemplate":"{\"n\":<$.body.n>}","LambdaFunctionParameters":)"
               R"({"InvocationType":"FIRE_AND_FORGET"}})");
  world.send("in", R"({"n":1})");
  world.settle();
  EXPECT_THAT(world.started, ElementsAre(R"([{"n":1}])"));
  EXPECT_THAT(world.functions.calls, IsEmpty());
}

TEST_F(FlowTest, AFifoQueueGetsItsGroupFromThePathAndKeepsOrder) {
  world.create_fifo_queue("out.fifo");
  world.create_stream("s");
  world.create(
      "p", World::stream("s"), World::queue("out.fifo"),
      base::cat(kFromStart, R"(,"TargetParameters":{"InputTemplate":"<$.data.n>","SqsQueueParameters":)"
                            R"({"MessageGroupId":"$.partitionKey","MessageDeduplicationId":"$.sequenceNumber"}})"));
  for (int i = 0; i < 25; ++i) world.put("s", i % 2 == 0 ? "even" : "odd", base::cat(R"({"n":)", i, "}"));
  world.settle();
  std::map<std::string, std::string> groups;
  for (const json::Value& message : world.messages("out.fifo")) {
    groups[message.find("Attributes")->find("MessageGroupId")->string()] += message.find("Body")->string() + " ";
  }
  EXPECT_EQ(groups["even"], "0 2 4 6 8 10 12 14 16 18 20 22 24 ");
  EXPECT_EQ(groups["odd"], "1 3 5 7 9 11 13 15 17 19 21 23 ");
}

TEST_F(FlowTest, ABusGetsEventsThatSayWhereTheyComeFrom) {
  const std::string bus = World::arn("events", "event-bus/default");
  world.create("p", World::queue("in"), bus, R"(,"TargetParameters":{"InputTemplate":"{\"n\":<$.body.n>}"})");
  world.send("in", R"({"n":1})");
  world.settle();
  ASSERT_THAT(world.events, SizeIs(1));
  EXPECT_EQ(world.events[0].source, "Pipe p");
  EXPECT_EQ(world.events[0].detail_type, "Event from aws:sqs");
  EXPECT_EQ(world.events[0].detail, R"({"n":1})");
  EXPECT_EQ(world.events[0].event_bus_name, bus);

  world.update("p",
               R"(,"TargetParameters":{"EventBridgeEventBusParameters":{"Source":"shop","DetailType":"$.body.kind",)"
               R"("Resources":["arn:aws:s3:::b","$.eventSourceARN"],"Time":"$.body.at"}})");
  world.send("in", R"({"n":2,"kind":"order","at":"2026-01-02T03:04:05Z"})");
  world.settle();
  ASSERT_THAT(world.events, SizeIs(2));
  EXPECT_EQ(world.events[1].source, "shop");
  EXPECT_EQ(world.events[1].detail_type, "order");
  EXPECT_THAT(*world.events[1].resources, ElementsAre("arn:aws:s3:::b", World::queue("in")));
  EXPECT_EQ(base::iso_milliseconds(*world.events[1].time), "2026-01-02T03:04:05.000");
}

// Ten details come to less than PutEvents takes, but not with all else that it counts.
TEST_F(FlowTest, ABatchOfABusIsCutByAllThatTheBusCounts) {
  world.create_stream("s");
  const std::string detail = base::cat(R"({"pad":")", std::string(26'000, 'x'), R"("})");
  const std::string kind(60, 'k');
  const std::string data = base::cat(R"({"at":"2026-01-02T03:04:05Z","kind":")", kind, R"(","detail":)", detail, "}");
  for (int i = 0; i < 10; ++i) world.put("s", "key", data);
  world.create("p", World::stream("s"), World::arn("events", "event-bus/default"),
               base::cat(kFromStart, R"(,"TargetParameters":{"InputTemplate":"<$.data.detail>",)"
                                     R"("EventBridgeEventBusParameters":{"DetailType":"$.data.kind",)"
                                     R"("Resources":["$.data.kind","$.data.kind","$.data.kind"],)"
                                     R"("Time":"$.data.at"}})"));
  world.settle();
  EXPECT_EQ(world.state("p"), "RUNNING");
  ASSERT_THAT(world.events, SizeIs(10));
  EXPECT_EQ(world.events[9].detail, detail);
}

TEST_F(FlowTest, AGroupOfLogsGetsEventsInTheOrderOfTheirTimes) {
  world.create("p", World::queue("in"), World::arn("logs", "log-group:/g:*"),
               R"(,"TargetParameters":{"InputTemplate":"<$.body.text>","CloudWatchLogsParameters":)"
               R"({"LogStreamName":"$.body.stream","Timestamp":"$.body.at"}})");
  world.call("StopPipe", "p");
  world.settle();
  for (const char* body : {R"({"stream":"a","at":3000,"text":"late"})", R"({"stream":"b","at":2000,"text":"other"})",
                           R"({"stream":"a","at":1000,"text":"early"})"}) {
    world.send("in", body);
  }
  world.call("StartPipe", "p");
  world.settle();
  std::map<std::string, std::string> streams;
  for (const auto& request : world.logged) {
    EXPECT_EQ(request.log_group_name, "/g");
    for (const auto& event : request.log_events) {
      streams[request.log_stream_name] += base::cat(event.timestamp, " ", event.message, " ");
    }
  }
  EXPECT_EQ(streams["a"], "1000 early 3000 late ");
  EXPECT_EQ(streams["b"], "2000 other ");
}

TEST_F(FlowTest, EventsOfALogStreamThatAreFurtherApartThanADayGoInRequestsOfTheirOwn) {
  world.create_stream("s");
  constexpr int64_t kDayMs = 24 * 3600 * 1000;
  for (const int64_t at : {2 * kDayMs + 1, int64_t{0}, kDayMs, kDayMs + 1}) {
    world.put("s", "key", base::cat(R"({"at":)", at, "}"));
  }
  world.create("p", World::stream("s"), World::arn("logs", "log-group:/g"),
               base::cat(kFromStart, R"(,"TargetParameters":{"InputTemplate":"<$.data.at>","CloudWatchLogsParameters":)"
                                     R"({"LogStreamName":"a","Timestamp":"$.data.at"}})"));
  ASSERT_THAT(world.logged, SizeIs(2));
  const auto messages = [&](size_t request) {
    Texts texts;
    for (const auto& event : world.logged[request].log_events) texts.push_back(event.message);
    return texts;
  };
  EXPECT_THAT(messages(0), ElementsAre("0", base::cat(kDayMs)));
  EXPECT_THAT(messages(1), ElementsAre(base::cat(kDayMs + 1), base::cat(2 * kDayMs + 1)));
}

TEST_F(FlowTest, AnApiDestinationGetsEachEventWithWhatIsAdded) {
  const std::string far = World::arn("events", "api-destination/far/1");
  world.create("p", World::queue("in"), far,
               R"(,"TargetParameters":{"InputTemplate":"{\"n\":<$.body.n>}","HttpParameters":{"PathParameterValues":)"
               R"(["$.body.id","x"],"HeaderParameters":{"X-Kind":"$.body.kind"},"QueryStringParameters":{"q":"1"}}})");
  world.call("StopPipe", "p");
  world.settle();
  world.send("in", R"({"n":1,"id":"a","kind":"tea"})");
  world.send("in", R"({"n":2,"id":"b","kind":"milk"})");
  int status = 500;
  world.answer_call = [&](const auto&) { return wire::events::InvokeApiDestinationOutput{.status_code = status}; };
  world.call("StartPipe", "p");
  world.settle();
  ASSERT_THAT(world.calls, SizeIs(2)) << "one event each";
  status = 204;
  world.calls.clear();
  world.advance(31s);
  ASSERT_THAT(world.calls, SizeIs(2)) << "a server's error is the customer's here";
  std::ranges::sort(world.calls, {}, &wire::events::InvokeApiDestinationInput::body);
  const auto& call = world.calls[0];
  EXPECT_EQ(call.api_destination_arn, far);
  EXPECT_EQ(call.body, R"({"n":1})");
  EXPECT_THAT(*call.http_parameters->path_parameter_values, ElementsAre("a", "x"));
  EXPECT_EQ(call.http_parameters->header_parameters->at("X-Kind"), "tea");
  EXPECT_EQ(call.http_parameters->query_string_parameters->at("q"), "1");
}

TEST_F(FlowTest, AnApiDestinationEnrichesOneEventAtATime) {
  const std::string far = World::arn("events", "api-destination/far/1");
  world.create(
      "p", World::queue("in"), World::queue("out"),
      base::cat(R"(,"Enrichment":")", far,
                R"(","EnrichmentParameters":{"InputTemplate":"<$.body>","HttpParameters":{"QueryStringParameters":)",
                R"({"id":"$.messageId"}}})"));
  world.answer_call = [&](const auto& request) {
    return wire::events::InvokeApiDestinationOutput{.status_code = 200, .body = R"({"got":")" + request.body + "\"}"};
  };
  world.send("in", "x");
  world.send("in", "y");
  world.settle();
  Texts bodies = world.bodies("out");
  std::ranges::sort(bodies);
  EXPECT_THAT(bodies, ElementsAre(R"({"got":"x"})", R"({"got":"y"})"));
  EXPECT_THAT(world.calls.at(0).http_parameters->query_string_parameters->at("id"), SizeIs(36));
}

TEST_F(FlowTest, AnApiDestinationIsCalledUnderThePipesRoleInThePipesAccount) {
  const std::string foreign = "arn:aws:events:us-east-1:111111111111:api-destination/far/1";
  world.create("target", World::queue("in"), foreign);
  world.create_queue("other");
  world.create("enrichment", World::queue("other"), World::queue("out"), base::cat(R"(,"Enrichment":")", foreign, "\""));
  world.answer_call = [](const auto&) { return wire::events::InvokeApiDestinationOutput{.status_code = 200}; };
  world.send("in", "x");
  world.send("other", "y");
  world.settle();
  ASSERT_THAT(world.callers, SizeIs(2));
  for (const World::HttpCaller& caller : world.callers) {
    EXPECT_EQ(caller.account, World::kAccount);
    ASSERT_TRUE(caller.principal.standing());
    EXPECT_EQ(caller.principal.standing()->role_arn, "arn:aws:iam::000000000000:role/r");
  }
}

}  // namespace
}  // namespace tidemill::pipes
