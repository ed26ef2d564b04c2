#include "services/kms/ciphertext.h"

#include <algorithm>
#include <stdexcept>

#include "base/hex.h"
#include "base/ordered.h"
#include "base/text.h"
#include "crypto/sealing.h"
#include "wire/shapes/kms.h"

namespace tidemill::kms {
namespace {

using base::cat;

constexpr char kFormat = 1;
constexpr size_t kKeyIdBytes = 16;
constexpr size_t kMaterialIdBytes = 32;
constexpr size_t kHeaderSize = 1 + kKeyIdBytes + kMaterialIdBytes;

std::string bytes_of_uuid(std::string_view uuid) {
  std::string digits(uuid);
  std::erase(digits, '-');
  auto bytes = base::bytes_of_hex(digits);
  if (!bytes || bytes->size() != kKeyIdBytes) throw std::logic_error("a key's id is no UUID");
  return *std::move(bytes);
}

std::string uuid_of(std::string_view bytes) {
  std::string uuid = base::hex_of(bytes);
  for (const size_t at : {8, 13, 18, 23}) uuid.insert(at, 1, '-');
  return uuid;
}

// The header, and the context in the order of its keys.
std::string sealing_context(std::string_view header, const EncryptionContext& context) {
  std::string result(header);
  if (!context) return result;
  for (const auto& [key, value] : *context) {
    base::append_string(result, key);
    base::append_string(result, value);
  }
  return result;
}

}  // namespace

void check_context(const EncryptionContext& context) {
  size_t size = 0;
  if (context) {
    for (const auto& [key, value] : *context) size += key.size() + value.size();
  }
  if (size > kEncryptionContextSizeMax) {
    throw wire::kms::errors::validation_exception(
        cat("The encryption context is larger than ", kEncryptionContextSizeMax, " bytes."));
  }
}

std::string make_ciphertext(const CiphertextHeader& header, const crypto::Secret& material, std::string_view plain,
                            const EncryptionContext& context) {
  std::string bytes(1, kFormat);
  bytes += bytes_of_uuid(header.key_id);
  bytes += base::bytes_of_hex(header.material_id).value();
  return bytes + crypto::seal(material, plain, sealing_context(bytes, context));
}

std::optional<CiphertextHeader> header_of(std::string_view ciphertext) {
  if (ciphertext.size() < kHeaderSize + crypto::kSealedExtra || ciphertext.front() != kFormat) return std::nullopt;
  return CiphertextHeader{uuid_of(ciphertext.substr(1, kKeyIdBytes)),
                          base::hex_of(ciphertext.substr(1 + kKeyIdBytes, kMaterialIdBytes))};
}

std::optional<crypto::Secret> open_ciphertext(std::string_view ciphertext, const crypto::Secret& material,
                                              const EncryptionContext& context) {
  const std::string_view header = ciphertext.substr(0, kHeaderSize);
  return crypto::open_sealed(material, ciphertext.substr(kHeaderSize), sealing_context(header, context));
}

}  // namespace tidemill::kms
