// What tasks call, and what comes of it: a line for each resource, its parameters and the operation's answer. The
// operations are played by the test.
#include "services/states/machine.h"
#include "services/states/tasks/sdk_names.h"
#include "services/states/tasks/target.h"
#include "services/states/tasks/testing.h"
#include "wire/body_stream.h"
#include "wire/shapes/dynamodb.h"
#include "wire/shapes/events.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/s3.h"
#include "wire/shapes/sns.h"
#include "wire/shapes/sqs.h"
#include "wire/shapes/states.h"

namespace tidemill::states::tasks {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using testing::World;

constexpr std::string_view kFunction = "arn:aws:lambda:us-east-1:000000000000:function:f";

// ---- Resources ----

std::string parsed(std::string_view arn) {
  const auto resource = parse_resource(arn);
  if (!resource) return "none";
  constexpr std::string_view kFamilies[] = {"function", "activity", "task"};
  constexpr std::string_view kPatterns[] = {"request", "sync", "sync2", "token"};
  return base::cat(kFamilies[static_cast<size_t>(resource->family)], " ",
                   kPatterns[static_cast<size_t>(resource->pattern)], " ", resource->type, " ", resource->action);
}

TEST(TaskResources, AreTakenApart) {
  EXPECT_EQ(parsed(kFunction), "function request  ");
  EXPECT_EQ(parsed("arn:aws:states:us-east-1:000000000000:activity:a"), "activity request  ");
  EXPECT_EQ(parsed("arn:aws:states:::sqs:sendMessage"), "task request sqs sendMessage");
  EXPECT_EQ(parsed("arn:aws:states:::sqs:sendMessage.waitForTaskToken"), "task token sqs sendMessage.waitForTaskToken");
  EXPECT_EQ(parsed("arn:aws:states:::states:startExecution.sync"), "task sync states startExecution.sync");
  EXPECT_EQ(parsed("arn:aws:states:::states:startExecution.sync:2"), "task sync2 states startExecution.sync:2");
  EXPECT_EQ(parsed("arn:aws:states:::aws-sdk:dynamodb:getItem"), "task request aws-sdk:dynamodb getItem");
  EXPECT_EQ(parsed("arn:aws:states:::aws-sdk:sns:publish.waitForTaskToken"),
            "task token aws-sdk:sns publish.waitForTaskToken");
  EXPECT_EQ(parsed("arn:aws:states:::http:invoke"), "task request http invoke");
}

TEST(TaskResources, OfOtherFormsAreNone) {
  for (const char* wrong :
       {"", "f", "arn:aws:states:::", "arn:aws:states:::sqs", "arn:aws:states:::sqs:", "arn:aws:states:::aws-sdk:sqs",
        "arn:aws:states:::aws-sdk::x", "arn:aws:sqs:us-east-1:000000000000:q", "arn:aws:lambda:::function:f",
        "arn:aws:lambda:us-east-1:000000000000:layer:f", "arn:aws:states:us-east-1:000000000000:stateMachine:m"}) {
    EXPECT_EQ(parsed(wrong), "none") << wrong;
  }
}

class Tasks : public ::testing::Test {
 protected:
  std::string refusal(std::string_view arn) { return world.caller->refusal(parse_resource(arn).value()).value_or(""); }
  std::string problem(std::string_view arn, std::string_view parameters) {
    return world.caller->parameters_problem(parse_resource(arn).value(), json::parse(parameters).value());
  }

