#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/future.h"
#include "base/survivors.h"
#include "net/http2_test_client.h"

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;

TEST(Http2, AnswersOnTheSamePortAsHttp1) {
  TestServer server(echo);
  Http2Client client(server);
  Http2Client::Upload body{"hello"};
  auto& reply = client.wait(client.request("POST", "/a?b", &body));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "hello");
  EXPECT_EQ(reply.headers["x-target"], "/a?b");
  EXPECT_EQ(reply.headers["x-host"], "host:1");
  EXPECT_EQ(reply.headers["content-length"], "5");
  EXPECT_EQ(reply.headers.count("connection"), 0u);
  TestClient other(server);
  other.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(other.reply().status, 200);
}

TEST(Http2, StreamsAreHandledConcurrently) {
  base::Future<bool> gate;
  TestServer server([&gate](Request& request) -> Task<Response> {
    if (request.target == "/slow") co_await gate;
    else gate.set(true);
    co_return Response{};
  });
  Http2Client client(server);
  const auto slow = client.request("GET", "/slow");
  const auto fast = client.request("GET", "/fast");
  EXPECT_EQ(client.wait(slow).status, 200);
  EXPECT_EQ(client.wait(fast).status, 200);
}

TEST(Http2, ManyStreamsOnOneConnectionAreAllAnswered) {
  TestServer server(echo);
  Http2Client client(server);
  std::vector<std::unique_ptr<Http2Client::Upload>> bodies;
  std::vector<int32_t> ids;
  for (int i = 0; i < 1000; ++i) {
    bodies.push_back(std::make_unique<Http2Client::Upload>(Http2Client::Upload{std::to_string(i)}));
    ids.push_back(client.request("POST", "/", bodies.back().get()));
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.wait(ids[static_cast<size_t>(i)]).body, std::to_string(i));
}

TEST(Http2, LargeBodiesPassBothWaysThroughTheWindows) {
  TestServer server(echo);
  Http2Client client(server);
  Http2Client::Upload body{std::string(10 << 20, 'z')};
  EXPECT_TRUE(client.wait(client.request("PUT", "/", &body)).body == body.bytes);
}

TEST(Http2, ABodyThatNobodyReadsStopsAtTheWindow) {
  base::Future<bool> gate;
  TestServer server([&gate](Request& request) -> Task<Response> {
    co_await gate;
    Response response;
    response.body = std::to_string((co_await request.body->read_all(64 << 20)).size());
    co_return response;
  });
  Http2Client client(server);
  Http2Client::Upload body{std::string(8 << 20, 'z')};
  const auto id = client.request("PUT", "/", &body);
  while (client.turn(1000)) {
  }
  EXPECT_LE(body.sent, 300u << 10);
  gate.set(true);
  EXPECT_EQ(client.wait(id).body, std::to_string(8 << 20));
}

