// The checksums that S3's clients send of bodies: the algorithms, and running sums. S3 User Guide, "Checking object
// integrity".
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>


namespace tidemill::wire {

enum class Algorithm : uint8_t { crc32 = 1, crc32c = 2, crc64nvme = 3, sha1 = 4, sha256 = 5 };
inline constexpr std::array kAlgorithms{Algorithm::crc32, Algorithm::crc32c, Algorithm::crc64nvme, Algorithm::sha1,
                                        Algorithm::sha256};

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

}  // namespace tidemill::wire
