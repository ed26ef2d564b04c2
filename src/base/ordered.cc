#include "base/ordered.h"

#include <cassert>

namespace tidemill::base {

namespace {

constexpr char kEscape = '\x00';
constexpr char kEscapedZero = '\xff';
constexpr char kTerminator = '\x01';  // below kEscapedZero, so that a string comes before its continuations
constexpr uint64_t kSignBit = uint64_t{1} << 63;

template <size_t kSize>
void append_big_endian(std::string& out, uint64_t value) {
  char bytes[kSize];
  for (size_t i = 0; i < kSize; ++i) bytes[i] = static_cast<char>(value >> (8 * (kSize - 1 - i)));
  out.append(bytes, kSize);
}

}  // namespace

void append_string(std::string& out, std::string_view value) {
  for (size_t zero; (zero = value.find(kEscape)) != std::string_view::npos;) {
    out.append(value.substr(0, zero + 1));
    out.push_back(kEscapedZero);
    value.remove_prefix(zero + 1);
  }
  out.append(value);
  out.push_back(kEscape);
  out.push_back(kTerminator);
}

void append_u8(std::string& out, uint8_t value) { append_big_endian<1>(out, value); }
void append_u16(std::string& out, uint16_t value) { append_big_endian<2>(out, value); }
void append_u32(std::string& out, uint32_t value) { append_big_endian<4>(out, value); }
void append_u64(std::string& out, uint64_t value) { append_big_endian<8>(out, value); }
void append_i64(std::string& out, int64_t value) { append_u64(out, static_cast<uint64_t>(value) ^ kSignBit); }

std::string prefix_end(std::string_view prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.remove_suffix(1);
  assert(!prefix.empty());
  std::string end(prefix);
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

std::string OrderedReader::string() {
  std::string value;
  for (;;) {
    const size_t zero = rest_.find(kEscape);
    if (zero == std::string_view::npos || zero + 1 >= rest_.size()) {
      fail();
      return {};
    }
    value.append(rest_.substr(0, zero));
    const char next = rest_[zero + 1];
    rest_.remove_prefix(zero + 2);
    if (next == kTerminator) return value;
    if (next != kEscapedZero) {
      fail();
      return {};
    }
    value.push_back(kEscape);
  }
}

int64_t OrderedReader::i64() {
  const uint64_t raw = number(8);
  return ok_ ? static_cast<int64_t>(raw ^ kSignBit) : 0;
}

std::string_view OrderedReader::fixed(size_t size) {
  if (!ok_ || rest_.size() < size) {
    fail();
    return {};
  }
  const std::string_view value = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return value;
}

std::string_view OrderedReader::rest() { return fixed(rest_.size()); }

uint64_t OrderedReader::number(size_t size) {
  uint64_t value = 0;
  for (const char byte : fixed(size)) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

void OrderedReader::fail() {
  ok_ = false;
  rest_ = {};
}

}  // namespace tidemill::base
