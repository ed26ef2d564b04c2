// The arithmetic of reflected cyclic checksums that begin and end inverted, in one place for all widths: polynomials over
// two elements, whose highest power is the lowest bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemill::base::crc {

// tables[k][b]: what byte b adds to the checksum k bytes further on.
template <class Word, size_t kSlices>
using Tables = std::array<std::array<Word, 256>, kSlices>;

template <class Word, Word kPolynomial, size_t kSlices = 8>
constexpr Tables<Word, kSlices> make_tables() {
  Tables<Word, kSlices> tables{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    Word value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? kPolynomial : 0);
    tables[0][byte] = value;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const Word before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

// The register after these bytes; before and after are not inverted.
template <class Word>
constexpr Word extend(const Tables<Word, 8>& tables, Word crc, const uint8_t* at, size_t size) {
  for (; size >= 8; at += 8, size -= 8) {
    Word next = 0;
    for (size_t i = 0; i < 8; ++i) {
      const auto mixed = static_cast<uint8_t>(at[i] ^ (i < sizeof(Word) ? crc >> (8 * i) : 0));
      next ^= tables[7 - i][mixed];
    }
    crc = next;
  }
  for (; size > 0; ++at, --size) crc = (crc >> 8) ^ tables[0][(crc ^ *at) & 0xff];
  return crc;
}

// The product modulo the polynomial.
template <class Word, Word kPolynomial>
constexpr Word multiply(Word a, Word b) {
  Word product = 0;
  for (Word bit = Word{1} << (8 * sizeof(Word) - 1); bit != 0; bit >>= 1) {
    if (a & bit) product ^= b;
    b = (b >> 1) ^ (b & 1 ? kPolynomial : 0);
  }
  return product;
}

// x^exponent modulo the polynomial.
template <class Word, Word kPolynomial>
constexpr Word power(uint64_t exponent) {
  Word result = Word{1} << (8 * sizeof(Word) - 1);  // x^0
  Word square = result >> 1;                        // x^1
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = multiply<Word, kPolynomial>(result, square);
    square = multiply<Word, kPolynomial>(square, square);
  }
  return result;
}

// The checksum of two texts, one after the other, by the checksums of both and the second's length in bytes.
template <class Word, Word kPolynomial>
constexpr Word combine(Word first, Word second, uint64_t second_bytes) {
  // The inversions of the second's beginning and of the first's end cancel each other.
  return multiply<Word, kPolynomial>(power<Word, kPolynomial>(second_bytes * 8), first) ^ second;
}

}  // namespace tidemill::base::crc
