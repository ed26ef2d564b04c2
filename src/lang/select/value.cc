#include "lang/select/value.h"

#include <charconv>
#include <chrono>
#include <cmath>

#include "base/text.h"

namespace tidemill::lang::select {
namespace {

std::string shown_number(double number) {
  const std::string text = json::write(json::Value(number));
  return text;
}

bool is_word(std::string_view text, std::string_view word) {
  return text.size() == word.size() &&
         std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return (a | 0x20) == b; });
}

// Digits of a timestamp: exactly `count`.
std::optional<int> digits(std::string_view& text, size_t count) {
  int number = 0;
  if (text.size() < count) return std::nullopt;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// "Z", "+01:00"; the minutes to take away.
std::optional<int> offset_of(std::string_view& text) {
  if (take(text, 'Z')) return 0;
  const int sign = text.starts_with('-') ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = digits(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = digits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes);
}

// Of a second; at most microseconds count.
std::optional<int64_t> fraction_of(std::string_view& text) {
  int64_t microseconds = 0;
  int count = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), ++count) {
    if (count < 6) microseconds = microseconds * 10 + (text[0] - '0');
  }
  for (int filled = count; filled < 6; ++filled) microseconds *= 10;
  return count == 0 ? std::nullopt : std::optional(microseconds);
}

size_t bytes_within(const json::Value& document) {
  size_t bytes = 0;
  if (document.is_string()) bytes = document.string().size();
  if (document.is_number()) bytes = document.number_text().size();
  if (document.is_array()) {
    for (const json::Value& element : document.array()) bytes += sizeof(element) + bytes_within(element);
  } else if (document.is_object()) {
    for (const json::Member& member : document.object())
      bytes += sizeof(member) + member.first.size() + bytes_within(member.second);
  }
  return bytes;
}

}  // namespace

Value value_of(const json::Value& document) {
  switch (document.kind()) {
    case json::Kind::null:
      return Null{};
    case json::Kind::boolean:
      return document.boolean();
    case json::Kind::string:
      return document.string();
    case json::Kind::number: {
      const std::string& text = document.number_text();
      const auto number = number_of_text(text);
      if (number && number->is_integer) return number->integer;
      return Real{document.to_double().value_or(0), text};
    }
    default:
      return document;
  }
}

bool is_nothing(const Value& value) {
  return std::holds_alternative<Missing>(value) || std::holds_alternative<Null>(value);
}

const std::string* text_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text;
  const auto* field = std::get_if<Field>(&value);
  return field ? &field->text : nullptr;
}

std::optional<Number> number_of_text(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.starts_with('+')) return std::nullopt;
  Number number;
  const char* end = text.data() + text.size();
  const auto integer = std::from_chars(text.data(), end, number.integer);
  if (integer.ec == std::errc() && integer.ptr == end) {
    number.real = static_cast<double>(number.integer);
    return number;
  }
  const auto real = std::from_chars(text.data(), end, number.real);
  if (real.ec != std::errc() || real.ptr != end || !std::isfinite(number.real)) return std::nullopt;
  number.is_integer = false;
  return number;
}

std::optional<Number> number_of(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value))
    return Number{.integer = *integer, .real = static_cast<double>(*integer)};
  if (const auto* real = std::get_if<Real>(&value)) return Number{.is_integer = false, .real = real->number};
  if (const auto* field = std::get_if<Field>(&value)) return number_of_text(field->text);
  return std::nullopt;
}

std::optional<bool> truth_of(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* field = std::get_if<Field>(&value)) {
    if (is_word(field->text, "true")) return true;
    if (is_word(field->text, "false")) return false;
  }
  return std::nullopt;
}

size_t bytes_of(const Value& value) {
  if (const std::string* text = text_of(value)) return text->size();
  if (const auto* real = std::get_if<Real>(&value)) return real->text.size();
  const auto* document = std::get_if<json::Value>(&value);
  return document ? bytes_within(*document) : 0;
}

