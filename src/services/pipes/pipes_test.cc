// The life of a pipe: what the operations check, answer and show.
#include "services/pipes/input.h"
#include "services/pipes/testing.h"
#include "store/test_executor.h"

namespace tidemill::pipes {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::World;

class PipesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world.create_queue("in");
    world.create_queue("out");
  }

  std::string create(std::string_view name, std::string_view more = "") {
    return world.create(name, World::queue("in"), World::queue("out"), more);
  }
  std::string field(std::string_view name, std::string_view member) {
    const json::Value pipe = world.describe(name);
    const json::Value* found = pipe.find(member);
    return found ? (found->is_string() ? found->string() : json::write(*found)) : "nothing";
  }

  World world;
};

TEST_F(PipesTest, APipeLivesFromCreationToDeletion) {
  const std::string made = create("p", R"(,"Description":"d","Tags":{"k":"v"})");
  EXPECT_THAT(made,
              HasSubstr(R"("Arn":"arn:aws:pipes:us-east-1:000000000000:pipe/p","Name":"p","DesiredState":"RUNNING",)"
                        R"("CurrentState":"CREATING")"));
  EXPECT_EQ(world.state("p"), "RUNNING");
  EXPECT_EQ(field("p", "StateReason"), "USER_INITIATED");
  EXPECT_EQ(field("p", "Description"), "d");
  EXPECT_EQ(field("p", "Tags"), R"({"k":"v"})");
  EXPECT_EQ(field("p", "SourceParameters"),
            R"({"SqsQueueParameters":{"BatchSize":10,"MaximumBatchingWindowInSeconds":0}})");

  EXPECT_THAT(world.call("StopPipe", "p"), HasSubstr(R"("DesiredState":"STOPPED","CurrentState":"STOPPING")"));
  world.settle();
  EXPECT_EQ(world.state("p"), "STOPPED");
  world.send("in", "waits");
  world.settle();
  EXPECT_THAT(world.bodies("out"), IsEmpty());
  EXPECT_THAT(world.call("StartPipe", "p"), HasSubstr(R"("DesiredState":"RUNNING","CurrentState":"STARTING")"));
  world.settle();
  EXPECT_EQ(world.state("p"), "RUNNING");
  EXPECT_EQ(world.bodies("out").size(), 1u);

  EXPECT_THAT(world.call("DeletePipe", "p"), HasSubstr(R"("DesiredState":"DELETED","CurrentState":"DELETING")"));
  world.settle();
  EXPECT_EQ(world.state("p"), "NotFoundException: Pipe p does not exist.");
  for (const char* operation : {"DeletePipe", "StartPipe", "StopPipe"}) {
    EXPECT_EQ(world.call(operation, "p"), "NotFoundException: Pipe p does not exist.") << operation;
  }
  EXPECT_FALSE(world.disk.data.lower_bound("M")->first.starts_with("M")) << "its mapping has gone, too";
  EXPECT_THAT(create("p"), HasSubstr("CREATING")) << "its name is free again";
}

TEST_F(PipesTest, ConflictsNameThePipe) {
  create("p");
  EXPECT_THAT(create("p"),
              HasSubstr(R"(ConflictException: Pipe p already exists. {"resourceId":"p","resourceType":"pipe")"));
  EXPECT_THAT(world.call("StartPipe", "p"), StartsWith("ConflictException: Pipe p is in the state RUNNING"));
  world.call("StopPipe", "p");
  world.settle();
  EXPECT_THAT(world.call("StopPipe", "p"), StartsWith("ConflictException: Pipe p is in the state STOPPED"));
  EXPECT_EQ(world.state("p"), "STOPPED");
}

TEST_F(PipesTest, ASourceThatIsNotThereFailsTheCreation) {
  world.create("p", World::queue("nothing"), World::queue("out"));
  EXPECT_EQ(world.state("p"), "CREATE_FAILED");
  EXPECT_EQ(field("p", "StateReason"), "Source not found: arn:aws:sqs:us-east-1:000000000000:nothing");
  EXPECT_THAT(world.call("StartPipe", "p"), StartsWith("ConflictException"));
  EXPECT_THAT(world.update("p", ""), StartsWith("ValidationException")) << "it is still not there";
  world.call("DeletePipe", "p");
  world.settle();
  EXPECT_THAT(world.state("p"), StartsWith("NotFoundException"));

  world.create_stream("s");
  world.create("q", World::stream("s"), World::queue("out"),
               R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"LATEST","DeadLetterConfig":)"
               R"({"Arn":"arn:aws:sqs:us-east-1:000000000000:no-letters"}}})");
  EXPECT_EQ(world.state("q"), "CREATE_FAILED");
  EXPECT_THAT(field("q", "StateReason"), HasSubstr("Error occurred while sending message to SQS queue: arn:aws:sqs"));
}

