// Whatever a client sends in place of a TLS handshake, and in the midst of one, must leave the stream standing: the first
// byte says into pieces of which size the rest is cut, the second after how many bytes of a true client's the rest follows.
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "net/tls_stream.h"
#include "net/tls_test_identity.h"

namespace {

using namespace tidemill;

constexpr size_t kAnswersMax = 1 << 20;

const net::TlsIdentity& identity() {
  static const net::TestIdentity made = net::make_test_identity();
  static const net::TlsIdentity result(made.certificate, made.key);
  return result;
}

// What a client says first.
const std::string& client_hello() {
  static const std::string hello = [] {
    SSL_CTX* context = SSL_CTX_new(TLS_client_method());
    SSL* client = SSL_new(context);
    BIO* out = BIO_new(BIO_s_mem());
    SSL_set_bio(client, BIO_new(BIO_s_mem()), out);
    SSL_set_connect_state(client);
    SSL_do_handshake(client);
    char* data = nullptr;
    const long size = BIO_get_mem_data(out, &data);
    std::string text(data, static_cast<size_t>(size));
    SSL_free(client);
    SSL_CTX_free(context);
    return text;
  }();
  return hello;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t piece = data[0] + size_t{1};
  const size_t true_part = std::min(client_hello().size(), size_t{data[1]} * 4);
  std::string bytes = client_hello().substr(0, true_part);
  bytes.append(reinterpret_cast<const char*>(data) + 2, size - 2);
  net::TlsStream stream(identity());
  net::Input plain(64 << 10);
  for (size_t at = 0; at < bytes.size();) {
    const auto room = stream.incoming.room();
    const size_t count = std::min({piece, bytes.size() - at, room.size()});
    if (count == 0) __builtin_trap();  // a stream with room for what is meant takes what comes
    std::memcpy(room.data(), bytes.data() + at, count);
    stream.incoming.commit(count);
    at += count;
    if (stream.receive(plain) == net::TlsStream::State::ended) break;
    plain.consume(plain.size());
    if (stream.outgoing.size() > kAnswersMax) __builtin_trap();
  }
  net::Output answer;
  answer.append(std::string_view("answer"));
  (void)stream.send(answer, 64 << 10);
  stream.send_end();
  return 0;
}
