// Requests as clients send them, through the front to operations of the test models and back.
#include "wire/front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/future.h"
#include "base/sim_executor.h"
#include "wire/testdata/kettle.h"
#include "wire/testdata/teahouse.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using ::testing::HasSubstr;
using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kAuthorization = "AWS4-HMAC-SHA256 Credential=";

std::string signed_for(std::string_view service, std::string_view region = "eu-west-1", std::string_view key = "AKID") {
  return std::string(kAuthorization) + std::string(key) + "/20260101/" + std::string(region) + "/" + std::string(service) +
         "/aws4_request, SignedHeaders=host, Signature=0";
}

class FrontTest : public ::testing::Test {
 protected:
  FrontTest() {
    registry().add<kettle::ops::Brew>([this](Context& context, const kettle::BrewInput& in) -> Task<kettle::BrewOutput> {
      if (wait_) co_await wait_();
      seen_ = context.account + " " + context.region + " " + context.principal.name() + " " + context.endpoint;
      source_ip_ = context.source_ip;
      request_id_ = context.request_id;
      if (fail_) fail_();
      co_return kettle::BrewOutput{.table_name = in.table_name};
    });
    registry().add<kettle::ops::Rinse>(
        [](Context&, const kettle::RinseInput&) { return Task<kettle::RinseOutput>::ready(); });
    registry().refuse(kettle::refused_operations());
    registry().add<teahouse::ops::SeatGuest>([](Context&, const teahouse::SeatGuestInput& in) -> Task<teahouse::Guest> {
      co_return teahouse::Guest{.guest_name = in.guest_name, .seated_at = base::Time(base::Duration(1500000))};
    });
    registry().add<teahouse::ops::GetGuest>([](Context&, const teahouse::GetGuestInput& in) -> Task<teahouse::Guest> {
      if (in.guest_name == "nobody") throw teahouse::errors::guest_not_found_exception("no such guest");
      if (in.guest_name == "twice") throw teahouse::errors::seat_taken_exception("taken");
      co_return teahouse::Guest{.guest_name = in.guest_name + in.course.value_or("")};
    });
    registry().add<teahouse::ops::ListGuests>(
        [](Context&, const teahouse::ListGuestsInput& in) -> Task<teahouse::ListGuestsOutput> {
          std::vector<std::string> words = in.tags.value_or(std::vector<std::string>());
          words.push_back(in.marker.value_or("-") + (in.late.value_or(false) ? "late" : ""));
          words.push_back(std::to_string(in.max_items.value_or(0)));
          co_return teahouse::ListGuestsOutput{.guests = words};
        });
    registry().add<teahouse::ops::RemoveGuest>(
        [](Context&, const teahouse::RemoveGuestInput&) { return Task<teahouse::RemoveGuestOutput>::ready(); });
    registry().add<teahouse::ops::ServeTea>(
        [](Context&, const teahouse::ServeTeaInput& in) -> Task<teahouse::ServeTeaOutput> {
          co_return teahouse::ServeTeaOutput{
              .status_code = 202, .cup = in.course, .degrees = 80, .tea = in.tea.value_or("none")};
        });
    registry().add<teahouse::ops::ReadBook>(
        [this](Context&, const teahouse::ReadBookInput& in) -> Task<teahouse::ReadBookOutput> {
          seen_ = in.path;
          co_return teahouse::ReadBookOutput{.modified = base::Time(base::Duration(1560209851000000))};
        });
    registry().add<teahouse::ops::SetMenu>([](Context&, const teahouse::SetMenuInput& in) -> Task<teahouse::SetMenuOutput> {
      co_return teahouse::SetMenuOutput{.menu = in.menu};
    });
    front_ = std::make_unique<Front>(
        platform_.platform,
        FrontOptions{.account = "000000000000", .region = "us-east-1", .endpoint = "http://127.0.0.1:4566"});
  }