  World world;
};

TEST_F(Tasks, AreThoseThatThePlatformHas) {
  world.answer<wire::sqs::ops::SendMessage>([](const auto&) { return wire::sqs::SendMessageOutput{}; });
  world.registry->refuse(wire::sqs::refused_operations());
  world.registry->refuse(wire::dynamodb::refused_operations());
  EXPECT_EQ(refusal("arn:aws:states:::sqs:sendMessage"), "");
  EXPECT_EQ(refusal("arn:aws:states:::sqs:sendMessage.waitForTaskToken"), "");
  EXPECT_EQ(refusal("arn:aws:states:::aws-sdk:sqs:sendMessage"), "");
  EXPECT_EQ(refusal("arn:aws:states:::aws-sdk:sqs:sendMessage.waitForTaskToken"), "");
  EXPECT_EQ(refusal("arn:aws:states:::http:invoke"), "");
  EXPECT_EQ(refusal(kFunction), "");
  EXPECT_EQ(refusal("arn:aws:states:us-east-1:000000000000:activity:a"), "");
  for (const char* unknown :
       {"arn:aws:states:::sqs:receiveMessage", "arn:aws:states:::sqs:sendMessage.sync",
        "arn:aws:states:::dynamodb:query", "arn:aws:states:::dynamodb:getItem.waitForTaskToken",
        "arn:aws:states:::aws-sdk:sqs:SendMessage", "arn:aws:states:::aws-sdk:sqs:sendMessage.sync",
        "arn:aws:states:::aws-sdk:nothing:sendMessage", "arn:aws:states:::aws-sdk:events:putEvents",
        "arn:aws:states:::aws-sdk:sqs:sendLetter", "arn:aws:states:::http:call"}) {
    EXPECT_EQ(refusal(unknown),
              base::cat("The resource provided ", unknown,
                        " is not recognized. The value is not a valid resource ARN, or the resource is "
                        "not available in this region."));
  }
  EXPECT_EQ(refusal("arn:aws:states:::glue:startJobRun.sync"),
            "Tidemill does not support the resource arn:aws:states:::glue:startJobRun.sync: there is no such service");
  EXPECT_THAT(
      refusal("arn:aws:states:::aws-sdk:dynamodb:createGlobalTable"),
      StartsWith("Tidemill does not support the resource arn:aws:states:::aws-sdk:dynamodb:createGlobalTable: "));
}

TEST_F(Tasks, TakeTheParametersThatTheyKnow) {
  world.answer<wire::sqs::ops::SendMessage>([](const auto&) { return wire::sqs::SendMessageOutput{}; });
  EXPECT_EQ(problem("arn:aws:states:::sqs:sendMessage", R"({"QueueUrl.$":"$.q","MessageBody":"x"})"), "");
  EXPECT_EQ(problem("arn:aws:states:::sqs:sendMessage", R"({"QueueUrl":"q","TaskToken.$":"$$.Task.Token"})"),
            "The field \"TaskToken\" is not supported by Step Functions");
  EXPECT_EQ(problem("arn:aws:states:::sqs:sendMessage", R"({"MessageBody":"x"})"),
            "The field \"QueueUrl\" is required but was missing");
  EXPECT_EQ(problem("arn:aws:states:::aws-sdk:sqs:sendMessage", R"({"QueueUrl":"q","MessageBody.$":"$"})"), "");
  EXPECT_EQ(problem("arn:aws:states:::aws-sdk:sqs:sendMessage", R"({"queueUrl":"q"})"),
            "The field \"queueUrl\" is not supported by Step Functions");
  EXPECT_EQ(problem("arn:aws:states:::http:invoke", R"({"ApiEndpoint":"https://x","Method":"GET","Body":1})"),
            "The field \"Body\" is not supported by Step Functions");
  EXPECT_EQ(problem(kFunction, R"({"anything":1})"), "");
  EXPECT_EQ(world.run("arn:aws:states:::sqs:sendMessage", R"({"QueueUrl":"q","Body":"x"})"),
            "Failed States.Runtime: The field \"Body\" is not supported by Step Functions");
}

// ---- Functions ----

struct Function {
  wire::lambda::InvokeInput asked;
  std::string payload = "{}";
  std::string error;

  void play(World& world) {
    world.answer<wire::lambda::ops::Invoke>([this](const wire::lambda::InvokeInput& request) {
      asked = request;
      wire::lambda::InvokeOutput out;
      out.status_code = request.invocation_type == "Event" ? 202 : 200;
      if (request.invocation_type == "Event") return out;
      out.executed_version = "$LATEST";
      out.payload = payload;
      if (!error.empty()) out.function_error = error;
      return out;
    });
  }
};

TEST_F(Tasks, AFunctionsOwnArnGivesItTheInputAndTakesItsPayload) {
  Function function;
  function.play(world);
  function.payload = R"({"Return":"HelloWorld"})";
  EXPECT_EQ(world.run(kFunction, R"({"a": 1})"), R"(Succeeded {"Return":"HelloWorld"})");
  EXPECT_EQ(function.asked.function_name, kFunction);
  EXPECT_EQ(function.asked.payload, R"({"a":1})");
  EXPECT_EQ(world.callers.at(0).kind(), wire::Principal::Kind::role);
  EXPECT_EQ(world.callers.at(0).standing()->role_arn, "arn:aws:iam::000000000000:role/r");
  function.payload = "null";
  EXPECT_EQ(world.run(kFunction, "null"), "Succeeded null");
  EXPECT_EQ(function.asked.payload, "null");
  function.payload = "\"text\"";
  EXPECT_EQ(world.run(kFunction, "\"text\""), "Succeeded \"text\"");
  EXPECT_EQ(function.asked.payload, "\"text\"");
}

TEST_F(Tasks, AFunctionsErrorIsItsType) {
  Function function;
  function.play(world);
  function.error = "Unhandled";
  function.payload = R"({"errorMessage": "no", "errorType": "CustomException", "stackTrace": []})";
  EXPECT_EQ(world.run(kFunction, "{}"),
            R"(Failed CustomException: {"errorMessage": "no", "errorType": "CustomException", "stackTrace": []})");
  EXPECT_EQ(world.run("arn:aws:states:::lambda:invoke", R"({"FunctionName":"f"})"),
            R"(Failed CustomException: {"errorMessage":"no","errorType":"CustomException","stackTrace":[]})");
  function.payload = R"({"errorMessage":"out of memory"})";
  EXPECT_EQ(world.run("arn:aws:states:::lambda:invoke", R"({"FunctionName":"f"})"),
            "Failed Lambda.Unknown: The cause could not be determined because Lambda did not return an error type. "
            R"(Returned payload: {"errorMessage":"out of memory"})");
}

TEST_F(Tasks, LambdaInvokeReadsThePayloadAndTellsOfTheAnswer) {
  Function function;
  function.play(world);
  function.payload = R"({"b":2})";
  EXPECT_EQ(world.output("arn:aws:states:::lambda:invoke", R"({"FunctionName":"f","Payload":{"a":1},"Qualifier":"7"})"),
            R"({"ExecutedVersion":"$LATEST","Payload":{"b":2},"StatusCode":200})");
  EXPECT_EQ(function.asked.payload, R"({"a":1})");
  EXPECT_EQ(function.asked.qualifier, "7");
  // Text is JSON, too.
  EXPECT_EQ(world.output("arn:aws:states:::lambda:invoke", R"({"FunctionName":"f","Payload":"a"})"),
            R"({"ExecutedVersion":"$LATEST","Payload":{"b":2},"StatusCode":200})");
  EXPECT_EQ(function.asked.payload, "\"a\"");
  (void)world.run("arn:aws:states:::lambda:invoke", R"({"FunctionName":"f","Payload":null})");
  EXPECT_EQ(function.asked.payload, std::nullopt);
  EXPECT_EQ(world.output("arn:aws:states:::lambda:invoke", R"({"FunctionName":"f","InvocationType":"Event"})"),
            R"({"Payload":"","StatusCode":202})");
  const std::string whole = world.run("arn:aws:states:::lambda:invoke", R"({"FunctionName":"f"})");
  EXPECT_THAT(whole, HasSubstr(R"("HttpStatusCode":200)"));
  EXPECT_THAT(whole, HasSubstr(R"("Content-Type":["application/json"])"));
  EXPECT_THAT(whole, HasSubstr(R"("SdkResponseMetadata":{"RequestId":")"));
}

TEST_F(Tasks, LambdasRefusalsAreItsErrors) {
  world.answer<wire::lambda::ops::Invoke>([](const wire::lambda::InvokeInput& request) -> wire::lambda::InvokeOutput {
    if (request.function_name == "busy") throw wire::lambda::errors::too_many_requests_exception("Rate Exceeded.");
    if (request.function_name == "ill") throw std::runtime_error("a secret of ours");
    throw wire::lambda::errors::resource_not_found_exception("Function not found: f");
  });
  const auto invoke = [&](const char* name) {
    return world.run("arn:aws:states:::lambda:invoke", base::cat(R"({"FunctionName":")", name, "\"}"));
  };
  EXPECT_THAT(
      invoke("f"),
      MatchesRegex("Failed Lambda.ResourceNotFoundException: Function not found: f \\(Service: AWSLambda; Status "
                   "Code: 404; Error Code: ResourceNotFoundException; Request ID: [-0-9a-f]+; Proxy: null\\)"));
  EXPECT_THAT(invoke("busy"), StartsWith("Failed Lambda.TooManyRequestsException: Rate Exceeded. (Service: AWSLambda; "
                                         "Status Code: 429; "));
  EXPECT_THAT(invoke("ill"), StartsWith("Failed Lambda.ServiceException: "));
  EXPECT_EQ(invoke("ill").find("secret"), std::string::npos);
}

// ---- Queues, topics, buses, tables ----

TEST_F(Tasks, MessagesOfQueuesAreTextOfAnyJson) {
  std::vector<std::string> bodies;
  world.answer<wire::sqs::ops::SendMessage>([&](const wire::sqs::SendMessageInput& request) {
    bodies.push_back(request.message_body.value_or("none"));
    wire::sqs::SendMessageOutput out;
    out.message_id = "m";
    return out;
  });
  EXPECT_EQ(world.output("arn:aws:states:::sqs:sendMessage", R"({"QueueUrl":"q","MessageBody":"text"})"),
            R"({"MessageId":"m"})");
  EXPECT_EQ(world.output("arn:aws:states:::sqs:sendMessage", R"({"QueueUrl":"q","MessageBody":{"a":[1.0]}})"),
            R"({"MessageId":"m"})");
  EXPECT_THAT(world.run("arn:aws:states:::sqs:sendMessage.waitForTaskToken", R"({"QueueUrl":"q","MessageBody":null})"),
              StartsWith(R"(Submitted {"MessageId":"m","SdkHttpMetadata":)"));
  EXPECT_EQ(bodies, (std::vector<std::string>{"text", R"({"a":[1.0]})", "none"}));
  // By an SDK: as the SDK has it.
  EXPECT_EQ(world.run("arn:aws:states:::aws-sdk:sqs:sendMessage", R"({"QueueUrl":"q","MessageBody":"text"})"),
            R"(Succeeded {"MessageId":"m"})");
  EXPECT_EQ(world.run("arn:aws:states:::aws-sdk:sqs:sendMessage.waitForTaskToken", R"({"QueueUrl":"q"})"),
            R"(Submitted {"MessageId":"m"})");
  EXPECT_THAT(world.run("arn:aws:states:::aws-sdk:sqs:sendMessage", R"({"QueueUrl":"q","MessageBody":{}})"),
              StartsWith("Failed Sqs.SqsException: "));
}

TEST_F(Tasks, MessagesOfTopicsAreTextOfAnyJson) {
  std::vector<std::string> messages;
  world.answer<wire::sns::ops::Publish>([&](const wire::sns::PublishInput& request) {
    messages.push_back(request.message);
    wire::sns::PublishOutput out;
    out.message_id = "m";
    return out;
  });
  EXPECT_EQ(world.output("arn:aws:states:::sns:publish", R"({"TopicArn":"t","Message":{"Message":"HelloWorld!"}})"),
            R"({"MessageId":"m"})");
  EXPECT_EQ(messages, (std::vector<std::string>{R"({"Message":"HelloWorld!"})"}));
  EXPECT_THAT(world.run("arn:aws:states:::sns:publish", R"({"TopicArn":"t","Message":"x"})"),
              HasSubstr(R"("Content-Type":["text/xml"])"));
}

TEST_F(Tasks, EventsSayWhoSentThemAndFailTogether) {
  std::vector<wire::events::PutEventsRequestEntry> entries;
  int failures = 0;
  world.answer<wire::events::ops::PutEvents>([&](const wire::events::PutEventsInput& request) {
    entries = request.entries;
    wire::events::PutEventsOutput out;
    out.failed_entry_count = failures;
    out.entries.emplace();
    for (size_t i = 0; i < entries.size(); ++i) {
      wire::events::PutEventsResultEntry result;
      if (failures > 0)
        result.error_code = "MalformedDetail";
      else
        result.event_id = "e";
      out.entries->push_back(result);
    }
    return out;
  });
  const std::string two = R"({"Entries":[{"Detail":"{\"a\": 1}","DetailType":"t","Source":"s"},)"
                          R"({"Detail":{"a":2},"DetailType":"t","Source":"s","Resources":["r"]}]})";
  EXPECT_EQ(world.run("arn:aws:states:::events:putEvents", two),
            R"(Succeeded {"FailedEntryCount":0,"Entries":[{"EventId":"e"},{"EventId":"e"}]})");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].detail, R"({"a": 1})");
  EXPECT_EQ(entries[1].detail, R"({"a":2})");
  const std::string machine = "arn:aws:states:us-east-1:000000000000:stateMachine:machine";
  const std::string execution(World::kExecution);
  EXPECT_EQ(entries[0].resources, (std::vector{machine, execution}));
  EXPECT_EQ(entries[1].resources, (std::vector<std::string>{"r", machine, execution}));
  failures = 2;
  EXPECT_EQ(world.run("arn:aws:states:::events:putEvents", two),
            R"(Failed EventBridge.FailedEntry: {"FailedEntryCount":2,"Entries":[{"ErrorCode":"MalformedDetail"},)"
            R"({"ErrorCode":"MalformedDetail"}]})");
}

