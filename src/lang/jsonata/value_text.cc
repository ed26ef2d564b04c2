// Values as text: numbers as ECMAScript has them, documents as JSON.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "base/utf8.h"
#include "lang/jsonata/error.h"
#include "lang/jsonata/value.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr size_t kExcerptMax = 256;  // bytes of a value in a message

// The digits of a finite number above 0, and where the point stands: 0.DIGITS * 10^point.
struct Digits {
  std::string digits;
  int point = 0;
};

Digits digits_of(double number) {
  char buffer[40];
  const char* const end = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific).ptr;
  const std::string text(buffer, static_cast<size_t>(end - buffer));
  const size_t e = text.find('e');
  Digits out;
  for (const char c : text.substr(0, e)) {
    if (c != '.') out.digits.push_back(c);
  }
  out.point = std::atoi(text.c_str() + e + 1) + 1;
  return out;
}

}  // namespace

// ECMA-262, Number::toString.
std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (number == 0) return "0";
  if (number < 0) return "-" + number_text(-number);
  if (std::isinf(number)) return "Infinity";
  const auto [digits, point] = digits_of(number);
  const int count = static_cast<int>(digits.size());
  if (count <= point && point <= 21) return digits + std::string(static_cast<size_t>(point - count), '0');
  if (0 < point && point <= 21) return digits.substr(0, point) + "." + digits.substr(point);
  if (-6 < point && point <= 0) return "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  const std::string exponent = base::cat("e", point > 0 ? '+' : '-', std::abs(point - 1));
  return digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") + exponent;
}

double to_15_digits(double number) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.14e", number);
  return std::strtod(buffer, nullptr);
}

namespace {

constexpr size_t kTextMax = size_t{64} << 20;  // of one text that is made of a value

class TextWriter {
 public:
  // Beyond `cut_at` bytes no more is written.
  explicit TextWriter(Meter& meter, bool indented = false, size_t cut_at = SIZE_MAX)
      : meter_(meter), indented_(indented), cut_at_(cut_at) {}

  void write(Value value) {
    meter_.walk();
    switch (value.kind) {
      case Kind::boolean:
        out_ += value.boolean ? "true" : "false";
        break;
      case Kind::number:
        write_number(value.number);
        break;
      case Kind::string:
        write_string(value.string());
        break;
      case Kind::array:
        write_array(*value.array);
        break;
      case Kind::object:
        write_object(*value.object);
        break;
      case Kind::function:
        out_ += "\"\"";
        break;
      default:
        out_ += "null";
    }
    if (out_.size() > kTextMax) throw JsonataError("U1001");
  }
  std::string out() && { return std::move(out_); }

 private:
  void write_number(double number) { out_ += std::isfinite(number) ? number_text(to_15_digits(number)) : "null"; }
  void write_string(std::string_view text) {
    text = text.substr(0, cut_at_);
    meter_.read(text.size());
    json::append_string(out_, text);
  }
  void write_array(Array& array) {
    begin('[');
    for (const Value item : array.items()) {
      if (out_.size() > cut_at_) break;
      next();
      write(item);
    }
    end(']');
  }
  void write_object(Object& object) {
    begin('{');
    for (const auto& [name, value] : object.members()) {
      if (out_.size() > cut_at_) break;
      if (!value.defined()) continue;
      next();
      write_string(name);
      out_ += indented_ ? ": " : ":";
      write(value);
    }
    end('}');
  }
  void begin(char bracket) {
    out_.push_back(bracket);
    check_nesting(static_cast<int>(++level_));
    is_first_ = true;
  }
  void next() {
    if (!is_first_) out_.push_back(',');
    is_first_ = false;
    new_line();
  }
  void end(char bracket) {
    --level_;
    if (!is_first_) new_line();
    out_.push_back(bracket);
    is_first_ = false;
  }
  void new_line() {
    if (indented_) out_.append("\n").append(level_ * 2, ' ');
  }

  Meter& meter_;
  bool indented_;
  size_t cut_at_;
  bool is_first_ = true;
  size_t level_ = 0;
  std::string out_;
};

}  // namespace

std::string to_text(Meter& meter, Value value, bool indented) {
  if (value.is(Kind::string)) {
    meter.read(value.size);
    return std::string(value.string());
  }
  if (value.is(Kind::function) || !value.defined()) return "";
  if (value.is(Kind::number) && !std::isfinite(value.number)) throw JsonataError("D3001");
  if (value.is(Kind::array) && value.array->outer) value = value.array->at(0);
  TextWriter writer(meter, indented);
  writer.write(value);
  return std::move(writer).out();
}

std::string excerpt(Value value) {
  if (!value.defined()) return "undefined";
  Meter meter(INT64_MAX);  // it is cut
  TextWriter writer(meter, false, kExcerptMax);
  writer.write(value);
  std::string text = std::move(writer).out();
  if (text.size() > kExcerptMax) text = base::to_utf8(text.substr(0, kExcerptMax)) + "...";
  return text;
}

}  // namespace tidemill::lang::jsonata
