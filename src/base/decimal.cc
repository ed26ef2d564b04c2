#include "base/decimal.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

namespace tidemill::base {
namespace {

// Exponents as decimal.h defines them: sign * 0.d1d2… * 10^e, one more than the exponent of the first digit.
constexpr int kPointMax = Decimal::kExponentMax + 1;
constexpr int kPointMin = Decimal::kExponentMin + 1;
constexpr int kShortMin = -60;  // exponents that fit into the header's byte
constexpr int kShortMax = 64;
constexpr int kPairsMax = (Decimal::kDigitsMax + 1) / 2;

constexpr uint8_t kHeaderSmall = 0x81;
constexpr uint8_t kHeaderShort = 0x82;
constexpr uint8_t kHeaderLarge = 0xff;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

struct Decimal::Digits {
  std::array<uint8_t, kDigitsMax + 1> digits;  // one to spare, so that pairs can be read and written whole
  int count = 0;                               // 0: zero
  int point = 0;                               // e
  bool negative = false;
};

Decimal::Decimal(const Digits& number) noexcept : size_(1) {
  if (number.count == 0) {
    bytes_[0] = kZero;
    return;
  }
  uint8_t* at = bytes_.data();
  if (number.point < kShortMin || number.point > kShortMax) {
    *at++ = number.point < 0 ? kHeaderSmall : kHeaderLarge;
    *at++ = static_cast<uint8_t>(number.point - kPointMin);
  } else {
    *at++ = static_cast<uint8_t>(kHeaderShort + (number.point - kShortMin));
  }
  for (int i = 0; i < number.count; i += 2) {
    const int low = i + 1 < number.count ? number.digits[i + 1] : 0;
    *at++ = static_cast<uint8_t>((number.digits[i] * 10 + low) * 2 + 1);
  }
  at[-1] &= 0xfe;
  size_ = static_cast<uint8_t>(at - bytes_.data());
  if (number.negative) {
    for (uint8_t* byte = bytes_.data(); byte != at; ++byte) *byte = static_cast<uint8_t>(~*byte);
  }
}

Decimal::Decimal(int64_t value) noexcept : Decimal() {
  if (value == 0) return;
  Digits number;
  number.negative = value < 0;
  uint64_t rest = number.negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  uint8_t reversed[20];
  int count = 0;
  for (; rest != 0; rest /= 10) reversed[count++] = static_cast<uint8_t>(rest % 10);
  number.point = count;
  for (int i = 0; i < count; ++i) number.digits[i] = reversed[count - 1 - i];
  while (number.digits[count - 1] == 0) --count;
  number.count = count;
  *this = Decimal(number);
}

std::expected<Decimal, DecimalError> Decimal::parse(std::string_view text) noexcept {
  // Beyond any exponent that could make the number representable, whatever its digits.
  constexpr uint64_t kExponentLimit = uint64_t{1} << 40;

  const char* at = text.data();
  const char* const end = at + text.size();
  Digits number;
  if (at != end && (*at == '-' || *at == '+')) number.negative = *at++ == '-';

  int64_t before_point = 0;  // digits before the point, from the first that is not 0
  int64_t fraction = 0;      // digits behind the point
  int64_t position = 0;      // digits so far, from the first that is not 0
  int64_t leading = 0;       // zeros between the point and the first other digit
  bool any_digit = false;
  bool point_seen = false;
  bool too_precise = false;
  for (; at != end; ++at) {
    if (*at == '.' && !point_seen) {
      point_seen = true;
      before_point = position;
      continue;
    }
    if (!is_digit(*at)) break;
    any_digit = true;
    const auto digit = static_cast<uint8_t>(*at - '0');
    if (point_seen) ++fraction;
    if (position == 0 && digit == 0) {
      if (point_seen) ++leading;
      continue;
    }
    if (position < kDigitsMax) {
      number.digits[static_cast<size_t>(position)] = digit;
      if (digit != 0) number.count = static_cast<int>(position) + 1;
    } else if (digit != 0) {
      too_precise = true;
    }
    ++position;
  }
  if (!any_digit) return std::unexpected(DecimalError::not_numeric);
  if (!point_seen) before_point = position;

  int64_t exponent = 0;
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    bool negative = false;
    if (at != end && (*at == '-' || *at == '+')) negative = *at++ == '-';
    if (at == end) return std::unexpected(DecimalError::not_numeric);
    const uint64_t largest = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
    uint64_t magnitude = 0;
    for (; at != end && is_digit(*at); ++at) {
      const auto digit = static_cast<uint64_t>(*at - '0');
      if (magnitude > (largest - digit) / 10) return std::unexpected(DecimalError::not_numeric);
      magnitude = magnitude * 10 + digit;
    }
    exponent = static_cast<int64_t>(std::min(magnitude, kExponentLimit));
    if (negative) exponent = -exponent;
  }
  if (at != end) return std::unexpected(DecimalError::not_numeric);

