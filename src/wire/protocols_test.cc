// One service in every protocol that is not rest: json, CBOR, Smithy RPC v2 and Query, with gzip and events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/future.h"
#include "base/sim_executor.h"
#include "wire/cbor.h"
#include "wire/event_reader_for_test.h"
#include "wire/front.h"
#include "wire/gzip_testing.h"
#include "wire/testdata/weathervane.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using testing::gzip;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr base::Time kNoon{1767268800500ms};

Generator<weathervane::WatchEvents> two_events() {
  co_yield weathervane::WatchEvents{.gust = weathervane::Gust{.speed = 1.5, .at = kNoon}};
  co_yield weathervane::WatchEvents{.calm = weathervane::Calm{.since = kNoon}};
  throw weathervane::errors::station_not_found_exception("blown away", {.distance = 7});
}

class ProtocolsTest : public ::testing::Test {
 protected:
  ProtocolsTest() {
    platform_.registry.add<weathervane::ops::Observe>(
        [this](Context&, const weathervane::ObserveInput& in) -> Task<weathervane::ObserveOutput> {
          seen_ = in;
          if (in.station == "nowhere") {
            throw weathervane::errors::station_not_found_exception("There is no such station.", {.distance = 12});
          }
          co_return weathervane::ObserveOutput{in.station, in.gusts, in.numbers, in.tags, in.count,
                                               in.total,   in.raw,   in.at,      in.wet};
        });
    platform_.registry.add<weathervane::ops::Reset>(
        [](Context&, const weathervane::ResetInput&) { return Task<weathervane::ResetOutput>::ready(); });
    platform_.registry.add<weathervane::ops::Watch>(
        [this](Context&, const weathervane::WatchInput& in) -> Task<weathervane::WatchOutput> {
          co_return weathervane::WatchOutput{.station = in.station, .events = events_ ? events_() : two_events()};
        });
    front_ = std::make_unique<Front>(platform_.platform, FrontOptions{});
  }

  net::Response send(std::string target, Headers headers, std::string body) {
    net::Request request = testing::make_request("POST", std::move(target), std::move(headers), std::move(body));
    return testing::run(front_->handle(request));
  }
  net::Response cbor(std::string operation, std::string body) {
    return send("/", {{"X-Amz-Target", "Weathervane_20260101." + operation}, {"Content-Type", "application/x-amz-cbor-1.1"}},
                std::move(body));
  }
  net::Response rpc(std::string operation, std::string body, Headers more = {}) {
    more.emplace_back("smithy-protocol", "rpc-v2-cbor");
    more.emplace_back("Content-Type", "application/cbor");
    return send("/service/Weathervane_20260101/operation/" + operation, std::move(more), std::move(body));
  }
  net::Response json(std::string operation, std::string body, Headers more = {}) {
    more.emplace_back("X-Amz-Target", "Weathervane_20260101." + operation);
    more.emplace_back("Content-Type", "application/x-amz-json-1.1");
    return send("/", std::move(more), std::move(body));
  }

  testing::TestPlatform platform_;
  std::unique_ptr<Front> front_;
  weathervane::ObserveInput seen_;
  std::function<Generator<weathervane::WatchEvents>()> events_;
};

// A request with something of everything.
std::string observation(cbor::TimeUnit unit) {
  std::string out;
  cbor::Writer writer(out, unit);
  writer.begin_structure();
  writer.key("Station");
  writer.text("north");
  writer.key("Gusts");
  writer.list(1);
  writer.map(3);
  writer.key("Speed");
  writer.number(3.25);
  writer.key("At");
  writer.timestamp(kNoon);
  writer.key("Before");
  writer.list(1);
  writer.map(1);
  writer.key("Speed");
  writer.integer(2);
  writer.key("Numbers");
  writer.list(2);
  writer.number(0.5);
  writer.integer(-1);
  writer.key("Tags");
  writer.map(1);
  writer.key("k");
  writer.text("v");
  writer.key("Count");
  writer.integer(5);
  writer.key("Total");
  writer.integer(1LL << 40);
  writer.key("Raw");
  writer.bytes(std::string_view("\0\xFF", 2));
  writer.key("At");
  writer.timestamp(kNoon);
  writer.key("Wet");
  writer.boolean(true);
  writer.key("Edition");
  writer.integer(1);
  writer.key("Forecast");
  writer.list(0);
  writer.key("Unknown");
  writer.map(1);
  writer.key("x");
  writer.list(1);
  writer.text("y");
  writer.end_structure();
  return out;
}

