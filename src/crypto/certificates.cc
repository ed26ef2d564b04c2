#include "crypto/certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

namespace tidemill::crypto {

namespace {

constexpr int64_t kDay = 24 * 60 * 60;  // seconds
constexpr int64_t kAuthorityDays = 10 * 365;
constexpr int64_t kServerDays = 365;

template <auto Free>
struct Freer {
  void operator()(auto* object) const { Free(object); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freer<X509_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;

void check(bool is_well, const char* what) {
  if (!is_well) throw std::runtime_error(std::string("certificates: ") + what);
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

CertifiedKey in_pem(X509* certificate, EVP_PKEY* key) {
  const BioPtr certificate_text(BIO_new(BIO_s_mem()));
  const BioPtr key_text(BIO_new(BIO_s_mem()));
  check(PEM_write_bio_X509(certificate_text.get(), certificate) == 1 &&
            PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
        "they cannot be written");
  return {text_of(certificate_text.get()), text_of(key_text.get())};
}

KeyPtr make_key() {
  KeyPtr key(EVP_EC_gen("P-256"));
  check(key != nullptr, "a key cannot be made");
  return key;
}

// All but who vouches for it.
CertificatePtr begin(std::string_view name, EVP_PKEY* key, int64_t days, base::Time now) {
  CertificatePtr made(X509_new());
  uint64_t serial = 0;
  check(made && RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1, "no random bytes");
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), serial >> 1);
  ASN1_TIME_set(X509_getm_notBefore(made.get()), seconds - kDay);
  ASN1_TIME_set(X509_getm_notAfter(made.get()), seconds + days * kDay);
  X509_set_pubkey(made.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.data()), static_cast<int>(name.size()), -1, 0);
  return made;
}

void add(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  check(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "an extension cannot be made");
}

bool is_address(const std::string& name) {
  return name.contains(':') || name.find_first_not_of("0123456789.") == std::string::npos;
}

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    text += (is_address(name) ? "IP:" : "DNS:") + name;
  }
  return text;
}

}  // namespace

CertifiedKey make_authority(std::string_view name, base::Time now) {
  const KeyPtr key = make_key();
  const CertificatePtr made = begin(name, key.get(), kAuthorityDays, now);
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  add(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add(made.get(), made.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  add(made.get(), made.get(), NID_subject_key_identifier, "hash");
  check(X509_sign(made.get(), key.get(), EVP_sha256()) > 0, "an authority cannot be signed");
  return in_pem(made.get(), key.get());
}

CertifiedKey make_server_certificate(const CertifiedKey& authority, std::vector<std::string> names, base::Time now) {
  const BioPtr certificate_text(BIO_new_mem_buf(authority.certificate.data(), static_cast<int>(authority.certificate.size())));
  const BioPtr key_text(BIO_new_mem_buf(authority.key.data(), static_cast<int>(authority.key.size())));
  const CertificatePtr issuer(PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
  const KeyPtr issuer_key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  check(issuer && issuer_key, "the authority's cannot be read");
  const KeyPtr key = make_key();
  const CertificatePtr made = begin(names.at(0), key.get(), kServerDays, now);
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get()));
  add(made.get(), issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  add(made.get(), issuer.get(), NID_key_usage, "critical,digitalSignature");
  add(made.get(), issuer.get(), NID_ext_key_usage, "serverAuth");
  add(made.get(), issuer.get(), NID_authority_key_identifier, "keyid");
  add(made.get(), issuer.get(), NID_subject_alt_name, alternatives(names));
  check(X509_sign(made.get(), issuer_key.get(), EVP_sha256()) > 0, "a certificate cannot be signed");
  return in_pem(made.get(), key.get());
}

}  // namespace tidemill::crypto