  const bool zero = number.count == 0;
  const int64_t point = zero ? exponent - fraction + 1 : (before_point > 0 ? before_point : -leading) + exponent;
  if (point > kPointMax) return std::unexpected(DecimalError::overflow);
  if (point < kPointMin) return std::unexpected(DecimalError::underflow);
  if (too_precise) return std::unexpected(DecimalError::too_precise);
  number.point = static_cast<int>(point);
  return Decimal(number);
}

std::optional<Decimal> Decimal::decode(std::string_view& bytes) noexcept {
  if (bytes.empty()) return std::nullopt;
  const auto first = static_cast<uint8_t>(bytes[0]);
  const uint8_t mask = first < kZero ? 0xff : 0;
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(static_cast<uint8_t>(bytes[i]) ^ mask); };
  size_t size = 1;
  if (first != kZero) {
    const uint8_t header = byte(0);
    if (header == kZero) return std::nullopt;
    if (header == kHeaderSmall || header == kHeaderLarge) {
      if (bytes.size() < 2) return std::nullopt;
      const int point = byte(1) + kPointMin;
      if (header == kHeaderSmall ? point >= kShortMin : point <= kShortMax) return std::nullopt;
      size = 2;
    }
    const size_t pairs_begin = size;
    for (;; ++size) {
      if (size == bytes.size() || size - pairs_begin == kPairsMax) return std::nullopt;
      const uint8_t pair = byte(size);
      if (pair >= 200 || (size == pairs_begin && pair < 20)) return std::nullopt;
      if ((pair & 1) == 0) {
        if (pair == 0) return std::nullopt;
        ++size;
        break;
      }
    }
  }
  const Decimal result = from_encoded(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return result;
}

Decimal Decimal::from_encoded(std::string_view bytes) noexcept {
  assert(!bytes.empty() && bytes.size() <= kEncodedSizeMax);
  Decimal result;
  std::memcpy(result.bytes_.data(), bytes.data(), bytes.size());
  result.size_ = static_cast<uint8_t>(bytes.size());
  return result;
}

Decimal::Digits Decimal::unpack() const noexcept {
  Digits number;
  if (is_zero()) return number;
  number.negative = is_negative();
  const uint8_t mask = number.negative ? 0xff : 0;
  const uint8_t* at = bytes_.data();
  const uint8_t* const end = at + size_;
  const uint8_t header = *at++ ^ mask;
  if (header == kHeaderSmall || header == kHeaderLarge) {
    number.point = (*at++ ^ mask) + kPointMin;
  } else {
    number.point = header - kHeaderShort + kShortMin;
  }
  for (; at != end; ++at) {
    const int pair = (*at ^ mask) >> 1;
    number.digits[static_cast<size_t>(number.count++)] = static_cast<uint8_t>(pair / 10);
    number.digits[static_cast<size_t>(number.count++)] = static_cast<uint8_t>(pair % 10);
  }
  if (number.digits[static_cast<size_t>(number.count - 1)] == 0) --number.count;
  return number;
}

int Decimal::digits() const noexcept {
  if (is_zero()) return 0;
  const uint8_t mask = is_negative() ? 0xff : 0;
  const uint8_t header = bytes_[0] ^ mask;
  const int pairs = size_ - (header == kHeaderSmall || header == kHeaderLarge ? 2 : 1);
  const int last = ((bytes_[size_ - 1u] ^ mask) & 0xff) >> 1;
  return pairs * 2 - (last % 10 == 0 ? 1 : 0);
}

int Decimal::whole_digits() const noexcept {
  if (is_zero()) return 0;
  const uint8_t mask = is_negative() ? 0xff : 0;
  const uint8_t header = bytes_[0] ^ mask;
  const bool is_long = header == kHeaderSmall || header == kHeaderLarge;
  const int point = is_long ? static_cast<uint8_t>(bytes_[1] ^ mask) + kPointMin : header - kHeaderShort + kShortMin;
  return std::clamp(point, 0, digits());
}

char* Decimal::write_to(char* out) const noexcept {
  if (is_zero()) {
    *out++ = '0';
    return out;
  }
  const Digits number = unpack();
  const auto put = [&](int from, int to) {
    for (int i = from; i < to; ++i) *out++ = static_cast<char>('0' + number.digits[static_cast<size_t>(i)]);
  };
  if (number.negative) *out++ = '-';
  if (number.point <= 0) {
    *out++ = '0';
    *out++ = '.';
    out = std::fill_n(out, -number.point, '0');
    put(0, number.count);
  } else if (number.point >= number.count) {
    put(0, number.count);
    out = std::fill_n(out, number.point - number.count, '0');
  } else {
    put(0, number.point);
    *out++ = '.';
    put(number.point, number.count);
  }
  return out;
}

void Decimal::append_to(std::string& out) const {
  char text[kTextSizeMax];
  out.append(text, write_to(text));
}

std::string Decimal::to_string() const {
  std::string text;
  append_to(text);
  return text;
}

std::optional<int64_t> Decimal::to_int64() const noexcept {
  const Digits number = unpack();
  if (number.count == 0) return 0;
  constexpr int kInt64Digits = 19;
  if (number.point < number.count || number.point > kInt64Digits) return std::nullopt;
  uint64_t magnitude = 0;
  for (int i = 0; i < number.point; ++i) {
    magnitude = magnitude * 10 + (i < number.count ? number.digits[static_cast<size_t>(i)] : 0);
  }
  constexpr auto kLimit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (magnitude > kLimit + (number.negative ? 1 : 0)) return std::nullopt;
  return static_cast<int64_t>(number.negative ? 0 - magnitude : magnitude);
}

int64_t Decimal::floor_to_int64() const noexcept {
  Digits number = unpack();
  if (number.count == 0) return 0;
  if (number.point <= 0) return number.negative ? -1 : 0;
  const bool fraction = number.count > number.point;
  if (fraction) {
    number.count = number.point;
    while (number.count > 0 && number.digits[static_cast<size_t>(number.count - 1)] == 0) --number.count;
  }
  const std::optional<int64_t> whole = Decimal(number).to_int64();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (!whole) return number.negative ? kMin : kMax;
  return number.negative && fraction && *whole != kMin ? *whole - 1 : *whole;
}

Decimal Decimal::negated() const noexcept {
  Decimal result = *this;
  if (is_zero()) return result;
  for (size_t i = 0; i < size_; ++i) result.bytes_[i] = static_cast<uint8_t>(~bytes_[i]);
  return result;
}

std::expected<Decimal, DecimalError> Decimal::minus(const Decimal& other) const noexcept {
  return plus(other.negated());
}

std::expected<Decimal, DecimalError> Decimal::plus(const Decimal& other) const noexcept {
  if (is_zero()) return other;
  if (other.is_zero()) return *this;
  const Digits a = unpack();
  const Digits b = other.unpack();

  // Both as digits of one column range: [0] is the place for a carry, then from the higher number's first digit down
  // to the last digit of either.
  constexpr int kColumnsMax = kPointMax - kPointMin + kDigitsMax + 2;
  const int top = std::max(a.point, b.point);
  const int bottom = std::min(a.point - a.count, b.point - b.count);
  const int columns = top - bottom + 1;
  std::array<int8_t, kColumnsMax> sum{};
  const auto add = [&](const Digits& number, int sign) {
    int8_t* column = sum.data() + 1 + (top - number.point);
    for (int i = 0; i < number.count; ++i) column[i] = static_cast<int8_t>(column[i] + sign * number.digits[i]);
  };
  add(a, a.negative ? -1 : 1);
  add(b, b.negative ? -1 : 1);

  // Columns hold -18 … 18: carry, so that all but [0] are digits and [0] tells the sign.
  const auto carry_up = [&] {
    for (int i = columns - 1; i > 0; --i) {
      int value = sum[static_cast<size_t>(i)];
      int carry = 0;
      while (value > 9) value -= 10, ++carry;
      while (value < 0) value += 10, --carry;
      sum[static_cast<size_t>(i)] = static_cast<int8_t>(value);
      sum[static_cast<size_t>(i) - 1] = static_cast<int8_t>(sum[static_cast<size_t>(i) - 1] + carry);
    }
  };
  carry_up();
  Digits result;
  if (sum[0] < 0) {
    // The columns hold the ten's complement of the magnitude: negate them and carry again.
    for (int i = 0; i < columns; ++i) sum[static_cast<size_t>(i)] = static_cast<int8_t>(-sum[static_cast<size_t>(i)]);
    carry_up();
    result.negative = true;
  }

  int first = 0;
  while (first < columns && sum[static_cast<size_t>(first)] == 0) ++first;
  if (first == columns) return Decimal();
  int last = columns - 1;
  while (sum[static_cast<size_t>(last)] == 0) --last;
  result.count = last - first + 1;
  result.point = top + 1 - first;
  if (result.point > kPointMax || result.count > kDigitsMax) return std::unexpected(DecimalError::overflow);
  if (result.point < kPointMin) return std::unexpected(DecimalError::underflow);
  for (int i = 0; i < result.count; ++i) {
    result.digits[static_cast<size_t>(i)] = static_cast<uint8_t>(sum[static_cast<size_t>(first + i)]);
  }
  return Decimal(result);
}

std::string decimal_error_message(DecimalError error, std::string_view text) {
  switch (error) {
    case DecimalError::overflow:
      return "Number overflow. Attempting to store a number with magnitude larger than supported range";
    case DecimalError::underflow:
      return "Number underflow. Attempting to store a number with magnitude smaller than supported range";
    case DecimalError::too_precise:
      return "Attempting to store more than 38 significant digits in a Number";
    case DecimalError::not_numeric:
      break;
  }
  std::string message = "The parameter cannot be converted to a numeric value";
  if (!text.empty()) message.append(": ").append(text);
  return message;
}

}  // namespace tidemill::base
