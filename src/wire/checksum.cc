#include "wire/checksum.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // crypto/digest.cc says why
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <stdexcept>

#include "base/crc32.h"
#include "base/crc_sums.h"
#include "base/ordered.h"
#include "base/text.h"

namespace tidemill::wire {
namespace {

struct Facts {
  Algorithm algorithm;
  std::string_view name;
  std::string_view header;
  size_t size;
};
constexpr std::array kFacts{Facts{Algorithm::crc32, "CRC32", "x-amz-checksum-crc32", 4},
                            Facts{Algorithm::crc32c, "CRC32C", "x-amz-checksum-crc32c", 4},
                            Facts{Algorithm::crc64nvme, "CRC64NVME", "x-amz-checksum-crc64nvme", 8},
                            Facts{Algorithm::sha1, "SHA1", "x-amz-checksum-sha1", 20},
                            Facts{Algorithm::sha256, "SHA256", "x-amz-checksum-sha256", 32}};

const Facts& facts_of(Algorithm algorithm) { return kFacts[static_cast<size_t>(algorithm) - 1]; }

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

// Each request that is signed has one of these: by OpenSSL's contexts, which look the algorithm up and allocate, a short body's
// took longer to begin than to add (crypto/digest.cc).
class Sha256Sum final : public Sum {
 public:
  Sha256Sum() { SHA256_Init(&state_); }
  void add(std::string_view bytes) override { SHA256_Update(&state_, bytes.data(), bytes.size()); }
  std::string finish() override {
    std::string digest(SHA256_DIGEST_LENGTH, '\0');
    SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &state_);
    return digest;
  }

 private:
  SHA256_CTX state_;
};

class DigestSum final : public Sum {
 public:
  explicit DigestSum(const EVP_MD* kind) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (EVP_DigestInit_ex(context_.get(), kind, nullptr) != 1) throw std::runtime_error("no digest");
  }
  void add(std::string_view bytes) override { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string finish() override {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    return {reinterpret_cast<const char*>(digest), size};
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

template <class Word, Word (*kExtend)(std::string_view, Word)>
class CyclicSum final : public Sum {
 public:
  void add(std::string_view bytes) override { sum_ = kExtend(bytes, sum_); }
  std::string finish() override {
    std::string bytes;
    if constexpr (sizeof(Word) == 4)
      base::append_u32(bytes, sum_);
    else
      base::append_u64(bytes, sum_);
    return bytes;
  }

 private:
  Word sum_ = 0;
};

}  // namespace

std::string_view name_of(Algorithm algorithm) { return facts_of(algorithm).name; }
std::string_view header_of(Algorithm algorithm) { return facts_of(algorithm).header; }
size_t size_of(Algorithm algorithm) { return facts_of(algorithm).size; }
bool is_cyclic(Algorithm algorithm) { return algorithm <= Algorithm::crc64nvme; }

std::optional<Algorithm> algorithm_of(std::string_view name) {
  for (const Facts& facts : kFacts) {
    if (equal_in_any_case(facts.name, name)) return facts.algorithm;
  }
  return std::nullopt;
}

std::optional<Algorithm> algorithm_of_header(std::string_view header) {
  for (const Facts& facts : kFacts) {
    if (equal_in_any_case(facts.header, header)) return facts.algorithm;
  }
  return std::nullopt;
}

std::unique_ptr<Sum> make_sum(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::crc32: return std::make_unique<CyclicSum<uint32_t, base::crc32>>();
    case Algorithm::crc32c: return std::make_unique<CyclicSum<uint32_t, base::crc32c>>();
    case Algorithm::crc64nvme: return std::make_unique<CyclicSum<uint64_t, base::crc64nvme>>();
    case Algorithm::sha1: return std::make_unique<DigestSum>(EVP_sha1());
    case Algorithm::sha256: return std::make_unique<Sha256Sum>();
  }
  throw std::logic_error("no such algorithm");
}

std::unique_ptr<Sum> make_md5() { return std::make_unique<DigestSum>(EVP_md5()); }

}  // namespace tidemill::wire