TEST_F(PipesTest, ASourceThatHasGoneFailsTheStart) {
  create("p", R"(,"DesiredState":"STOPPED")");
  EXPECT_EQ(world.state("p"), "STOPPED");
  world.run("DeleteQueue", R"({"QueueUrl":"in"})");
  world.call("StartPipe", "p");
  EXPECT_EQ(world.state("p"), "START_FAILED");
  EXPECT_THAT(field("p", "StateReason"), StartsWith("Source not found"));
  world.advance(std::chrono::minutes(2));
  world.create_queue("in");
  world.call("StartPipe", "p");
  world.settle();
  EXPECT_EQ(world.state("p"), "RUNNING");
}

TEST_F(PipesTest, AnUpdateKeepsWhatItDoesNotName) {
  world.create_stream("s");
  world.create_queue("letters");
  world.create(
      "p", World::stream("s"), World::queue("out"),
      R"(,"Description":"d","SourceParameters":{"FilterCriteria":)"
      R"({"Filters":[{"Pattern":"{\"partitionKey\":[\"k\"]}"}]},)"
      R"("KinesisStreamParameters":{"StartingPosition":"TRIM_HORIZON","BatchSize":7,"MaximumRetryAttempts":3}},)"
      R"("TargetParameters":{"InputTemplate":"one"})");
  EXPECT_EQ(world.state("p"), "RUNNING");
  EXPECT_THAT(world.update("p", R"(,"SourceParameters":{"KinesisStreamParameters":{"BatchSize":5,"DeadLetterConfig":)"
                                R"({"Arn":"arn:aws:sqs:us-east-1:000000000000:letters"}}})"),
              HasSubstr(R"("CurrentState":"UPDATING")"));
  EXPECT_EQ(world.state("p"), "RUNNING");
  EXPECT_EQ(field("p", "Description"), "d");
  EXPECT_EQ(field("p", "TargetParameters"), R"({"InputTemplate":"one"})");
  EXPECT_EQ(field("p", "SourceParameters"),
            R"({"FilterCriteria":{"Filters":[{"Pattern":"{\"partitionKey\":[\"k\"]}"}]},"KinesisStreamParameters":)"
            R"({"BatchSize":5,"DeadLetterConfig":{"Arn":"arn:aws:sqs:us-east-1:000000000000:letters"},)"
            R"("MaximumBatchingWindowInSeconds":0,"MaximumRecordAgeInSeconds":-1,"MaximumRetryAttempts":-1,)"
            R"("ParallelizationFactor":1,"StartingPosition":"TRIM_HORIZON"}})");
  world.update("p", R"(,"SourceParameters":{"FilterCriteria":{}})");
  EXPECT_THAT(field("p", "SourceParameters"), ::testing::Not(HasSubstr("FilterCriteria")));
  world.update("p", R"(,"Description":"e","TargetParameters":{"InputTemplate":""},"DesiredState":"STOPPED")");
  EXPECT_EQ(world.state("p"), "STOPPED");
  EXPECT_EQ(field("p", "Description"), "e");
  EXPECT_EQ(field("p", "TargetParameters"), R"({"InputTemplate":""})");
  EXPECT_THAT(world.update("p", R"(,"Target":"arn:aws:kinesis:us-east-1:000000000000:stream/s","TargetParameters":)"
                                R"({"KinesisStreamParameters":{"PartitionKey":"x"}})"),
              HasSubstr("UPDATING"));
  EXPECT_EQ(world.state("p"), "STOPPED");
}

