// The checksums of objects: the algorithms, running sums, and how those of parts make that of an object. S3 User Guide,
// "Checking object integrity".
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill::s3 {

enum class Algorithm : uint8_t { crc32 = 1, crc32c = 2, crc64nvme = 3, sha1 = 4, sha256 = 5 };
inline constexpr std::array kAlgorithms{Algorithm::crc32, Algorithm::crc32c, Algorithm::crc64nvme, Algorithm::sha1,
                                        Algorithm::sha256};
// What S3 computes of objects that come without a checksum.
inline constexpr Algorithm kAlgorithmDefault = Algorithm::crc64nvme;

[[nodiscard]] std::string_view name_of(Algorithm algorithm);           // "CRC64NVME"
[[nodiscard]] std::string_view header_of(Algorithm algorithm);         // "x-amz-checksum-crc64nvme"
[[nodiscard]] size_t size_of(Algorithm algorithm);                     // bytes
[[nodiscard]] bool is_cyclic(Algorithm algorithm);                     // one whose parts combine
// As requests name it, in any case. Nothing: not one of ours.
[[nodiscard]] std::optional<Algorithm> algorithm_of(std::string_view name);
[[nodiscard]] std::optional<Algorithm> algorithm_of_header(std::string_view header);

// A running sum.
class Sum {
 public:
  virtual ~Sum() = default;
  virtual void add(std::string_view bytes) = 0;
  // The sum's bytes, big endian. Once.
  virtual std::string finish() = 0;
};
[[nodiscard]] std::unique_ptr<Sum> make_sum(Algorithm algorithm);
[[nodiscard]] std::unique_ptr<Sum> make_md5();

[[nodiscard]] std::string hex_of(std::string_view bytes);

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
