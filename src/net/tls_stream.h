// The TLS of one connection, between its bytes on the wire and those that are meant. It knows no sockets: whoever has one
// moves what is in `incoming` and `outgoing`, so a fuzzer can.
#pragma once

#include <openssl/types.h>

#include "net/buffers.h"
#include "net/tls.h"

namespace tidemill::net {

class TlsStream {
 public:
  // The first byte of a client's TLS; no request begins with it.
  static constexpr char kFirstByte = 0x16;

  explicit TlsStream(const TlsIdentity& identity);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;

  enum class State {
    goes_on,
    stalled,  // there is no room in `into` for what has come
    ended,    // by the client, or by what it did wrong: what is in `outgoing` tells it so
  };
  // Goes on with the handshake and decrypts what is in `incoming`, as far as it goes.
  State receive(Input& into);
  // Encrypts from the front of `from`, at most so many bytes, once the handshake is over. False: it cannot.
  bool send(Output& from, size_t bytes_max);
  // Says that nothing follows (close_notify).
  void send_end();

  [[nodiscard]] bool is_open() const;  // the handshake is over

  Input incoming;
  Output outgoing;

 private:
  SSL* ssl_;
  bool said_end_ = false;
};

}  // namespace tidemill::net