TEST_F(Tasks, NamesOfTablesErrorsDifferByIntegration) {
  world.answer<wire::dynamodb::ops::PutItem>([](const wire::dynamodb::PutItemInput& request) {
    if (request.table_name == "none") {
      throw wire::dynamodb::errors::resource_not_found_exception("Requested resource not found");
    }
    if (request.table_name == "full") throw store::Overloaded("too many writes wait");
    return wire::dynamodb::PutItemOutput{};
  });
  const auto put = [&](std::string_view resource, std::string_view table) {
    return world.output(resource, base::cat(R"({"TableName":")", table, R"(","Item":{"id":{"S":"a"}}})"));
  };
  EXPECT_EQ(put("arn:aws:states:::dynamodb:putItem", "tea"), "{}");
  EXPECT_EQ(put("arn:aws:states:::aws-sdk:dynamodb:putItem", "tea"), "{}");
  EXPECT_THAT(put("arn:aws:states:::dynamodb:putItem", "none"),
              MatchesRegex("Failed DynamoDB.ResourceNotFoundException: Requested resource not found \\(Service: "
                           "AmazonDynamoDBv2; Status Code: 400; Error Code: ResourceNotFoundException; Request ID: "
                           "[-0-9a-f]+; Proxy: null\\)"));
  EXPECT_THAT(
      put("arn:aws:states:::aws-sdk:dynamodb:putItem", "none"),
      MatchesRegex("Failed DynamoDb.ResourceNotFoundException: Requested resource not found \\(Service: DynamoDb, "
                   "Status Code: 400, Request ID: [-0-9a-f]+\\) \\(SDK Attempt Count: 1\\)"));
  // Of what no SDK has a class for.
  EXPECT_THAT(world.run("arn:aws:states:::dynamodb:putItem", R"({"TableName":"tea","Item":null})"),
              StartsWith("Failed DynamoDB.AmazonDynamoDBException: 1 validation error detected: Value null at 'item' "
                         "failed to satisfy constraint: Member must not be null (Service: AmazonDynamoDBv2; Status "
                         "Code: 400; Error Code: ValidationException; Request ID: "));
  EXPECT_THAT(world.run("arn:aws:states:::aws-sdk:dynamodb:putItem", R"({"TableName":"tea","Item":null})"),
              StartsWith("Failed DynamoDb.DynamoDbException: 1 validation error detected: "));
  EXPECT_THAT(put("arn:aws:states:::dynamodb:putItem", "full"),
              StartsWith(base::cat("Failed DynamoDB.", wire::dynamodb::ops::PutItem::info.throttling_error, ": ")));
}

