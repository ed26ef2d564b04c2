// What can be set about a function's events.
#include "services/lambda/functions_world.h"
#include "wire/shapes/events.h"
#include "wire/shapes/sns.h"
#include "wire/shapes/sqs.h"

namespace tidemill::lambda {
namespace {

using testing::HasSubstr;

constexpr std::string_view kArn = "arn:aws:lambda:eu-west-1:123456789012:function:echo";
constexpr const char* kQueue = "arn:aws:sqs:eu-west-1:123456789012:q";
constexpr const char* kTopic = "arn:aws:sns:eu-west-1:123456789012:topic";
constexpr const char* kBus = "arn:aws:events:eu-west-1:123456789012:event-bus/default";

// Lets everybody do all but one thing.
class Forbids : public wire::Authorizer {
 public:
  explicit Forbids(std::string action) : action_(std::move(action)) {}
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<void> authorize_deed(const wire::Context& context, wire::Deed deed) override {
    asked = context.principal.name();
    resource = deed.resource;
    if (deed.action == action_) throw wire::Error("AccessDeniedException", 403, "no");
    return Task<void>::ready();
  }

  std::string asked;     // under which role
  std::string resource;  // and for what

 private:
  std::string action_;
};

class EventInvokeConfigsTest : public FunctionsTest {
 protected:
  EventInvokeConfigsTest() {
    call<ops::CreateFunction>(definition());
    has<wire::sqs::ops::GetQueueUrl>([](const auto& request) { return request.queue_name == "q"; });
    has<wire::sns::ops::GetTopicAttributes>([](const auto& request) { return request.topic_arn == kTopic; });
    has<wire::events::ops::DescribeEventBus>([](const auto& request) { return request.name == kBus; });
  }
  ~EventInvokeConfigsTest() override { platform_.authorizer = nullptr; }

  // What another service knows.
  template <class Op>
  void has(std::function<bool(const typename Op::Request&)> knows) {
    registry_.add<Op>([knows](wire::Context&, const typename Op::Request& request) -> Task<typename Op::Response> {
      if (!knows(request)) throw wire::Error("NotFound", 400, "there is none");
      co_return typename Op::Response{};
    });
  }