  Registry& registry() { return platform_.registry; }

  net::Response send(std::string method, std::string target, Headers headers, std::string body = "") {
    net::Request request = testing::make_request(std::move(method), std::move(target), std::move(headers), std::move(body));
    net::Response response = testing::run(front_->handle(request));
    const bool has_id = response.headers.get("x-amzn-requestid").size() == 36 || response.headers.find("x-amz-request-id");
    EXPECT_TRUE(has_id);
    return response;
  }
  net::Response brew(std::string body, std::string authorization = signed_for("kettle")) {
    return send("POST", "/",
                {{"Host", "127.0.0.1:4566"},
                 {"X-Amz-Target", "Kettle_20260101.Brew"},
                 {"Content-Type", "application/x-amz-json-1.0"},
                 {"Authorization", std::move(authorization)}},
                std::move(body));
  }
  net::Response rest(std::string method, std::string target, std::string body = "", Headers headers = {}) {
    headers.emplace_back("Authorization", signed_for("teahouse"));
    return send(std::move(method), std::move(target), std::move(headers), std::move(body));
  }

  testing::TestPlatform platform_;
  std::unique_ptr<Front> front_;
  std::string seen_;
  std::string source_ip_;
  std::string request_id_;
  std::function<void()> fail_;
  std::function<Task<void>()> wait_;
};

const std::string kGood = R"({"TableName":"tea","Amount":1})";

// There is none left.
struct NoRoom final : net::AnswerRoom {
  Task<void> reserve(size_t) override { throw net::ServerBusy(); }
  void hold(size_t) override { throw net::ServerBusy(); }
};

TEST_F(FrontTest, AnAnswerWithoutRoomIsDroppedForA503InTheServicesForm) {
  NoRoom room;
  net::Request request = testing::make_request(
      "POST", "/", {{"X-Amz-Target", "Kettle_20260101.Brew"}, {"Authorization", signed_for("kettle")}}, kGood);
  request.answer_room = &room;
  const net::Response response = testing::run(front_->handle(request));
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, HasSubstr("ServiceUnavailable"));
  EXPECT_TRUE(response.headers.find("x-amzn-requestid"));
}

TEST_F(FrontTest, TellsAnOperationWhereItsRequestComesFrom) {
  for (const auto& [peer, address] : {std::pair("203.0.113.7:50312", "203.0.113.7"), {"[2001:db8::1]:80", "2001:db8::1"}}) {
    net::Request request =
        testing::make_request("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Brew"}, {"Authorization", signed_for("kettle")}},
                              kGood);
    request.peer = peer;
    (void)testing::run(front_->handle(request));
    EXPECT_EQ(source_ip_, address);
  }
}

TEST_F(FrontTest, TellsAServiceWhatItsRequestsFailFor) {
  std::vector<std::string> told;
  registry().on_failure("kettle", [&](const Context&, const OperationInfo& info, const Error& error) {
    told.push_back(std::string(info.name) + " " + error.code);
  });
  (void)brew(kGood);
  (void)brew("{}");
  fail_ = [] { throw Error("Cold", 400, "cold"); };
  (void)brew(kGood);
  fail_ = [] { throw std::runtime_error("defect"); };
  (void)brew(kGood);
  EXPECT_THAT(told, ::testing::ElementsAre("Brew ValidationException", "Brew Cold", "Brew InternalServerError"));
}

TEST_F(FrontTest, AnswersAnOperationFoundByItsTarget) {
  const net::Response response = brew(kGood);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"TableName":"tea"})");
  EXPECT_EQ(response.headers.get("content-type"), "application/x-amz-json-1.0");
  EXPECT_EQ(response.headers.get("x-amz-crc32"), "3869348370");
  EXPECT_EQ(response.headers.get("x-amzn-requestid"), request_id_);
}

