// Numbers as DynamoDB has them: up to 38 significant decimal digits and a magnitude of 1e-130 to 9.99…e125, or zero
// (developer guide, Service quotas, Number). Arithmetic is exact; what cannot be held exactly is an error, never a
// rounded result.
//
// A Decimal *is* its encoding: canonical (equal numbers have equal bytes), self-delimiting, and ordered (comparing
// bytes compares numbers), so the same bytes serve in stored items, in sets and in keys. docs/store-format.md relies
// on it:
//
//   number = sign * 0.d1d2d3… * 10^e, d1 != 0, trailing zeros dropped, -129 <= e <= 126
//   0x80                        zero
//   0x82 + (e + 60)             header of a positive number when -60 <= e <= 64 (0x82 … 0xfe)
//   0x81, e + 129               header when e < -60
//   0xff, e + 129               header when e > 64
//   then the digits in pairs, an odd last one followed by 0: 2 * pair + (1 if another pair follows, else 0)
//   a negative number is the complement of every byte of its positive
//
// "5" takes 2 bytes, a time in milliseconds 8, 38 digits 20 or 21.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill::base {

enum class DecimalError { not_numeric, overflow, underflow, too_precise };

// AWS's text for it; `text` is the number as the client wrote it.
[[nodiscard]] std::string decimal_error_message(DecimalError error, std::string_view text);

class Decimal {
 public:
  static constexpr int kDigitsMax = 38;
  static constexpr int kExponentMax = 125;  // of the first digit: 9.99…e125
  static constexpr int kExponentMin = -130;
  static constexpr size_t kEncodedSizeMax = 21;
  static constexpr size_t kTextSizeMax = 3 - kExponentMin + kDigitsMax;  // -0.000…

  // Zero.
  Decimal() noexcept : size_(1) { bytes_[0] = kZero; }
  explicit Decimal(int64_t value) noexcept;

  // Text such as "-12.5e3"; no spaces. Range errors are found before too many digits, as on AWS; the exponent of a
  // zero is checked, too: "0e126" overflows, "0.0e126" is 0. An exponent beyond 64 bits is not numeric.
  static std::expected<Decimal, DecimalError> parse(std::string_view text) noexcept;

  // The number that `bytes` begin with; nothing if they do not begin with an encoding. `bytes` then start behind it.
  static std::optional<Decimal> decode(std::string_view& bytes) noexcept;
  // Of bytes that encoded() gave.
  static Decimal from_encoded(std::string_view bytes) noexcept;

  // Lives as long as this object.
  [[nodiscard]] std::string_view encoded() const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()), size_};
  }

  // Plain decimal, never scientific: "-0.05", "1000".
  void append_to(std::string& out) const;
  // The same into an array of at least kTextSizeMax bytes; returns the end.
  char* write_to(char* out) const noexcept;
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] bool is_zero() const noexcept { return bytes_[0] == kZero; }
  [[nodiscard]] bool is_negative() const noexcept { return bytes_[0] < kZero; }
  // Significant digits, 0 for zero.
  [[nodiscard]] int digits() const noexcept;
  // Of these, how many stand before the decimal point.
  [[nodiscard]] int whole_digits() const noexcept;
  // The value if it is an integer within int64_t.
  [[nodiscard]] std::optional<int64_t> to_int64() const noexcept;
  // The integer part, toward negative infinity, limited to int64_t: for times such as a TTL attribute's.
  [[nodiscard]] int64_t floor_to_int64() const noexcept;

  [[nodiscard]] Decimal negated() const noexcept;
  // A sum that needs more than 38 digits is an overflow, as on AWS (1e50 + 1).
  [[nodiscard]] std::expected<Decimal, DecimalError> plus(const Decimal& other) const noexcept;
  [[nodiscard]] std::expected<Decimal, DecimalError> minus(const Decimal& other) const noexcept;

  friend bool operator==(const Decimal& a, const Decimal& b) noexcept { return a.encoded() == b.encoded(); }
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) noexcept {
    return a.encoded() <=> b.encoded();
  }

 private:
  static constexpr uint8_t kZero = 0x80;
  struct Digits;
  explicit Decimal(const Digits& digits) noexcept;
  [[nodiscard]] Digits unpack() const noexcept;

  std::array<uint8_t, kEncodedSizeMax> bytes_;
  uint8_t size_;
};

}  // namespace tidemill::base