  static shapes::PutFunctionEventInvokeConfigInput put(std::optional<std::string> qualifier = {}) {
    shapes::PutFunctionEventInvokeConfigInput request;
    request.function_name = "echo";
    request.qualifier = std::move(qualifier);
    return request;
  }
  static shapes::DestinationConfig to(std::string on_success, std::string on_failure) {
    shapes::DestinationConfig config;
    if (!on_success.empty()) config.on_success.emplace().destination = std::move(on_success);
    if (!on_failure.empty()) config.on_failure.emplace().destination = std::move(on_failure);
    return config;
  }
  std::string refusal_of(std::string on_success, std::string on_failure) {
    auto request = put();
    request.destination_config = to(std::move(on_success), std::move(on_failure));
    return refusal<ops::PutFunctionEventInvokeConfig>(request);
  }
};

TEST_F(EventInvokeConfigsTest, WhatIsPutIsToldAndReplacesWhatWasThere) {
  auto request = put();
  request.maximum_retry_attempts = 1;
  request.maximum_event_age_in_seconds = 60;
  const auto first = call<ops::PutFunctionEventInvokeConfig>(request);
  EXPECT_EQ(first.function_arn, std::string(kArn) + ":$LATEST");
  EXPECT_EQ(first.maximum_retry_attempts, 1);
  EXPECT_TRUE(first.destination_config->on_success && !first.destination_config->on_success->destination);
  request = put();
  request.destination_config = to("", kQueue);
  const auto second = call<ops::PutFunctionEventInvokeConfig>(request);
  EXPECT_FALSE(second.maximum_retry_attempts);
  EXPECT_EQ(second.destination_config->on_failure->destination, kQueue);
}

TEST_F(EventInvokeConfigsTest, AnUpdateLeavesTheRestAsItWas) {
  shapes::UpdateFunctionEventInvokeConfigInput update;
  update.function_name = "echo";
  update.maximum_event_age_in_seconds = 100;
  EXPECT_EQ(refusal<ops::UpdateFunctionEventInvokeConfig>(update),
            "ResourceNotFoundException: The function " + std::string(kArn) + ":$LATEST doesn't have an EventInvokeConfig");
  auto request = put();
  request.maximum_retry_attempts = 0;
  call<ops::PutFunctionEventInvokeConfig>(request);
  const auto updated = call<ops::UpdateFunctionEventInvokeConfig>(update);
  EXPECT_EQ(updated.maximum_retry_attempts, 0);
  EXPECT_EQ(updated.maximum_event_age_in_seconds, 100);
}

TEST_F(EventInvokeConfigsTest, EachQualifierHasItsOwnAndAllAreListed) {
  shapes::PublishVersionInput publish;
  publish.function_name = "echo";
  call<ops::PublishVersion>(publish);
  auto request = put("1");
  request.maximum_retry_attempts = 0;
  call<ops::PutFunctionEventInvokeConfig>(request);
  shapes::GetFunctionEventInvokeConfigInput get;
  get.function_name = "echo";
  EXPECT_THAT(refusal<ops::GetFunctionEventInvokeConfig>(get), HasSubstr("doesn't have an EventInvokeConfig"));
  get.qualifier = "1";
  EXPECT_EQ(call<ops::GetFunctionEventInvokeConfig>(get).function_arn, std::string(kArn) + ":1");
  request.qualifier.reset();
  call<ops::PutFunctionEventInvokeConfig>(request);
  shapes::ListFunctionEventInvokeConfigsInput list;
  list.function_name = "echo";
  EXPECT_EQ(call<ops::ListFunctionEventInvokeConfigs>(list).function_event_invoke_configs->size(), 2U);
  shapes::DeleteFunctionEventInvokeConfigInput remove;
  remove.function_name = "echo";
  remove.qualifier = "1";
  call<ops::DeleteFunctionEventInvokeConfig>(remove);
  EXPECT_THAT(refusal<ops::DeleteFunctionEventInvokeConfig>(remove), HasSubstr("doesn't have an EventInvokeConfig"));
  EXPECT_EQ(call<ops::ListFunctionEventInvokeConfigs>(list).function_event_invoke_configs->size(), 1U);
}

TEST_F(EventInvokeConfigsTest, WhatCannotBeSetIsRefused) {
  EXPECT_EQ(refusal<ops::PutFunctionEventInvokeConfig>(put()),
            "InvalidParameterValueException: You must specify at least one of error handling or destination setting.");
  auto request = put("7");
  request.maximum_retry_attempts = 1;
  EXPECT_EQ(refusal<ops::PutFunctionEventInvokeConfig>(request),
            "ResourceNotFoundException: The function doesn't exist.");
  request = put();
  request.maximum_retry_attempts = 3;
  EXPECT_THAT(refusal<ops::PutFunctionEventInvokeConfig>(request), HasSubstr("less than or equal to 2"));
}

TEST_F(EventInvokeConfigsTest, DestinationsThatCannotBeAreRefused) {
  EXPECT_EQ(refusal_of("arn:aws:s3:::bucket", ""),
            "InvalidParameterValueException: The provided destination config "
            "DestinationConfig(onSuccess=OnSuccess(destination=arn:aws:s3:::bucket), onFailure=null) is invalid.");
  EXPECT_THAT(refusal_of(std::string(kQueue) + ".fifo", ""), HasSubstr("is invalid."));
  EXPECT_THAT(refusal_of("", "arn:aws:iam::123456789012:role/a"), HasSubstr("is invalid."));
  EXPECT_THAT(refusal_of("arn:aws:events:eu-west-1:123456789012:rule/r", ""), HasSubstr("is invalid."));
  EXPECT_THAT(refusal_of(std::string(kArn), ""), HasSubstr("You can't specify the function as a destination for itself."));
  const std::string none = "arn:aws:lambda:eu-west-1:123456789012:function:none";
  EXPECT_EQ(refusal_of("", none), "InvalidParameterValueException: The destination ARN " + none + " is invalid.");
  call<ops::CreateFunction>(definition("none"));
  EXPECT_EQ(refusal_of(none, "arn:aws:s3:::bucket"), "accepted");
  EXPECT_EQ(refusal_of(kBus, ""), "accepted");
  EXPECT_EQ(refusal_of(kQueue, kTopic), "accepted");
}

TEST_F(EventInvokeConfigsTest, DestinationsThatAreNotThereAreRefused) {
  for (const std::string there : {kQueue, kTopic, kBus}) {
    const std::string none = there + "-none";
    const std::string refused = "InvalidParameterValueException: The destination ARN " + none + " is invalid.";
    EXPECT_EQ(refusal_of(none, ""), refused);
    EXPECT_EQ(refusal_of("", none), refused);
  }
}

TEST_F(EventInvokeConfigsTest, DestinationsNeedTheFunctionsRoleToBeLetSendThere) {
  const std::string function = "arn:aws:lambda:eu-west-1:123456789012:function:other";
  call<ops::CreateFunction>(definition("other"));
  for (const auto& [action, arn] : std::vector<std::pair<std::string, std::string>>{
           {"sqs:SendMessage", kQueue}, {"sns:Publish", kTopic}, {"events:PutEvents", kBus},
           {"lambda:InvokeFunction", function}, {"s3:PutObject", "arn:aws:s3:::bucket"}}) {
    Forbids authorizer(action);
    platform_.authorizer = &authorizer;
    EXPECT_EQ(refusal_of("", arn), "InvalidParameterValueException: The function's execution role does not have "
                                   "permissions to call " + action.substr(action.find(':') + 1) + " on " + arn);
    EXPECT_EQ(authorizer.asked, definition().role);
    platform_.authorizer = nullptr;
    EXPECT_EQ(refusal_of("", arn), "accepted");
  }
}

TEST_F(EventInvokeConfigsTest, RecordsForABucketNeedTheFunctionsRoleToBeLetPutThemWhereTheyGo) {
  Forbids authorizer("s3:PutObject");
  platform_.authorizer = &authorizer;
  const std::string bucket = "arn:aws:s3:::yard";
  EXPECT_THAT(refusal_of("", bucket), testing::HasSubstr("permissions to call PutObject on " + bucket));
  EXPECT_EQ(authorizer.resource, bucket + "/aws/lambda/async/echo/*");
}

TEST_F(EventInvokeConfigsTest, WhetherADestinationIsThereIsToldToThoseOnlyWhoMaySendThere) {
  const std::string nowhere = "arn:aws:sqs:us-east-1:123456789012:nowhere";
  Forbids authorizer("sqs:SendMessage");
  platform_.authorizer = &authorizer;
  EXPECT_THAT(refusal_of("", nowhere), testing::HasSubstr("does not have permissions to call SendMessage"));
  platform_.authorizer = nullptr;
  EXPECT_THAT(refusal_of("", nowhere), testing::HasSubstr("The destination ARN " + nowhere + " is invalid."));
}

TEST_F(EventInvokeConfigsTest, DeadLettersNeedTheFunctionsRoleToBeLetSendThem) {
  const std::string lacks =
      "InvalidParameterValueException: The provided execution role does not have permissions to call ";
  auto create = definition("sends");
  create.dead_letter_config.emplace().target_arn = kQueue;
  shapes::UpdateFunctionConfigurationInput update;
  update.function_name = "echo";
  update.dead_letter_config.emplace().target_arn = kTopic;
  update.role = "arn:aws:iam::123456789012:role/another";
  Forbids queues("sqs:SendMessage");
  platform_.authorizer = &queues;
  EXPECT_EQ(refusal<ops::CreateFunction>(create), lacks + "SendMessage on SQS");
  EXPECT_EQ(queues.asked, create.role);
  Forbids topics("sns:Publish");
  platform_.authorizer = &topics;
  EXPECT_EQ(refusal<ops::UpdateFunctionConfiguration>(update), lacks + "Publish on SNS");
  EXPECT_EQ(topics.asked, *update.role);
  EXPECT_EQ(refusal<ops::CreateFunction>(create), "accepted");
  update.dead_letter_config.reset();
  EXPECT_EQ(refusal<ops::UpdateFunctionConfiguration>(update), "accepted") << "nothing is said of dead letters";
}

}  // namespace
}  // namespace tidemill::lambda