TEST(Http2, AStreamedResponseWaitsForTheClientsWindow) {
  std::atomic<int> pieces = 0;
  TestServer server([&](Request&) -> Task<Response> {
    Response response;
    response.stream = [&]() -> Task<std::optional<std::string>> {
      if (pieces == 100) co_return std::nullopt;
      ++pieces;
      co_return std::string(10'000, 'p');
    };
    co_return response;
  });
  Http2Client client(server, false);
  const auto id = client.request("GET", "/");
  while (client.replies[id].body.size() < 65535 && client.turn()) {
  }
  while (client.turn(1000)) {  // no more comes
  }
  EXPECT_EQ(client.replies[id].body.size(), 65535u);
  EXPECT_LT(pieces, 10);
  nghttp2_submit_window_update(client.session, 0, id, 10 << 20);
  nghttp2_submit_window_update(client.session, 0, 0, 10 << 20);
  EXPECT_EQ(client.wait(id).body.size(), 1'000'000u);
}

TEST(Http2, HeadAndEmptyResponsesHaveNoBody) {
  TestServer server([](Request& request) -> Task<Response> {
    Response response;
    if (request.method == "HEAD") response.body = "abc";
    else response.status = 204;
    co_return response;
  });
  Http2Client client(server);
  auto& head = client.wait(client.request("HEAD", "/"));
  EXPECT_EQ(head.headers["content-length"], "3");
  EXPECT_EQ(head.body, "");
  auto& empty = client.wait(client.request("GET", "/"));
  EXPECT_EQ(empty.status, 204);
  EXPECT_EQ(empty.headers.count("content-length"), 0u);
}

TEST(Http2, AnAnswerBeforeTheEndOfTheBodyStopsTheUpload) {
  TestServer server([](Request& request) -> Task<Response> {
    (void)co_await request.body->read_all(1000);
    co_return Response{};
  });
  Http2Client client(server);
  Http2Client::Upload body{std::string(5000, 'x'), 0, true};
  const auto& reply = client.wait(client.request("PUT", "/", &body));
  EXPECT_EQ(reply.status, 413);
  EXPECT_EQ(reply.error, static_cast<uint32_t>(NGHTTP2_NO_ERROR));
}

TEST(Http2, TooLargeHeadersAreAnsweredWith431) {
  TestServer server(echo);
  Http2Client client(server);
  EXPECT_EQ(client.wait(client.request("GET", "/", nullptr, {{"a", std::string(20'000, 'b')}})).status, 431);
  EXPECT_EQ(client.wait(client.request("GET", "/")).status, 200);
}

TEST(Http2, ContinueIsSentWhenTheHandlerReads) {
  TestServer server(echo);
  Http2Client client(server);
  Http2Client::Upload body{"", 0, true};
  const auto id = client.request("POST", "/", &body, {{"expect", "100-continue"}});
  while (client.replies[id].status == 0 && client.turn()) {
  }
  EXPECT_EQ(client.replies[id].status, 100);
  body.bytes = "later";
  body.open_ended = false;
  nghttp2_session_resume_data(client.session, id);
  EXPECT_EQ(client.wait(id).body, "later");
  EXPECT_EQ(client.wait(id).status, 200);
}

TEST(Http2, AResetStreamEndsItsHandler) {
  std::atomic<int> running = 0;
  TestServer server([&](Request&) -> Task<Response> {
    struct Watch {
      std::atomic<int>& count;
      ~Watch() { --count; }
    } watch{running};
    ++running;
    base::Future<bool> never;
    co_await never;
    co_return Response{};
  });
  Http2Client client(server);
  const auto id = client.request("GET", "/");
  client.send();
  while (running == 0) std::this_thread::yield();
  nghttp2_submit_rst_stream(client.session, 0, id, NGHTTP2_CANCEL);
  client.send();
  while (running != 0) std::this_thread::yield();
  while (!server.activity.is_quiet()) std::this_thread::yield();
}

TEST(Http2, AReaderThatOutlivesItsStreamFindsTheBodyLost) {
  std::atomic<bool> reading = false;
  std::atomic<bool> lost = false;
  std::unique_ptr<base::Survivors> survivors;
  const auto read = [&](std::shared_ptr<Body> body) -> Task<Response> {
    try {
      while (co_await body->read_some()) reading = true;
    } catch (const ConnectionLost&) {
      lost = true;
    }
    co_return Response{};
  };
  TestServer server([&](Request& request) -> Task<Response> { co_return co_await survivors->outlive(read(request.body)); });
  survivors = std::make_unique<base::Survivors>(server.activity);
  Http2Client client(server);
  Http2Client::Upload upload{.bytes = "abc", .open_ended = true};
  const auto id = client.request("PUT", "/", &upload);
  client.send();
  while (!reading) std::this_thread::yield();
  nghttp2_submit_rst_stream(client.session, 0, id, NGHTTP2_CANCEL);
  client.send();
  while (!lost) std::this_thread::yield();
  while (!server.activity.is_quiet()) std::this_thread::yield();
  server.run([&] { survivors.reset(); });
}

TEST(Http2, AClientThatOpensAndResetsStreamsAtSpeedIsSentAway) {
  TestServer server([&](Request&) -> Task<Response> {
    base::Future<bool> never;
    co_await never;
    co_return Response{};
  });
  Http2Client client(server);
  std::string all;  // sent at once, at whatever speed it was made
  const auto add_what_is_to_be_sent = [&] {
    const uint8_t* data = nullptr;
    for (ssize_t length; (length = nghttp2_session_mem_send(client.session, &data)) > 0;) {
      all.append(reinterpret_cast<const char*>(data), static_cast<size_t>(length));
    }
  };
  for (int i = 0; i < 1000; ++i) {
    const auto id = client.request("GET", "/");
    add_what_is_to_be_sent();
    nghttp2_submit_rst_stream(client.session, 0, id, NGHTTP2_CANCEL);
    add_what_is_to_be_sent();
  }
  client.client.send(all);
  while (client.turn()) {
  }
  EXPECT_EQ(client.goaway, static_cast<int>(NGHTTP2_ENHANCE_YOUR_CALM));
}

TEST(Http2, ASlowBodyIsAnsweredWith408) {
  ServerLimits limits;
  limits.body_idle_timeout = 1s;
  TestServer server(echo, limits);
  Http2Client client(server);
  Http2Client::Upload body{"abc", 0, true};
  EXPECT_EQ(client.wait(client.request("PUT", "/", &body)).status, 408);
}

TEST(Http2, StopAcceptingTellsClientsAndAnswersWhatIsOpen) {
  base::Future<bool> gate;
  std::atomic<bool> started = false;
  TestServer server([&](Request&) -> Task<Response> {
    started = true;
    co_await gate;
    co_return Response{};
  });
  Http2Client client(server);
  const auto id = client.request("GET", "/");
  client.send();
  while (!started) std::this_thread::yield();
  server.server->stop_accepting();
  while (client.goaway < 0 && client.turn()) {
  }
  EXPECT_EQ(client.goaway, static_cast<int>(NGHTTP2_NO_ERROR));
  gate.set(true);
  EXPECT_EQ(client.wait(id).status, 200);
}

TEST(Http2, BytesThatAreNoFramesEndTheConnection) {
  TestServer server(echo);
  TestClient client(server);
  client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string(100, '\xff'));
  (void)client.receive_all();
}

TEST(Http2, HalfAPrefaceTimesOut) {
  ServerLimits limits;
  limits.header_timeout = 1s;
  TestServer server(echo, limits);
  TestClient client(server);
  client.send("PRI * HT");
  EXPECT_EQ(client.receive_all(), "");
}

}  // namespace
}  // namespace tidemill::net
