// Tasks that call endpoints over HTTP.
#include "services/states/tasks/http_task.h"

#include <gmock/gmock.h>

#include "services/states/tasks/testing.h"

namespace tidemill::states::tasks {
namespace {

using testing::World;

constexpr std::string_view kInvoke = "arn:aws:states:::http:invoke";
constexpr std::string_view kConnection = "arn:aws:events:us-east-1:000000000000:connection/c/1";

std::string parameters(std::string_view more) {
  return base::cat(R"({"ApiEndpoint":"https://example.com/v1","Method":"POST","Authentication":{"ConnectionArn":")",
                   kConnection, R"("})", more, "}");
}

std::string lines_of(const net::HttpCall& call) {
  std::string lines = base::cat(call.method, " ", call.url, "\n");
  for (const auto& [name, value] : call.headers.entries()) lines += base::cat(name, ": ", value, "\n");
  return lines + call.body;
}

TEST(HttpTasks, SendWhatTheTaskSaysAndWhatTheConnectionAdds) {
  World world;
  world.connection = {.headers = {{"X-Key", "secret"}}, .query = {{"k", "1 2"}}, .body = {{"who", "me"}}};
  world.http_answer = {.status = 201, .reason = "Created"};
  world.http_answer.headers.add("Content-Type", "application/json; charset=utf-8");
  world.http_answer.headers.add("Set-Cookie", "a");
  world.http_answer.headers.add("set-cookie", "b");
  world.http_answer.body = R"({"id": 7})";
  EXPECT_EQ(world.run(kInvoke, parameters(R"(,"Headers":{"X-Mine":"x"},"QueryParameters":{"q":["a","b"],"n":1},)"
                                          R"("RequestBody":{"a":[1]})")),
            R"(Succeeded {"Headers":{"content-type":["application/json; charset=utf-8"],"set-cookie":["a","b"]},)"
            R"("ResponseBody":{"id":7},"StatusCode":201,"StatusText":"Created"})");
  ASSERT_EQ(world.http_calls.size(), 1U);
  EXPECT_EQ(lines_of(world.http_calls[0]),
            "POST https://example.com/v1?q=a&q=b&n=1&k=1%202\n"
            "x-mine: x\nx-key: secret\nUser-Agent: Amazon|StepFunctions|HttpInvoke\ncontent-type: application/json\n"
            R"({"a":[1],"who":"me"})");
  EXPECT_EQ(world.http_calls[0].timeout, kHttpTimeout);
}

TEST(HttpTasks, GiveTextThatIsNoJsonAsText) {
  World world;
  world.http_answer.body = R"({"id": 7})";
  EXPECT_EQ(world.run(kInvoke, parameters("")),
            R"(Succeeded {"Headers":{},"ResponseBody":"{\"id\": 7}","StatusCode":200,"StatusText":"OK"})");
}

TEST(HttpTasks, FailByTheAnswersStatus) {
  World world;
  world.http_answer = {.status = 404, .reason = "Not Found"};
  EXPECT_EQ(world.run(kInvoke, parameters("")), "Failed States.Http.StatusCode.404: Not Found");
  world.http_failure = "connection refused";
  EXPECT_EQ(world.run(kInvoke, parameters("")), "Failed States.Http.Socket: connection refused");
}

TEST(HttpTasks, TellTheConnectionThatAnEndpointRefusedIt) {
  World world;
  int told = 0;
  world.connection->refused = [&told] { ++told; };
  for (const int status : {200, 403, 401, 407}) {
    world.http_answer = {.status = status, .reason = ""};
    (void)world.run(kInvoke, parameters(""));
  }
  EXPECT_EQ(told, 2);
}

TEST(HttpTasks, FailWhenNoTokenIsToBeHad) {
  World world;
  world.connection_failure = "the authorization endpoint is not there";
  EXPECT_EQ(world.run(kInvoke, parameters("")), "Failed States.Http.Socket: the authorization endpoint is not there");
  EXPECT_TRUE(world.http_calls.empty());
}

TEST(HttpTasks, AreRefusedBeforeAnythingIsSent) {
  World world;
  const auto refused = [&](std::string_view text) { return world.run(kInvoke, text); };
  EXPECT_EQ(refused(R"({"ApiEndpoint":"https://x","Method":"GET"})"),
            "Failed States.Runtime: The field \"Authentication\" must have a \"ConnectionArn\"");
  EXPECT_EQ(refused(base::cat(R"({"ApiEndpoint":"ftp://x","Method":"GET","InvocationConfig":{"ConnectionArn":")",
                              kConnection, R"("}})")),
            "Failed States.Runtime: The field \"ApiEndpoint\" must be a URL of http or https");
  EXPECT_EQ(refused(base::cat(R"({"ApiEndpoint":"https://x","Method":"TRACE","Authentication":{"ConnectionArn":")",
                              kConnection, R"("}})")),
            "Failed States.Runtime: The field \"Method\" cannot be TRACE");
  for (const char* header : {"Host", "Content-Length", "x-amz-date", "X-Forwarded-For", "Transfer-Encoding"}) {
    EXPECT_EQ(refused(parameters(base::cat(R"(,"Headers":{")", header, R"(":"x"})"))),
              base::cat("Failed States.Runtime: The header ", header, " cannot be set by a task"));
  }
  EXPECT_EQ(refused(parameters(R"(,"Headers":{"a b":"x"})")),
            "Failed States.Runtime: The header a b is no name of a header");
  EXPECT_EQ(refused(parameters(R"(,"Headers":{"a":"x\r\nHost: y"})")),
            "Failed States.Runtime: The header a has a control character");
  EXPECT_EQ(refused(parameters(R"(,"RequestBody":{},"Transform":{"RequestBodyEncoding":"BASE64"})")),
            "Failed States.Runtime: The field \"RequestBodyEncoding\" must be NONE or URL_ENCODED");
  world.connection = std::nullopt;
  EXPECT_EQ(refused(parameters("")),
            base::cat("Failed States.Runtime: The connection ", kConnection, " does not exist or is not authorized"));
  EXPECT_TRUE(world.http_calls.empty());
}

