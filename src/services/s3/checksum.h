// The checksums of objects, and how those of parts make that of an object. S3 User Guide, "Checking object integrity".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "wire/checksum.h"

namespace tidemill::s3 {

using wire::Algorithm;
using wire::algorithm_of;
using wire::kAlgorithms;
using wire::make_md5;
using wire::make_sum;
using wire::Sum;

// What S3 computes of objects that come without a checksum.
inline constexpr Algorithm kAlgorithmDefault = Algorithm::crc64nvme;

enum class ChecksumType : uint8_t { full_object = 1, composite = 2 };
[[nodiscard]] std::string_view name_of(ChecksumType type);

// An object's or part's checksum, as it is kept.
struct Checksum {
  Algorithm algorithm = kAlgorithmDefault;
  ChecksumType type = ChecksumType::full_object;
  std::string bytes;
  int parts = 0;  // composite: of so many

  // As the API shows it: base64, and "-5" behind a composite one.
  [[nodiscard]] std::string text() const;
  bool operator==(const Checksum&) const = default;
};

struct PartSum {
  std::string bytes;
  uint64_t size = 0;
};

// The checksum of an object by those of its parts.
class PartSums {
 public:
  PartSums(Algorithm algorithm, ChecksumType type);
  void add(const PartSum& part);
  [[nodiscard]] Checksum finish();

 private:
  const Algorithm algorithm_;
  const ChecksumType type_;
  std::unique_ptr<Sum> composite_;
  uint64_t combined_ = 0;
  int parts_ = 0;
};

}  // namespace tidemill::s3
