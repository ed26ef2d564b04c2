#include "base/crc32.h"

#include <array>
#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tidemill::base {

namespace {

constexpr uint32_t kPolynomial = 0xedb88320;  // reflected: the lowest bit is the highest power

// tables[k][b]: what byte b adds to the checksum k bytes further on.
constexpr size_t kSlices = 8;
using Tables = std::array<std::array<uint32_t, 256>, kSlices>;
constexpr Tables kTables = [] {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? kPolynomial : 0);
    tables[0][byte] = value;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}();

// Both take and give the register as it stands between bytes, before the final inversion.
uint32_t extend_by_table(uint32_t crc, const uint8_t* at, size_t size) {
  for (; size >= kSlices; at += kSlices, size -= kSlices) {
    uint32_t next = 0;
    for (size_t i = 0; i < kSlices; ++i) {
      const auto mixed = static_cast<uint8_t>(at[i] ^ (i < 4 ? crc >> (8 * i) : 0));
      next ^= kTables[kSlices - 1 - i][mixed];
    }
    crc = next;
  }
  for (; size > 0; ++at, --size) crc = (crc >> 8) ^ kTables[0][(crc ^ *at) & 0xff];
  return crc;
}

#if defined(__x86_64__)

// x^n modulo the polynomial, reflected, and one place up: the shape in which a carry-less product of two reflected
// numbers comes out right.
constexpr uint64_t power(int n) {
  uint32_t value = 0x80000000;  // x^0
  for (int i = 0; i < n; ++i) value = (value >> 1) ^ (value & 1 ? kPolynomial : 0);
  return static_cast<uint64_t>(value) << 1;
}

// The quotient of x^64 by the polynomial, reflected: 33 bits.
constexpr uint64_t quotient() {
  uint64_t remainder = 1;  // of x^0, not reflected, below 2^33
  uint64_t result = 0;
  constexpr uint64_t kPlain = 0x104c11db7;
  for (int i = 0; i < 64; ++i) {
    remainder <<= 1;
    result <<= 1;
    if (remainder & (uint64_t{1} << 32)) {
      remainder ^= kPlain;
      result |= 1;
    }
  }
  uint64_t reflected = 0;
  for (int i = 0; i <= 32; ++i) reflected |= (result >> i & 1) << (32 - i);
  return reflected;
}

struct Constants {
  uint64_t low;
  uint64_t high;
};
constexpr Constants kByEight{power(8 * 128 + 32), power(8 * 128 - 32)};
constexpr Constants kByFour{power(4 * 128 + 32), power(4 * 128 - 32)};
constexpr Constants kByOne{power(128 + 32), power(128 - 32)};
constexpr Constants kLast{power(64), 0};
constexpr Constants kBarrett{(uint64_t{kPolynomial} << 1) | 1, quotient()};

constexpr size_t kBlock = 16;
constexpr size_t kFoldedAtOnce = 4 * kBlock;
constexpr size_t kFoldedWide = 8 * kBlock;

__attribute__((target("pclmul,sse4.1"))) inline __m128i load(const uint8_t* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

inline __m128i load(const Constants& constants) {
  return _mm_set_epi64x(static_cast<int64_t>(constants.high), static_cast<int64_t>(constants.low));
}

// `sum` moved on by as many bits as the constants say, with the next bytes added.
__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(__m128i sum, __m128i constants, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(sum, constants, 0x00);
  const __m128i high = _mm_clmulepi64_si128(sum, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// Folds 16 bytes onto the 16 behind them until 16 are left, and reduces those (V. Gopal and others, "Fast CRC Computation
// for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009). `size` is a multiple of 16.
__attribute__((target("pclmul,sse4.1"))) inline uint32_t finish(__m128i sum, const uint8_t* at, size_t size) {
  const __m128i by_one = load(kByOne);
  for (; size >= kBlock; at += kBlock, size -= kBlock) sum = fold(sum, by_one, load(at));

  // 128 bits to 96, to 64, and the remainder of those by its quotient (Barrett).
  const __m128i low_word = _mm_setr_epi32(-1, 0, -1, 0);
  sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, by_one, 0x10));
  sum = _mm_xor_si128(_mm_srli_si128(sum, 4), _mm_clmulepi64_si128(_mm_and_si128(sum, low_word), load(kLast), 0x00));
  const __m128i barrett = load(kBarrett);
  const __m128i times = _mm_clmulepi64_si128(_mm_and_si128(sum, low_word), barrett, 0x10);
  const __m128i multiple = _mm_clmulepi64_si128(_mm_and_si128(times, low_word), barrett, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(sum, multiple), 1));
}

