#include "services/dynamodb/sequence_number.h"

#include <charconv>
#include <cstdio>
#include <limits>

namespace tidemill::dynamodb {

namespace {

constexpr int kVersionDigits = 20;
constexpr int kIndexDigits = 10;
constexpr size_t kSize = 1 + kVersionDigits + kIndexDigits;
constexpr char kFirst = '1';
constexpr uint32_t kIndexMax = std::numeric_limits<uint32_t>::max();

template <class Number>
bool parse_digits(std::string_view digits, Number& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size();
}

}  // namespace

std::string sequence_number(store::Position position) {
  char text[kSize + 1];
  std::snprintf(text, sizeof(text), "%c%020llu%010u", kFirst,
                static_cast<unsigned long long>(position.version.value), position.index);
  return {text, kSize};
}

std::optional<store::Position> position_from_sequence(std::string_view sequence) {
  if (sequence.size() != kSize || sequence.front() != kFirst) return std::nullopt;
  store::Position position;
  if (!parse_digits(sequence.substr(1, kVersionDigits), position.version.value) ||
      !parse_digits(sequence.substr(1 + kVersionDigits), position.index)) {
    return std::nullopt;
  }
  return position;
}

store::Position before(store::Position position) {
  if (position.index > 0) return {position.version, position.index - 1};
  if (position.version.value > 0) return {{position.version.value - 1}, kIndexMax};
  return store::Position::before_all();
}

store::Position before_time(base::Time time) {
  if (time <= base::Time{}) return store::Position::before_all();
  return before({store::Version::at(time), 0});
}

store::Position after_version(store::Version version) { return {version, kIndexMax}; }

}  // namespace tidemill::dynamodb
