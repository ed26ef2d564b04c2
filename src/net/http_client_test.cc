// The client against the server of the same house, and against sockets that misbehave.
#include "net/http_client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <variant>

#include "base/no_more_files.h"
#include "net/test_client.h"
#include "net/tls.h"
#include "net/tls_test_identity.h"

namespace tidemill::net {
namespace {

using std::chrono_literals::operator""ms;

struct Result {
  HttpAnswer answer;
  std::string failure;
};

Result send(TestServer& server, HttpClient& client, HttpCall call) {
  Result result;
  std::atomic<bool> done = false;
  base::Scope* scope = nullptr;
  server.run([&] {
    scope = new base::Scope;
    scope->spawn([](HttpClient& http, HttpCall what, Result& out, std::atomic<bool>& flag) -> Task<void> {
      try {
        out.answer = co_await http.send(std::move(what));
      } catch (const HttpFailed& error) {
        out.failure = error.what();
      }
      flag = true;
      flag.notify_one();
    }(client, std::move(call), result, done));
  });
  done.wait(false);
  server.run([&] { delete scope; });
  return result;
}

std::string url_of(const TestServer& server, std::string_view path = "/") {
  return "http://127.0.0.1:" + std::to_string(server.server->port()) + std::string(path);
}

TEST(HttpUrlTest, UrlsAreTakenApart) {
  const auto url = parse_http_url("HTTPS://user:p%40ss@Example.com:8443/a/b?c=d#e");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->is_tls);
  EXPECT_EQ(url->host, "Example.com");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->target, "/a/b?c=d");
  EXPECT_EQ(url->user_info, "user:p@ss");
  EXPECT_EQ(url->authority(), "Example.com:8443");
  EXPECT_EQ(parse_http_url("http://[::1]:80?x=y")->target, "/?x=y");
  EXPECT_EQ(parse_http_url("http://[::1]:80")->authority(), "[::1]");
  EXPECT_EQ(parse_http_url("https://h")->port, 443);
}

TEST(HttpUrlTest, WhatIsNoUrlOfHttpIsRefused) {
  for (const char* text : {"ftp://h/", "http://", "http:///x", "http://h:0/", "http://h:65536/", "http://h:x/", "h/x",
                           "http://h/a b", "http://h/\r\nX: y", "http://[::1/", "http://u%zz@h/"}) {
    EXPECT_FALSE(parse_http_url(text)) << text;
  }
  EXPECT_FALSE(parse_http_url("http://h/" + std::string(kUrlBytesMax, 'x')));
}

TEST(HttpClientTest, RequestsArriveAndAnswersComeBack) {
  std::string seen;
  TestServer server([&](Request& request) -> Task<Response> {
    seen = request.method + " " + request.target + " " + std::string(request.headers.get("x-a")) + " " +
           std::string(request.headers.get("authorization")) + " " + co_await request.body->read_all(1 << 20);
    Response response;
    response.status = 418;
    response.headers.add("x-b", "2");
    response.body = "teapot";
    co_return response;
  });
  HttpClient client(server.loop);
  HttpCall call{.url = url_of(server, "/p?q=1"), .body = "hello"};
  call.url.insert(7, "u:p@");
  call.headers.add("x-a", "1");
  const Result result = send(server, client, std::move(call));
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(seen, "POST /p?q=1 1 Basic dTpw hello");
  EXPECT_EQ(result.answer.status, 418);
  EXPECT_EQ(result.answer.headers.get("X-B"), "2");
  EXPECT_EQ(result.answer.body, "teapot");
}

