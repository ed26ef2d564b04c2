#include "base/crc_sums.h"

#include <cstring>

#include "base/crc_arithmetic.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tidemill::base {
namespace {

constexpr uint32_t kCrc32 = 0xedb88320;
constexpr uint32_t kCastagnoli = 0x82f63b78;
constexpr uint64_t kNvme = 0x9a6c9329ac4bc9b5;

constexpr auto kCastagnoliTables = crc::make_tables<uint32_t, kCastagnoli>();
constexpr auto kNvmeTables = crc::make_tables<uint64_t, kNvme>();

const uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) uint32_t extend_by_instruction(uint32_t crc, const uint8_t* at, size_t size) {
  uint64_t wide = crc;
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  auto narrow = static_cast<uint32_t>(wide);
  for (; size > 0; ++at, --size) narrow = _mm_crc32_u8(narrow, *at);
  return narrow;
}

constexpr size_t kBlock = 16;
constexpr size_t kFoldedAtOnce = 4 * kBlock;

// What moves the lower and the upper half of a block on by `bits`. The carry-less product of two reflected numbers comes
// out one place too high, which the exponents make good.
struct Shift {
  uint64_t low;
  uint64_t high;
};
constexpr Shift shift_by(int bits) {
  return {crc::power<uint64_t, kNvme>(bits + 63), crc::power<uint64_t, kNvme>(bits - 1)};
}
constexpr Shift kByFour = shift_by(8 * kFoldedAtOnce);
constexpr Shift kByOne = shift_by(8 * kBlock);

__attribute__((target("pclmul,sse4.1"))) inline __m128i load(const uint8_t* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(__m128i sum, __m128i shift, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(sum, shift, 0x00);
  const __m128i high = _mm_clmulepi64_si128(sum, shift, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// As crc32.cc does it, but for the last 16 bytes, which are left to the tables. `size` is a multiple of 16, at least 64.
__attribute__((target("pclmul,sse4.1"))) uint64_t extend_by_folding(uint64_t crc, const uint8_t* at, size_t size) {
  const __m128i by_four = _mm_set_epi64x(static_cast<int64_t>(kByFour.high), static_cast<int64_t>(kByFour.low));
  const __m128i by_one = _mm_set_epi64x(static_cast<int64_t>(kByOne.high), static_cast<int64_t>(kByOne.low));
  __m128i sums[4];
  for (size_t i = 0; i < 4; ++i) sums[i] = load(at + i * kBlock);
  sums[0] = _mm_xor_si128(sums[0], _mm_set_epi64x(0, static_cast<int64_t>(crc)));
  at += kFoldedAtOnce;
  size -= kFoldedAtOnce;
  for (; size >= kFoldedAtOnce; at += kFoldedAtOnce, size -= kFoldedAtOnce) {
    for (size_t i = 0; i < 4; ++i) sums[i] = fold(sums[i], by_four, load(at + i * kBlock));
  }
  __m128i sum = sums[0];
  for (size_t i = 1; i < 4; ++i) sum = fold(sum, by_one, sums[i]);
  for (; size >= kBlock; at += kBlock, size -= kBlock) sum = fold(sum, by_one, load(at));
  uint8_t last[kBlock];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(last), sum);
  return crc::extend(kNvmeTables, uint64_t{0}, last, kBlock);
}

bool has_instruction() {
  static const bool has = __builtin_cpu_supports("sse4.2");
  return has;
}

bool can_fold() {
  static const bool can = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return can;
}

#endif

}  // namespace

uint32_t crc32c(std::string_view bytes, uint32_t before) {
#if defined(__x86_64__)
  if (has_instruction()) return ~extend_by_instruction(~before, bytes_of(bytes), bytes.size());
#endif
  return ~crc::extend(kCastagnoliTables, ~before, bytes_of(bytes), bytes.size());
}

uint64_t crc64nvme(std::string_view bytes, uint64_t before) {
  uint64_t crc = ~before;
#if defined(__x86_64__)
  if (bytes.size() >= kFoldedAtOnce && can_fold()) {
    const size_t folded = bytes.size() / kBlock * kBlock;
    crc = extend_by_folding(crc, bytes_of(bytes), folded);
    bytes.remove_prefix(folded);
  }
#endif
  return ~crc::extend(kNvmeTables, crc, bytes_of(bytes), bytes.size());
}

uint32_t crc32_combine(uint32_t first, uint32_t second, uint64_t second_bytes) {
  return crc::combine<uint32_t, kCrc32>(first, second, second_bytes);
}

uint32_t crc32c_combine(uint32_t first, uint32_t second, uint64_t second_bytes) {
  return crc::combine<uint32_t, kCastagnoli>(first, second, second_bytes);
}

uint64_t crc64nvme_combine(uint64_t first, uint64_t second, uint64_t second_bytes) {
  return crc::combine<uint64_t, kNvme>(first, second, second_bytes);
}

}  // namespace tidemill::base
