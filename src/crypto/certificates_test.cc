#include "crypto/certificates.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>

namespace tidemill::crypto {
namespace {

using CertificatePtr = std::unique_ptr<X509, decltype([](X509* certificate) { X509_free(certificate); })>;

CertificatePtr read(const std::string& text) {
  BIO* bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  CertificatePtr result(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
  BIO_free(bio);
  return result;
}

// Whether who trusts the one authority takes the other's word for being this server.
bool is_trusted(const CertifiedKey& authority, const CertifiedKey& server, const char* host) {
  const CertificatePtr root = read(authority.certificate);
  const CertificatePtr leaf = read(server.certificate);
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, root.get());
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf.get(), nullptr);
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
  if (std::isdigit(static_cast<unsigned char>(host[0]))) X509_VERIFY_PARAM_set1_ip_asc(wanted, host);
  else X509_VERIFY_PARAM_set1_host(wanted, host, 0);
  const bool result = X509_verify_cert(context) == 1;
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return result;
}

TEST(Certificates, AnAuthorityVouchesForItsServersAlone) {
  const base::Time now = base::RealClock().now();
  const CertifiedKey authority = make_authority("Tidemill here", now);
  const CertifiedKey other = make_authority("Tidemill here", now);
  const CertifiedKey server = make_server_certificate(authority, {"localhost", "*.amazonaws.com", "127.0.0.1"}, now);
  EXPECT_TRUE(is_trusted(authority, server, "localhost"));
  EXPECT_TRUE(is_trusted(authority, server, "sqs.amazonaws.com"));
  EXPECT_TRUE(is_trusted(authority, server, "127.0.0.1"));
  EXPECT_FALSE(is_trusted(authority, server, "127.0.0.2"));
  EXPECT_FALSE(is_trusted(authority, server, "example.com"));
  EXPECT_FALSE(is_trusted(other, server, "localhost"));
}

TEST(Certificates, AServersVouchesForNobody) {
  const base::Time now = base::RealClock().now();
  const CertifiedKey authority = make_authority("Tidemill here", now);
  const CertifiedKey server = make_server_certificate(authority, {"localhost"}, now);
  EXPECT_THROW((void)make_server_certificate(server, {"localhost"}, now), std::runtime_error);
  EXPECT_THROW((void)make_server_certificate({"no", "PEM"}, {"localhost"}, now), std::runtime_error);
}

}  // namespace
}  // namespace tidemill::crypto