TEST(HttpClientTest, ChunkedAnswersAreRead) {
  TestServer server([](Request&) -> Task<Response> {
    Response response;
    auto pieces = std::make_shared<int>(0);
    response.stream = [pieces]() -> Task<std::optional<std::string>> {
      if (++*pieces > 3) co_return std::nullopt;
      co_return std::string(10'000, 'x');
    };
    co_return response;
  });
  HttpClient client(server.loop);
  EXPECT_EQ(send(server, client, {.url = url_of(server)}).answer.body.size(), 30'000u);
}

TEST(HttpClientTest, AnswersThatGoOnAreGivenPieceByPiece) {
  TestServer server([](Request& request) -> Task<Response> {
    Response response;
    if (request.target == "/no") response.status = 404;
    auto pieces = std::make_shared<int>(0);
    response.stream = [pieces]() -> Task<std::optional<std::string>> {
      if (++*pieces > 3) co_return std::nullopt;
      co_return std::string(1'000, static_cast<char>('a' + *pieces));
    };
    co_return response;
  });
  HttpClient client(server.loop);
  std::string seen;
  const auto note = [&](std::string_view piece) { seen += piece; };
  const Result result = send(
      server, client, {.url = url_of(server), .timeout = 0ms, .answer_bytes_max = 2'000, .on_piece = note});
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.answer.body, "");
  EXPECT_EQ(seen, std::string(1'000, 'b') + std::string(1'000, 'c') + std::string(1'000, 'd'));
  seen.clear();
  EXPECT_EQ(send(server, client, {.url = url_of(server, "/no"), .answer_bytes_max = 4'000, .on_piece = note})
                .answer.body.size(),
            3'000u);
  EXPECT_EQ(send(server, client, {.url = url_of(server, "/no"), .answer_bytes_max = 2'000, .on_piece = note}).failure,
            "the answer is too long");
  EXPECT_EQ(seen, "");
}

TEST(HttpClientTest, AWantOfDescriptorsIsWaitedFor) {
  TestServer server([](Request&) -> Task<Response> {
    Response response;
    response.body = "at last";
    co_return response;
  });
  HttpClient client(server.loop);
  std::optional<base::testing::NoMoreFiles> nothing(std::in_place);
  std::thread later([&] {
    std::this_thread::sleep_for(200ms);
    nothing.reset();
  });
  const Result result = send(server, client, {.url = url_of(server)});
  later.join();
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.answer.body, "at last");
}

// While it lives, but for a second at most, nothing can be opened now and then, whenever it hits worst.
class FlickeringWant {
 public:
  FlickeringWant()
      : thread_([this] {
          const auto end = std::chrono::steady_clock::now() + 1000ms;
          while (!is_over_ && std::chrono::steady_clock::now() < end) {
            const base::testing::NoMoreFiles nothing;
            std::this_thread::yield();
          }
        }) {}
  ~FlickeringWant() {
    is_over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

TEST(HttpClientTest, AWantOfDescriptorsThatComesAndGoesFailsNoCall) {
  constexpr int kCalls = 40;
  TestServer server([](Request&) -> Task<Response> { co_return Response{}; });
  HttpClient client(server.loop);
  std::vector<std::string> failures;
  for (int call = 0; call < kCalls; ++call) {
    const FlickeringWant want;
    std::string url = url_of(server);
    if (call % 2 == 1) url.replace(url.find("127.0.0.1"), 9, "localhost");
    failures.push_back(send(server, client, {.url = url}).failure);
  }
  EXPECT_EQ(failures, std::vector<std::string>(kCalls));
}

// A server whose certificate is its own authority, which lies in a file and, by the hash of its name, in a directory.
struct TrustedServer {
  TrustedServer() {
    std::filesystem::create_directory(directory / "hashed");
    std::ofstream(file) << made.certificate;
    BIO* bio = BIO_new_mem_buf(made.certificate.data(), static_cast<int>(made.certificate.size()));
    X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    std::array<char, 16> name{};
    std::snprintf(name.data(), name.size(), "%08lx.0", X509_subject_name_hash(certificate));
    X509_free(certificate);
    BIO_free(bio);
    std::filesystem::copy_file(file, hashed / name.data());
  }
  ~TrustedServer() {
    ::unsetenv("SSL_CERT_FILE");
    ::unsetenv("SSL_CERT_DIR");
    std::filesystem::remove_all(directory);
  }
  // Calls with clients that have not seen the authorities yet, each during a want.
  std::vector<std::string> failures_of_calls(int calls) {
    std::string url = url_of(server);
    url.insert(4, "s");
    std::vector<std::string> failures;
    for (int call = 0; call < calls; ++call) {
      const FlickeringWant want;
      HttpClient client(server.loop);
      failures.push_back(send(server, client, {.url = url}).failure);
    }
    return failures;
  }

  const TestIdentity made = make_test_identity();
  TestServer server{[](Request&) -> Task<Response> { co_return Response{}; }, {}, {},
                    std::make_shared<TlsIdentity>(made.certificate, made.key)};
  const std::filesystem::path directory = [] {
    std::string made_up = std::filesystem::temp_directory_path() / "tidemill-authorities-XXXXXX";
    return std::filesystem::path(::mkdtemp(made_up.data()));
  }();
  const std::filesystem::path file = directory / "all.pem";
  const std::filesystem::path hashed = directory / "hashed";
};

TEST(HttpClientTest, AuthoritiesThatCannotBeOpenedForNowAreNotMissingForGood) {
  constexpr int kCalls = 6;
  TrustedServer trusted;
  const std::filesystem::path none = trusted.directory / "none";
  for (const bool in_file : {true, false}) {
    ::setenv("SSL_CERT_FILE", (in_file ? trusted.file : none).c_str(), 1);
    ::setenv("SSL_CERT_DIR", (in_file ? none : trusted.hashed).c_str(), 1);
    EXPECT_EQ(trusted.failures_of_calls(kCalls), std::vector<std::string>(kCalls)) << (in_file ? "file" : "directory");
  }
  ::setenv("SSL_CERT_DIR", none.c_str(), 1);
  EXPECT_THAT(trusted.failures_of_calls(1).front(), testing::HasSubstr("certificate verify failed"));
}

// A network of this thread's, with one port for connections.
bool has_network_with_one_port() {
  if (::unshare(CLONE_NEWNET) != 0) return false;
  const FileDescriptor any(::socket(AF_INET, SOCK_DGRAM, 0));
  ifreq loopback{.ifr_ifrn = {"lo"}, .ifr_ifru = {}};
  loopback.ifr_flags = IFF_UP;
  if (::ioctl(any.get(), SIOCSIFFLAGS, &loopback) != 0) return false;
  std::ofstream range("/proc/sys/net/ipv4/ip_local_port_range");
  range << "50000 50000" << std::flush;
  return range.good();
}

TEST(HttpClientTest, AWantOfPortsIsWaitedFor) {
  bool is_possible = false;
  std::string failure;
  std::thread([&] {
    is_possible = has_network_with_one_port();
    if (!is_possible) return;
    TestServer server([](Request&) -> Task<Response> { co_return Response{}; });
    HttpClient client(server.loop);
    // The server listens at the one port, so connections to it have none.
    EXPECT_EQ(server.server->port(), 50000);
    std::thread later([&] {
      std::this_thread::sleep_for(200ms);
      std::ofstream("/proc/sys/net/ipv4/ip_local_port_range") << "50000 50100";
    });
    failure = send(server, client, {.url = url_of(server)}).failure;
    later.join();
  }).join();
  if (!is_possible) GTEST_SKIP() << "only the superuser makes networks";
  EXPECT_EQ(failure, "");
}

TEST(HttpClientTest, AWantOfDescriptorsEndsWithTheCallsTime) {
  TestServer server([](Request&) -> Task<Response> { co_return Response{}; });
  HttpClient client(server.loop);
  const base::testing::NoMoreFiles nothing;
  EXPECT_EQ(send(server, client, {.url = url_of(server), .timeout = 200ms}).failure, "no answer in time");
}

TEST(HttpClientTest, TooLongAnAnswerFails) {
  TestServer server([](Request&) -> Task<Response> {
    Response response;
    response.body = std::string(2'000, 'x');
    co_return response;
  });
  HttpClient client(server.loop);
  EXPECT_NE(send(server, client, {.url = url_of(server), .answer_bytes_max = 1'000}).failure, "");
}

TEST(HttpClientTest, TooLongABodyIsLeftOutWhereNobodyNeedsIt) {
  TestServer server([](Request& request) -> Task<Response> {
    Response response;
    response.status = 201;
    if (request.target == "/long") {
      response.body = std::string(2'000'000, 'x');
      co_return response;
    }
    response.stream = []() -> Task<std::optional<std::string>> { co_return std::string(10'000, 'x'); };  // for ever
    co_return response;
  });
  HttpClient client(server.loop);
  for (const std::string_view path : {"/long", "/endless"}) {
    const Result result = send(server, client, {.url = url_of(server, path), .needs_body = false});
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.answer.status, 201) << path;
    EXPECT_EQ(result.answer.body, "");
  }
}

TEST(HttpClientTest, CallsBeyondAsManyAsMayBeWaitTheirTurn) {
  constexpr int kCalls = 5;
  std::atomic<int> under_way = 0;
  std::atomic<int> most = 0;
  std::atomic<bool> hanging = false;
  TestServer server([&](Request& request) -> Task<Response> {
    if (request.target == "/hangs") {
      hanging = true;
      hanging.notify_one();
      co_await base::Future<int>();
    }
    most = std::max<int>(most, ++under_way);
    for (int turn = 0; turn < 100; ++turn) co_await base::yield();
    --under_way;
    co_return Response();
  });
  HttpClient client(server.loop, 2);
  std::vector<std::thread> callers;
  std::vector<std::string> failures(kCalls);
  for (int n = 0; n < kCalls; ++n) {
    callers.emplace_back([&, n] { failures[static_cast<size_t>(n)] = send(server, client, {.url = url_of(server)}).failure; });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(failures, std::vector<std::string>(kCalls));
  EXPECT_LE(most, 2);

  // Who waits for a place does not longer than its call may take. Those that hang give theirs back with whoever waits
  // for them, and with their timeouts.
  HttpClient one(server.loop, 1);
  base::Scope* hangs = nullptr;
  server.run([&] {
    hangs = new base::Scope;
    hangs->spawn([](HttpClient& client_of_one, HttpCall call) -> Task<void> {
      (void)co_await client_of_one.send(std::move(call));
    }(one, {.url = url_of(server, "/hangs"), .timeout = 0ms}));
  });
  hanging.wait(false);
  EXPECT_EQ(send(server, one, {.url = url_of(server), .timeout = 100ms}).failure, "too many calls are under way");
  server.run([&] { delete hangs; });
  EXPECT_EQ(send(server, one, {.url = url_of(server, "/hangs"), .timeout = 50ms}).failure, "no answer in time");
  EXPECT_EQ(send(server, one, {.url = url_of(server)}).failure, "");
}

TEST(HttpClientTest, AServerThatDoesNotAnswerInTimeFailsTheCall) {
  TestServer server([](Request&) -> Task<Response> {
    co_await base::Future<int>();  // never
    co_return Response();
  });
  HttpClient client(server.loop);
  EXPECT_EQ(send(server, client, {.url = url_of(server), .timeout = 50ms}).failure, "no answer in time");
}

// Takes one connection, reads something from it, sends `answer`, so many bytes at a time, and closes it.
class RudeServer {
 public:
  explicit RudeServer(std::string answer, size_t at_once = std::string::npos)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 1), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this, answer = std::move(answer), at_once] {
      const int connection = ::accept(socket_, nullptr, nullptr);
      char buffer[4096];
      EXPECT_GT(::read(connection, buffer, sizeof buffer), 0);
      const int on = 1;
      ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      for (std::string_view rest = answer; !rest.empty();) {
        const std::string_view piece = rest.substr(0, at_once);
        const ssize_t sent = ::send(connection, piece.data(), piece.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;  // the client has heard enough
        rest.remove_prefix(static_cast<size_t>(sent));
      }
      ::close(connection);
    });
  }
  ~RudeServer() {
    thread_.join();
    ::close(socket_);
  }
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  int socket_;
  std::string url_;
  std::thread thread_;
};

TEST(HttpClientTest, AServerThatHangsUpFailsTheCall) {
  TestServer server([](Request&) -> Task<Response> { co_return Response(); });
  HttpClient client(server.loop);
  for (const char* answer : {"", "H", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
                             "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"}) {
    RudeServer rude(answer);
    EXPECT_NE(send(server, client, {.url = rude.url()}).failure, "") << answer;
  }
  RudeServer old("HTTP/1.0 200 OK\r\n\r\nuntil the end");
  EXPECT_EQ(send(server, client, {.url = old.url()}).answer.body, "until the end");
}

TEST(HttpClientTest, InterimAnswersAreNotTheAnswer) {
  TestServer server([](Request&) -> Task<Response> { co_return Response(); });
  HttpClient client(server.loop);
  const std::string early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  const std::string answer = early + early + "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhi";
  for (const size_t at_once : {std::string::npos, size_t{1}}) {
    RudeServer hinting(answer, at_once);
    const Result result = send(server, client, {.url = hinting.url()});
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.answer.status, 201);
    EXPECT_EQ(result.answer.headers.get("link"), "");
    EXPECT_EQ(result.answer.body, "hi");
  }
  RudeServer only_hints(early);
  EXPECT_NE(send(server, client, {.url = only_hints.url()}).failure, "");
  std::string many;
  for (int i = 0; i < 200; ++i) many += early;
  RudeServer tireless(many);
  EXPECT_EQ(send(server, client, {.url = tireless.url()}).failure, "too many interim answers");
}

TEST(HttpClientTest, TheAnswerToHeadHasNoBody) {
  TestServer server([](Request&) -> Task<Response> { co_return Response(); });
  HttpClient client(server.loop);
  for (const std::string before : {"", "HTTP/1.1 100 Continue\r\n\r\n"}) {
    RudeServer brief(before + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    const Result result = send(server, client, {.method = "HEAD", .url = brief.url()});
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.answer.status, 200);
    EXPECT_EQ(result.answer.headers.get("content-length"), "5");
    EXPECT_EQ(result.answer.body, "");
  }
}

TEST(HttpClientTest, NobodyThereIsAFailure) {
  TestServer server([](Request&) -> Task<Response> { co_return Response(); });
  HttpClient client(server.loop);
  EXPECT_NE(send(server, client, {.url = "http://127.0.0.1:1/"}).failure, "");
  EXPECT_NE(send(server, client, {.url = "http://no-such-host.invalid/"}).failure, "");
  EXPECT_EQ(send(server, client, {.url = "ftp://127.0.0.1/"}).failure, "the URL is not one of http or https");
}

// The server has one of its addresses.
TEST(HttpClientTest, TheAddressesOfANameAreTriedInTurn) {
  TestServer server([](Request&) -> Task<Response> { co_return Response(); });
  HttpClient client(server.loop);
  const std::string url = "http://localhost:" + std::to_string(server.server->port()) + "/";
  EXPECT_EQ(send(server, client, {.url = url}).failure, "");
}

TEST(HttpClientTest, AServerThatSpeaksNoTlsIsNotTrusted) {
  TestServer server([](Request&) -> Task<Response> { co_return Response(); });
  HttpClient client(server.loop);
  std::string url = url_of(server);
  url.insert(4, "s");
  EXPECT_NE(send(server, client, {.url = url}).failure, "");
}

}  // namespace
}  // namespace tidemill::net
