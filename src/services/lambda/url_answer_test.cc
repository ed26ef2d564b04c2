// What functions say and requests ask at URLs, as text: rules that need no function that runs.
#include "services/lambda/url_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "services/lambda/function_url.h"
#include "services/lambda/url_cors.h"
#include "services/lambda/url_event.h"

namespace tidemill::lambda {
namespace {

using testing::HasSubstr;

std::string shown(const net::Response& response) {
  std::string text = std::to_string(response.status);
  for (const auto& [name, value] : response.headers.entries()) text += base::cat(" ", name, "=", value);
  return base::cat(text, " ", response.body);
}

TEST(UrlAnswers, TakeAnObjectWithAStatusAtItsWord) {
  EXPECT_EQ(shown(url_answer(R"({"statusCode":"201","headers":{"x-a":true,"x-b":null},"cookies":["a=1"],"body":"hi"})")),
            "201 x-a=true set-cookie=a=1 content-type=application/json hi");
  EXPECT_EQ(shown(url_answer(R"({"statusCode":200,"body":"aGk=","isBase64Encoded":true})")),
            "200 content-type=application/json hi");
  EXPECT_EQ(shown(url_answer(R"({"statusCode":200,"headers":{"Content-Type":"text/html"},"body":{"a":1}})")),
            "200 Content-Type=text/html {\"a\":1}");
}

// What the server says of the connection nobody else may.
TEST(UrlAnswers, LeaveOutWhatIsOfTheConnection) {
  EXPECT_EQ(shown(url_answer(R"({"statusCode":200,"headers":{"Content-Length":"9","transfer-encoding":"chunked","Connection":"x"}})")),
            "200 content-type=application/json ");
}

TEST(UrlAnswers, AreTheBodyWhereNothingSaysOtherwise) {
  EXPECT_EQ(shown(url_answer(R"({"hello": "world"})")), R"(200 content-type=application/json {"hello":"world"})");
  EXPECT_EQ(shown(url_answer(R"("plain")")), "200 content-type=application/json plain");
  EXPECT_EQ(shown(url_answer("null")), "200 content-type=application/json null");
  EXPECT_EQ(shown(url_answer("no JSON")), "200 content-type=application/octet-stream no JSON");
}

TEST(UrlAnswers, ThatMakeNoSenseAreTheFunctionsFault) {
  for (const char* answer : {R"({"statusCode":99})", R"({"statusCode":"x"})", R"({"statusCode":200,"headers":[]})",
                             R"({"statusCode":200,"cookies":"a"})", R"({"statusCode":200,"headers":{"a":{}}})",
                             R"({"statusCode":200,"body":"*","isBase64Encoded":true})"}) {
    EXPECT_EQ(url_answer(answer).status, 502) << answer;
  }
}

// A client would wait for the answer after one of 1xx, and take a name with a colon for a header of its own.
TEST(UrlAnswers, ThatNoClientCouldReadAreTheFunctionsFault) {
  for (const char* answer : {R"({"statusCode":100})", R"({"statusCode":101})", R"({"statusCode":199})",
                             R"({"statusCode":200,"headers":{"a b":"c"}})", R"({"statusCode":200,"headers":{"":"c"}})",
                             R"({"statusCode":200,"headers":{"content-length ":"1"}})",
                             R"({"statusCode":200,"headers":{"x\r\ny":"c"}})", R"({"statusCode":200,"headers":{"a:b":"c"}})"}) {
    EXPECT_EQ(url_answer(answer).status, 502) << answer;
    EXPECT_FALSE(url_answer_head(answer)) << answer;
  }
}

TEST(UrlAnswers, HaveNoMoreHeadersThanClientsTake) {
  const auto answer = [](size_t bytes) {
    return base::cat(R"({"statusCode":200,"headers":{"content-type":"a","x":")", std::string(bytes, 'x'), R"("}})");
  };
  constexpr size_t kOthers = std::string_view("content-typeax").size();
  EXPECT_EQ(url_answer(answer(kAnswerHeadersBytesMax - kOthers)).status, 200);
  EXPECT_EQ(url_answer(answer(kAnswerHeadersBytesMax - kOthers + 1)).status, 502);
}

TEST(UrlAnswers, MayBeginWithAPrelude) {
  EXPECT_EQ(shown(url_answer_head(R"({"statusCode":418,"cookies":["a=1"]})").value()),
            "418 set-cookie=a=1 content-type=application/octet-stream ");
  EXPECT_FALSE(url_answer_head("[]"));
  EXPECT_FALSE(url_answer_head("{"));
}

net::Request request_of(std::string method, std::vector<net::Headers::Entry> headers) {
  net::Request request;
  request.method = std::move(method);
  request.peer = "[::1]:1234";
  request.headers.entries() = std::move(headers);
  return request;
}

TEST(UrlEvents, HoldWhatWasAsked) {
  const net::Request request = request_of("POST", {{"Host", "id.lambda-url.us-east-1.localhost:4566"}, {"X-A", "1"}, {"x-a", "2"},
                                                   {"Cookie", "a=1;b=2"}, {"Content-Type", "text/plain"}, {"X-Odd", "\xff"}});
  const UrlRequest url{.request = request, .target = "?q=%41&q=b+c", .url_id = "id", .request_id = "r",
                       .trace_header = "Root=1-x", .now = base::Time(std::chrono::seconds(1'584'040'238))};
  const std::string event = with_body(url_event(url), "text");
  EXPECT_THAT(event, HasSubstr(R"("rawPath":"/","rawQueryString":"q=%41&q=b+c","cookies":["a=1","b=2"])"));
  EXPECT_THAT(event, HasSubstr(R"("x-a":"1,2")"));
  EXPECT_THAT(event, HasSubstr(R"("queryStringParameters":{"q":"A,b c"})"));
  EXPECT_THAT(event, HasSubstr(R"("sourceIp":"::1")"));
  EXPECT_THAT(event, HasSubstr(R"("time":"12/Mar/2020:19:10:38 +0000","timeEpoch":1584040238000)"));
  EXPECT_THAT(event, HasSubstr(R"("body":"text","isBase64Encoded":false)"));
  EXPECT_TRUE(json::parse(event));  // whatever bytes a header may have
}

TEST(UrlEvents, SayHowTheClientSpeaksWhateverItSaysItself) {
  const net::Request request =
      request_of("GET", {{"Host", "id.lambda-url.us-east-1.example"}, {"X-Forwarded-Proto", "ftp"}});
  const auto said = [&](bool is_protected) {
    const UrlRequest url{.request = request, .target = "/", .url_id = "id", .request_id = "r",
                         .trace_header = "", .now = {}, .is_protected = is_protected};
    return with_body(url_event(url), "");
  };
  EXPECT_THAT(said(true), HasSubstr(R"("x-forwarded-port":"443","x-forwarded-proto":"https")"));
  EXPECT_THAT(said(false), HasSubstr(R"("x-forwarded-port":"80","x-forwarded-proto":"http")"));
}

wire::lambda::Cors cors() {
  wire::lambda::Cors rules;
  rules.allow_origins = {"https://a.example"};
  rules.allow_methods = {"*"};
  rules.allow_headers = {"*"};
  return rules;
}

TEST(UrlCors, NamesWhatWasAskedForWhereCredentialsAreSent) {
  wire::lambda::Cors rules = cors();
  rules.allow_credentials = true;
  const auto answer = answer_preflight(rules, request_of("OPTIONS", {{"Origin", "https://a.example"},
                                                                     {"Access-Control-Request-Method", "PUT"},
                                                                     {"Access-Control-Request-Headers", "x-a,x-b"}}));
  EXPECT_EQ(answer->headers.get("access-control-allow-methods"), "PUT");
  EXPECT_EQ(answer->headers.get("access-control-allow-headers"), "x-a,x-b");
  EXPECT_EQ(answer->headers.get("access-control-allow-credentials"), "true");
}

TEST(UrlCors, SaysNothingToPagesThatMayNot) {
  EXPECT_EQ(shown(*answer_preflight(cors(), request_of("OPTIONS", {{"Origin", "https://b.example"},
                                                                   {"Access-Control-Request-Method", "PUT"}}))),
            "200 vary=Origin ");
  EXPECT_FALSE(answer_preflight(cors(), request_of("OPTIONS", {{"Origin", "https://a.example"}})));
  net::Response response;
  response.headers.add("Access-Control-Allow-Origin", "*");
  apply_cors(cors(), request_of("GET", {{"Origin", "https://b.example"}}), response);
  EXPECT_EQ(shown(response), "200 vary=Origin ");
}

TEST(UrlNames, AreBelowAName) {
  const FunctionAddress address{"123456789012", "eu-west-1", "f"};
  EXPECT_EQ(address_of_url("http://127.0.0.1:4566", address, "id"), "http://id.lambda-url.eu-west-1.localhost:4566/");
  EXPECT_EQ(address_of_url("http://[::1]:4566", address, "id"), "http://id.lambda-url.eu-west-1.localhost:4566/");
  EXPECT_EQ(address_of_url("http://mill.test", address, "id"), "http://id.lambda-url.eu-west-1.mill.test/");
  EXPECT_EQ(new_url_id().size(), kUrlIdSize);
}

}  // namespace
}  // namespace tidemill::lambda
