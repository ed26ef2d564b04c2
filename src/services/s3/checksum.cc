#include "services/s3/checksum.h"

#include "base/base64.h"
#include "base/crc32.h"
#include "base/crc_sums.h"
#include "base/ordered.h"
#include "base/text.h"

namespace tidemill::s3 {
namespace {

uint64_t number_of(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  return bytes.size() == 4 ? reader.u32() : reader.u64();
}

}  // namespace

std::string_view name_of(ChecksumType type) { return type == ChecksumType::composite ? "COMPOSITE" : "FULL_OBJECT"; }

std::string Checksum::text() const {
  std::string result = base::base64_encode(bytes);
  if (type == ChecksumType::composite) result += base::cat("-", parts);
  return result;
}

PartSums::PartSums(Algorithm algorithm, ChecksumType type) : algorithm_(algorithm), type_(type) {
  if (type == ChecksumType::composite) composite_ = make_sum(algorithm);
}

void PartSums::add(const PartSum& part) {
  ++parts_;
  if (composite_) {
    composite_->add(part.bytes);
    return;
  }
  const uint64_t sum = number_of(part.bytes);
  switch (algorithm_) {
    case Algorithm::crc32:
      combined_ = base::crc32_combine(static_cast<uint32_t>(combined_), static_cast<uint32_t>(sum), part.size);
      break;
    case Algorithm::crc32c:
      combined_ = base::crc32c_combine(static_cast<uint32_t>(combined_), static_cast<uint32_t>(sum), part.size);
      break;
    default: combined_ = base::crc64nvme_combine(combined_, sum, part.size);
  }
}

Checksum PartSums::finish() {
  Checksum result{.algorithm = algorithm_, .type = type_};
  if (composite_) {
    result.bytes = composite_->finish();
    result.parts = parts_;
  } else if (size_of(algorithm_) == 4) {
    base::append_u32(result.bytes, static_cast<uint32_t>(combined_));
  } else {
    base::append_u64(result.bytes, combined_);
  }
  return result;
}

}  // namespace tidemill::s3