TEST_F(PipesTest, ListsPageByPageAndByWhatIsAskedFor) {
  world.create_stream("s");
  for (const char* name : {"a1", "a2", "b1"}) create(name);
  world.create(
      "b2", World::stream("s"), World::queue("out"),
      R"(,"DesiredState":"STOPPED","SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"LATEST"}})");
  const auto names = [&](std::vector<std::pair<std::string, std::string>> query, std::string* token = nullptr) {
    std::string found;
    const json::Value page =
        world.ask(World::Request{.service = "pipes", .operation = "ListPipes", .query = std::move(query)});
    for (const json::Value& pipe : page.find("Pipes")->array()) found += pipe.find("Name")->string() + " ";
    if (token) *token = page.find("NextToken") ? page.find("NextToken")->string() : "";
    return found;
  };
  EXPECT_EQ(names({}), "a1 a2 b1 b2 ");
  EXPECT_EQ(names({{"NamePrefix", "a"}}), "a1 a2 ");
  EXPECT_EQ(names({{"DesiredState", "STOPPED"}}), "b2 ");
  EXPECT_EQ(names({{"CurrentState", "RUNNING"}}), "a1 a2 b1 ");
  EXPECT_EQ(names({{"SourcePrefix", "arn:aws:kinesis"}}), "b2 ");
  EXPECT_EQ(names({{"TargetPrefix", "arn:aws:sqs:us-east-1:000000000000:out"}, {"NamePrefix", "b"}}), "b1 b2 ");
  std::string token;
  EXPECT_EQ(names({{"Limit", "3"}}, &token), "a1 a2 b1 ");
  EXPECT_EQ(names({{"Limit", "3"}, {"NextToken", token}}, &token), "b2 ");
  EXPECT_EQ(token, "");
  EXPECT_THAT(
      world.run(World::Request{.service = "pipes", .operation = "ListPipes", .query = {{"NextToken", "nonsense"}}}),
      StartsWith("ValidationException"));
}

TEST_F(PipesTest, TagsAreGivenAndTakenByArn) {
  create("p", R"(,"Tags":{"a":"1"})");
  const std::string arn = "arn:aws:pipes:us-east-1:000000000000:pipe/p";
  const auto call = [&](std::string operation, std::string body,
                        std::vector<std::pair<std::string, std::string>> query = {}) {
    return world.run(World::Request{.service = "pipes",
                                    .operation = std::move(operation),
                                    .body = std::move(body),
                                    .labels = {{"resourceArn", arn}},
                                    .query = std::move(query)});
  };
  EXPECT_EQ(call("TagResource", R"({"tags":{"b":"2","a":"3"}})"), "{}");
  EXPECT_EQ(call("ListTagsForResource", ""), R"({"tags":{"a":"3","b":"2"}})");
  EXPECT_EQ(call("UntagResource", "", {{"tagKeys", "a"}}), "{}");
  constexpr const char* kReserved = "Tag keys that begin with aws: are reserved for AWS.";
  EXPECT_THAT(call("TagResource", R"({"tags":{"c":"1","aws:d":"2"}})"), HasSubstr(kReserved));
  EXPECT_THAT(call("UntagResource", "", {{"tagKeys", "b"}, {"tagKeys", "AWS:d"}}), HasSubstr(kReserved));
  EXPECT_THAT(create("other", R"(,"Tags":{"AWS:a":"1"})"), HasSubstr(kReserved));
  constexpr const char* kCharacters = "Tags can only include letters, digits, spaces, and _ . : / = + - @";
  for (const std::string tags : {R"({"c!":"1"})", R"({"c":"{1}"})"}) {
    EXPECT_THAT(call("TagResource", R"({"tags":)" + tags + "}"), HasSubstr(kCharacters));
    EXPECT_THAT(create("other", R"(,"Tags":)" + tags), HasSubstr(kCharacters));
  }
  EXPECT_EQ(field("p", "Tags"), R"({"b":"2"})");
  EXPECT_EQ(world.state("p"), "RUNNING") << "labels change nothing else";
  world.call("DeletePipe", "p");
  world.settle();
  EXPECT_EQ(call("ListTagsForResource", ""), "NotFoundException: Pipe p does not exist.");
}

// What is refused, by the parameter's name.
struct Refusal {
  const char* source;
  const char* target;
  const char* more;
  const char* says;
};

constexpr const char* kIn = "arn:aws:sqs:us-east-1:000000000000:in";
constexpr const char* kOut = "arn:aws:sqs:us-east-1:000000000000:out";
constexpr const char* kData = "arn:aws:kinesis:us-east-1:000000000000:stream/s";
constexpr const char* kTable = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2026-03-14T00:00:00.000";
constexpr const char* kFunction = "arn:aws:lambda:us-east-1:000000000000:function:f";
constexpr const char* kBus = "arn:aws:events:us-east-1:000000000000:event-bus/default";

