// What HTTP/1.1 holds against: bodies in memory, time, clients that leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/future.h"
#include "base/survivors.h"
#include "net/test_client.h"

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Http1, WhatIsMadeOfABodyCountsAsBodiesInMemory) {
  ServerLimits limits;
  limits.body_bytes_in_memory_max = 150'000;
  TestServer server(
      [](Request& request) -> Task<Response> {
        request.body->hold(request.target == "/much" ? 200'000 : 100'000);
        co_return Response{};
      },
      limits);
  TestClient client(server);
  for (const auto& [path, status] : {std::pair("/some", 200), std::pair("/much", 503), std::pair("/some", 200)}) {
    client.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.reply().status, status);
  }
}

TEST(Http1, BodiesInMemoryAreBounded) {
  ServerLimits limits;
  limits.body_bytes_in_memory_max = 150'000;
  base::Future<bool> gate;
  TestServer server(
      [&gate](Request& request) -> Task<Response> {
        (void)co_await request.body->read_all(1 << 20);
        if (request.target == "/hold") co_await gate;
        co_return Response{};
      },
      limits);
  const std::string rest = " HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x');
  TestClient first(server);
  first.send("POST /hold" + rest);
  while (server.activity.is_quiet()) std::this_thread::yield();
  TestClient second(server);
  TestClient::Reply reply;
  // The first body is on its way into memory; until it is, there is room for the second.
  do {
    second = TestClient(server);
    second.send("POST /" + rest);
    reply = second.reply();
  } while (reply.status == 200);
  EXPECT_EQ(reply.status, 503);
  gate.set(true);
  EXPECT_EQ(first.reply().status, 200);
  TestClient third(server);
  third.send("POST /" + rest);
  EXPECT_EQ(third.reply().status, 200);
}