TEST_F(FrontTest, TakesRegionAndKeyFromTheCredentialScope) {
  brew(kGood, signed_for("kettle", "eu-west-1", "AKIDEXAMPLE"));
  EXPECT_EQ(seen_, "000000000000 eu-west-1 AKIDEXAMPLE http://127.0.0.1:4566");
}

TEST_F(FrontTest, TakesAKeyIdOfTwelveDigitsForTheAccount) {
  brew(kGood, signed_for("kettle", "us-west-2", "123456789012"));
  EXPECT_THAT(seen_, HasSubstr("123456789012 us-west-2"));
}

TEST_F(FrontTest, GivesUnsignedRequestsTheDefaultRegion) {
  brew(kGood, "");
  EXPECT_THAT(seen_, HasSubstr("000000000000 us-east-1 anonymous"));
}

TEST_F(FrontTest, FallsBackToTheTargetIfTheScopeHasNoService) { EXPECT_EQ(brew(kGood, signed_for("")).status, 200); }

TEST_F(FrontTest, RefusesASignatureThatCannotBeRead) {
  for (const char* header : {"AWS4-HMAC-SHA256 nonsense", "AWS4-HMAC-SHA256 Credential=a/b"}) {
    const net::Response response = brew(kGood, header);
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr("IncompleteSignatureException"));
  }
  EXPECT_THAT(brew(kGood, signed_for("kettle", "EU WEST")).body, HasSubstr("IncompleteSignatureException"));
}

TEST_F(FrontTest, AnswersAnOperationWithoutOutputWithNoBody) {
  const net::Response response = send("POST", "/", {{"x-amz-target", "Kettle_20260101.Rinse"}}, "{}");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(response.headers.get("x-amz-crc32"), "0");
}

TEST_F(FrontTest, WritesErrorsWithTheirNamespace) {
  const net::Response validation = brew(R"({"TableName":"tea"})");
  EXPECT_EQ(validation.status, 400);
  EXPECT_EQ(validation.headers.get("content-type"), "application/x-amz-json-1.0");
  EXPECT_FALSE(validation.headers.get("x-amz-crc32").empty());
  EXPECT_EQ(validation.body,
            R"({"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error detected: Value )"
            R"(null at 'amount' failed to satisfy constraint: Member must not be null"})");
  EXPECT_EQ(brew(R"({"TableName":1})").body,
            R"({"__type":"com.amazon.coral.service#SerializationException","Message":"NUMBER_VALUE cannot be converted )"
            R"(to String"})");
  EXPECT_EQ(brew("[").body, R"({"__type":"com.amazon.coral.service#SerializationException"})");
  fail_ = [] { throw kettle::errors::no_water_exception("dry", {.leaf = kettle::Leaf{.leaf_name = "a"}}); };
  EXPECT_EQ(brew(kGood).body, R"({"__type":"com.amazonaws.kettle.v20260101#NoWaterException","message":"dry",)"
                              R"("Leaf":{"LeafName":"a"}})");
}

TEST_F(FrontTest, AnswersDefectsWithAnInternalErrorAndGoesOn) {
  fail_ = [] { throw std::runtime_error("secret detail"); };
  const net::Response response = brew(kGood);
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body,
            R"({"__type":"com.amazonaws.kettle.v20260101#InternalServerError","message":"Internal server error"})");
  fail_ = [] { throw 1; };
  EXPECT_EQ(brew(kGood).status, 500);
  fail_ = nullptr;
  EXPECT_EQ(brew(kGood).status, 200);
}

TEST_F(FrontTest, AnswersAFailedStoreWithAnInternalError) {
  fail_ = [] { throw store::StoreFailed("disk"); };
  EXPECT_EQ(brew(kGood).status, 500);
}

TEST_F(FrontTest, AnswersOverloadWithTheServicesThrottlingError) {
  fail_ = [] { throw store::Overloaded("full"); };
  const net::Response response = brew(kGood);
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("com.amazonaws.kettle.v20260101#TooHotException"));
}

