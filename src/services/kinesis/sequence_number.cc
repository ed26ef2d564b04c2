#include "services/kinesis/sequence_number.h"

#include <array>

namespace tidemill::kinesis {
namespace {

using Wide = unsigned __int128;

constexpr uint64_t kTenTo19 = 10'000'000'000'000'000'000U;
constexpr int kChunkDigits = 19;
constexpr size_t kDigits = 56;
constexpr uint64_t kMark = 2;  // the first and the last hexadecimal digit

// 192 bits, least significant first. 188 are used: 47 hexadecimal digits.
using Number = std::array<uint64_t, 3>;

// Divides in place; returns the remainder.
uint64_t divide(Number& number, uint64_t by) {
  Wide rest = 0;
  for (int i = 2; i >= 0; --i) {
    rest = rest << 64 | number[i];
    number[i] = static_cast<uint64_t>(rest / by);
    rest %= by;
  }
  return static_cast<uint64_t>(rest);
}

// number * factor + add, modulo 2^192.
void multiply_add(Number& number, uint64_t factor, uint64_t add) {
  Wide carry = add;
  for (uint64_t& limb : number) {
    carry += static_cast<Wide>(limb) * factor;
    limb = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
}

// From the most significant bits down: seconds 36, nibble 4, version 64, index 32, zeros 12, shard 32, mark 4.
Number pack(uint64_t seconds, uint64_t version, uint64_t index, uint64_t shard) {
  Number number;
  number[0] = shard << 4 | kMark | index << 48;
  number[1] = index >> 16 | version << 16;
  number[2] = version >> 48 | (shard & 15) << 16 | seconds << 20 | kMark << 56;
  return number;
}

}  // namespace

std::string sequence_number_text(const SequenceNumber& number) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(number.shard_created).time_since_epoch().count();
  Number rest = pack(static_cast<uint64_t>(seconds) & 0xf'ffff'ffff, number.position.version.value,
                     number.position.index, number.shard);
  std::string text(kDigits, '0');
  size_t at = kDigits;
  while (at > 0) {
    uint64_t chunk = divide(rest, kTenTo19);
    for (int digit = 0; digit < kChunkDigits && at > 0; ++digit, chunk /= 10) {
      text[--at] = static_cast<char>('0' + chunk % 10);
    }
  }
  return text;
}

std::optional<SequenceNumber> parse_sequence_number(std::string_view text) {
  if (text.size() != kDigits) return std::nullopt;
  Number number{};
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    multiply_add(number, 10, static_cast<uint64_t>(c - '0'));
  }
  SequenceNumber result;
  result.shard = static_cast<uint32_t>(number[0] >> 4);
  result.position.index = static_cast<uint32_t>(number[1] << 16 | number[0] >> 48);
  result.position.version.value = number[2] << 48 | number[1] >> 16;
  const uint64_t seconds = number[2] >> 20 & 0xf'ffff'ffff;
  result.shard_created = base::Time(std::chrono::seconds(seconds));
  // Whatever the number holds that is none of these would be lost.
  if (pack(seconds, result.position.version.value, result.position.index, result.shard) != number) return std::nullopt;
  return result;
}

}  // namespace tidemill::kinesis