TEST_F(Tasks, CallsWhoseTaskLeavesGoOnToTheirEnd) {
  using Send = wire::sqs::ops::SendMessage;
  std::vector<std::string> steps;
  world.registry->add<Send>([&](wire::Context&, const Send::Request&) -> Task<Send::Response> {
    steps.emplace_back("begun");
    co_await base::yield();
    steps.emplace_back("done");
    co_return Send::Response{};
  });
  TaskCall call{.resource = parse_resource("arn:aws:states:::sqs:sendMessage").value(),
                .parameters = json::Object{{"QueueUrl", "q"}}};
  {
    const base::Executor::Enter enter(world.executor);
    base::Scope scope;
    scope.spawn([](Caller& caller, const TaskCall& asked) -> Task<void> { (void)co_await caller.call(asked); }(
                                                              *world.caller, call));
    EXPECT_EQ(steps, std::vector<std::string>{"begun"});
    scope.clear();
  }
  world.settle();
  EXPECT_EQ(steps, (std::vector<std::string>{"begun", "done"}));
}

// ---- Roles that tasks name ----

// Says whether the machine's role may take another on.
struct RoleGate : wire::Authorizer {
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<void> authorize_deed(const wire::Context& context, wire::Deed deed) override {
    asked.push_back(base::cat(context.principal.standing()->role_arn, " ", deed.action, " ", deed.resource));
    for (const auto& [key, value] : deed.facts) facts.push_back(base::cat(key, "=", value));
    if (denies) throw wire::Error("AccessDeniedException", 400, "not yours");
    co_return;
  }

