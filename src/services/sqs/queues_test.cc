// Queues: made, described, changed, listed, deleted.
#include <algorithm>

#include "services/sqs/tags.h"
#include "services/sqs/testing.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::sqs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace std::chrono_literals;
using testing::World;

std::string create(World& world, std::string_view name, std::string_view attributes = "") {
  return world.run("CreateQueue", base::cat(R"({"QueueName":")", name, R"(","Attributes":{)", attributes, "}}"));
}

std::string set(World& world, std::string_view name, std::string_view attributes) {
  return world.run("SetQueueAttributes", World::of_queue(name, base::cat(R"("Attributes":{)", attributes, "}")));
}

TEST(QueuesTest, AQueueIsDescribedAsItWasCreated) {
  World world;
  EXPECT_EQ(create(world, "q", R"("DelaySeconds":"5","VisibilityTimeout":"60")"),
            R"({"QueueUrl":"http://127.0.0.1:4566/000000000000/q"})");
  EXPECT_EQ(world.run("GetQueueUrl", R"({"QueueName":"q"})"), R"({"QueueUrl":"http://127.0.0.1:4566/000000000000/q"})");
  const auto all = world.ask("GetQueueAttributes", World::of_queue("q", R"("AttributeNames":["All"])"));
  EXPECT_EQ(json::write(*all.find("Attributes")),
            R"({"ApproximateNumberOfMessages":"0","ApproximateNumberOfMessagesDelayed":"0",)"
            R"("ApproximateNumberOfMessagesNotVisible":"0","CreatedTimestamp":"1773446400","DelaySeconds":"5",)"
            R"("LastModifiedTimestamp":"1773446400","MaximumMessageSize":"1048576","MessageRetentionPeriod":"345600",)"
            R"("QueueArn":"arn:aws:sqs:us-east-1:000000000000:q","ReceiveMessageWaitTimeSeconds":"0",)"
            R"("SqsManagedSseEnabled":"true","VisibilityTimeout":"60"})");
  world.create_queue("q.fifo");
  EXPECT_EQ(world.attribute("q.fifo", "FifoQueue"), "true");
  EXPECT_EQ(world.attribute("q.fifo", "ContentBasedDeduplication"), "false");
  EXPECT_EQ(world.attribute("q.fifo", "DeduplicationScope"), "queue");
  EXPECT_EQ(world.attribute("q.fifo", "FifoThroughputLimit"), "perQueue");
  EXPECT_EQ(world.attribute("q", "FifoQueue"), "");
}

TEST(QueuesTest, TheSameQueueAgainIsFineAndAnotherIsNot) {
  World world;
  create(world, "q", R"("DelaySeconds":"5")");
  EXPECT_THAT(create(world, "q", R"("DelaySeconds":"5")"), HasSubstr("QueueUrl"));
  EXPECT_THAT(create(world, "q"), HasSubstr("QueueUrl"));
  EXPECT_EQ(
      create(world, "q", R"("DelaySeconds":"6")"),
      "QueueNameExists: A queue already exists with the same name and a different value for attribute DelaySeconds");
}

TEST(QueuesTest, NamesAndAttributesThatAreWrongAreRefusedInAwsWords) {
  World world;
  EXPECT_THAT(create(world, "a b"), StartsWith("InvalidParameterValueException: Can only include alphanumeric"));
  EXPECT_THAT(create(world, "a.fifo"), StartsWith("InvalidParameterValueException: Can only include alphanumeric"));
  EXPECT_THAT(create(world, "a", R"("FifoQueue":"true")"),
              StartsWith("InvalidParameterValueException: The name of a FIFO queue"));
  EXPECT_THAT(create(world, std::string(81, 'a')), StartsWith("InvalidParameterValueException: Can only include"));
  EXPECT_EQ(create(world, "q", R"("FifoQueue":"false")"), "InvalidAttributeName: Unknown Attribute FifoQueue.");
  EXPECT_EQ(create(world, "q", R"("DeduplicationScope":"queue")"),
            "InvalidAttributeName: You can specify the DeduplicationScope only when FifoQueue is set to true.");
  EXPECT_EQ(create(world, "q", R"("Nonsense":"1")"), "InvalidAttributeName: Unknown Attribute Nonsense.");
  EXPECT_EQ(create(world, "q", R"("DelaySeconds":"901")"),
            "InvalidAttributeValue: Invalid value for the parameter DelaySeconds.");
  EXPECT_EQ(
      create(world, "q", R"("KmsMasterKeyId":"alias/x","SqsManagedSseEnabled":"true")"),
      "InvalidAttributeName: You can use one type of server-side encryption (SSE) at one time. You can either enable "
      "KMS SSE or SQS SSE.");
  create(world, "q.fifo", R"("FifoQueue":"true")");
  EXPECT_EQ(set(world, "q.fifo", R"("FifoQueue":"false")"),
            "InvalidAttributeValue: Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not "
            "supported.");
  EXPECT_THAT(set(world, "q.fifo", R"("FifoThroughputLimit":"perMessageGroupId")"), HasSubstr("is allowed only when"));
  EXPECT_EQ(set(world, "q.fifo", R"("FifoThroughputLimit":"perMessageGroupId","DeduplicationScope":"messageGroup")"),
            "{}");
}

TEST(QueuesTest, ChangesHoldAtOnceAndEmptyValuesAreDefaults) {
  World world;
  create(world, "q", R"("DelaySeconds":"5")");
  world.advance(10s);
  EXPECT_EQ(set(world, "q", R"("DelaySeconds":"","Policy":"{\"Statement\":[]}")"), "{}");
  EXPECT_EQ(world.attribute("q", "DelaySeconds"), "0");
  EXPECT_EQ(world.attribute("q", "Policy"), R"({"Statement":[]})");
  EXPECT_EQ(world.attribute("q", "LastModifiedTimestamp"), "1773446410");
  EXPECT_EQ(world.attribute("q", "CreatedTimestamp"), "1773446400");
}

TEST(QueuesTest, RedrivePoliciesAreChecked) {
  World world;
  create(world, "q");
  create(world, "dead");
  world.create_queue("dead.fifo");
  const auto redrive = [&](std::string_view policy) {
    return set(world, "q", base::cat(R"("RedrivePolicy":")", policy, "\""));
  };
  const std::string target = base::cat(R"(\"deadLetterTargetArn\":\")", World::arn("dead"), R"(\")");
  EXPECT_EQ(redrive(base::cat("{", target, R"(,\"maxReceiveCount\":\"3\"})")), "{}");
  EXPECT_THAT(redrive(base::cat("{", target, "}")), HasSubstr("maxReceiveCount"));
  EXPECT_THAT(
      redrive(base::cat("{", target, R"(,\"maxReceiveCount\":1001})")),
      HasSubstr("Reason: Invalid value for maxReceiveCount: 1001, valid values are from 1 to 1000 both inclusive."));
  EXPECT_THAT(
      redrive(base::cat(R"({\"deadLetterTargetArn\":\")", World::arn("nowhere"), R"(\",\"maxReceiveCount\":3})")),
      HasSubstr("Dead letter target does not exist."));
  EXPECT_THAT(
      redrive(base::cat(R"({\"deadLetterTargetArn\":\")", World::arn("dead.fifo"), R"(\",\"maxReceiveCount\":3})")),
      HasSubstr("must be same type"));
  EXPECT_THAT(json::write(world.ask("ListDeadLetterSourceQueues", World::of_queue("dead"))), HasSubstr("/q"));
  EXPECT_EQ(redrive(""), "{}");
  EXPECT_THAT(world.ask("ListDeadLetterSourceQueues", World::of_queue("dead")).find("queueUrls")->array(), IsEmpty());
}

TEST(QueuesTest, AQueueChoosesWhoseMessagesItTakes) {
  World world;
  create(world, "q");
  create(world, "dead", R"("RedriveAllowPolicy":"{\"redrivePermission\":\"denyAll\"}")");
  const std::string policy =
      base::cat(R"("RedrivePolicy":"{\"deadLetterTargetArn\":\")", World::arn("dead"), R"(\",\"maxReceiveCount\":3}")");
  EXPECT_THAT(set(world, "q", policy), HasSubstr("RedriveAllowPolicy denies it"));
  set(world, "dead",
      base::cat(R"("RedriveAllowPolicy":"{\"redrivePermission\":\"byQueue\",\"sourceQueueArns\":[\")", World::arn("q"),
                R"(\"]}")"));
  EXPECT_EQ(set(world, "q", policy), "{}");
  EXPECT_THAT(set(world, "dead", R"("RedriveAllowPolicy":"{\"redrivePermission\":\"byQueue\"}")"),
              HasSubstr("sourceQueueArns is required"));
}

TEST(QueuesTest, QueuesAreListedByNameAndPaged) {
  World world;
  for (const char* name : {"b2", "a", "b1", "b3"}) create(world, name);
  const auto page = world.ask("ListQueues", R"({"QueueNamePrefix":"b","MaxResults":2})");
  EXPECT_EQ(json::write(*page.find("QueueUrls")),
            R"(["http://127.0.0.1:4566/000000000000/b1","http://127.0.0.1:4566/000000000000/b2"])");
  const auto rest = world.ask("ListQueues", base::cat(R"({"QueueNamePrefix":"b","MaxResults":2,"NextToken":")",
                                                      page.find("NextToken")->string(), "\"}"));
  EXPECT_EQ(json::write(*rest.find("QueueUrls")), R"(["http://127.0.0.1:4566/000000000000/b3"])");
  EXPECT_EQ(rest.find("NextToken"), nullptr);
  EXPECT_EQ(world.run("ListQueues", R"({"QueueNamePrefix":"zzz"})"), "{}");
}

TEST(QueuesTest, ADeletedQueueIsGoneWithAllThatItHeld) {
  World world;
  create(world, "q");
  world.send("q", R"("MessageBody":"old")");
  const auto old = world.receive("q").at(0);
  EXPECT_EQ(world.run("DeleteQueue", World::of_queue("q")), "{}");
  EXPECT_EQ(world.run("DeleteQueue", World::of_queue("q")), "QueueDoesNotExist: The specified queue does not exist.");
  create(world, "q");
  EXPECT_THAT(world.receive("q"), IsEmpty());
  EXPECT_THAT(world.remove("q", old), StartsWith("ReceiptHandleIsInvalid"));
  for (const auto& [key, value] : world.disk.data) EXPECT_NE(key[0], 'Q') << "something is left";
}

TEST(QueuesTest, QueuesAreFoundWhateverTheHostOfTheirUrl) {
  World world;
  create(world, "q");
  for (const char* url : {"https://sqs.us-east-1.amazonaws.com/000000000000/q", "/000000000000/q", "q"}) {
    EXPECT_EQ(
        world.run("GetQueueAttributes", base::cat(R"({"QueueUrl":")", url, R"(","AttributeNames":["DelaySeconds"]})")),
        R"({"Attributes":{"DelaySeconds":"0"}})");
  }
  EXPECT_EQ(world.run("PurgeQueue", R"({"QueueUrl":"http://127.0.0.1/111111111111/q"})"),
            "QueueDoesNotExist: The specified queue does not exist.");
  EXPECT_EQ(world.run("PurgeQueue", "{}"),
            "MissingRequiredParameterException: The request must contain the parameter QueueUrl.");
}

TEST(QueuesTest, TagsAreKept) {
  World world;
  world.run("CreateQueue", R"({"QueueName":"q","tags":{"a":"1"}})");
  world.run("TagQueue", World::of_queue("q", R"("Tags":{"b":"2","c":"3"})"));
  world.run("UntagQueue", World::of_queue("q", R"("TagKeys":["a","c"])"));
  EXPECT_EQ(world.run("ListQueueTags", World::of_queue("q")), R"({"Tags":{"b":"2"}})");
}

TEST(QueuesTest, TagsThatCannotBeAreRefusedAtTheCreationAndLater) {
  constexpr std::string_view kReserved = "Tag keys that begin with aws: are reserved for AWS.";
  constexpr std::string_view kKeySize = "Tag keys must be between 1 and 128 characters in length.";
  constexpr std::string_view kCharacters = "can only include letters, digits, white space";
  World world;
  create(world, "q");
  const auto refused = [&](std::string_view key, std::string_view value, std::string_view words) {
    const std::string tags = base::cat("{\"", key, "\":\"", value, "\"}");
    const auto is_refusal = AllOf(StartsWith("InvalidParameterValueException: "), HasSubstr(std::string(words)));
    EXPECT_THAT(world.run("CreateQueue", base::cat(R"({"QueueName":"r","tags":)", tags, "}")), is_refusal);
    EXPECT_THAT(world.run("TagQueue", World::of_queue("q", R"("Tags":)" + tags)), is_refusal);
  };
  const auto keeps = [&](std::string_view key, std::string_view words) {
    EXPECT_THAT(world.run("UntagQueue", World::of_queue("q", base::cat(R"("TagKeys":["a",")", key, "\"]"))),
                HasSubstr(std::string(words)));
  };
  for (const char* key : {"aws:a", "Aws:a"}) {
    refused(key, "1", kReserved);
    keeps(key, kReserved);
  }
  const std::string too_long(129, 'k');
  refused(too_long, "1", kKeySize);
  keeps(too_long, kKeySize);
  refused("k", std::string(257, 'v'), "Tag values must be between 0 and 256 characters in length.");
  refused("a!", "1", kCharacters);
  refused("a", "{1}", kCharacters);
  EXPECT_EQ(world.run("ListQueueTags", World::of_queue("q")), "{}");
}

TEST(QueuesTest, TagsThatEarlierVersionsLetBeCanBeTakenAway) {
  Queue queue;
  queue.tags = {{"AWS:team", "tide"}, {"a", "1"}};
  change_tags(queue, {}, {"AWS:team"});
  EXPECT_THAT(queue.tags, SizeIs(1));
  EXPECT_THROW(change_tags(queue, {}, {"AWS:team"}), wire::Error);
}

TEST(QueuesTest, PermissionsAreStatementsOfThePolicy) {
  World world;
  create(world, "q");
  const std::string permission = R"("Label":"l","AWSAccountIds":["111111111111"],"Actions":["SendMessage"])";
  EXPECT_EQ(world.run("AddPermission", World::of_queue("q", permission)), "{}");
  EXPECT_EQ(world.attribute("q", "Policy"),
            R"({"Version":"2008-10-17","Id":"arn:aws:sqs:us-east-1:000000000000:q/SQSDefaultPolicy","Statement":[)"
            R"({"Sid":"l","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111111111111:root"},)"
            R"("Action":"SQS:SendMessage","Resource":"arn:aws:sqs:us-east-1:000000000000:q"}]})");
  EXPECT_THAT(world.run("AddPermission", World::of_queue("q", permission)), HasSubstr("Already exists."));
  EXPECT_THAT(world.run("RemovePermission", World::of_queue("q", R"("Label":"x")")), HasSubstr("can't find label."));
  EXPECT_EQ(world.run("RemovePermission", World::of_queue("q", R"("Label":"l")")), "{}");
  EXPECT_EQ(world.attribute("q", "Policy"), "");
}

TEST(QueuesTest, TruthValuesAreTakenInAnyCase) {
  World world;
  EXPECT_THAT(create(world, "q.fifo", R"("FifoQueue":"True","ContentBasedDeduplication":"FALSE")"), HasSubstr("QueueUrl"));
  EXPECT_EQ(world.attribute("q.fifo", "FifoQueue"), "true");
  EXPECT_EQ(world.attribute("q.fifo", "ContentBasedDeduplication"), "false");
  EXPECT_EQ(set(world, "q.fifo", R"("ContentBasedDeduplication":"TrUe")"), "{}");
  EXPECT_EQ(world.attribute("q.fifo", "ContentBasedDeduplication"), "true");
}

// ---- Moving messages ------------------------------------------------------------------------------------------------

class MoveTest : public ::testing::Test {
 protected:
  // `count` messages that q gave up.
  void fill(int count) {
    world.create_queue("dead");
    world.create_queue_with_target("q", "dead", 1);
    for (int i = 0; i < count; ++i) world.send("q", base::cat(R"("MessageBody":"m)", i, "\""));
    while (!world.receive("q").empty()) {
    }
    world.advance(31s);
    EXPECT_THAT(world.receive("q"), IsEmpty());
    while (world.attribute("q", "ApproximateNumberOfMessages") != "0") world.receive("q");
    EXPECT_EQ(world.attribute("dead", "ApproximateNumberOfMessages"), std::to_string(count));
  }
  std::string start(std::string_view more = "") {
    return world.run("StartMessageMoveTask", base::cat(R"({"SourceArn":")", World::arn("dead"), "\"", more, "}"));
  }
  json::Value last_task() {
    return world.ask("ListMessageMoveTasks", base::cat(R"({"SourceArn":")", World::arn("dead"), "\"}"))
        .find("Results")
        ->array()
        .at(0);
  }

  World world;
};

TEST_F(MoveTest, MessagesGoBackToWhereTheyCameFrom) {
  fill(250);
  EXPECT_THAT(start(), HasSubstr("TaskHandle"));
  world.settle();
  const json::Value task = last_task();
  EXPECT_EQ(task.find("Status")->string(), "COMPLETED");
  EXPECT_EQ(task.find("ApproximateNumberOfMessagesMoved")->to_int64(), 250);
  EXPECT_EQ(task.find("ApproximateNumberOfMessagesToMove")->to_int64(), 250);
  EXPECT_EQ(task.find("TaskHandle"), nullptr);
  EXPECT_EQ(world.counts("dead"), "0 0 0");
  EXPECT_EQ(world.counts("q"), "250 0 0");
  EXPECT_EQ(world.receive("q").at(0).attribute("ApproximateReceiveCount"), "1");
}

TEST_F(MoveTest, ADeadLetterKeepsItsCountOfReceives) {
  fill(1);
  EXPECT_EQ(world.receive("dead").at(0).attribute("ApproximateReceiveCount"), "2");
}

TEST_F(MoveTest, ATaskKeepsItsRateAndCanBeCancelled) {
  fill(30);
  const std::string handle = json::parse(start(R"(,"MaxNumberOfMessagesPerSecond":5)"))->find("TaskHandle")->string();
  EXPECT_THAT(start(), HasSubstr("There is already a task running."));
  world.advance(2s);
  EXPECT_EQ(last_task().find("ApproximateNumberOfMessagesMoved")->to_int64(), 11);
  world.crash();
  world.advance(1s);
  EXPECT_EQ(last_task().find("ApproximateNumberOfMessagesMoved")->to_int64(), 16);
  const std::string cancel = base::cat(R"({"TaskHandle":")", handle, "\"}");
  EXPECT_EQ(world.run("CancelMessageMoveTask", cancel), R"({"ApproximateNumberOfMessagesMoved":16})");
  EXPECT_EQ(world.run("CancelMessageMoveTask", cancel), "ResourceNotFoundException: Task does not exist.");
  world.advance(10s);
  EXPECT_EQ(world.counts("q"), "16 0 0");
  EXPECT_EQ(last_task().find("Status")->string(), "CANCELLED");
}

TEST_F(MoveTest, ATaskWithoutADestinationFails) {
  fill(1);
  world.create_queue_with_target("other", "dead", 1);
  world.run("DeleteQueue", World::of_queue("q"));
  start();
  world.settle();
  EXPECT_EQ(last_task().find("Status")->string(), "FAILED");
  EXPECT_EQ(last_task().find("FailureReason")->string(), "AWS.SimpleQueueService.NonExistentQueue");
  EXPECT_EQ(world.counts("dead"), "1 0 0");
  EXPECT_THAT(start(base::cat(R"(,"DestinationArn":")", World::arn("other"), "\"")), HasSubstr("TaskHandle"));
  world.settle();
  EXPECT_EQ(world.counts("other"), "1 0 0");
}

TEST_F(MoveTest, NothingIsMovedToWhereItIs) {
  fill(0);
  EXPECT_EQ(start(base::cat(R"(,"DestinationArn":")", World::arn("dead"), "\"")),
            "InvalidParameterValueException: Source and destination queue must not be the same.");
  const std::string own = base::cat(R"({\"deadLetterTargetArn\":\")", World::arn("dead"), R"(\",\"maxReceiveCount\":1})");
  EXPECT_EQ(set(world, "dead", base::cat(R"("RedrivePolicy":")", own, "\"")), "{}");
  world.send("dead", R"("MessageBody":"m")");
  EXPECT_THAT(world.receive("dead"), SizeIs(1));
  world.advance(31s);
  EXPECT_THAT(world.receive("dead"), IsEmpty()) << "it is given up to where it is";
  start();
  world.settle();
  EXPECT_EQ(last_task().find("Status")->string(), "FAILED");
  EXPECT_EQ(last_task().find("FailureReason")->string(), "CouldNotDetermineMessageSource");
  EXPECT_EQ(world.counts("dead"), "1 0 0");
}

TEST_F(MoveTest, OnlyADeadLetterQueueIsASource) {
  fill(0);
  EXPECT_EQ(world.run("StartMessageMoveTask", base::cat(R"({"SourceArn":")", World::arn("q"), "\"}")),
            "InvalidParameterValueException: Source queue must be configured as a Dead Letter Queue.");
  EXPECT_EQ(world.run("StartMessageMoveTask", base::cat(R"({"SourceArn":")", World::arn("nowhere"), "\"}")),
            "ResourceNotFoundException: The resource that you specified for the SourceArn parameter doesn't exist.");
  EXPECT_EQ(world.run("CancelMessageMoveTask", R"({"TaskHandle":"x"})"),
            "InvalidParameterValueException: Value for parameter TaskHandle is invalid.");
}

