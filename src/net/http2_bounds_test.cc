// What a client of HTTP/2 that takes nothing, or brings nothing, may hold, and for how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/future.h"
#include "net/http2_test_client.h"

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;

TEST(Http2Bounds, AResponseThatTheClientOpensNoWindowForEnds) {
  struct Held {
    std::atomic<int>& count;
    explicit Held(std::atomic<int>& held) : count(held) { ++count; }
    ~Held() { --count; }
  };
  std::atomic<int> held = 0;
  ServerLimits limits;
  limits.write_idle_timeout = 1s;
  TestServer server(
      [&](Request&) -> Task<Response> {
        Response response;
        response.stream = [source = std::make_shared<Held>(held)]() -> Task<std::optional<std::string>> {
          co_return std::string(10'000, 'p');
        };
        co_return response;
      },
      limits);
  Http2Client client(server, false);
  const auto id = client.request("GET", "/");
  EXPECT_EQ(client.wait(id).error, static_cast<uint32_t>(NGHTTP2_CANCEL));
  EXPECT_EQ(client.replies[id].body.size(), 65535u);
  server.run([&] { EXPECT_EQ(held, 0); });
}

TEST(Http2Bounds, AConnectionThatTakesNoAnswerHoldsItsShareOfMemoryAndNoMore) {
  constexpr size_t kAnswer = 1 << 20;
  constexpr size_t kStreams = 40;
  ServerLimits limits;
  limits.answer_bytes_per_connection_max = 4 * kAnswer;
  std::atomic<size_t> made = 0;
  TestServer server(
      [&](Request& request) -> Task<Response> {
        co_await request.answer_room->reserve(kAnswer);
        ++made;
        Response response;
        response.body.assign(kAnswer, 'x');
        co_return response;
      },
      limits);
  Http2Client client(server, false);
  std::vector<int32_t> ids;
  for (size_t i = 0; i < kStreams; ++i) ids.push_back(client.request("GET", "/"));
  client.send();
  while (made < 4) std::this_thread::yield();
  while (client.turn(1000)) {  // no more are
  }
  EXPECT_EQ(made, 4u);
  EXPECT_LE(server.server->use().answer_bytes, 5 * kAnswer);
  nghttp2_submit_window_update(client.session, 0, 0, 1 << 30);
  for (const int32_t id : ids) nghttp2_submit_window_update(client.session, 0, id, 2 << 20);
  for (const int32_t id : ids) ASSERT_EQ(client.wait(id).body.size(), kAnswer);
  EXPECT_EQ(made, kStreams);
}

TEST(Http2Bounds, AnswersThatNobodyForesawAreBoundedTooByConnection) {
  constexpr size_t kAnswer = 1 << 20;
  ServerLimits limits;
  limits.answer_bytes_per_connection_max = 4 * kAnswer;
  TestServer server(
      [&](Request&) -> Task<Response> {
        Response response;
        response.body.assign(kAnswer, 'x');
        co_return response;
      },
      limits);
  Http2Client client(server, false);
  std::vector<int32_t> ids;
  for (size_t i = 0; i < 10; ++i) ids.push_back(client.request("GET", "/"));
  const auto refused = [&] {
    return std::ranges::count_if(ids, [&](int32_t id) { return client.replies[id].status == 503; });
  };
  while (refused() < 6 && client.turn()) {
  }
  while (client.turn(200)) {  // no more are
  }
  EXPECT_EQ(refused(), 6);
}

TEST(Http2Bounds, AClientThatTakesNoneOfItsAnswersIsCutOff) {
  ServerLimits limits;
  limits.write_idle_timeout = 1s;
  TestServer server(
      [&](Request&) -> Task<Response> {
        Response response;
        response.body.assign(1 << 20, 'x');
        co_return response;
      },
      limits);
  Http2Client client(server, false);
  for (size_t i = 0; i < 10; ++i) (void)client.request("GET", "/");
  while (client.goaway < 0 && client.turn()) {
    (void)client.request("GET", "/");  // asking for more does not help
  }
  EXPECT_EQ(client.goaway, NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST(Http2Bounds, HeadersThatTakeLittleToSendAreBoundedByConnection) {
  TestServer server(echo);
  Http2Client client(server);
  constexpr size_t kStreams = 90;  // as many as may be opened before the server says how many
  // Each is in HPACK's table once it has been sent, and a byte or two from then on.
  const std::vector<std::pair<std::string, std::string>> headers(5, {"x-large", std::string(2'900, 'x')});
  std::vector<Http2Client::Upload> bodies(kStreams, {"x", 0, true});
  std::vector<int32_t> ids;
  for (auto& body : bodies) ids.push_back(client.request("PUT", "/", &body, headers));
  const auto refused = [&] {
    return static_cast<size_t>(std::ranges::count_if(
        ids, [&](int32_t id) { return client.replies[id].error == static_cast<uint32_t>(NGHTTP2_REFUSED_STREAM); }));
  };
  constexpr size_t kHeld = (1 << 20) / (5 * 2'900);
  while (refused() < kStreams - kHeld && client.turn()) {
  }
  EXPECT_GE(refused(), kStreams - kHeld);
  EXPECT_LT(refused(), kStreams - kHeld / 2);
  // Those that end give back what they held.
  for (size_t i = 0; i < kStreams; ++i) {
    if (client.replies[ids[i]].closed) continue;
    bodies[i].open_ended = false;
    nghttp2_session_resume_data(client.session, ids[i]);
    EXPECT_EQ(client.wait(ids[i]).status, 200);
  }
  Http2Client::Upload late{"y"};
  EXPECT_EQ(client.wait(client.request("PUT", "/", &late, headers)).status, 200);
}

TEST(Http2Bounds, ABodyThatTricklesIsAnsweredWith408) {
  ServerLimits limits;
  limits.body_idle_timeout = 2s;
  limits.body_bytes_per_second_min = 1000;
  TestServer server(echo, limits);
  Http2Client client(server);
  Http2Client::Upload body{"x", 0, true};
  const auto id = client.request("PUT", "/", &body);
  for (int i = 0; i < 100 && !client.replies[id].closed; ++i) {
    (void)client.turn(100);
    body.bytes += 'x';
    nghttp2_session_resume_data(client.session, id);
  }
  EXPECT_EQ(client.replies[id].status, 408);
}

}  // namespace
}  // namespace tidemill::net