std::string shown(const Value& value) {
  if (const std::string* text = text_of(value)) return *text;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<Real>(&value)) return real->text.empty() ? shown_number(real->number) : real->text;
  if (const auto* time = std::get_if<base::Time>(&value)) return shown(*time);
  if (const auto* document = std::get_if<json::Value>(&value)) return json::write(*document);
  return "";
}

void write_json(json::Writer& writer, const Value& value) {
  if (const std::string* text = text_of(value)) return writer.string(*text);
  if (std::holds_alternative<base::Time>(value)) return writer.string(shown(value));
  if (is_nothing(value)) return writer.null();
  writer.raw(shown(value));
}

std::optional<int> compare(const Value& a, const Value& b) {
  if (is_nothing(a) || is_nothing(b)) return std::nullopt;
  const std::string* text_a = text_of(a);
  const std::string* text_b = text_of(b);
  if (text_a && text_b) {
    const int order = text_a->compare(*text_b);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  const auto three_way = [](auto left, auto right) { return left < right ? -1 : right < left ? 1 : 0; };
  const auto number_a = number_of(a);
  const auto number_b = number_of(b);
  if (number_a && number_b) {
    if (number_a->is_integer && number_b->is_integer) return three_way(number_a->integer, number_b->integer);
    return three_way(number_a->real, number_b->real);
  }
  const auto truth_a = truth_of(a);
  const auto truth_b = truth_of(b);
  if (truth_a && truth_b) return three_way(static_cast<int>(*truth_a), static_cast<int>(*truth_b));
  const auto* time_a = std::get_if<base::Time>(&a);
  const auto* time_b = std::get_if<base::Time>(&b);
  if (time_a && time_b) return three_way(*time_a, *time_b);
  const auto* document_a = std::get_if<json::Value>(&a);
  const auto* document_b = std::get_if<json::Value>(&b);
  if (document_a && document_b && json::equal(*document_a, *document_b)) return 0;
  return std::nullopt;
}

std::optional<base::Time> parse_timestamp(std::string_view text) {
  using namespace std::chrono;
  const auto year = digits(text, 4);
  if (!year) return std::nullopt;
  int month = 1;
  int day = 1;
  int64_t microseconds = 0;
  if (take(text, '-')) {
    const auto found = digits(text, 2);
    if (!found) return std::nullopt;
    month = *found;
    if (take(text, '-')) {
      const auto found_day = digits(text, 2);
      if (!found_day) return std::nullopt;
      day = *found_day;
    }
  }
  (void)take(text, 'T');
  if (!text.empty()) {
    const auto hours = digits(text, 2);
    if (!hours || !take(text, ':')) return std::nullopt;
    const auto minutes = digits(text, 2);
    if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
    int64_t seconds = 0;
    if (take(text, ':')) {
      const auto found = digits(text, 2);
      if (!found || *found > 59) return std::nullopt;
      seconds = *found;
      if (take(text, '.')) {
        const auto fraction = fraction_of(text);
        if (!fraction) return std::nullopt;
        microseconds = *fraction;
      }
    }
    const auto offset = offset_of(text);
    if (!offset || !text.empty()) return std::nullopt;
    microseconds += ((int64_t{*hours} * 60 + *minutes - *offset) * 60 + seconds) * 1'000'000;
  }
  const year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return base::Time(duration_cast<base::Duration>(sys_days(date).time_since_epoch()) +
                    std::chrono::microseconds(microseconds));
}

std::string shown(base::Time time) {
  const std::string text = base::iso_milliseconds(time);  // "2026-03-14T00:00:00.000"
  const std::string_view fraction = std::string_view(text).substr(19, 4);
  return base::cat(std::string_view(text).substr(0, 19), fraction == ".000" ? std::string_view() : fraction, "Z");
}

}  // namespace tidemill::lang::select