TEST(HttpTasks, TakeNoConnectionOfAnotherAccount) {
  World world;
  constexpr std::string_view kOthers = "arn:aws:events:us-east-1:111111111111:connection/c/1";
  EXPECT_EQ(world.run(kInvoke, base::cat(R"({"ApiEndpoint":"https://x","Method":"GET",)"
                                         R"("Authentication":{"ConnectionArn":")",
                                         kOthers, R"("}})")),
            base::cat("Failed States.Runtime: The connection ", kOthers, " does not exist or is not authorized"));
  EXPECT_TRUE(world.http_calls.empty());
}

struct Gate : wire::Authorizer {
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<void> authorize_deed(const wire::Context& context, wire::Deed deed) override {
    asked.push_back(base::cat(context.principal.standing()->role_arn, " ", deed.action, " ", deed.resource));
    for (const auto& [key, value] : deed.facts) facts.push_back(base::cat(key, "=", value));
    if (deed.action == denied) throw wire::Error("AccessDeniedException", 400, "not yours");
    co_return;
  }

  std::string denied;
  std::vector<std::string> asked;
  std::vector<std::string> facts;
};

TEST(HttpTasks, SendNothingThatTheirRoleMayNot) {
  World world;
  Gate gate;
  world.platform->authorizer = &gate;
  EXPECT_THAT(world.run(kInvoke, parameters("")), ::testing::StartsWith("Succeeded"));
  EXPECT_THAT(gate.asked,
              ::testing::ElementsAre(base::cat(World::kRole, " states:InvokeHTTPEndpoint ",
                                               "arn:aws:states:us-east-1:000000000000:stateMachine:machine"),
                                     base::cat(World::kRole, " events:RetrieveConnectionCredentials ", kConnection)));
  EXPECT_THAT(gate.facts,
              ::testing::ElementsAre("states:HTTPMethod=POST", "states:HTTPEndpoint=https://example.com/v1"));
  world.http_calls.clear();
  gate.denied = "states:InvokeHTTPEndpoint";
  EXPECT_EQ(
      world.run(kInvoke, parameters("")),
      "Failed States.TaskFailed: AWS Step Functions is not authorized to perform states:InvokeHTTPEndpoint on API "
      "Endpoint https://example.com/v1. Ensure that the StateMachine role contains the states:InvokeHTTPEndpoint "
      "permission for the given API Endpoint");
  gate.denied = "events:RetrieveConnectionCredentials";
  EXPECT_THAT(world.run(kInvoke, parameters("")),
              ::testing::StartsWith("Failed Events.ConnectionResource.AccessDenied: "));
  gate.denied = "sts:AssumeRole";
  world.credentials = "arn:aws:iam::000000000000:role/other";
  EXPECT_THAT(world.run(kInvoke, parameters("")),
              ::testing::HasSubstr("is not authorized to assume the task state's role"));
  EXPECT_TRUE(world.http_calls.empty());
  world.platform->authorizer = nullptr;
}

TEST(HttpTasks, AnswersBeyondTheLimitOfResultsAreRefusedByName) {
  World world;
  world.http_answer.body.assign(262145, 'a');
  EXPECT_EQ(
      world.run(kInvoke, parameters("")),
      "Failed States.DataLimitExceeded: The state/task 'arn:aws:states:::http:invoke' returned a result with a size "
      "exceeding the maximum number of bytes service limit.");
}

TEST(HttpTasks, EncodeBodiesAsForms) {
  World world;
  (void)world.run(kInvoke, parameters(R"(,"RequestBody":{"a b":"1&2","list":["x",{"y":true}],"o":{"p":null}},)"
                                      R"("Transform":{"RequestBodyEncoding":"URL_ENCODED"})"));
  ASSERT_EQ(world.http_calls.size(), 1U);
  EXPECT_EQ(world.http_calls[0].body, "a%20b=1%262&list%5b0%5d=x&list%5b1%5d%5by%5d=true&o%5bp%5d=");
  EXPECT_EQ(world.http_calls[0].headers.get("content-type"), "application/x-www-form-urlencoded");
  const json::Value body = json::parse(R"({"a":[1,2]})").value();
  EXPECT_EQ(url_encoded(body, "INDICES"), "a%5b0%5d=1&a%5b1%5d=2");
  EXPECT_EQ(url_encoded(body, "REPEAT"), "a=1&a=2");
  EXPECT_EQ(url_encoded(body, "COMMAS"), "a=1%2c2");
  EXPECT_EQ(url_encoded(body, "BRACKETS"), "a%5b%5d=1&a%5b%5d=2");
  EXPECT_EQ(url_encoded(body, "NONE"), "a=%5b1%2c2%5d");
  EXPECT_THROW((void)url_encoded(body, "OTHER"), std::invalid_argument);
  const json::Value long_names = json::Object{{std::string(100'000, 'a'), json::Array(20, 1)}};
  EXPECT_THROW((void)url_encoded(long_names, "REPEAT"), std::invalid_argument);
}

}  // namespace
}  // namespace tidemill::states::tasks
