#include "services/sns/signer.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <stdexcept>
#include <vector>

#include "base/base64.h"
#include "base/file.h"
#include "base/text.h"

namespace tidemill::sns {
namespace {

constexpr int kKeyBits = 2048;
constexpr long kDay = 24 * 60 * 60;
constexpr long kValidity = 20 * 365 * kDay;
constexpr std::string_view kFileName = "signing.pem";
constexpr std::string_view kCommonName = "sns.amazonaws.com";
constexpr size_t kFingerprintBytes = 16;

template <auto Free>
struct Freer {
  void operator()(auto* object) const { Free(object); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freer<X509_free>>;
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using DigestPtr = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX_free>>;

[[noreturn]] void fail(std::string_view what) { throw std::runtime_error(base::cat("SNS signatures: ", what)); }
void check(bool is_well, std::string_view what) {
  if (!is_well) fail(what);
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

CertificatePtr make_certificate(EVP_PKEY* key, base::Time now) {
  CertificatePtr certificate(X509_new());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  uint64_t serial = 0;
  check(certificate && RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1, "no random bytes");
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1);
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), seconds - kDay);
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), seconds + kValidity);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(kCommonName.data()),
                             static_cast<int>(kCommonName.size()), -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  check(X509_sign(certificate.get(), key, EVP_sha256()) > 0, "the certificate cannot be made");
  return certificate;
}

std::string make_file(base::Time now) {
  const KeyPtr key(EVP_RSA_gen(kKeyBits));
  check(key != nullptr, "the key cannot be made");
  const CertificatePtr certificate = make_certificate(key.get(), now);
  const BioPtr bio(BIO_new(BIO_s_mem()));
  check(PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1 &&
            PEM_write_bio_X509(bio.get(), certificate.get()) == 1,
        "the key cannot be written");
  return text_of(bio.get());
}

}  // namespace

struct SigningKey::Parts {
  KeyPtr key;
  std::string certificate;
  std::string path;
};

SigningKey::SigningKey(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SigningKey::~SigningKey() = default;
const std::string& SigningKey::certificate() const { return parts_->certificate; }
const std::string& SigningKey::certificate_path() const { return parts_->path; }

std::string SigningKey::sign(std::string_view text, int version) const {
  const DigestPtr context(EVP_MD_CTX_new());
  const EVP_MD* digest = version == 2 ? EVP_sha256() : EVP_sha1();
  check(context && EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, parts_->key.get()) == 1, "no signature");
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  size_t size = 0;
  check(EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1, "no signature");
  std::string signature(size, '\0');
  check(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size()) == 1,
        "no signature");
  signature.resize(size);
  return base::base64_encode(signature);
}

namespace {

SigningKeyPtr parse_file(const std::string& text) {
  const BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  auto parts = std::make_unique<SigningKey::Parts>();
  parts->key.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  const CertificatePtr certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  check(parts->key && certificate, "the file of the key is damaged; without it another one is made");
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  check(X509_digest(certificate.get(), EVP_sha256(), digest, &size) == 1, "no fingerprint");
  parts->path = kCertificatePathStart;
  for (size_t i = 0; i < kFingerprintBytes; ++i) parts->path += base::hex(digest[i], 2);
  parts->path += ".pem";
  const BioPtr out(BIO_new(BIO_s_mem()));
  check(PEM_write_bio_X509(out.get(), certificate.get()) == 1, "the certificate cannot be written");
  parts->certificate = text_of(out.get());
  return std::make_shared<const SigningKey>(std::move(parts));
}

}  // namespace

Signer::Signer(std::filesystem::path directory, base::Clock& clock, bool on_thread)
    : directory_(std::move(directory)), clock_(clock) {
  if (on_thread) thread_.emplace();
}

SigningKeyPtr Signer::load_or_make() {
  const std::lock_guard making(making_);
  {
    const std::lock_guard lock(mutex_);
    if (key_) return key_;
  }
  const std::filesystem::path path = directory_ / kFileName;
  if (!std::filesystem::exists(path)) {
    std::filesystem::create_directories(directory_);
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    base::sync_directory(directory_.parent_path());
    base::write_file(path, make_file(clock_.now()));
  }
  SigningKeyPtr key = parse_file(base::read_file(path));
  const std::lock_guard lock(mutex_);
  key_ = key;
  return key;
}

Task<SigningKeyPtr> Signer::key() {
  {
    const std::lock_guard lock(mutex_);
    if (key_) co_return key_;
  }
  if (!thread_) co_return load_or_make();
  const auto hold = clock_.activity().hold();
  co_return co_await thread_->run([this] { return load_or_make(); });
}

}  // namespace tidemill::sns