constexpr Refusal kRefusals[] = {
    {kTable, kOut, "",
     R"({"Name":"SourceParameters.DynamoDBStreamParameters","Message":"Missing required parameter."})"},
    {kData, kOut, "", R"({"Name":"SourceParameters.KinesisStreamParameters","Message":"Missing required parameter."})"},
    {kData, kOut, R"(,"SourceParameters":{"KinesisStreamParameters":{}})", "startingPosition"},
    {kIn, kOut, R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"LATEST"}})",
     "Invalid source parameter provided for source."},
    {kData, kOut, R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"AT_TIMESTAMP"}})",
     "StartingPositionTimestamp"},
    {kData, kOut,
     R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"LATEST","MaximumRecordAgeInSeconds":10}})",
     "MaximumRecordAgeInSeconds"},
    {kData, kOut, R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"LATEST","BatchSize":11}})",
     "The batch size of the source must not be greater than that of the target, which is 10."},
    {kIn, kFunction, R"(,"SourceParameters":{"SqsQueueParameters":{"BatchSize":11}})",
     "Maximum batch window in seconds must be greater than 0"},
    {kIn, kOut, R"(,"SourceParameters":{"FilterCriteria":{"Filters":[{"Pattern":"{\"body\":1}"}]}})",
     "Event pattern is not valid"},
    {kIn, kOut, R"(,"SourceParameters":{"ManagedStreamingKafkaParameters":{"TopicName":"t"}})",
     "ManagedStreamingKafkaParameters"},
    {kIn, kOut, R"(,"SourceParameters":{"RabbitMQBrokerParameters":{"QueueName":"t"}})", "RabbitMQBrokerParameters"},
    {"arn:aws:kinesis:us-east-1:000000000000:stream/s/odd/thing", kOut,
     R"(,"SourceParameters":{"KinesisStreamParameters":{"StartingPosition":"LATEST"}})", R"("Name":"Source")"},
    {"arn:aws:dynamodb:us-east-1:000000000000:table/t", kOut, "", "The ARN does not name a stream."},
    {"arn:aws:kafka:us-east-1:000000000000:cluster/c/x", kOut, "",
     "Tidemill does not support sources of the service kafka."},
    {"arn:aws:mq:us-east-1:000000000000:broker:b:x", kOut, "", "Tidemill does not support sources of the service mq."},
    {"smk://broker.example.com:9092", kOut, "", "Tidemill does not support the source smk://broker.example.com:9092."},
    {kIn, "arn:aws:ecs:us-east-1:000000000000:cluster/c", "", "Tidemill does not support the target arn:aws:ecs"},
    {kIn, "arn:aws:events:us-east-1:000000000000:api-destination/d/1",
     R"(,"SourceParameters":{"SqsQueueParameters":{"BatchSize":2}})", "which is 1."},
    {kIn, kOut,
     R"(,"Enrichment":"arn:aws:events:us-east-1:000000000000:api-destination/d/1",)"
     R"("SourceParameters":{"SqsQueueParameters":{"BatchSize":2}})",
     "which is 1."},
    {kIn, "arn:aws:states:us-east-1:000000000000:stateMachine:m", "", "the operation states:StartSyncExecution"},
    {kIn, "arn:aws:states:us-east-1:000000000000:stateMachine:m",
     R"(,"TargetParameters":{"StepFunctionStateMachineParameters":{"InvocationType":"FIRE_AND_FORGET"}})",
     "the operation states:StartExecution"},
    {kIn, "arn:aws:sns:us-east-1:000000000000:t.fifo", "", "SNS FIFO topics are not supported as a pipe target."},
    {kIn, "arn:aws:sqs:us-east-1:000000000000:out.fifo", "", "MessageGroupId"},
    {kIn, kData, "", "TargetParameters.KinesisStreamParameters"},
    {kIn, kOut, R"(,"TargetParameters":{"KinesisStreamParameters":{"PartitionKey":"k"}})",
     "Invalid target parameter provided for target."},
    {kIn, "arn:aws:sqs:eu-west-1:000000000000:out", "", "Creating cross-region pipe is not permitted."},
    {"arn:aws:sqs:eu-west-1:000000000000:in", kOut, "", "Creating cross-region pipe is not permitted."},
    {kIn, kOut, R"(,"Enrichment":"arn:aws:sqs:us-east-1:000000000000:in")", "Invalid pipe enrichment."},
    {kIn, kOut, R"(,"TargetParameters":{"InputTemplate":"<nonsense>"})", "Invalid placeholder <nonsense>"},
    {kIn, kOut, R"(,"TargetParameters":{"InputTemplate":"<$.a..b>"})", "Invalid JSON path"},
    {kIn, kOut, R"(,"TargetParameters":{"SqsQueueParameters":{"MessageGroupId":"$..a"}})", "Invalid JSON path"},
    {kIn, kOut, R"(,"TargetParameters":{"EcsTaskParameters":{"TaskDefinitionArn":"x"}})", "EcsTaskParameters"},
    {kIn, kOut, R"(,"TargetParameters":{"HttpParameters":{"HeaderParameters":{"a":"b"}}})", "HttpParameters"},
    {kIn, kBus, R"(,"TargetParameters":{"EventBridgeEventBusParameters":{"EndpointId":"a.b"}})", "EndpointId"},
    {kIn, kBus, R"(,"TargetParameters":{"EventBridgeEventBusParameters":{"Source":"aws.mine"}})",
     "It must not begin with aws."},
    {kIn, kOut, R"(,"Enrichment":"arn:aws:execute-api:us-east-1:000000000000:a/b/GET/c")",
     "the enrichment arn:aws:execute-api"},
    {kIn, "arn:aws:events:us-east-1:000000000000:api-destination/d/1",
     R"(,"TargetParameters":{"HttpParameters":{"PathParameterValues":["$..a"]}})", "Invalid JSON path"},
    {kIn, kOut, R"(,"Enrichment":"arn:aws:states:us-east-1:000000000000:stateMachine:m")", "states:StartSyncExecution"},
    {kIn, kOut, R"(,"EnrichmentParameters":{"HttpParameters":{"HeaderParameters":{"a":"b"}}})", "HttpParameters"},
    {kIn, kOut, R"(,"LogConfiguration":{"Level":"INFO"})", "LogConfiguration.CloudwatchLogsLogDestination"},
    {kIn, kOut,
     R"(,"LogConfiguration":{"Level":"INFO","CloudwatchLogsLogDestination":)"
     R"({"LogGroupArn":"arn:aws:logs:us-east-1:111111111111:log-group:/pipes"}})",
     "The log group must be of the account and region of the pipe."},
    {kIn, kOut,
     R"(,"LogConfiguration":{"Level":"INFO","CloudwatchLogsLogDestination":)"
     R"({"LogGroupArn":"arn:aws:logs:eu-west-1:000000000000:log-group:/pipes"}})",
     "The log group must be of the account and region of the pipe."},
    {kIn, kOut, R"(,"LogConfiguration":{"Level":"INFO","S3LogDestination":{"BucketName":"b"}})", "S3LogDestination"},
    {kIn, kOut, R"(,"LogConfiguration":{"Level":"INFO","FirehoseLogDestination":{"DeliveryStreamArn":"b"}})",
     "FirehoseLogDestination"},
    {kIn, kOut, R"(,"KmsKeyIdentifier":"k")", "KmsKeyIdentifier"},
};

