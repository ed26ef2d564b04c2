// A server's TLS as clients meet it, and as those who mean harm do.
#include "net/tls.h"

#include <gmock/gmock.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <vector>

#include "net/test_client.h"
#include "net/tls_test_identity.h"

namespace tidemill::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

class TlsServer {
 public:
  explicit TlsServer(ServerLimits limits = {}, Handler handler = http1_echo) : loop(activity) {
    Loop* loops[] = {&loop};
    const TestIdentity made = make_test_identity();
    server = std::make_unique<HttpServer>(loops, "127.0.0.1", 0, limits, std::move(handler), Admission(),
                                          std::make_shared<TlsIdentity>(made.certificate, made.key));
    thread_ = std::thread([this] { loop.run(); });
  }
  ~TlsServer() {
    loop.stop();
    thread_.join();
    server.reset();
  }

  base::Activity activity;
  Loop loop;
  std::unique_ptr<HttpServer> server;

 private:
  std::thread thread_;
};

// A client that speaks TLS, blocking.
class SecureClient {
 public:
  explicit SecureClient(const TlsServer& server, int version = TLS1_3_VERSION, std::string protocols = "\x08http/1.1")
      : socket(server), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_max_proto_version(context_, version);
    SSL_CTX_set_min_proto_version(context_, version);
    SSL_CTX_set_security_level(context_, 0);
    ssl = SSL_new(context_);
    SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(protocols.data()),
                        static_cast<unsigned int>(protocols.size()));
    SSL_set_fd(ssl, socket.fd());
    const timeval limit{TestClient::kPatienceMs / 1000, 0};
    ::setsockopt(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~SecureClient() {
    SSL_free(ssl);
    SSL_CTX_free(context_);
    ERR_clear_error();
  }

  bool connect() { return SSL_connect(ssl) == 1; }
  void send(std::string_view bytes) {
    size_t written = 0;
    EXPECT_EQ(SSL_write_ex(ssl, bytes.data(), bytes.size(), &written), 1);
  }
  // All until there are so many, or the server ends it.
  std::string receive(size_t wanted) {
    std::string all;
    std::vector<char> piece(64 << 10);
    size_t count = 0;
    while (all.size() < wanted && SSL_read_ex(ssl, piece.data(), piece.size(), &count) == 1) all.append(piece.data(), count);
    return all;
  }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl, &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }

  TestClient socket;
  SSL* ssl;

 private:
  SSL_CTX* context_;
};

constexpr std::string_view kGet = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(Tls, BothVersionsAreServed) {
  TlsServer server;
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    SecureClient client(server, version);
    ASSERT_TRUE(client.connect());
    EXPECT_EQ(client.protocol(), "http/1.1");
    client.send(kGet);
    EXPECT_THAT(client.receive(1), StartsWith("HTTP/1.1 200"));
  }
}

TEST(Tls, OlderVersionsAreNot) {
  TlsServer server;
  SecureClient client(server, TLS1_1_VERSION);
  EXPECT_FALSE(client.connect());
}

TEST(Tls, TheClientChoosesByAlpn) {
  TlsServer server;
  SecureClient both(server, TLS1_3_VERSION, "\x08http/1.1\x02h2");
  ASSERT_TRUE(both.connect());
  EXPECT_EQ(both.protocol(), "h2");
  SecureClient neither(server, TLS1_3_VERSION, "\x05spdy9");
  EXPECT_FALSE(neither.connect());
}

TEST(Tls, WhatIsLargeArrivesWhole) {
  constexpr size_t kSize = 20 << 20;
  TlsServer server({}, [](Request& request) -> Task<Response> {
    Response response;
    response.body = std::string(std::stoul(std::string(request.headers.get("x-size"))), 'x');
    response.body += std::to_string((co_await request.body->read_all(64 << 20)).size());
    response.headers.add("x-protected", request.is_protected ? "yes" : "no");
    co_return response;
  });
  SecureClient client(server);
  ASSERT_TRUE(client.connect());
  const std::string body(3 << 20, 'b');
  client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nx-size: " + std::to_string(kSize) + "\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  client.send(body);
  const std::string answer = client.receive(2 * kSize);
  EXPECT_THAT(answer.substr(0, 200), HasSubstr("x-protected: yes"));
  EXPECT_TRUE(answer.ends_with("x" + std::to_string(body.size())));
}

TEST(Tls, TheEndIsSaid) {
  TlsServer server;
  SecureClient client(server);
  ASSERT_TRUE(client.connect());
  client.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.receive(1 << 20), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(SSL_get_shutdown(client.ssl) & SSL_RECEIVED_SHUTDOWN, SSL_RECEIVED_SHUTDOWN);
}

