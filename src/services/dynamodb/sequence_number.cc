#include "services/dynamodb/sequence_number.h"

#include <charconv>
#include <cstdio>

namespace tidemill::dynamodb {

namespace {

constexpr int kVersionDigits = 20;
constexpr int kIndexDigits = 10;
constexpr size_t kSize = 1 + kVersionDigits + kIndexDigits;
constexpr char kFirst = '1';

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

}  // namespace tidemill::dynamodb