TEST_F(FrontTest, LetsTheNetworksExceptionsPass) {
  struct Broken : net::Body {
    Task<std::string> read_all(size_t) override {
      throw net::ConnectionLost("gone");
      co_return "";
    }
    Task<std::optional<std::string>> read_some() override { co_return std::nullopt; }
  };
  net::Request request = testing::make_request("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Brew"}}, "");
  request.body = std::make_shared<Broken>();
  EXPECT_THROW(testing::run(front_->handle(request)), net::ConnectionLost);
}

TEST_F(FrontTest, AnOperationGoesOnWhenItsClientLeaves) {
  base::SimExecutor executor(1, platform_.platform.clock.activity());
  const base::Executor::Enter enter(executor);
  base::Future<int> water;
  bool brewed = false;
  wait_ = [&]() -> Task<void> {
    (void)co_await water;
    brewed = true;
  };
  base::Scope connection;
  connection.spawn([](Front& front) -> Task<void> {
    net::Request request = testing::make_request("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Brew"}}, kGood);
    (void)co_await front.handle(request);
  }(*front_));
  connection.clear();
  EXPECT_FALSE(platform_.platform.clock.activity().is_quiet());
  water.set(1);
  executor.run_until_idle();
  EXPECT_TRUE(brewed);
  EXPECT_EQ(seen_, "000000000000 us-east-1 anonymous http://127.0.0.1:4566");
  EXPECT_TRUE(platform_.platform.clock.activity().is_quiet());
}

TEST_F(FrontTest, RefusesABodyBeyondTheServicesLimit) {
  const net::Response response = brew(std::string(4097, ' '));
  EXPECT_EQ(response.status, 413);
  EXPECT_THAT(response.body, HasSubstr("RequestEntityTooLargeException"));
}

TEST_F(FrontTest, RefusesUnknownOperationsAndServicesByName) {
  const net::Response operation = send("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Explode"}}, "{}");
  EXPECT_EQ(operation.status, 400);
  EXPECT_EQ(operation.body, R"({"__type":"com.amazon.coral.service#UnknownOperationException","message":"Tidemill does )"
                            R"(not support the operation Explode of the service Kettle_20260101"})");
  const net::Response service =
      send("POST", "/", {{"X-Amz-Target", "Kinesis_20131202.PutRecord"}, {"Authorization", signed_for("kinesis")}}, "{}");
  EXPECT_EQ(service.status, 404);
  EXPECT_THAT(service.body, HasSubstr("does not support the operation PutRecord of the service kinesis"));
}

TEST_F(FrontTest, AnswersWithTextWhateverBytesAreAskedFor) {
  const net::Response response = send("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Ex\x01pl\xfforde"}}, "{}");
  EXPECT_THAT(response.body, HasSubstr("the operation Ex?pl?orde"));
}

TEST_F(FrontTest, RefusesOperationsThatTheModelCallsUnsupportedWithTheReason) {
  const net::Response response = send("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Descale"}}, R"({"Any":1})");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body, R"({"__type":"com.amazon.coral.validate#ValidationException","message":"Tidemill does not )"
                           R"(support the operation Descale: there is no vinegar"})");
}

TEST_F(FrontTest, RefusesRestPathsByName) {
  const net::Response response = rest("GET", "/2026-01-01/kitchens");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.get("x-amzn-errortype"), "UnknownOperationException");
  EXPECT_THAT(response.body, HasSubstr("does not support GET /2026-01-01/kitchens of the service teahouse"));
}

TEST_F(FrontTest, RefusesOtherProtocolsInTheirOwnForm) {
  const net::Response query =
      send("POST", "/",
           {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}, {"Authorization", signed_for("sqs")}},
           "Version=2012-11-05&Action=CreateQueue");
  EXPECT_EQ(query.status, 404);
  EXPECT_THAT(query.body, HasSubstr("<Message>Tidemill does not support the operation CreateQueue of the service sqs"));
  const net::Response s3 = send("GET", "/bucket/key", {{"Authorization", signed_for("s3")}});
  EXPECT_EQ(s3.headers.get("content-type"), "application/xml");
  EXPECT_THAT(s3.body, HasSubstr("<Error><Code>UnknownOperationException</Code>"));
}