TEST(Http1, ADefectInAHandlerIsAnsweredWith500AndTheConnectionGoesOn) {
  TestServer server([](Request& request) -> Task<Response> {
    if (request.target == "/bad") throw std::runtime_error("broken");
    co_return Response{};
  });
  TestClient client(server);
  client.send("GET /bad HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().status, 500);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Http1, AClientThatGoesAwayEndsItsHandler) {
  std::atomic<bool> started = false;
  std::atomic<bool> destroyed = false;
  TestServer server([&](Request&) -> Task<Response> {
    struct Watch {
      std::atomic<bool>& flag;
      ~Watch() { flag = true; }
    } watch{destroyed};
    started = true;
    base::Future<bool> never;
    co_await never;
    co_return Response{};
  });
  TestClient client(server);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  while (!started) std::this_thread::yield();
  EXPECT_FALSE(server.activity.is_quiet());
  client.close();
  while (!destroyed) std::this_thread::yield();
  while (!server.activity.is_quiet()) std::this_thread::yield();
}

// A handler whose work goes on when the client leaves, as those of operations do; how its body ended.
struct SurvivingReader {
  explicit SurvivingReader(base::Activity& activity) : survivors(activity) {}
  Task<Response> handle(Request& request) { return outlive(read(request.body)); }
  Task<Response> outlive(Task<Response> work) { co_return co_await survivors.outlive(std::move(work)); }
  Task<Response> read(std::shared_ptr<Body> body) {
    try {
      while (const auto piece = co_await body->read_some()) received += piece->size();
    } catch (const ConnectionLost&) {
      lost = true;
    }
    co_return Response{};
  }
  base::Survivors survivors;
  std::atomic<size_t> received = 0;
  std::atomic<bool> lost = false;
};

struct SurvivingReaderServer {
  explicit SurvivingReaderServer(const ServerLimits& limits = {})
      : server([this](Request& request) { return reader->handle(request); }, limits),
        reader(std::make_unique<SurvivingReader>(server.activity)) {}

  // Waits until the reader has found its body lost and everything has ended.
  void end_when_lost() {
    while (!reader->lost) std::this_thread::yield();
    while (!server.activity.is_quiet()) std::this_thread::yield();
    server.run([&] { reader.reset(); });
  }

  TestServer server;
  std::unique_ptr<SurvivingReader> reader;
};

constexpr std::string_view kBeginningOfBody = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc";

TEST(Http1, AReaderThatOutlivesItsClientFindsTheBodyLost) {
  SurvivingReaderServer reading;
  {
    TestClient client(reading.server);
    client.send(kBeginningOfBody);
    while (reading.reader->received < 3) std::this_thread::yield();
  }
  reading.end_when_lost();
}

TEST(Http1, AReaderOfASlowBodyFindsItLostAndItsClientIsAnsweredWith408) {
  ServerLimits limits;
  limits.body_idle_timeout = 1s;
  SurvivingReaderServer reading(limits);
  TestClient client(reading.server);
  client.send(kBeginningOfBody);
  EXPECT_EQ(client.reply().status, 408);
  reading.end_when_lost();
}

TEST(Http1, SlowHeadersAreAnsweredWith408) {
  ServerLimits limits;
  limits.header_timeout = 1s;
  TestServer server(http1_echo, limits);
  constexpr int kTries = 60;  // whose first byte comes too late is not answered
  std::string answer;
  for (int tried = 0; tried < kTries && answer.empty(); ++tried) {
    TestClient client(server);
    client.send("GET / HTTP/1.1\r\nHo");
    answer = client.receive_all();
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 408 "));
}

TEST(Http1, ASlowBodyIsAnsweredWith408) {
  ServerLimits limits;
  limits.body_idle_timeout = 1s;
  TestServer server(http1_echo, limits);
  TestClient client(server);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel");
  EXPECT_THAT(client.receive_all(), StartsWith("HTTP/1.1 408 "));
}

TEST(Http1, AnIdleConnectionIsClosedSilently) {
  ServerLimits limits;
  limits.keep_alive_timeout = 1s;
  TestServer server(http1_echo, limits);
  TestClient client(server);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().status, 200);
  EXPECT_EQ(client.receive_all(), "");
}

TEST(Http1, AConnectionThatNeverSaysAnythingIsClosedSilently) {
  ServerLimits limits;
  limits.header_timeout = 1s;
  TestServer server(http1_echo, limits);
  TestClient client(server);
  EXPECT_EQ(client.receive_all(), "");
}

TEST(Http1, AClientThatDoesNotReadIsClosedAndBoundsWhatIsBuffered) {
  ServerLimits limits;
  limits.write_idle_timeout = 1s;
  std::atomic<size_t> produced = 0;
  std::atomic<bool> destroyed = false;
  TestServer server(
      [&](Request&) -> Task<Response> {
        struct Watch {
          std::atomic<bool>& flag;
          ~Watch() { flag = true; }
        };
        Response response;
        response.stream = [&, watch = std::make_shared<Watch>(destroyed)]() -> Task<std::optional<std::string>> {
          produced += 64 << 10;
          return Task<std::optional<std::string>>::ready(std::string(64 << 10, 'x'));
        };
        co_return response;
      },
      limits);
  TestClient client(server, 4096);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  while (!destroyed) std::this_thread::sleep_for(10ms);
  EXPECT_LT(produced, 20u << 20);
}

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(Http1, MoreConnectionsThanAllowedWaitUntilOneEnds) {
  ServerLimits limits;
  limits.connections_max = 2;
  TestServer server(http1_echo, limits);
  TestClient first(server), second(server);
  for (TestClient* client : {&first, &second}) {
    client->send(kGet);
    EXPECT_EQ(client->reply().status, 200);
  }
  TestClient third(server);
  third.send(kGet);
  while (server.server->use().crowded == 0) std::this_thread::yield();
  EXPECT_EQ(server.server->use().connections, 2u);
  first.close();
  EXPECT_EQ(third.reply().status, 200);
}

// To find out whose they are may take long: the loop does not wait for it.
TEST(Http1, ConnectionsAreJudgedOneAfterTheOtherBesideTheLoop) {
  std::vector<Decide> asked;  // on the loop
  std::atomic<size_t> count = 0;
  TestServer server(http1_echo, {}, [&](const std::string&, Decide decide) {
    asked.push_back(std::move(decide));
    ++count;
  });
  const auto decide = [&](size_t which, bool is_taken) {
    while (count <= which) std::this_thread::yield();
    Decide decide;
    server.run([&] { decide = asked[which]; });
    decide(is_taken);
  };
  TestClient first(server), second(server), third(server);
  second.send(kGet);
  third.send(kGet);
  while (count == 0) std::this_thread::yield();
  for (int turn = 0; turn < 3; ++turn) server.run([] {});
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(server.server->use().connections, 0u);
  decide(0, false);
  EXPECT_TRUE(first.closed_by_server());
  decide(1, true);
  EXPECT_EQ(second.reply().status, 200);
  decide(2, true);
  EXPECT_EQ(third.reply().status, 200);
}

TEST(Http1, IdleConnectionsMakeRoomForThoseThatWait) {
  ServerLimits limits;
  limits.connections_max = 1;
  limits.idle_when_crowded = 1s;
  base::Future<bool> gate;
  TestServer server(
      [&gate](Request& request) -> Task<Response> {
        if (request.target == "/busy") co_await gate;
        co_return Response{};
      },
      limits);
  TestClient idle(server);
  idle.send(kGet);
  EXPECT_EQ(idle.reply().status, 200);
  TestClient busy(server);
  busy.send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(idle.closed_by_server());
  TestClient third(server);  // waits: who is being answered is not idle
  third.send(kGet);
  EXPECT_EQ(third.receive_some(2500), "");
  gate.set(true);
  EXPECT_EQ(busy.reply().status, 200);
  EXPECT_EQ(third.reply().status, 200);
}

TEST(Http1, ABodyThatIsOnlyDeclaredHoldsNoMemory) {
  ServerLimits limits;
  limits.body_bytes_in_memory_max = 150'000;
  TestServer server(http1_echo, limits);
  std::vector<std::unique_ptr<TestClient>> slow;
  for (int i = 0; i < 32; ++i) {
    slow.push_back(std::make_unique<TestClient>(server));
    slow.back()->send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx");
  }
  while (server.server->use().requests < slow.size()) std::this_thread::yield();
  TestClient client(server);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x'));
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Http1, ABodyThatTricklesIsAnsweredWith408) {
  ServerLimits limits;
  limits.body_idle_timeout = 2s;
  limits.body_bytes_per_second_min = 1000;
  TestServer server(http1_echo, limits);
  TestClient client(server);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
  std::string answer;
  for (int i = 0; i < 100 && answer.empty(); ++i) {
    client.send("x");
    answer = client.receive_some(100);
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 408"));
}

TEST(Http1, AnswersInMemoryAreBounded) {
  ServerLimits limits;
  limits.answer_bytes_in_memory_max = 8 << 20;
  constexpr size_t kAnswer = 6 << 20;
  TestServer server(
      [](Request& request) -> Task<Response> {
        Response response;
        if (request.target == "/large") response.body.assign(kAnswer, 'x');
        co_return response;
      },
      limits);
  const std::string large = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n";
  TestClient first(server, 4096);
  first.send(large);
  while (server.server->use().answer_bytes == 0) std::this_thread::yield();
  TestClient second(server);
  second.send(large);
  EXPECT_EQ(second.reply().status, 503);
  second.send(kGet);
  EXPECT_EQ(second.reply().status, 200);
  EXPECT_EQ(first.reply().body.size(), kAnswer);
  while (server.server->use().answer_bytes > 0) std::this_thread::yield();
  second.send(large);
  EXPECT_EQ(second.reply().body.size(), kAnswer);
}

TEST(Http1, AnAnswerWaitsForRoomThatOthersGiveBackButNotForLong) {
  for (const auto [wait, status] : {std::pair(1s, 503), std::pair(60s, 200)}) {
    ServerLimits limits;
    limits.answer_bytes_in_memory_max = 1 << 20;
    limits.answer_wait = wait;
    base::Future<bool> gate;
    TestServer server(
        [&gate](Request& request) -> Task<Response> {
          co_await request.answer_room->reserve(1 << 20);
          if (request.target == "/hold") co_await gate;
          co_return Response{};
        },
        limits);
    TestClient first(server), second(server);
    first.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    while (server.server->use().answer_bytes == 0) std::this_thread::yield();
    second.send(kGet);
    if (status == 200) gate.set(true);
    EXPECT_EQ(second.reply().status, status);
    gate.set(true);
    EXPECT_EQ(first.reply().status, 200);
  }
}

TEST(Http1, RequestsCountAsActivityUntilTheyAreAnsweredUnlessTheHandlerLetsGo) {
  base::Future<bool> gate;
  std::atomic<bool> started = false;
  TestServer server([&](Request& request) -> Task<Response> {
    if (request.target == "/quiet") request.activity = {};
    started = true;
    co_await gate;
    co_return Response{};
  });
  TestClient client(server);
  client.send("GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n");
  while (!started || !server.activity.is_quiet()) std::this_thread::yield();
  gate.set(true);
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Http1, AServerThatStopsAnswersWhatIsUnderWayAndClosesWhatIsIdle) {
  base::Future<bool> gate;
  TestServer server([&gate](Request& request) -> Task<Response> {
    if (request.target == "/slow") co_await gate;
    co_return Response{};
  });
  TestClient idle(server), busy(server);
  idle.send(kGet);
  EXPECT_EQ(idle.reply().status, 200);
  while (server.server->use().requests != 0) std::this_thread::yield();  // its client may know before the server does
  busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  while (server.server->use().requests == 0) std::this_thread::yield();
  server.server->stop_accepting();
  EXPECT_TRUE(idle.closed_by_server());
  EXPECT_EQ(server.server->use().requests, 1u);
  gate.set(true);
  const TestClient::Reply reply = busy.reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.head, HasSubstr("connection: close"));
  EXPECT_TRUE(busy.closed_by_server());
  EXPECT_EQ(server.server->use().requests, 0u);
}

TEST(Http1, APortInUseIsSaidInOneLine) {
  TestServer server(http1_echo);
  base::Activity activity;
  Loop loop(activity);
  Loop* loops[] = {&loop};
  try {
    const HttpServer second(loops, "127.0.0.1", server.server->port(), {}, http1_echo);
    FAIL();
  } catch (const ListenError& error) {
    EXPECT_THAT(error.what(), HasSubstr("already in use"));
  }
}

}  // namespace
}  // namespace tidemill::net
