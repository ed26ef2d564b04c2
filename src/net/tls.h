// What a server needs to speak TLS with its clients: its certificate and key. Clients choose between HTTP/1.1 and HTTP/2
// by ALPN (RFC 7301); TLS 1.2 with forward secrecy and authenticated encryption, and TLS 1.3, are spoken.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tidemill::net {

// A certificate or key that cannot be used; what() is one line that says why.
class TlsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Any thread.
class TlsIdentity {
 public:
  // In PEM: the server's certificate first, then those between it and an authority, and its key without a passphrase.
  // Throws TlsError: they are not readable, do not belong together, have expired or are too weak.
  TlsIdentity(std::string_view certificates, std::string_view key);
  ~TlsIdentity();
  TlsIdentity(const TlsIdentity&) = delete;

  [[nodiscard]] SSL_CTX* context() const { return context_; }

 private:
  SSL_CTX* context_;
};

}  // namespace tidemill::net