  std::vector<std::string> asked;
  std::vector<std::string> facts;
  bool denies = false;
};

TEST_F(Tasks, ARoleThatATaskNamesIsTakenOnByTheMachinesRole) {
  constexpr std::string_view kOther = "arn:aws:iam::111111111111:role/other";
  constexpr std::string_view kSend = "arn:aws:states:::sqs:sendMessage";
  constexpr std::string_view kMessage = R"({"QueueUrl":"q","MessageBody":"m"})";
  RoleGate gate;
  world.platform->authorizer = &gate;
  world.answer<wire::sqs::ops::SendMessage>([](const auto&) { return wire::sqs::SendMessageOutput{}; });
  EXPECT_THAT(world.run(kSend, kMessage), StartsWith("Succeeded"));
  EXPECT_TRUE(gate.asked.empty()) << "its own";
  world.credentials = kOther;
  EXPECT_THAT(world.run(kSend, kMessage), StartsWith("Succeeded"));
  EXPECT_THAT(gate.asked, ::testing::ElementsAre(base::cat(World::kRole, " sts:AssumeRole ", kOther)));
  constexpr std::string_view kMachine = "arn:aws:states:us-east-1:000000000000:stateMachine:machine";
  EXPECT_THAT(gate.facts, ::testing::Contains(base::cat("sts:ExternalId=", kMachine)));
  ASSERT_EQ(world.callers.size(), 2u);
  EXPECT_EQ(world.callers[0].standing()->taken_by, "");
  EXPECT_EQ(world.callers[1].standing()->role_arn, kOther);
  EXPECT_EQ(world.callers[1].standing()->taken_by, World::kRole);
  gate.denies = true;
  EXPECT_EQ(world.run(kSend, kMessage),
            base::cat("Failed States.TaskFailed: The role ", World::kRole, " is not authorized to assume the task ",
                      "state's role, ", kOther, ". AccessDenied: not yours"));
  EXPECT_EQ(world.callers.size(), 2u) << "nothing is called";
  world.platform->authorizer = nullptr;
}