TEST_F(FrontTest, ServesRestOperations) {
  const net::Response seated = rest("POST", "/2026-01-01/guests", R"({"GuestName":"ann","Wishes":["cake"]})");
  EXPECT_EQ(seated.status, 201);
  EXPECT_EQ(seated.body, R"({"GuestName":"ann","SeatedAt":1.5})");
  EXPECT_EQ(seated.headers.get("content-type"), "application/json");
  EXPECT_FALSE(seated.headers.find("x-amz-crc32"));
}

TEST_F(FrontTest, AcceptsATrailingSlash) {
  EXPECT_EQ(rest("POST", "/2026-01-01/guests/", R"({"GuestName":"ann"})").status, 201);
}

TEST_F(FrontTest, DecodesLabelsAndQuery) {
  EXPECT_EQ(rest("GET", "/2026-01-01/guests/arn%3Aaws%3Aann?Course=FIRST").body, R"({"GuestName":"arn:aws:annFIRST"})");
  EXPECT_EQ(rest("GET", "/2026-01-01/guests/arn:aws:ann").body, R"({"GuestName":"arn:aws:ann"})");
  EXPECT_EQ(rest("GET", "/2026-01-01/guests?Marker=a+b&tag=x&tag=y&MaxItems=3&Late=true").body,
            R"({"Guests":["x","y","a blate","3"]})");
}

TEST_F(FrontTest, ChecksLabelsAndQuery) {
  EXPECT_THAT(rest("GET", "/2026-01-01/guests/a%20b").body, HasSubstr("Value 'a b' at 'guestName' failed to satisfy"));
  EXPECT_THAT(rest("GET", "/2026-01-01/guests?MaxItems=11").body, HasSubstr("Value '11' at 'maxItems'"));
  EXPECT_THAT(rest("GET", "/2026-01-01/guests?MaxItems=x").body, HasSubstr("STRING_VALUE cannot be converted to Integer"));
  EXPECT_EQ(rest("GET", "/2026-01-01/guests/%ff").status, 400);
}

TEST_F(FrontTest, ReadsAndWritesHeadersPayloadAndStatus) {
  const std::string tea("hot\0water\xff", 10);
  const net::Response response = rest("POST", "/2026-01-01/guests/ann/tea", tea, {{"x-amz-course", "SECOND"}});
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, tea);
  EXPECT_EQ(response.headers.get("X-Amz-Cup"), "SECOND");
  EXPECT_EQ(response.headers.get("X-Amz-Degrees"), "80");
  EXPECT_EQ(response.headers.get("content-type"), "application/octet-stream");
  EXPECT_EQ(rest("POST", "/2026-01-01/guests/ann/tea").body, "none");
}

TEST_F(FrontTest, TakesTheRestOfThePathForAGreedyLabel) {
  const net::Response response = rest("GET", "/books/history/of%20tea/");
  EXPECT_EQ(seen_, "history/of tea/");
  EXPECT_EQ(response.headers.get("last-modified"), "Mon, 10 Jun 2019 23:37:31 GMT");
}

TEST_F(FrontTest, ReadsAndWritesAStructureAsPayload) {
  EXPECT_EQ(rest("PUT", "/menu", R"({"Dish":"scones"})").body, R"({"Dish":"scones"})");
  EXPECT_THAT(rest("PUT", "/menu", "{}").body, HasSubstr("Value null at 'menu.dish'"));
  EXPECT_THAT(rest("PUT", "/menu").body, HasSubstr("Value null at 'menu'"));
}

