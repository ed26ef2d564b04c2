// Results that somebody made up, and what AWS says of those that no service could give (recorded by others).
#include "services/states/tasks/result_check.h"

#include "services/states/tasks/testing.h"
#include "wire/shapes/kms.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/s3.h"
#include "wire/shapes/sqs.h"
#include "wire/shapes/states.h"

namespace tidemill::states::tasks {
namespace {

using testing::World;

TEST(MadeUpResults, AreHeldToTheShapeOfTheAnswer) {
  World world;
  world.answer<wire::sqs::ops::SendMessage>([](const auto&) { return wire::sqs::SendMessageOutput{}; });
  world.answer<wire::states::ops::StartExecution>([](const auto&) { return wire::states::StartExecutionOutput{}; });
  world.answer<wire::states::ops::DescribeExecution>(
      [](const auto&) { return wire::states::DescribeExecutionOutput{}; });
  world.answer<wire::lambda::ops::Invoke>([](const auto&) { return wire::lambda::InvokeOutput{}; });
  const auto problem_of = [&](std::string_view arn, std::string_view result, bool wants_all = true) {
    return world.caller->result_problem(parse_resource(arn).value(), json::parse(result).value(), wants_all);
  };
  constexpr std::string_view kStart = "arn:aws:states:::states:startExecution";
  EXPECT_EQ(problem_of(kStart, R"({"ExecutionArn":"a","StartDate":"d"})"), "");
  EXPECT_EQ(problem_of(kStart, R"({"executionArn":"a","StartDate":"d"})"), "Required field 'ExecutionArn' is missing");
  EXPECT_EQ(problem_of(kStart, R"({"other":1})", false), "");
  EXPECT_EQ(problem_of(kStart, R"({"ExecutionArn":"a","StartDate":true})"), "Field 'StartDate' must be a string");
  EXPECT_EQ(problem_of(kStart, "[]"), "The result must be an object");
  EXPECT_EQ(problem_of("arn:aws:states:::states:startExecution.sync", R"({"ExecutionArn":"a","StartDate":"d"})"),
            "Required field 'StateMachineArn' is missing");
  EXPECT_EQ(problem_of("arn:aws:states:::lambda:invoke", R"({"StatusCode":"200"})"),
            "Field 'StatusCode' must be a number");
  EXPECT_EQ(problem_of("arn:aws:states:::lambda:invoke", R"({"Payload":{"any":1}})"), "");
  EXPECT_EQ(problem_of("arn:aws:states:::aws-sdk:lambda:invoke", R"({"Payload":{"any":1}})"),
            "Field 'Payload' must be a string");
  EXPECT_EQ(problem_of("arn:aws:states:::sqs:sendMessage.waitForTaskToken", "7"), "");
  EXPECT_EQ(problem_of("arn:aws:lambda:us-east-1:000000000000:function:f", "7"), "");
}

// The rules are those of the models, which say them of requests more often than of answers.
TEST(MadeUpResults, KeepToTheLimitsOfTheirMembers) {
  const auto problem = [](const wire::shapes::Shape* shape, std::string_view result) {
    return shape_problem(json::parse(result).value(), *shape, false);
  };
  const auto* const function = wire::lambda::ops::CreateFunction::info.input;
  EXPECT_EQ(problem(function, R"({"MemorySize":1})"), "Field 'MemorySize' is less than the minimum value");
  EXPECT_EQ(problem(function, R"({"MemorySize":99999})"), "Field 'MemorySize' exceeds the maximum value");
  EXPECT_EQ(problem(function, R"({"MemorySize":128})"), "");
  const auto* const sealed = wire::kms::ops::Encrypt::info.output;
  EXPECT_EQ(problem(sealed, R"({"CiphertextBlob":""})"), "Field 'CiphertextBlob' is smaller than the minimum length");
  EXPECT_EQ(problem(sealed, R"({"CiphertextBlob":1})"), "Field 'CiphertextBlob' must be a string");
  const auto* const begun = wire::states::ops::StartSyncExecution::info.input;
  EXPECT_EQ(problem(begun, R"({"IncludedData":"SOME"})"), "Field 'IncludedData' is not an expected value");
  const auto* const objects = wire::s3::ops::ListObjectsV2::info.output;
  EXPECT_EQ(problem(objects, R"({"Contents":{}})"), "Field 'Contents' must be an array");
  EXPECT_EQ(problem(objects, R"({"Contents":[{"Size":1},{"Size":"2"}]})"), "Field 'Size' must be a number");
}

}  // namespace
}  // namespace tidemill::states::tasks
