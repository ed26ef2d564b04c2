// Requests as clients send them, through the front to operations of the test models and back.
#include "wire/front.h"

#include <set>

#include "base/future.h"
#include "base/hex.h"
#include "base/sim_executor.h"
#include "crypto/digest.h"
#include "wire/front_world.h"

namespace tidemill::wire {
namespace {

using ::testing::HasSubstr;

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

TEST_F(FrontTest, ReadsBodiesBeforeTheirSignaturesAreChecked) {
  struct Signed final : Authenticator {
    Task<Caller> authenticate(const net::Request&, const Identity& identity) override {
      if (identity.payload_hash != base::hex_of(crypto::sha256(kGood))) {
        throw Error("SignatureDoesNotMatch", 403, "not what was signed");
      }
      return Task<Caller>::ready({Principal("checked")});
    }
    [[nodiscard]] bool checks_signatures() const override { return true; }
  };
  front_ = std::make_unique<Front>(platform_.platform, FrontOptions{.authenticator = std::make_shared<Signed>()});
  EXPECT_EQ(brew(kGood).status, 200);
  EXPECT_THAT(seen_, HasSubstr("checked"));
  EXPECT_THAT(brew(kGood + " ").body, HasSubstr("SignatureDoesNotMatch"));
}

TEST_F(FrontTest, RefusesWhoCannotBeRightBeforeALargeBodyIsRead) {
  struct Unread final : net::Body {
    Task<std::string> read_all(size_t) override {
      ADD_FAILURE() << "read";
      return Task<std::string>::ready();
    }
    Task<std::optional<std::string>> read_some() override { return Task<std::optional<std::string>>::ready(); }
  };
  struct KnowsNobody final : Authenticator {
    Task<Caller> authenticate(const net::Request&, const Identity&) override { return Task<Caller>::ready(); }
    Task<void> examine(const net::Request&, const Identity&) override { throw Error("Stranger", 403, "who is it?"); }
    [[nodiscard]] bool checks_signatures() const override { return true; }
  };
  front_ = std::make_unique<Front>(platform_.platform, FrontOptions{.authenticator = std::make_shared<KnowsNobody>()});
  for (const auto& [name, value] :
       {std::pair("Content-Length", "104857600"), {"Transfer-Encoding", "chunked"}, {"Content-Encoding", "gzip"}}) {
    net::Request large =
        testing::make_request("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Brew"}, {name, value}}, "");
    large.body = std::make_shared<Unread>();
    EXPECT_THAT(testing::run(front_->handle(large)).body, HasSubstr("Stranger")) << name;
  }
  net::Request form = testing::make_request(
      "POST", "/", {{"Content-Type", "application/x-www-form-urlencoded"}, {"Content-Length", "1000000"}}, "");
  form.body = std::make_shared<Unread>();
  EXPECT_EQ(testing::run(front_->handle(form)).status, 403);
  EXPECT_EQ(send("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Brew"}, {"Content-Length", "30"}}, kGood).status, 200);
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

// Whatever clients say of themselves.
TEST_F(FrontTest, AddressesInAnswersAreOfHttpsWhereAProxyThatIsExpectedSaysSo) {
  const auto address = [&](Headers headers) {
    headers.insert(headers.end(), {{"Host", "localhost"}, {"X-Amz-Target", "Kettle_20260101.Brew"}});
    EXPECT_EQ(send("POST", "/", std::move(headers), kGood).status, 200);
    return seen_.substr(seen_.rfind(' ') + 1);
  };
  const Headers secure{{"X-Forwarded-For", "203.0.113.7"}, {"X-Forwarded-Proto", "https"}};
  const std::string own = "http://127.0.0.1:4566";
  EXPECT_EQ(address(secure), own);
  EXPECT_EQ(address({{"Via", "1.1 x"}}), own);
  EXPECT_EQ(address({{"Forwarded", "proto=https"}}), own);
  front_ = std::make_unique<Front>(platform_.platform, FrontOptions{.endpoint = own, .is_behind_proxy = true});
  EXPECT_EQ(address(secure), "https://localhost");
  EXPECT_EQ(address({{"X-Forwarded-Proto", "https"}, {"X-Forwarded-Proto", "http"}}), "http://localhost");
  EXPECT_EQ(address({{"X-Forwarded-For", "203.0.113.7"}, {"X-Forwarded-Proto", "http"}}), "http://localhost");
  EXPECT_EQ(address({{"X-Forwarded-For", "203.0.113.7"}}), "http://localhost");
  EXPECT_EQ(address({}), own);
}

TEST_F(FrontTest, WhereSignaturesAreCheckedWhatDrivesTheServerIsSignedForByWhoMayDriveIt) {
  struct Signed final : Authenticator {
    Task<Caller> authenticate(const net::Request&, const Identity& identity) override {
      if (!identity.scope) throw Error("MissingAuthenticationToken", 403, "nobody has signed");
      return Task<Caller>::ready({Principal(identity.scope->access_key_id)});
    }
    [[nodiscard]] bool checks_signatures() const override { return true; }
  };
  struct RootOnly final : Authorizer {
    Task<void> authorize(const Access&) override { return Task<void>::ready(); }
    Task<void> authorize_deed(const Context& context, Deed deed) override {
      EXPECT_EQ(deed.action, kAdminister);
      if (context.principal.name() != "ROOT") throw Error("AccessDeniedException", 403, "no");
      return Task<void>::ready();
    }
  };
  RootOnly judge;
  platform_.platform.authorizer = &judge;
  const auto answer = [](net::Request&) { return Task<net::Response>::ready(net::Response{.body = "done"}); };
  FrontOptions options{.authenticator = std::make_shared<Signed>()};
  options.own_paths = {{"/_tidemill/health", false, answer},
                       {.path = "/_tidemill/", .is_prefix = true, .handler = answer, .needs_rights = true}};
  front_ = std::make_unique<Front>(platform_.platform, options);
  const auto ask = [&](std::string method, std::string path, std::string key) {
    Headers headers;
    if (!key.empty()) headers.emplace_back("Authorization", signed_for(kAdministration, "eu-west-1", key));
    net::Request request = testing::make_request(std::move(method), std::move(path), std::move(headers), "");
    request.peer = "127.0.0.1:50000";
    return testing::run(front_->handle(request)).body;
  };
  EXPECT_EQ(ask("POST", "/_tidemill/backup", "ROOT"), "done");
  EXPECT_THAT(ask("POST", "/_tidemill/backup", "AKIA"), HasSubstr("no"));
  EXPECT_THAT(ask("POST", "/_tidemill/backup", ""), HasSubstr("nobody has signed"));
  EXPECT_THAT(ask("GET", "/_tidemill/faults", ""), HasSubstr("nobody has signed"));
  EXPECT_EQ(ask("GET", "/_tidemill/health", ""), "done");
  EXPECT_EQ(ask("GET", "/_tidemill/clock", ""), "done");
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
