// Which bytes of a JSON string need an escape: for json_*.cc only.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tidemill::base::json {

// What a byte becomes inside quotes: 0 itself, 'u' \u00xx, else a backslash and this.
inline constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (size_t i = 0; i < 0x20; ++i) escapes[i] = 'u';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}();

// Whether one of eight bytes needs an escape: below 0x20, a quote or a backslash. Bytes from 0x80 do not.
inline bool needs_escape(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighs = 0x8080808080808080;
  const auto has_zero = [](uint64_t x) { return (x - kOnes) & ~x; };
  const uint64_t below = (bytes - kOnes * 0x20) & ~bytes;
  return ((below | has_zero(bytes ^ kOnes * '"') | has_zero(bytes ^ kOnes * '\\')) & kHighs) != 0;
}

// Whether one of 64 bytes does.
inline bool needs_escape_64(const char* at) {
#if defined(__SSE2__)
  const __m128i control = _mm_set1_epi8(0x1f);
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  __m128i any = _mm_setzero_si128();
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + i);
    const __m128i is_control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes);
    const __m128i is_other = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
    any = _mm_or_si128(any, _mm_or_si128(is_control, is_other));
  }
  return _mm_movemask_epi8(any) != 0;
#else
  bool any = false;
  for (int i = 0; i < 64; i += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, at + i, sizeof(bytes));
    any |= needs_escape(bytes);
  }
  return any;
#endif
}

// The first byte from `at` that needs an escape, or `end`.
inline const char* plain_run(const char* at, const char* end) {
  for (; end - at >= 64; at += 64) {
    if (needs_escape_64(at)) break;
  }
  for (; end - at >= 8; at += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, at, sizeof(bytes));
    if (needs_escape(bytes)) break;
  }
  while (at != end && kEscapes[static_cast<uint8_t>(*at)] == 0) ++at;
  return at;
}

}  // namespace tidemill::base::json
