#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/future.h"
#include "net/test_client.h"

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// ---- well-formed requests -----------------------------------------------------------------------------------------

TEST(Http1, AnswersRequestsOneAfterTheOtherOnOneConnection) {
  TestServer server(http1_echo);
  TestClient client(server);
  for (int i = 0; i < 3; ++i) {
    client.send("POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
    const auto reply = client.reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_THAT(reply.head, HasSubstr("x-target: /a?b=c\r\n"));
    EXPECT_EQ(reply.body, "hello");
  }
}

TEST(Http1, ARequestMayComeByteByByte) {
  TestServer server(http1_echo);
  TestClient client(server);
  for (const char c : std::string("\r\nPUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")) {
    client.send(std::string_view(&c, 1));
    std::this_thread::sleep_for(200us);
  }
  EXPECT_EQ(client.reply().body, "abc");
}

TEST(Http1, PipelinedRequestsAreAnsweredInOrder) {
  TestServer server(http1_echo);
  TestClient client(server);
  std::string requests;
  for (int i = 0; i < 500; ++i) {
    const std::string body = std::to_string(i);
    requests += "POST /" + body + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body;
  }
  client.send(requests);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(client.reply().body, std::to_string(i));
}

TEST(Http1, PipelinedRequestsWaitForAHandlerThatWaits) {
  base::Future<bool> gate;
  TestServer server([&gate](Request& request) -> Task<Response> {
    if (request.target == "/slow") co_await gate;
    Response response;
    response.body = request.target;
    co_return response;
  });
  TestClient client(server);
  client.send("GET /fast HTTP/1.1\r\nHost: x\r\n\r\nGET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /last HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().body, "/fast");
  gate.set(true);
  EXPECT_EQ(client.reply().body, "/slow");
  EXPECT_EQ(client.reply().body, "/last");
}

TEST(Http1, AChunkedBodyLooksLikeAnyOther) {
  TestServer server(http1_echo);
  TestClient client(server);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
              "5;name=value\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n"
              "GET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().body, "hello world");
  EXPECT_THAT(client.reply().head, HasSubstr("x-target: /next"));
}

TEST(Http1, TrailersStandBesideTheHeaders) {
  TestServer server([](Request& request) -> Task<Response> {
    Response response;
    const std::string body = co_await request.body->read_all(100);
    response.body = body + "," + std::string(request.headers.get("x-a")) + "," + std::string(request.trailers.get("x-a"));
    co_return response;
  });
  TestClient client(server);
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n";
  client.send(head + "0\r\nX-A: 2\r\n\r\n");
  EXPECT_EQ(client.reply().body, "ab,1,2");
  client.send(head + "0\r\n\r\n");
  EXPECT_EQ(client.reply().body, "ab,1,");
}

TEST(Http1, TrailersThatAreTooLongEndTheConnection) {
  TestServer server(http1_echo);
  TestClient client(server);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-A: " +
              std::string(5 << 10, 'x'));
  EXPECT_THAT(client.reply().head, HasSubstr("400"));
}

TEST(Http1, AChunkedBodyMayComeByteByByte) {
  TestServer server(http1_echo);
  TestClient client(server);
  for (const char c : std::string("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n00\r\n\r\n")) {
    client.send(std::string_view(&c, 1));
    std::this_thread::sleep_for(200us);
  }
  EXPECT_EQ(client.reply().body, "abc");
}

TEST(Http1, ALargeBodyArrivesWhole) {
  TestServer server([](Request& request) -> Task<Response> {
    Response response;
    response.body = co_await request.body->read_all(64 << 20);
    co_return response;
  });
  TestClient client(server);
  std::string body(20 << 20, 'x');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i % 23);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_TRUE(client.reply().body == body);
}

TEST(Http1, ABodyCanBeReadPieceByPieceAndAResponseStreamed) {
  TestServer server([](Request& request) -> Task<Response> {
    Response response;
    response.body = "<";
    response.stream = [body = request.body, done = false]() mutable -> Task<std::optional<std::string>> {
      if (done) co_return std::nullopt;
      auto piece = co_await body->read_some();
      if (!piece) {
        done = true;
        co_return ">";
      }
      co_return piece;
    };
    co_return response;
  });
  TestClient client(server);
  std::string body(3 << 20, 'y');
  std::thread sender([&] {
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  });
  const auto reply = client.reply();
  sender.join();
  EXPECT_THAT(reply.head, HasSubstr("transfer-encoding: chunked"));
  EXPECT_TRUE(reply.body == "<" + body + ">");
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(client.reply().body, "<>");
}

