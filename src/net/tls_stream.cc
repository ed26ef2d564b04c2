#include "net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <new>

namespace tidemill::net {

namespace {

constexpr size_t kIncomingMax = 32 << 10;  // a record with its head and what is behind it
constexpr size_t kRecord = SSL3_RT_MAX_PLAIN_LENGTH;

// OpenSSL's way to read and write: our two buffers.
TlsStream& stream_of(BIO* bio) { return *static_cast<TlsStream*>(BIO_get_data(bio)); }

int read_incoming(BIO* bio, char* into, int size) {
  Input& incoming = stream_of(bio).incoming;
  BIO_clear_retry_flags(bio);
  const std::string_view bytes = incoming.view().substr(0, static_cast<size_t>(size));
  if (bytes.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  std::ranges::copy(bytes, into);
  incoming.consume(bytes.size());
  return static_cast<int>(bytes.size());
}

int write_outgoing(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  stream_of(bio).outgoing.append(std::string_view(bytes, static_cast<size_t>(size)));
  return size;
}

long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* method() {
  static BIO_METHOD* const made = [] {
    BIO_METHOD* result = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffers");
    BIO_meth_set_read(result, read_incoming);
    BIO_meth_set_write(result, write_outgoing);
    BIO_meth_set_ctrl(result, control);
    return result;
  }();
  return made;
}

}  // namespace

TlsStream::TlsStream(const TlsIdentity& identity) : incoming(kIncomingMax), ssl_(SSL_new(identity.context())) {
  BIO* bio = ssl_ ? BIO_new(method()) : nullptr;
  if (!bio) {
    SSL_free(ssl_);
    throw std::bad_alloc();
  }
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  SSL_set_accept_state(ssl_);
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

TlsStream::State TlsStream::receive(Input& into) {
  for (;;) {
    const std::span<char> room = into.room();
    if (room.empty()) return incoming.size() > 0 || SSL_pending(ssl_) > 0 ? State::stalled : State::goes_on;
    ERR_clear_error();
    size_t count = 0;
    if (SSL_read_ex(ssl_, room.data(), room.size(), &count) == 1) {
      into.commit(count);
      continue;
    }
    return SSL_get_error(ssl_, 0) == SSL_ERROR_WANT_READ ? State::goes_on : State::ended;
  }
}

bool TlsStream::send(Output& from, size_t bytes_max) {
  std::array<char, kRecord> record;  // small pieces leave together
  while (!from.empty() && bytes_max > 0) {
    iovec pieces[Output::kGatherMax];
    const size_t count = from.gather(pieces, std::min(bytes_max, record.size()));
    size_t size = pieces[0].iov_len;
    const char* bytes = static_cast<const char*>(pieces[0].iov_base);
    if (count > 1) {
      size = 0;
      for (size_t i = 0; i < count; ++i) {
        std::memcpy(record.data() + size, pieces[i].iov_base, pieces[i].iov_len);
        size += pieces[i].iov_len;
      }
      bytes = record.data();
    }
    ERR_clear_error();
    size_t written = 0;
    if (SSL_write_ex(ssl_, bytes, size, &written) != 1) return false;
    from.consume(written);
    bytes_max -= written;
  }
  return true;
}

void TlsStream::send_end() {
  if (std::exchange(said_end_, true) || !is_open()) return;
  ERR_clear_error();
  (void)SSL_shutdown(ssl_);
}

bool TlsStream::is_open() const { return SSL_is_init_finished(ssl_) == 1; }

}  // namespace tidemill::net