// ---- Objects ----

TEST_F(Tasks, BodiesOfObjectsAreTextUpToALimit) {
  std::string body = "hello";
  world.answer<wire::s3::ops::GetObject>([&](const wire::s3::GetObjectInput& request) {
    if (request.key == "none") throw wire::Error("NoSuchKey", 404, "The specified key does not exist.");
    if (request.key == "odd") throw wire::Error("InvalidRange", 416, "The requested range is not satisfiable");
    wire::s3::GetObjectOutput out;
    out.body = wire::BodyStream(body);
    out.e_tag = "\"x\"";
    return out;
  });
  const auto get = [&](std::string_view key) {
    return world.run("arn:aws:states:::aws-sdk:s3:getObject", base::cat(R"({"Bucket":"b","Key":")", key, "\"}"));
  };
  EXPECT_EQ(get("k"), R"(Succeeded {"ETag":"\"x\"","Body":"hello"})");
  EXPECT_THAT(get("none"),
              MatchesRegex("Failed S3.NoSuchKeyException: The specified key does not exist. \\(Service: S3, "
                           "Status Code: 404, Request ID: [-0-9a-f]+, Extended Request ID: .*"));
  EXPECT_THAT(get("odd"), StartsWith("Failed S3.S3Exception: "));
  constexpr std::string_view kTooLarge =
      "Failed States.DataLimitExceeded: The state/task 'arn:aws:states:::aws-sdk:s3:getObject' returned a result with "
      "a "
      "size exceeding the maximum number of bytes service limit.";
  body.assign(262144 - std::string_view(R"({"ETag":"\"x\"","Body":""})").size(), 'a');
  EXPECT_THAT(get("k"), StartsWith("Succeeded "));
  body += 'a';
  EXPECT_EQ(get("k"), kTooLarge);
  body.assign(7 << 20, 'a');
  EXPECT_EQ(get("k"), kTooLarge);
}

// ---- Executions ----