void expect_observed(const weathervane::ObserveInput& seen) {
  EXPECT_EQ(seen.station, "north");
  ASSERT_TRUE(seen.gusts && seen.gusts->size() == 1);
  EXPECT_EQ(seen.gusts->at(0).speed, 3.25);
  EXPECT_EQ(seen.gusts->at(0).at, kNoon);
  EXPECT_EQ(seen.gusts->at(0).before->at(0).speed, 2.0);
  EXPECT_EQ(seen.numbers, (std::vector{0.5, -1.0}));
  EXPECT_EQ(seen.tags->at("k"), "v");
  EXPECT_EQ(seen.count, 5);
  EXPECT_EQ(seen.total, 1LL << 40);
  EXPECT_EQ(seen.raw, std::string("\0\xFF", 2));
  EXPECT_EQ(seen.at, kNoon);
  EXPECT_EQ(seen.wet, true);
}

// The text at a key of a map, or "".
std::string text_at(std::string_view bytes, std::string_view name) {
  cbor::Reader in(bytes, cbor::TimeUnit::seconds);
  auto map = in.open_map();
  std::string found;
  while (in.more(map)) {
    const bool is_it = in.key() == name;
    if (is_it) found = in.text();
    else in.skip();
  }
  in.finish();
  return found;
}

// Of structures that take one byte each, or three.
std::string gusts_in_cbor(size_t count) {
  std::string out;
  cbor::Writer writer(out, cbor::TimeUnit::seconds);
  writer.map(1);
  writer.key("Gusts");
  writer.list(count);
  return out.append(count, '\xA0');
}
std::string gusts_in_json(size_t count) {
  std::string out = "{\"Gusts\":[{}";
  for (size_t i = 1; i < count; ++i) out += ",{}";
  return out + "]}";
}

size_t gusts_read(Encoding encoding, std::string_view body) {
  return weathervane::ops::Observe::parse(WireRequest{.body = body, .encoding = encoding}).gusts->size();
}

