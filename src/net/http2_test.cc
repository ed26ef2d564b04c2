#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <cstring>
#include <map>

#include "base/future.h"
#include "base/survivors.h"
#include "net/test_client.h"

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;

// A client over nghttp2 that reads and writes until what it waits for has come.
class Http2Client {
 public:
  struct Reply {
    int status = 0;
    std::map<std::string, std::string> headers;
    std::string body;
    bool closed = false;
    uint32_t error = 0;
  };

  explicit Http2Client(const TestServer& server, bool auto_window = true) : client(server) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, [](nghttp2_session*, const nghttp2_frame* frame,
                                                                   const uint8_t* name, size_t name_length,
                                                                   const uint8_t* value, size_t value_length, uint8_t,
                                                                   void* self) {
      Reply& reply = static_cast<Http2Client*>(self)->replies[frame->hd.stream_id];
      const std::string key(reinterpret_cast<const char*>(name), name_length);
      const std::string text(reinterpret_cast<const char*>(value), value_length);
      if (key == ":status") reply.status = std::stoi(text);
      else reply.headers[key] = text;
      return 0;
    });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t length, void* self) {
          static_cast<Http2Client*>(self)->replies[id].body.append(reinterpret_cast<const char*>(data), length);
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, int32_t id, uint32_t error, void* self) {
          Reply& reply = static_cast<Http2Client*>(self)->replies[id];
          reply.closed = true;
          reply.error = error;
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          if (frame->hd.type == NGHTTP2_GOAWAY) {
            static_cast<Http2Client*>(self)->goaway = static_cast<int>(frame->goaway.error_code);
          }
          return 0;
        });
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_window_update(option, auto_window ? 0 : 1);
    nghttp2_session_client_new2(&session, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~Http2Client() { nghttp2_session_del(session); }

  struct Upload {
    std::string bytes;
    size_t sent = 0;
    bool open_ended = false;  // more may follow: the stream stays open
  };

  int32_t request(std::string method, std::string path, Upload* upload = nullptr,
                  std::vector<std::pair<std::string, std::string>> more = {}) {
    std::vector<std::pair<std::string, std::string>> all = {
        {":method", std::move(method)}, {":scheme", "http"}, {":path", std::move(path)}, {":authority", "host:1"}};
    for (auto& entry : more) all.push_back(std::move(entry));
    std::vector<nghttp2_nv> fields;
    for (auto& [name, value] : all) {
      fields.push_back({(uint8_t*)name.data(), (uint8_t*)value.data(), name.size(), value.size(), 0});
    }
    nghttp2_data_provider provider{};
    provider.source.ptr = upload;
    provider.read_callback = [](nghttp2_session*, int32_t, uint8_t* out, size_t length, uint32_t* flags,
                                nghttp2_data_source* source, void*) -> ssize_t {
      auto& body = *static_cast<Upload*>(source->ptr);
      const size_t count = std::min(length, body.bytes.size() - body.sent);
      std::memcpy(out, body.bytes.data() + body.sent, count);
      body.sent += count;
      if (body.sent == body.bytes.size()) {
        if (!body.open_ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
        else if (count == 0) return NGHTTP2_ERR_DEFERRED;
      }
      return static_cast<ssize_t>(count);
    };
    return nghttp2_submit_request(session, nullptr, fields.data(), fields.size(), upload ? &provider : nullptr,
                                  nullptr);
  }

  void send() {
    const uint8_t* data = nullptr;
    for (ssize_t length; (length = nghttp2_session_mem_send(session, &data)) > 0;) {
      client.send({reinterpret_cast<const char*>(data), static_cast<size_t>(length)});
    }
  }
  // False: the server closed, or nothing came for `timeout_ms`.
  bool turn(int timeout_ms = 5000) {
    send();
    const std::string bytes = client.receive_some(timeout_ms);
    if (bytes.empty()) return false;
    nghttp2_session_mem_recv(session, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    send();
    return true;
  }
  Reply& wait(int32_t id) {
    while (!replies[id].closed && turn()) {
    }
    return replies[id];
  }

  TestClient client;
  nghttp2_session* session = nullptr;
  std::map<int32_t, Reply> replies;
  int goaway = -1;
};

Task<Response> echo(Request& request) {
  Response response;
  response.headers.add("X-Method", request.method);
  response.headers.add("X-Target", request.target);
  response.headers.add("X-Host", std::string(request.headers.get("host")));
  response.headers.add("Connection", "x");
  response.body = co_await request.body->read_all(64 << 20);
  co_return response;
}

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
  while (client.turn(1000)) {
  }
  EXPECT_EQ(client.replies[id].body.size(), 65535u);
  EXPECT_LT(pieces, 10);
  nghttp2_submit_window_update(client.session, 0, id, 10 << 20);
  nghttp2_submit_window_update(client.session, 0, 0, 10 << 20);
  EXPECT_EQ(client.wait(id).body.size(), 1'000'000u);
}

TEST(Http2, AResponseThatTheClientOpensNoWindowForEnds) {
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

TEST(Http2, AConnectionThatTakesNoAnswerHoldsItsShareOfMemoryAndNoMore) {
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
  while (client.turn(1000)) {
  }
  EXPECT_EQ(made, 4u);
  EXPECT_LE(server.server->use().answer_bytes, 5 * kAnswer);
  nghttp2_submit_window_update(client.session, 0, 0, 1 << 30);
  for (const int32_t id : ids) nghttp2_submit_window_update(client.session, 0, id, 2 << 20);
  for (const int32_t id : ids) ASSERT_EQ(client.wait(id).body.size(), kAnswer);
  EXPECT_EQ(made, kStreams);
}

TEST(Http2, AnswersThatNobodyForesawAreBoundedTooByConnection) {
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

TEST(Http2, AClientThatTakesNoneOfItsAnswersIsCutOff) {
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

TEST(Http2, ABodyThatTricklesIsAnsweredWith408) {
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
  for (int i = 0; i < 1000; ++i) {
    const auto id = client.request("GET", "/");
    client.send();
    nghttp2_submit_rst_stream(client.session, 0, id, NGHTTP2_CANCEL);
    client.send();
  }
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