TEST(Http1, AStreamWithADeclaredLengthIsNotChunked) {
  TestServer server([](Request&) -> Task<Response> {
    Response response;
    response.headers.add("Content-Length", "6");
    response.stream = [left = 3]() mutable -> Task<std::optional<std::string>> {
      if (left-- == 0) return Task<std::optional<std::string>>::ready(std::nullopt);
      return Task<std::optional<std::string>>::ready("ab");
    };
    co_return response;
  });
  TestClient client(server);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto reply = client.reply();
  EXPECT_THAT(reply.head, Not(HasSubstr("chunked")));
  EXPECT_EQ(reply.body, "ababab");
}

TEST(Http1, ABrokenStreamEndsTheConnectionBeforeTheLastChunk) {
  TestServer server([](Request&) -> Task<Response> {
    Response response;
    response.stream = [left = 1]() mutable -> Task<std::optional<std::string>> {
      if (left-- == 0) throw std::runtime_error("broken");
      co_return "ab";
    };
    co_return response;
  });
  TestClient client(server);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.receive_all(), testing::EndsWith("2\r\nab\r\n"));
}

TEST(Http1, ContinueIsSentWhenTheHandlerReads) {
  TestServer server(http1_echo);
  TestClient client(server);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client.receive_some(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  EXPECT_EQ(client.reply().body, "hello");
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello");
  const auto reply = client.reply();
  EXPECT_EQ(reply.status, 200);  // the body is there: nothing to wait for
  EXPECT_EQ(reply.body, "hello");
}

TEST(Http1, ContinueIsSentForAnEmptyBodyToo) {
  TestServer server(http1_echo);
  TestClient client(server);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(client.receive_all(), StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"));
}

TEST(Http1, AHandlerThatRefusesABodyUnreadSendsNoContinueAndCloses) {
  TestServer server([](Request&) -> Task<Response> {
    Response response;
    response.status = 403;
    co_return response;
  });
  TestClient client(server);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  const std::string all = client.receive_all();
  EXPECT_THAT(all, StartsWith("HTTP/1.1 403 Forbidden\r\n"));
  EXPECT_THAT(all, HasSubstr("connection: close"));
}

TEST(Http1, ABodyThatTheHandlerLeavesIsSkipped) {
  TestServer server([](Request& request) -> Task<Response> {
    Response response;
    response.body = request.target;
    co_return response;
  });
  TestClient client(server);
  client.send("POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + std::string(50'000, 'x'));
  EXPECT_EQ(client.reply().body, "/1");
  client.send(std::string(50'000, 'x') + "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().body, "/2");
  client.send("POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n");
  EXPECT_THAT(client.receive_all(), HasSubstr("connection: close"));
}

TEST(Http1, HeadAnswersWithoutABody) {
  TestServer server(http1_echo);
  TestClient client(server);
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab");
  EXPECT_THAT(client.reply(true).head, HasSubstr("content-length: 2"));
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Http1, Http10ClosesUnlessAskedToStay) {
  TestServer server(http1_echo);
  TestClient client(server);
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(client.reply().head, HasSubstr("connection: keep-alive"));
  client.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.receive_all(), HasSubstr("connection: close"));
}

TEST(Http1, AbsoluteFormGivesPathAndHost) {
  TestServer server([](Request& request) -> Task<Response> {
    Response response;
    response.body = request.target + " " + std::string(request.headers.get("host"));
    co_return response;
  });
  TestClient client(server);
  client.send("GET http://bucket.s3.test:80/key?x HTTP/1.1\r\nHost: other\r\n\r\n");
  EXPECT_EQ(client.reply().body, "/key?x bucket.s3.test:80");
  client.send("GET http://h?x HTTP/1.1\r\nHost: other\r\n\r\n");
  EXPECT_EQ(client.reply().body, "/?x h");
}

TEST(Http1, AHeaderOfTheResponseCannotEndTheHead) {
  TestServer server([](Request&) -> Task<Response> {
    Response response;
    response.headers.add("x-meta", "a\r\nset-cookie: b\r\n\r\nc");
    response.headers.add("Connection", "x");
    co_return response;
  });
  TestClient client(server);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto reply = client.reply();
  EXPECT_THAT(reply.head, HasSubstr("x-meta: a  set-cookie: b    c\r\n"));
  EXPECT_THAT(reply.head, Not(HasSubstr("onnection")));
}

// ---- requests to refuse -------------------------------------------------------------------------------------------

struct Refused {
  const char* why;
  std::string bytes;
  int status;
};

class Http1Refusal : public testing::TestWithParam<Refused> {};

TEST_P(Http1Refusal, AnswersAndCloses) {
  bool handled = false;
  TestServer server([&handled](Request& request) -> Task<Response> {
    (void)co_await request.body->read_all(1 << 20);
    handled = true;
    co_return Response{};
  });
  TestClient client(server);
  client.send(GetParam().bytes + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string answer = client.receive_all();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(GetParam().status) + " ")) << GetParam().why;
  EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << "a second answer: " << answer;
  EXPECT_FALSE(handled);
}

const std::string kPost = "POST / HTTP/1.1\r\nHost: x\r\n";
INSTANTIATE_TEST_SUITE_P(
    Shapes, Http1Refusal,
    testing::Values(
        Refused{"no request line", "nonsense\r\n\r\n", 400},
        Refused{"binary", std::string("\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 11), 400},
        Refused{"version 3", "GET / HTTP/3.0\r\nHost: x\r\n\r\n", 400},
        Refused{"version 2 without its preface", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 400},
        Refused{"bare LF", "GET / HTTP/1.1\nHost: x\n\n", 400},
        Refused{"relative target", "GET x HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        Refused{"other scheme", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        Refused{"CONNECT", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", 501},
        Refused{"no host", "GET / HTTP/1.1\r\nA: b\r\n\r\n", 400},
        Refused{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
        Refused{"space before colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400},
        Refused{"control in value", std::string("GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n", 35), 400},
        Refused{"length and coding", kPost + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        Refused{"coding and length", kPost + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400},
        Refused{"two lengths", kPost + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400},
        Refused{"the same length twice", kPost + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400},
        Refused{"list of lengths", kPost + "Content-Length: 5, 5\r\n\r\nhello", 400},
        Refused{"signed length", kPost + "Content-Length: +5\r\n\r\nhello", 400},
        Refused{"negative length", kPost + "Content-Length: -1\r\n\r\n", 400},
        Refused{"huge length", kPost + "Content-Length: 99999999999999999999\r\n\r\n", 400},
        Refused{"empty length", kPost + "Content-Length: \r\n\r\n", 400},
        Refused{"other coding", kPost + "Transfer-Encoding: gzip\r\n\r\n", 501},
        Refused{"chunked not last", kPost + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 501},
        Refused{"hidden chunked", kPost + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501},
        Refused{"two codings", kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        Refused{"coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        Refused{"other expectation", kPost + "Expect: miracles\r\nContent-Length: 0\r\n\r\n", 417},
        Refused{"chunk size not hex", kPost + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
        Refused{"chunk size with sign", kPost + "Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400},
        Refused{"chunk size too large", kPost + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 400},
        Refused{"chunk longer than said", kPost + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n", 400},
        Refused{"endless chunk extension",
                kPost + "Transfer-Encoding: chunked\r\n\r\n3;" + std::string(100'000, 'e') + "\r\nabc\r\n0\r\n\r\n", 400},
        Refused{"long header", "GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(20'000, 'a') + "\r\n\r\n", 431},
        Refused{"long target", "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
        Refused{"many headers",
                [] {
                  std::string bytes = "GET / HTTP/1.1\r\nHost: x\r\n";
                  for (int i = 0; i < 300; ++i) bytes += "a: b\r\n";
                  return bytes + "\r\n";
                }(),
                431},
        Refused{"body over the handler's limit", kPost + "Content-Length: 2000000\r\n\r\n", 413},
        Refused{"chunks over the handler's limit",
                kPost + "Transfer-Encoding: chunked\r\n\r\n200000\r\n" + std::string(0x200000, 'x') + "\r\n0\r\n\r\n",
                413}));

}  // namespace
}  // namespace tidemill::net
