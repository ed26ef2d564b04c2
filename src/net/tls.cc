#include "net/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>

namespace tidemill::net {

namespace {

constexpr int kCertificatesMax = 16;  // of a chain
constexpr int kSecurityLevel = 2;     // OpenSSL's: 112 bits, so RSA from 2048
// Those that HTTP/2 allows with TLS 1.2 (RFC 9113, appendix A).
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";

template <auto Free>
struct Freer {
  void operator()(auto* object) const { Free(object); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freer<X509_free>>;
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;

// The reason that OpenSSL gives for what has just failed.
std::string reason() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  const char* text = error != 0 ? ERR_reason_error_string(error) : nullptr;
  return text ? text : "unknown reason";
}

BioPtr bio_of(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

int no_passphrase(char*, int, int, void*) { return -1; }

void use_certificates(SSL_CTX* context, std::string_view text) {
  const BioPtr bio = bio_of(text);
  for (int count = 0;; ++count) {
    const CertificatePtr certificate(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr));
    if (!certificate && count > 0 && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE) break;
    if (!certificate) throw TlsError("the certificate cannot be read (PEM): " + reason());
    if (count == kCertificatesMax) throw TlsError("there are more than 16 certificates");
    if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0) throw TlsError("a certificate has expired");
    const int used = count == 0 ? SSL_CTX_use_certificate(context, certificate.get())
                                : static_cast<int>(SSL_CTX_add1_chain_cert(context, certificate.get()));
    if (used != 1) throw TlsError("a certificate cannot be used: " + reason());
  }
  ERR_clear_error();
}

void use_key(SSL_CTX* context, std::string_view text) {
  const BioPtr bio = bio_of(text);
  const KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (!key) throw TlsError("the key cannot be read (PEM, without a passphrase): " + reason());
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    throw TlsError("the key cannot be used with the certificate: " + reason());
  }
}

// HTTP/2 before HTTP/1.1, whatever the client prefers. Who offers neither is told so.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered, unsigned int count,
                    void*) {
  unsigned char* chosen = nullptr;
  const auto* ours = reinterpret_cast<const unsigned char*>(kProtocols.data());
  if (SSL_select_next_proto(&chosen, size, ours, kProtocols.size(), offered, count) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

TlsIdentity::TlsIdentity(std::string_view certificates, std::string_view key) : context_(SSL_CTX_new(TLS_server_method())) {
  if (!context_) throw TlsError("TLS is not to be had: " + reason());
  std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>> guard(context_);
  SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
  SSL_CTX_set_security_level(context_, kSecurityLevel);
  SSL_CTX_set_cipher_list(context_, kCiphers);
  SSL_CTX_set_options(context_, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                    SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);  // tickets need no memory here
  SSL_CTX_set_num_tickets(context_, 1);
  SSL_CTX_set_alpn_select_cb(context_, choose_protocol, nullptr);
  use_certificates(context_, certificates);
  use_key(context_, key);
  if (SSL_CTX_check_private_key(context_) != 1) throw TlsError("the key is not the certificate's");
  (void)guard.release();
}

TlsIdentity::~TlsIdentity() { SSL_CTX_free(context_); }

}  // namespace tidemill::net