TEST_F(PipesTest, WhatCannotBeIsRefusedByItsName) {
  world.create_stream("s");
  for (const Refusal& refusal : kRefusals) {
    const std::string answer = world.create("p", refusal.source, refusal.target, refusal.more);
    EXPECT_THAT(answer, StartsWith("ValidationException: ")) << refusal.source << refusal.target << refusal.more;
    std::string said = answer;
    EXPECT_THAT(said, HasSubstr(refusal.says)) << refusal.more;
    EXPECT_THAT(world.state("p"), StartsWith("NotFoundException"));
  }
}

TEST(PipeTemplates, OthersHaveTheirTurnBetweenPathsAndEachIsFollowedOnce) {
  constexpr size_t kPaths = 50;
  std::string text = "\"";
  std::string expected = "\"";
  for (size_t i = 0; i < 3 * kPaths; ++i) {
    text += base::cat("<$.body.m", i % kPaths, ">");
    expected += base::cat(i % kPaths);
  }
  const PipeTemplate form(text + "\"");
  json::Object body;
  for (size_t i = 0; i < kPaths; ++i) body.set(base::cat("m", i), base::cat(i));
  Event event;
  event.parsed = json::Object{{"body", std::move(body)}};
  const Pipe pipe;

  store::TestExecutor executor(nullptr, store::TestExecutor::Slices::none);
  base::Scope scope;
  std::optional<std::optional<std::string>> made;
  {
    const base::Executor::Enter enter(executor);
    scope.spawn([](const PipeTemplate& of, const Event& what, const Pipe& whose,
                   std::optional<std::optional<std::string>>& out) -> Task<void> {
      out = co_await of.render(what, whose, {}, 10'000);
    }(form, event, pipe, made));
  }
  size_t turns = 0;
  executor.run_until([&] { return made || ++turns > 10 * kPaths; });
  ASSERT_TRUE(made);
  EXPECT_GE(turns, kPaths);
  EXPECT_LT(turns, 2 * kPaths);
  EXPECT_EQ(*made, expected + "\"");
}

}  // namespace
}  // namespace tidemill::pipes