TEST_F(FrontTest, AnswersNoContentWithoutBodyOrType) {
  const net::Response response = rest("DELETE", "/2026-01-01/guests/ann");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_FALSE(response.headers.find("content-type"));
}

TEST_F(FrontTest, WritesRestErrorsAsLambdaDoes) {
  const net::Response missing = rest("GET", "/2026-01-01/guests/nobody");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.headers.get("x-amzn-errortype"), "GuestNotFoundException");
  EXPECT_EQ(missing.body, R"({"Message":"no such guest","Type":"User"})");
  EXPECT_EQ(rest("GET", "/2026-01-01/guests/twice").body, R"({"message":"taken","Type":"User"})");
  const net::Response invalid = rest("POST", "/2026-01-01/guests", "{}");
  EXPECT_EQ(invalid.headers.get("x-amzn-errortype"), "ValidationException");
  EXPECT_THAT(invalid.body, ::testing::StartsWith(R"({"message":"1 validation error detected: )"));
}

TEST_F(FrontTest, RefusesUnsupportedParametersWithTheServicesError) {
  const net::Response body = rest("POST", "/2026-01-01/guests", R"({"GuestName":"ann","Dog":{"name":"Rex"}})");
  EXPECT_EQ(body.headers.get("x-amzn-errortype"), "InvalidParameterValueException");
  EXPECT_EQ(body.body, R"({"message":"Tidemill does not support the parameter Dog of SeatGuest","Type":"User"})");
  EXPECT_THAT(rest("GET", "/2026-01-01/guests?Region=x").body, HasSubstr("the parameter Region of ListGuests"));
}