TEST(Tls, ThisMachineMayLeaveItOut) {
  TlsServer server;
  TestClient client(server);
  client.send(kGet);
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Tls, AHandshakeOneByteAtATimeSucceeds) {
  TlsServer server;
  TestClient client(server);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* ssl = SSL_new(context);
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl, in, out);
  SSL_set_connect_state(ssl);
  while (SSL_do_handshake(ssl) != 1) {
    char byte = 0;
    while (BIO_read(out, &byte, 1) == 1) client.send({&byte, 1});
    const std::string answer = client.receive_some();
    ASSERT_FALSE(answer.empty());
    BIO_write(in, answer.data(), static_cast<int>(answer.size()));
  }
  SSL_free(ssl);
  SSL_CTX_free(context);
}

TEST(Tls, AHandshakeIsBoundedInTime) {
  ServerLimits limits;
  limits.handshake_timeout = 1s;
  TlsServer server(limits);
  TestClient half(server);
  half.send(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11));
  EXPECT_TRUE(half.closed_by_server());
}

TEST(Tls, WhoSaysNothingAfterAHandshakeIsCutOff) {
  ServerLimits limits;
  limits.header_timeout = 1s;
  TlsServer server(limits);
  // The time before the handshake counts, too.
  constexpr int kTries = 60;
  std::unique_ptr<SecureClient> client;
  bool is_connected = false;
  for (int tried = 0; tried < kTries && !is_connected; ++tried) {
    client = std::make_unique<SecureClient>(server);
    is_connected = client->connect();
  }
  ASSERT_TRUE(is_connected);
  EXPECT_EQ(client->receive(1), "");
}

TEST(Tls, OfTooManyHandshakesTheOldestEnds) {
  ServerLimits limits;
  limits.handshakes_max = 3;
  limits.handshake_timeout = 1h;
  TlsServer server(limits);
  std::vector<std::unique_ptr<TestClient>> halves;
  for (int i = 0; i < 4; ++i) {
    halves.push_back(std::make_unique<TestClient>(server));
    halves.back()->send("\x16\x03\x01");
    while (server.server->use().handshakes < std::min<size_t>(i + 1, 3)) std::this_thread::yield();
  }
  EXPECT_TRUE(halves[0]->closed_by_server());
  SecureClient client(server);
  ASSERT_TRUE(client.connect());
  client.send(kGet);
  EXPECT_THAT(client.receive(1), StartsWith("HTTP/1.1 200"));
}

TEST(Tls, AHugeClientHelloIsRefused) {
  TlsServer server;
  TestClient client(server);
  // A handshake message that says it has 16 MB, in records of 16 KB.
  std::string record("\x16\x03\x01\x40\x00", 5);
  std::string body("\x01\xff\xff\xff\x03\x03", 6);
  body.resize(16384, 'x');
  client.send(record + body);
  // The alert, and the end.
  EXPECT_THAT(client.receive_all(), StartsWith("\x15"));
}

TEST(Tls, NobodyRenegotiates) {
  TlsServer server;
  SecureClient client(server, TLS1_2_VERSION);
  ASSERT_TRUE(client.connect());
  ASSERT_EQ(SSL_renegotiate(client.ssl), 1);
  EXPECT_NE(SSL_do_handshake(client.ssl), 1);
}

// Each asks for an answer; who does not take the answers is read from no more.
TEST(Tls, NewKeysWithoutEndAreNotWaitedFor) {
  TlsServer server;
  SecureClient client(server);
  ASSERT_TRUE(client.connect());
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(SSL_key_update(client.ssl, SSL_KEY_UPDATE_REQUESTED), 1);
    ASSERT_EQ(SSL_do_handshake(client.ssl), 1);
  }
  client.send(kGet);
  EXPECT_THAT(client.receive(1), StartsWith("HTTP/1.1 200"));
}

TEST(Tls, GarbageInTheMidstEndsTheConnection) {
  TlsServer server;
  SecureClient client(server);
  ASSERT_TRUE(client.connect());
  client.socket.send(std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'g'));
  EXPECT_EQ(client.receive(1), "");
}

// ---- What is not taken at a start -----------------------------------------------------------------------------------

std::string refusal(std::string_view certificate, std::string_view key) {
  try {
    const TlsIdentity identity(certificate, key);
  } catch (const TlsError& error) {
    return error.what();
  }
  return "";
}

TEST(Tls, WhatCannotBeUsedIsRefused) {
  const TestIdentity one = make_test_identity();
  const TestIdentity other = make_test_identity();
  EXPECT_EQ(refusal(one.certificate, one.key), "");
  EXPECT_EQ(refusal(one.certificate + other.certificate, one.key), "");
  EXPECT_THAT(refusal(one.certificate, other.key), HasSubstr("key"));
  EXPECT_THAT(refusal("", one.key), HasSubstr("certificate"));
  EXPECT_THAT(refusal(one.key, one.key), HasSubstr("certificate"));
  EXPECT_THAT(refusal(one.certificate, ""), HasSubstr("key"));
  EXPECT_THAT(refusal(one.certificate.substr(0, 200), one.key), HasSubstr("certificate"));
  EXPECT_THAT(refusal(make_test_identity(-60).certificate, one.key), HasSubstr("expired"));
}

}  // namespace
}  // namespace tidemill::net