// Lets send to no queue but these.
struct SendGate : wire::Authorizer {
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<void> authorize_deed(const wire::Context&, wire::Deed deed) override {
    if (deed.action != "sqs:SendMessage" || std::ranges::find(open, deed.resource) == open.end()) {
      throw wire::Error("AccessDeniedException", 403, base::cat(deed.action, " on ", deed.resource));
    }
    co_return;
  }

  std::vector<std::string> open;
};

TEST_F(MoveTest, WhatGoesBackNeedsTheRightToSendToEachQueueThatGaveUp) {
  fill(1);
  world.create_queue_with_target("other", "dead", 1);
  SendGate gate;
  world.platform->authorizer = &gate;
  gate.open = {World::arn("other")};
  EXPECT_EQ(start(), base::cat("AccessDeniedException: sqs:SendMessage on ", World::arn("q")));
  gate.open = {World::arn("q")};
  EXPECT_EQ(start(), base::cat("AccessDeniedException: sqs:SendMessage on ", World::arn("other")));
  EXPECT_EQ(world.counts("dead"), "1 0 0");
  gate.open = {World::arn("q"), World::arn("other")};
  EXPECT_THAT(start(), HasSubstr("TaskHandle"));
  world.settle();
  EXPECT_EQ(world.counts("q"), "1 0 0");
  world.platform->authorizer = nullptr;
}