TEST_F(Tasks, ExecutionsAreBegunOnceAndWaitedFor) {
  constexpr std::string_view kChild = "arn:aws:states:us-east-1:000000000000:execution:m:n";
  wire::states::StartExecutionInput asked;
  const base::Time begun = world.clock.now();
  world.answer<wire::states::ops::StartExecution>([&](const wire::states::StartExecutionInput& request) {
    asked = request;
    wire::states::StartExecutionOutput out;
    out.execution_arn = kChild;
    out.start_date = begun;
    return out;
  });
  const auto start = [&](std::string_view pattern, std::string_view more) {
    return world.run(
        base::cat("arn:aws:states:::states:startExecution", pattern),
        base::cat(R"({"StateMachineArn":"arn:aws:states:us-east-1:000000000000:stateMachine:m")", more, "}"));
  };
  EXPECT_THAT(start("", ""), StartsWith(base::cat(R"(Succeeded {"ExecutionArn":")", kChild, R"(","StartDate":1773446400000,"Sdk)")));
  EXPECT_EQ(asked.input, "{}");
  EXPECT_EQ(asked.name, World::kAttempt);
  EXPECT_THAT(start(".sync", R"(,"Input":{"AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID":"p"},"Name":"n")"),
              MatchesRegex(base::cat("Submitted .* for ", kChild)));
  EXPECT_EQ(asked.input, R"({"AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID":"p"})");
  EXPECT_EQ(asked.name, "n");
  EXPECT_THAT(start(".waitForTaskToken", R"(,"Input":"{\"a\": 1}")"), MatchesRegex("Submitted .*\\}"));
  EXPECT_EQ(asked.input, R"({"a": 1})");
}

TEST_F(Tasks, ExecutionsOfExpressMachinesAreNotBegunToBeWaitedFor) {
  int begun = 0;
  world.answer<wire::states::ops::StartExecution>([&](const wire::states::StartExecutionInput&) {
    ++begun;
    wire::states::StartExecutionOutput out;
    out.execution_arn = "arn:aws:states:us-east-1:000000000000:express:m:n:00000000-0000-4000-8000-000000000002";
    return out;
  });
  const StateMachine express{.account = std::string(World::kAccount),
                             .region = std::string(World::kRegion),
                             .name = "m",
                             .is_express = true,
                             .revision = "r"};
  const auto create = [&]() -> Task<int> {
    co_await world.store->transact([&](store::Transaction& txn) -> Task<void> {
      txn.put(machine_key(parse_machine_arn(express.arn())), encode_machine(express));
      co_return;
    });
    co_return 0;
  };
  (void)world.await(create());
  const auto start = [&](std::string_view pattern, std::string_view machine) {
    return world.run(base::cat("arn:aws:states:::states:startExecution", pattern),
                     base::cat(R"({"StateMachineArn":")", machine, R"("})"));
  };
  EXPECT_THAT(start("", express.arn()), StartsWith("Succeeded "));
  EXPECT_EQ(begun, 1);
  constexpr std::string_view kRefused =
      "Failed StepFunctions.StateMachineTypeNotSupportedException: Executions of EXPRESS state machines cannot be "
      "waited for.";
  for (const std::string_view pattern : {".sync", ".sync:2"}) {
    EXPECT_EQ(start(pattern, express.arn()), kRefused) << pattern;
    EXPECT_EQ(start(pattern, express.arn() + ":live"), kRefused) << pattern;
    EXPECT_EQ(begun, 1) << pattern;
  }
}

TEST_F(Tasks, AnExecutionThatTheAttemptBeganBeforeACrashIsItsOwn) {
  world.answer<wire::states::ops::StartExecution>(
      [](const wire::states::StartExecutionInput&) -> wire::states::StartExecutionOutput {
        throw wire::Error("ExecutionAlreadyExists", 400, "Execution Already Exists: 'arn'");
      });
  const base::Time begun = world.clock.now();
  std::string asked;
  world.answer<wire::states::ops::DescribeExecution>([&](const wire::states::DescribeExecutionInput& request) {
    asked = request.execution_arn;
    wire::states::DescribeExecutionOutput out;
    out.execution_arn = request.execution_arn;
    out.start_date = begun;
    return out;
  });
  const auto start = [&](std::string_view more) {
    return world.run(
        "arn:aws:states:::states:startExecution.sync:2",
        base::cat(R"({"StateMachineArn":"arn:aws:states:us-east-1:000000000000:stateMachine:m:7")", more, "}"));
  };
  const std::string child = base::cat("arn:aws:states:us-east-1:000000000000:execution:m:", World::kAttempt);
  EXPECT_THAT(start(""), MatchesRegex(base::cat("Submitted .*\"StartDate\":1773446400000.* for ", child)));
  EXPECT_EQ(asked, child);
  EXPECT_EQ(world.callers.back().kind(), wire::Principal::Kind::platform) << "its role may begin it, not see it";
  EXPECT_THAT(start(R"(,"Name":"n")"), StartsWith("Failed StepFunctions.ExecutionAlreadyExistsException: "))
      << "what the definition names may be another's";
}

TEST_F(Tasks, TheEndOfAnExecutionIsItsDescription) {
  NestedEnd end{.description = json::parse(R"({"ExecutionArn":"arn:child","StateMachineArn":"arn:m","Name":"n",)"
                                           R"("Status":"SUCCEEDED","StartDate":"2026-03-14T00:00:00Z",)"
                                           R"("StopDate":"2026-03-14T00:00:01.5Z","Input":"{\"a\":1}",)"
                                           R"("InputDetails":{"Included":true},"Output":"[2]",)"
                                           R"("OutputDetails":{"Included":true},"RedriveCount":0})")
                                   .value(),
                .status = "SUCCEEDED"};
  const auto ended = [&](std::string_view arn) {
    return testing::told(world.caller->end_of_nested(parse_resource(arn).value(), end));
  };
  EXPECT_EQ(ended("arn:aws:states:::states:startExecution.sync"),
            R"(Succeeded {"ExecutionArn":"arn:child","Input":"{\"a\":1}","InputDetails":{"Included":true},"Name":"n",)"
            R"("Output":"[2]","OutputDetails":{"Included":true},"StartDate":1773446400000,"StateMachineArn":"arn:m",)"
            R"("Status":"SUCCEEDED","StopDate":1773446401500})");
  EXPECT_EQ(ended("arn:aws:states:::states:startExecution.sync:2"),
            R"(Succeeded {"ExecutionArn":"arn:child","Input":{"a":1},"InputDetails":{"Included":true},"Name":"n",)"
            R"("Output":[2],"OutputDetails":{"Included":true},"StartDate":1773446400000,"StateMachineArn":"arn:m",)"
            R"("Status":"SUCCEEDED","StopDate":1773446401500})");
  end = {
      .description = json::parse(R"({"ExecutionArn":"arn:child","Status":"FAILED","Error":"E","Cause":"c"})").value(),
      .status = "FAILED"};
  EXPECT_EQ(ended("arn:aws:states:::states:startExecution.sync:2"),
            R"(Failed States.TaskFailed: {"Cause":"c","Error":"E","ExecutionArn":"arn:child","Status":"FAILED"})");
}

// ---- Names ----

TEST(SdkNames, TakeCapitalsAtTheBeginningForOneWord) {
  EXPECT_EQ(sdk_name("QueueUrl"), "QueueUrl");
  EXPECT_EQ(sdk_name("stateMachineArn"), "StateMachineArn");
  EXPECT_EQ(sdk_name("MD5OfMessageBody"), "Md5OfMessageBody");
  EXPECT_EQ(sdk_name("KMSMasterKeyId"), "KmsMasterKeyId");
  EXPECT_EQ(sdk_name("SSEKMSKeyId"), "SsekmsKeyId");
  EXPECT_EQ(sdk_name("ETag"), "ETag");
  EXPECT_EQ(sdk_name("StreamARN"), "StreamARN");
  EXPECT_EQ(sdk_name("ARN"), "Arn");
  EXPECT_EQ(sdk_name("S"), "S");
}

TEST_F(Tasks, NamesOfMembersAreThoseOfTheSdkAllTheWayDown) {
  world.answer<wire::sqs::ops::SendMessage>([](const wire::sqs::SendMessageInput&) {
    wire::sqs::SendMessageOutput out;
    out.md5_of_message_body = "0";
    return out;
  });
  EXPECT_EQ(world.run("arn:aws:states:::aws-sdk:sqs:sendMessage", R"({"QueueUrl":"q","MessageBody":"x"})"),
            R"(Succeeded {"Md5OfMessageBody":"0"})");
  EXPECT_EQ(world.output("arn:aws:states:::sqs:sendMessage", R"({"QueueUrl":"q","MessageBody":"x"})"),
            R"({"MD5OfMessageBody":"0"})");
}

}  // namespace
}  // namespace tidemill::states::tasks
