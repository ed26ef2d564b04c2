#include "engine/workers/java_trust_store.h"

#include <algorithm>
#include <vector>

#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"
#include "crypto/digest.h"

namespace tidemill::engine {
namespace {

constexpr uint32_t kMagic = 0xFEEDFEED;
constexpr uint32_t kVersion = 2;
constexpr uint32_t kTrustedCertificate = 2;
constexpr std::string_view kCertificateType = "X.509";
// What the digest at the end is made of, between the password (none) and the content.
constexpr std::string_view kWhitener = "Mighty Aphrodite";

void append_text(std::string& out, std::string_view text) {
  out.push_back(static_cast<char>(text.size() >> 8));
  out.push_back(static_cast<char>(text.size() & 0xFF));
  out.append(text);
}

std::vector<std::string> certificates_in(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
  std::vector<std::string> found;
  for (;;) {
    const size_t begin = pem.find(kBegin);
    if (begin == std::string_view::npos) return found;
    pem.remove_prefix(begin + kBegin.size());
    const size_t end = pem.find(kEnd);
    if (end == std::string_view::npos) return found;
    std::string text(pem.substr(0, end));
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
    if (auto bytes = base::base64_decode(text)) found.push_back(*std::move(bytes));
  }
}

}  // namespace

std::string java_trust_store(std::string_view pem) {
  const std::vector<std::string> certificates = certificates_in(pem);
  std::string out;
  base::append_u32(out, kMagic);
  base::append_u32(out, kVersion);
  base::append_u32(out, static_cast<uint32_t>(certificates.size()));
  for (size_t i = 0; i < certificates.size(); ++i) {
    base::append_u32(out, kTrustedCertificate);
    append_text(out, base::cat("authority-", i));
    base::append_u64(out, 0);  // when it came, which nobody asks
    append_text(out, kCertificateType);
    base::append_u32(out, static_cast<uint32_t>(certificates[i].size()));
    out.append(certificates[i]);
  }
  return out + crypto::sha1(base::cat(kWhitener, out));
}

}  // namespace tidemill::engine