// It is no source any more when the task starts, so nobody is asked whether anything may be sent to it.
TEST_F(MoveTest, NothingGoesBackToAQueueThatDoesNotGiveUpToTheSourceAnyMore) {
  fill(1);
  world.create_queue_with_target("other", "dead", 1);
  EXPECT_EQ(set(world, "q", R"("RedrivePolicy":"")"), "{}");
  SendGate gate;
  world.platform->authorizer = &gate;
  gate.open = {World::arn("other")};
  EXPECT_THAT(start(), HasSubstr("TaskHandle"));
  world.settle();
  EXPECT_EQ(last_task().find("Status")->string(), "FAILED");
  EXPECT_EQ(last_task().find("FailureReason")->string(), "CouldNotDetermineMessageSource");
  EXPECT_EQ(world.counts("dead"), "1 0 0");
  EXPECT_EQ(world.counts("q"), "0 0 0");
  world.platform->authorizer = nullptr;
  EXPECT_THAT(start(), HasSubstr("TaskHandle"));
  world.settle();
  EXPECT_EQ(world.counts("q"), "1 0 0");
}

TEST(FifoMoveTest, AGroupGoesBackInItsOrder) {
  World world;
  world.create_queue("dead.fifo");
  world.create_queue("q.fifo", base::cat(R"("VisibilityTimeout":"0","RedrivePolicy":"{\"deadLetterTargetArn\":\")",
                                         World::arn("dead.fifo"), R"(\",\"maxReceiveCount\":1}")"));
  for (int i = 0; i < 25; ++i) {
    const std::string body = std::to_string(i);
    world.send_fifo("q.fifo", body, i % 2 == 0 ? "even" : "odd", body);
  }
  for (int i = 0; i < 40 && world.counts("dead.fifo") != "25 0 0"; ++i) world.receive("q.fifo");
  ASSERT_EQ(world.counts("dead.fifo"), "25 0 0");
  world.run("SetQueueAttributes", World::of_queue("q.fifo", R"("Attributes":{"VisibilityTimeout":"30"})"));
  EXPECT_THAT(world.run("StartMessageMoveTask", base::cat(R"({"SourceArn":")", World::arn("dead.fifo"), "\"}")),
              HasSubstr("TaskHandle"));
  world.settle();
  EXPECT_EQ(world.counts("dead.fifo"), "0 0 0");
  EXPECT_EQ(world.counts("q.fifo"), "25 0 0");
  std::map<std::string, int> next{{"even", 0}, {"odd", 1}};
  size_t received = 0;
  for (int i = 0; i < 10; ++i) {
    for (const auto& message : world.receive("q.fifo")) {
      int& expected = next[message.attribute("MessageGroupId")];
      EXPECT_EQ(message.body, std::to_string(expected));
      expected += 2;
      ++received;
      world.remove("q.fifo", message);
    }
  }
  EXPECT_EQ(received, 25u);
}

}  // namespace
}  // namespace tidemill::sqs
