// The cyclic checksums of S3's objects, beside crc32.h: CRC-32C (Castagnoli) and CRC-64/NVME, and how the checksum of a
// whole comes of those of its parts.
//
//   uint64_t sum = crc64nvme(first);
//   sum = crc64nvme(second, sum);      // the same as that of both in one
//   crc64nvme_combine(crc64nvme(first), crc64nvme(second), second.size());      // also the same
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::base {

// `before`: the checksum of what stands before these bytes.
[[nodiscard]] uint32_t crc32c(std::string_view bytes, uint32_t before = 0);
[[nodiscard]] uint64_t crc64nvme(std::string_view bytes, uint64_t before = 0);

[[nodiscard]] uint32_t crc32_combine(uint32_t first, uint32_t second, uint64_t second_bytes);
[[nodiscard]] uint32_t crc32c_combine(uint32_t first, uint32_t second, uint64_t second_bytes);
[[nodiscard]] uint64_t crc64nvme_combine(uint64_t first, uint64_t second, uint64_t second_bytes);

}  // namespace tidemill::base