TEST_F(FrontTest, RefusesServicesThatAreNotThereInTheFormOfTheirClients) {
  const auto refusal = [&](std::string service, std::string method, std::string target, Headers headers = {}) {
    headers.emplace_back("Authorization", signed_for(service));
    return send(std::move(method), std::move(target), std::move(headers));
  };
  const net::Response rest_json = refusal("scheduler", "PUT", "/schedules");
  EXPECT_EQ(rest_json.status, 404);
  EXPECT_EQ(rest_json.headers.get("x-amzn-errortype"), "UnknownOperationException");
  EXPECT_THAT(rest_json.body, HasSubstr("does not support PUT /schedules of the service scheduler"));
  EXPECT_THAT(refusal("route53", "GET", "/2013-04-01/hostedzone").body, HasSubstr("<ErrorResponse"));
  EXPECT_THAT(refusal("kms", "POST", "/").body, HasSubstr(R"("__type":"com.amazon.coral.service#Unknown)"));
  const net::Response ec2 = refusal("ec2", "GET", "/?Action=RunInstances&Version=2016-11-15");
  EXPECT_THAT(ec2.body, HasSubstr("<Response><Errors><Error><Code>UnknownOperationException</Code><Message>Tidemill does "
                                  "not support the operation RunInstances of the service ec2</Message></Error></Errors>"));
  EXPECT_THAT(refusal("iam", "GET", "/?Action=ListUsers").body, HasSubstr("the operation ListUsers of the service iam"));
}

TEST_F(FrontTest, RefusesRequestsUnderNamesThatAreNotTheServers) {
  const Headers headers = {{"Host", "evil.example"}, {"X-Amz-Target", "Kettle_20260101.Brew"}};
  const net::Response response = send("POST", "/", headers, kGood);
  EXPECT_EQ(response.status, 403);
  EXPECT_THAT(response.body, HasSubstr("--host evil.example"));
  EXPECT_EQ(seen_, "");
  const net::Response unknown = send("GET", "/metrics", {{"Host", "evil.example"}});
  EXPECT_EQ(unknown.status, 403);
  EXPECT_THAT(unknown.body, ::testing::EndsWith("--host evil.example\n"));
}

TEST_F(FrontTest, RefusesPagesOfOtherSitesBeforeAnythingHappens) {
  const net::Response response =
      send("POST", "/", {{"Origin", "https://evil.example"}, {"Content-Type", "text/plain"},
                         {"X-Amz-Target", "Kettle_20260101.Brew"}}, kGood);
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(seen_, "");
  const net::Response form = send("GET", "/?Action=Brew", {{"Sec-Fetch-Site", "cross-site"}});
  EXPECT_EQ(form.status, 403);
  EXPECT_THAT(form.body, HasSubstr("<Code>AccessDenied</Code>"));
  EXPECT_THAT(platform_.metrics.prometheus_text(), HasSubstr(R"(tidemill_foreign_requests_total{reason="page"} 2)"));
}

TEST_F(FrontTest, LetsPagesOfThisMachineReadItsAnswers) {
  const net::Response response =
      send("POST", "/", {{"Origin", "http://localhost:3000"}, {"X-Amz-Target", "Kettle_20260101.Brew"}}, kGood);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("access-control-allow-origin"), "*");
  EXPECT_FALSE(brew(kGood).headers.find("access-control-allow-origin"));
}

TEST_F(FrontTest, AsksWhetherThePrincipalMayBeforeItReadsTheBody) {
  struct Nobody final : Authorizer {
    Task<void> authorize(const Access& access) override {
      throw Error("AccessDeniedException", 403, access.context.principal.name() + " may not " + std::string(access.operation.name));
    }
  };
  Nobody nobody;
  platform_.platform.authorizer = &nobody;
  const net::Response response = brew(std::string(10'000, ' '));
  EXPECT_EQ(response.status, 403);
  EXPECT_THAT(response.body, HasSubstr("AKID may not Brew"));
  EXPECT_EQ(seen_, "");
}

TEST_F(FrontTest, HoldsBodiesToWhatTheAuthenticatorSays) {
  struct Signed final : Authenticator {
    Task<Caller> authenticate(const net::Request&, const Identity&) override {
      Caller caller;
      caller.principal = "checked";
      caller.check_body = [](std::string_view body) {
        if (body != kGood) throw Error("SignatureDoesNotMatch", 403, "not what was signed");
      };
      return Task<Caller>::ready(std::move(caller));
    }
  };
  front_ = std::make_unique<Front>(platform_.platform, FrontOptions{.authenticator = std::make_shared<Signed>()});
  EXPECT_EQ(brew(kGood).status, 200);
  EXPECT_THAT(seen_, HasSubstr("checked"));
  EXPECT_THAT(brew(kGood + " ").body, HasSubstr("SignatureDoesNotMatch"));
}

TEST_F(FrontTest, AnswersItsOwnPathsUnderTheSameChecks) {
  FrontOptions options;
  options.own_paths = {{"/metrics", false, [](net::Request&) {
                          net::Response response;
                          response.body = "numbers";
                          response.headers.add("x-amzn-requestid", std::string(36, '0'));
                          return Task<net::Response>::ready(std::move(response));
                        }}};
  front_ = std::make_unique<Front>(platform_.platform, options);
  EXPECT_EQ(send("GET", "/metrics", {{"Host", "localhost"}}).body, "numbers");
  EXPECT_EQ(send("GET", "/metrics", {{"Origin", "https://evil.example"}}).status, 403);
  EXPECT_EQ(send("GET", "/metrics", {{"Origin", "http://localhost"}}).headers.get("access-control-allow-origin"), "*");
}

TEST_F(FrontTest, FindsRestOperationsByPathOrHostWithoutAScope) {
  EXPECT_EQ(send("GET", "/2026-01-01/guests/ann", {}).status, 200);
  EXPECT_EQ(send("GET", "/2026-01-01/guests/ann", {{"Host", "teahouse.us-east-1.localhost:4566"}}).status, 200);
  EXPECT_EQ(send("GET", "/2026-01-01/guests/ann", {{"Authorization", signed_for("")}}).status, 200);
}

TEST_F(FrontTest, CountsCallsByOutcome) {
  brew(kGood);
  brew("{}");
  const std::string text = platform_.metrics.prometheus_text();
  EXPECT_THAT(text, HasSubstr(R"(tidemill_requests_total{service="kettle",operation="Brew",outcome="succeeded"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(tidemill_requests_total{service="kettle",operation="Brew",outcome="refused"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(tidemill_request_seconds_count{service="kettle",operation="Brew"} 2)"));
}

TEST_F(FrontTest, GivesEveryRequestItsOwnId) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.emplace(brew(kGood).headers.get("x-amzn-requestid"));
  EXPECT_EQ(ids.size(), 100u);
}

TEST_F(FrontTest, CallsOperationsThroughTheRegistryWithValidation) {
  Context context(platform_.platform, "000000000000", "us-east-1", "id", Principal::platform());
  EXPECT_EQ(testing::run(registry().call<kettle::ops::Brew>(context, {.table_name = "tea", .amount = 1})).table_name, "tea");
  EXPECT_THROW(testing::run(registry().call<kettle::ops::Brew>(context, {.table_name = "tea"})), Error);
  EXPECT_THROW(testing::run(registry().call<kettle::ops::Pour>(context, {})), Error);
}

TEST_F(FrontTest, CountsCallsFromInsideAsItDoesOthers) {
  Context context(platform_.platform, "000000000000", "us-east-1", "id", Principal::platform());
  (void)testing::run(registry().call<kettle::ops::Brew>(context, {.table_name = "tea", .amount = 1}));
  EXPECT_THROW(testing::run(registry().call<kettle::ops::Brew>(context, {.table_name = "tea"})), Error);
  fail_ = [] { throw store::Overloaded("full"); };
  EXPECT_THROW(testing::run(registry().call<kettle::ops::Brew>(context, {.table_name = "tea", .amount = 1})),
               store::Overloaded);
  const std::string text = platform_.metrics.prometheus_text();
  for (const char* outcome : {"succeeded", "refused", "throttled"}) {
    EXPECT_THAT(text, HasSubstr("service=\"kettle\",operation=\"Brew\",outcome=\"" + std::string(outcome) + "\"} 1"));
  }
  EXPECT_THAT(text, HasSubstr(R"(tidemill_request_seconds_count{service="kettle",operation="Brew"} 3)"));
}

TEST_F(FrontTest, AsksForCallsFromInsideWhetherTheirPrincipalMay) {
  // Only the platform itself, and whoever signs with its name is not.
  struct PlatformOnly final : Authorizer {
    Task<void> authorize(const Access& access) override {
      if (access.context.principal.kind() == Principal::Kind::platform) return Task<void>::ready();
      throw Error("AccessDeniedException", 403, "no");
    }
  };
  PlatformOnly judge;
  platform_.platform.authorizer = &judge;
  const kettle::BrewInput tea{.table_name = "tea", .amount = 1};
  Context inside(platform_.platform, "000000000000", "us-east-1", "id", Principal::platform());
  EXPECT_EQ(testing::run(registry().call<kettle::ops::Brew>(inside, tea)).table_name, "tea");
  Context other(platform_.platform, "000000000000", "us-east-1", "id", "tidemill.internal");
  EXPECT_THROW(testing::run(registry().call<kettle::ops::Brew>(other, tea)), Error);
  EXPECT_EQ(brew(kGood, signed_for("kettle", "eu-west-1", "tidemill.internal")).status, 403);
}

TEST_F(FrontTest, RefusesToRegisterAnOperationTwice) {
  EXPECT_THROW(registry().add<kettle::ops::Rinse>(
                   [](Context&, const kettle::RinseInput&) { return Task<kettle::RinseOutput>::ready(); }),
               std::logic_error);
}

}  // namespace
}  // namespace tidemill::wire
