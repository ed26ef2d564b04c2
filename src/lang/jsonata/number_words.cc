#include "lang/jsonata/number_words.h"

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr std::array<std::string_view, 20> kFew = {
    "zero", "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
    "ten",  "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 20> kFewOrdinal = {
    "zeroth",     "first",     "second",    "third",       "fourth",     "fifth",     "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",   "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};
constexpr std::array<std::string_view, 8> kTens = {"twenty", "thirty",  "forty",  "fifty",
                                                   "sixty",  "seventy", "eighty", "ninety"};
constexpr std::array<std::string_view, 4> kThousands = {"thousand", "million", "billion", "trillion"};

class Speaker {
 public:
  explicit Speaker(bool ordinal) : ordinal_(ordinal) {}

  // `follows`: something larger stands before it.
  std::string say(double number, bool follows, bool is_last) const {
    const bool ordinal = ordinal_ && is_last;
    if (number < 20) return (follows ? " and " : "") + few(number, ordinal);
    if (number < 100) return (follows ? " and " : "") + tens(number, ordinal);
    const std::string comma = follows ? ", " : "";
    if (number < 1000) return comma + large(number, 100, "hundred", ordinal);
    size_t magnitude = 0;
    double factor = 1000;
    while (magnitude + 1 < kThousands.size() && number >= factor * 1000) ++magnitude, factor *= 1000;
    return comma + large(number, factor, kThousands[magnitude], ordinal);
  }

 private:
  static std::string few(double number, bool ordinal) {
    return std::string((ordinal ? kFewOrdinal : kFew)[static_cast<size_t>(number)]);
  }
  static std::string tens(double number, bool ordinal) {
    std::string word(kTens[static_cast<size_t>(number / 10) - 2]);
    const double rest = std::fmod(number, 10);
    if (rest > 0) return word + "-" + few(rest, ordinal);
    if (!ordinal) return word;
    word.pop_back();
    return word + "ieth";
  }
  std::string large(double number, double factor, std::string_view name, bool ordinal) const {
    const double rest = std::fmod(number, factor);
    std::string words = say(std::floor(number / factor), false, false) + " " + std::string(name);
    if (rest > 0) return words + say(rest, true, ordinal);
    return ordinal ? words + "th" : words;
  }

  bool ordinal_;
};

const std::map<std::string, double, std::less<>>& values() {
  static const auto* const kValues = [] {
    auto* const all = new std::map<std::string, double, std::less<>>;
    for (size_t i = 0; i < kFew.size(); ++i) (*all)[std::string(kFew[i])] = static_cast<double>(i);
    for (size_t i = 0; i < kFewOrdinal.size(); ++i) (*all)[std::string(kFewOrdinal[i])] = static_cast<double>(i);
    for (size_t i = 0; i < kTens.size(); ++i) {
      const std::string word(kTens[i]);
      (*all)[word] = (*all)[word.substr(0, word.size() - 1) + "ieth"] = static_cast<double>(i + 2) * 10;
    }
    (*all)["hundred"] = (*all)["hundredth"] = 100;
    double factor = 1000;
    for (const std::string_view name : kThousands) {
      (*all)[std::string(name)] = (*all)[std::string(name) + "th"] = factor;
      factor *= 1000;
    }
    return all;
  }();
  return *kValues;
}

}  // namespace

std::string number_words(double number, bool ordinal) { return Speaker(ordinal).say(number, false, true); }

std::optional<double> parse_number_words(std::string_view text) {
  const std::string small = to_lower(text);
  std::vector<double> parts = {0};  // what thousands have closed, and what is being counted
  for (size_t at = 0; at < small.size();) {
    const size_t begin = small.find_first_not_of(" ,-", at);
    if (begin == std::string::npos) break;
    const size_t end = std::min(small.find_first_of(" ,-", begin), small.size());
    at = end;
    const std::string_view word = std::string_view(small).substr(begin, end - begin);
    if (word == "and") continue;
    const auto value = values().find(word);
    if (value == values().end()) return std::nullopt;
    if (value->second >= 100) {
      parts.back() *= value->second;
      continue;
    }
    if (parts.back() >= 1000) parts.push_back(0);
    parts.back() += value->second;
  }
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

std::string number_words_pattern() {
  std::string pattern = "(?:";
  for (const auto& [word, value] : values()) pattern += word + "|";
  return pattern + "and|[-, ])+";
}

}  // namespace tidemill::lang::jsonata