// Four blocks at a time. `size` is a multiple of 16, at least 64.
__attribute__((target("pclmul,sse4.1"))) uint32_t extend_by_folding(uint32_t crc, const uint8_t* at, size_t size) {
  const __m128i by_four = load(kByFour);
  const __m128i by_one = load(kByOne);
  __m128i sums[4];
  for (size_t i = 0; i < 4; ++i) sums[i] = load(at + i * kBlock);
  sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  at += kFoldedAtOnce;
  size -= kFoldedAtOnce;
  for (; size >= kFoldedAtOnce; at += kFoldedAtOnce, size -= kFoldedAtOnce) {
    for (size_t i = 0; i < 4; ++i) sums[i] = fold(sums[i], by_four, load(at + i * kBlock));
  }
  __m128i sum = sums[0];
  for (size_t i = 1; i < 4; ++i) sum = fold(sum, by_one, sums[i]);
  return finish(sum, at, size);
}

// Eight, two in each register: twice as fast where the processor has this (since 2019). `size` is at least 128.
__attribute__((target("vpclmulqdq,avx2,pclmul,sse4.1"))) uint32_t extend_by_wide_folding(uint32_t crc, const uint8_t* at,
                                                                                         size_t size) {
  const __m256i by_eight = _mm256_broadcastsi128_si256(load(kByEight));
  const __m128i by_one = load(kByOne);
  __m256i sums[4];
  for (size_t i = 0; i < 4; ++i) sums[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at) + i);
  sums[0] = _mm256_xor_si256(sums[0], _mm256_zextsi128_si256(_mm_cvtsi32_si128(static_cast<int>(crc))));
  at += kFoldedWide;
  size -= kFoldedWide;
  for (; size >= kFoldedWide; at += kFoldedWide, size -= kFoldedWide) {
    for (size_t i = 0; i < 4; ++i) {
      const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at) + i);
      const __m256i low = _mm256_clmulepi64_epi128(sums[i], by_eight, 0x00);
      const __m256i high = _mm256_clmulepi64_epi128(sums[i], by_eight, 0x11);
      sums[i] = _mm256_xor_si256(_mm256_xor_si256(low, high), next);
    }
  }
  __m128i sum = _mm256_castsi256_si128(sums[0]);
  for (size_t i = 0; i < 4; ++i) {
    if (i > 0) sum = fold(sum, by_one, _mm256_castsi256_si128(sums[i]));
    sum = fold(sum, by_one, _mm256_extracti128_si256(sums[i], 1));
  }
  return finish(sum, at, size);
}

bool can_fold() {
  static const bool can = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return can;
}

bool can_fold_wide() {
  static const bool can = can_fold() && __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx2");
  return can;
}

#endif

}  // namespace

uint32_t crc32(std::string_view bytes, uint32_t before) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t size = bytes.size();
  uint32_t crc = ~before;
#if defined(__x86_64__)
  if (size >= kFoldedAtOnce && can_fold()) {
    const size_t folded = size / kBlock * kBlock;
    crc = folded >= kFoldedWide && can_fold_wide() ? extend_by_wide_folding(crc, at, folded)
                                                   : extend_by_folding(crc, at, folded);
    at += folded;
    size -= folded;
  }
#endif
  return ~extend_by_table(crc, at, size);
}

}  // namespace tidemill::base