TEST(ElementRoomTest, AListOfAMillionStructuresIsRefusedBeforeItTakesAHundredTimesItsBody) {
  constexpr size_t kMany = 1'000'000;
  EXPECT_THROW((void)gusts_read(Encoding::rpc_cbor, gusts_in_cbor(kMany)), Error);
  EXPECT_THROW((void)gusts_read(Encoding::own, gusts_in_json(kMany)), Error);
  EXPECT_EQ(gusts_read(Encoding::rpc_cbor, gusts_in_cbor(10'000)), 10'000u);
  EXPECT_EQ(gusts_read(Encoding::own, gusts_in_json(10'000)), 10'000u);
}

TEST(ElementRoomTest, EntriesOfMapsTakeRoomToo) {
  std::string body;
  cbor::Writer writer(body, cbor::TimeUnit::seconds);
  constexpr size_t kMany = 500'000;
  writer.map(1);
  writer.key("Tags");
  writer.map(kMany);
  for (size_t i = 0; i < kMany; ++i) {
    writer.key(std::to_string(i));
    writer.text("");
  }
  EXPECT_THROW((void)weathervane::ops::Observe::parse(WireRequest{.body = body, .encoding = Encoding::rpc_cbor}),
               Error);
}

TEST_F(ProtocolsTest, ReadsAndAnswersCborBesideJson) {
  const std::string body = observation(cbor::TimeUnit::milliseconds);
  const net::Response response = cbor("Observe", body);
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.headers.get("content-type"), "application/x-amz-cbor-1.1");
  expect_observed(seen_);
  seen_ = {};
  EXPECT_EQ(cbor("Observe", response.body).status, 200) << "an answer has the form of its request";
  expect_observed(seen_);
}

TEST_F(ProtocolsTest, ReadsAndAnswersSmithyRpc) {
  const net::Response response = rpc("Observe", observation(cbor::TimeUnit::seconds));
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.headers.get("content-type"), "application/cbor");
  EXPECT_EQ(response.headers.get("smithy-protocol"), "rpc-v2-cbor");
  expect_observed(seen_);
  seen_ = {};
  EXPECT_EQ(rpc("Observe", response.body).status, 200);
  expect_observed(seen_);
  const net::Response reset = rpc("Reset", "");
  EXPECT_EQ(reset.status, 200);
  EXPECT_EQ(reset.body, "");
}

TEST_F(ProtocolsTest, AnswersErrorsInTheRequestsForm) {
  const std::string nowhere = "\xA1\x67Station\x67nowhere";
  for (const net::Response& response : {cbor("Observe", nowhere), rpc("Observe", nowhere)}) {
    EXPECT_EQ(response.status, 404);
    EXPECT_EQ(text_at(response.body, "__type"), "com.amazonaws.weathervane#StationNotFoundException");
    EXPECT_EQ(text_at(response.body, "message"), "There is no such station.");
    EXPECT_THAT(response.body, HasSubstr("\x68"
                                         "Distance\x0C"));
    EXPECT_EQ(response.headers.get("x-amzn-query-error"), "Weathervane.NoStation;Sender");
  }
  const net::Response query = send("/", {{"Content-Type", "application/x-www-form-urlencoded"}},
                                   "Action=Observe&Version=2026-01-01&Station=nowhere");
  EXPECT_THAT(query.body, HasSubstr("<Code>Weathervane.NoStation</Code>"));
}

TEST_F(ProtocolsTest, ChecksConstraintsOfCborToo) {
  const std::string wrong = "\xA2\x67Station\x69much-long\x63Sky\x63RED";
  const net::Response response = cbor("Observe", wrong);
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(text_at(response.body, "__type"), "com.amazon.coral.validate#ValidationException");
  EXPECT_THAT(text_at(response.body, "message"), HasSubstr("2 validation errors detected: Value 'much-long' at 'station'"));
  EXPECT_THAT(text_at(cbor("Observe", "").body, "message"), HasSubstr("Value null at 'station'"));
  EXPECT_EQ(text_at(cbor("Observe", "\x01").body, "__type"), "com.amazon.coral.service#SerializationException");
  EXPECT_EQ(cbor("Observe", observation(cbor::TimeUnit::seconds) + "x").status, 400);
  const std::string forecast =
      "\xA2\x67Station\x61n\x68"
      "Forecast\x81\x01";
  EXPECT_THAT(text_at(cbor("Observe", forecast).body, "message"), HasSubstr("does not support the parameter Forecast"));
}

TEST_F(ProtocolsTest, RefusesCborWhoseMapsHaveKeysThatAreNotUtf8) {
  const std::string tags = "\xA2\x67Station\x61n\x64Tags\xA1\x62\xFF\xFE\x61v";
  EXPECT_EQ(text_at(cbor("Observe", tags).body, "__type"), "com.amazon.coral.service#SerializationException");
}

// What is beyond is not even looked at: of structures that a body of one byte each makes, there would be gigabytes.
TEST_F(ProtocolsTest, KeepsNoMoreOfAListThatIsTooLongThanItsRefusalNeeds) {
  constexpr int kKept = 1006;
  std::string in_cbor = "\xA2\x67Station\x61n\x65Marks\x9F";
  for (int i = 0; i < kKept; ++i) in_cbor += "\xA1\x65Speed\x01";
  std::string in_json = R"({"Station":"n","Marks":[{"Speed":1})";
  for (int i = 1; i < kKept; ++i) in_json += R"(,{"Speed":1})";
  const std::string_view most =
      "1 validation error detected: Value at 'marks' failed to satisfy constraint: "
      "Member must have length less than or equal to 3";
  EXPECT_EQ(text_at(cbor("Observe", in_cbor + "\xA0\xFF").body, "message"), most);
  EXPECT_THAT(json("Observe", in_json + ",{}]}").body, HasSubstr(most));
}

TEST_F(ProtocolsTest, RefusesUnknownOperationsInCbor) {
  const net::Response response = rpc("Nothing", "");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(text_at(response.body, "__type"), "com.amazon.coral.service#UnknownOperationException");
}

TEST_F(ProtocolsTest, TakesGzipInEveryProtocol) {
  const Headers encoded = {{"Content-Encoding", "gzip"}};
  EXPECT_EQ(json("Observe", gzip(R"({"Station":"south"})"), encoded).status, 200);
  EXPECT_EQ(seen_.station, "south");
  EXPECT_EQ(rpc("Observe", gzip(observation(cbor::TimeUnit::seconds)), encoded).status, 200);
  EXPECT_EQ(seen_.station, "north");
  EXPECT_EQ(send("/", {{"Content-Type", "application/x-www-form-urlencoded"}, {"Content-Encoding", "gzip"}},
                 gzip("Action=Observe&Version=2026-01-01&Station=west")).status, 200);
  EXPECT_EQ(seen_.station, "west");
  EXPECT_EQ(json("Observe", R"({"Station":"south"})", encoded).status, 400);
  EXPECT_EQ(json("Observe", gzip("{\"Station\":\"" + std::string(200'000, 'a') + "\"}"), encoded).status, 413);
}

TEST_F(ProtocolsTest, SendsEventsAfterTheInitialResponse) {
  const net::Response response = json("Watch", R"({"Station":"north"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("content-type"), "application/vnd.amazon.eventstream");
  ASSERT_TRUE(response.stream);
  const auto initial = testing::read_message(*testing::run(response.stream()));
  EXPECT_EQ(initial.headers.at(":event-type"), "initial-response");
  EXPECT_EQ(initial.payload, R"({"Station":"north"})");
  const auto gust = testing::read_message(*testing::run(response.stream()));
  EXPECT_EQ(gust.headers.at(":event-type"), "Gust");
  EXPECT_EQ(gust.headers.at(":content-type"), "application/x-amz-json-1.1");
  EXPECT_EQ(gust.payload, R"({"Speed":1.5,"At":1767268800.5})");
  EXPECT_EQ(testing::read_message(*testing::run(response.stream())).headers.at(":event-type"), "Calm");
  const auto end = testing::read_message(*testing::run(response.stream()));
  EXPECT_EQ(end.headers.at(":exception-type"), "StationNotFoundException");
  EXPECT_EQ(end.payload, R"({"message":"blown away","Distance":7})");
  EXPECT_FALSE(testing::run(response.stream()));
}

TEST_F(ProtocolsTest, SendsEventsInTheRequestsForm) {
  const net::Response response = cbor("Watch", "\xA1\x67Station\x61n");
  EXPECT_EQ(response.headers.get("content-type"), "application/vnd.amazon.eventstream");
  EXPECT_EQ(text_at(testing::read_message(*testing::run(response.stream())).payload, "Station"), "n");
  const auto gust = testing::read_message(*testing::run(response.stream()));
  EXPECT_EQ(gust.headers.at(":content-type"), "application/x-amz-cbor-1.1");
  EXPECT_THAT(gust.payload, HasSubstr("\x65Speed\xFB\x3F\xF8"));
  (void)testing::run(response.stream());
  EXPECT_EQ(text_at(testing::read_message(*testing::run(response.stream())).payload, "message"), "blown away");
}

TEST_F(ProtocolsTest, RefusesAWatchBeforeItBegins) {
  EXPECT_EQ(json("Watch", "{}").status, 400);
  EXPECT_FALSE(json("Watch", "{}").stream);
  EXPECT_EQ(send("/", {{"Content-Type", "application/x-www-form-urlencoded"}}, "Action=Watch&Station=n").status, 404);
}

Generator<weathervane::WatchEvents> wait_forever(std::shared_ptr<int> held) {
  base::Future<bool> never;
  co_await never;
  co_yield weathervane::WatchEvents{};
  (void)held;
}

TEST_F(ProtocolsTest, AWatchHoldsNoActivityAndEndsWhereItsClientLeavesIt) {
  const auto held = std::make_shared<int>();
  events_ = [&] { return wait_forever(held); };
  base::SimExecutor executor(1, platform_.clock.activity());
  const base::Executor::Enter enter(executor);
  net::Request request = testing::make_request(
      "POST", "/", {{"X-Amz-Target", "Weathervane_20260101.Watch"}}, R"({"Station":"n"})");
  request.activity = platform_.clock.activity().hold();
  std::optional<net::Response> response;
  base::Scope handling;
  handling.spawn([](Front& front, net::Request& asked, std::optional<net::Response>& answer) -> Task<void> {
    answer = co_await front.handle(asked);
  }(*front_, request, response));
  executor.run_until_idle();
  ASSERT_TRUE(response);
  EXPECT_TRUE(platform_.clock.activity().is_quiet());
  (void)testing::run(response->stream());
  {
    base::Scope scope;
    scope.spawn([](net::Response& answer) -> Task<void> { (void)co_await answer.stream(); }(*response));
    executor.run_until_idle();
    EXPECT_EQ(scope.running(), 1u);
    EXPECT_TRUE(platform_.clock.activity().is_quiet());
  }
  response.reset();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace tidemill::wire
