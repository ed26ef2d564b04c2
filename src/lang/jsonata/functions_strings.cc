// $string and what is made of strings alone. Characters are code points.
#include <algorithm>
#include <cmath>

#include "base/base64.h"
#include "base/find.h"
#include "lang/jsonata/error.h"
#include "lang/jsonata/functions.h"
#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

Value string(const Call& call) {
  if (!call.has(0)) return {};
  Meter& meter = call.evaluator.meter();
  return call.text(to_text(meter, call.argument(0), truth(meter, call.argument(1))));
}

Value length(const Call& call) {
  if (!call.has(0)) return {};
  return static_cast<double>(count_characters(call.argument(0).string()));
}

// Which of `count` characters begins at `place`, as JavaScript's slice() reads it.
size_t slice_place(double place, size_t count) {
  place = std::trunc(place);
  if (place < 0) place = std::max(0.0, place + static_cast<double>(count));
  return static_cast<size_t>(std::min(place, static_cast<double>(count)));
}

Value substring(const Call& call) {
  if (!call.has(0)) return {};
  const std::string_view text = call.argument(0).string();
  const size_t count = count_characters(text);
  double start = call.has(1) ? call.argument(1).number : 0;
  if (static_cast<double>(count) + start < 0) start = 0;
  double end = static_cast<double>(count);
  if (call.has(2)) {
    const double wanted = call.argument(2).number;
    if (!(wanted > 0)) return Value(std::string_view(""));
    end = (start >= 0 ? start : static_cast<double>(count) + start) + wanted;
  }
  const size_t first = slice_place(start, count);
  const size_t last = slice_place(end, count);
  if (first >= last) return Value(std::string_view(""));
  const size_t from = offset_of_character(text, first);
  return Value(text.substr(from, offset_of_character(text.substr(from), last - first)));
}

Value substring_before(const Call& call) {
  if (!call.has(0)) return {};
  const std::string_view text = call.argument(0).string();
  if (!call.has(1)) return call.argument(0);
  return Value(text.substr(0, base::find(text, call.argument(1).string())));
}

Value substring_after(const Call& call) {
  if (!call.has(0)) return {};
  const std::string_view text = call.argument(0).string();
  if (!call.has(1)) return call.argument(0);
  const std::string_view part = call.argument(1).string();
  const size_t at = base::find(text, part);
  return at == std::string_view::npos ? call.argument(0) : Value(text.substr(at + part.size()));
}

Value lowercase(const Call& call) { return call.has(0) ? call.text(to_lower(call.argument(0).string())) : Value(); }

Value uppercase(const Call& call) { return call.has(0) ? call.text(to_upper(call.argument(0).string())) : Value(); }

Value trim(const Call& call) {
  if (!call.has(0)) return {};
  std::string out;
  for (const char c : call.argument(0).string()) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return call.text(out);
}

Value pad(const Call& call) {
  if (!call.has(0)) return {};
  const std::string_view text = call.argument(0).string();
  if (!call.has(1)) return call.argument(0);
  const double width = std::trunc(call.argument(1).number);
  const std::string_view given = call.has(2) ? call.argument(2).string() : std::string_view();
  const std::vector<char32_t> fill = code_points(given.empty() ? " " : given);
  const double missing = std::abs(width) - static_cast<double>(count_characters(text));
  if (!(missing > 0)) return call.argument(0);
  call.arena().expect(missing * 4);
  std::string padding;
  for (size_t i = 0; i < static_cast<size_t>(missing); ++i) append_code_point(padding, fill[i % fill.size()]);
  return call.text(width > 0 ? std::string(text) + padding : padding + std::string(text));
}

Value join(const Call& call) {
  if (!call.has(0)) return {};
  const std::string_view separator = call.has(1) ? call.argument(1).string() : std::string_view();
  const auto parts = call.argument(0).array->items();
  double size = 0;
  for (const Value part : parts) size += static_cast<double>(part.size + separator.size());
  call.arena().expect(size);
  call.evaluator.meter().read(static_cast<size_t>(size));
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) out.append(i == 0 ? "" : separator).append(parts[i].string());
  return call.text(out);
}

Value base64_encode(const Call& call) {
  return call.has(0) ? call.text(base::base64_encode(call.argument(0).string())) : Value();
}

Value base64_decode(const Call& call) {
  if (!call.has(0)) return {};
  // As the reference's decoder: what is no character of the alphabet is passed over, and padding may be missing.
  std::string digits;
  for (const char c : call.argument(0).string()) {
    if (c == '=') break;
    const char plain = c == '-' ? '+' : c == '_' ? '/' : c;
    if (std::isalnum(static_cast<unsigned char>(plain)) || plain == '+' || plain == '/') digits.push_back(plain);
  }
  if (digits.size() % 4 == 1) digits.pop_back();
  if (digits.size() % 4 != 0) {  // bits that encode nothing must be zero
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t mask = digits.size() % 4 == 2 ? 0x30 : 0x3C;
    digits.back() = kAlphabet[kAlphabet.find(digits.back()) & mask];
  }
  digits.append((4 - digits.size() % 4) % 4, '=');
  return call.text(base::base64_decode(digits).value_or(""));
}

constexpr Builtin kFunctions[] = {
    {"string", "<x-b?:s>", 2, string},
    {"length", "<s-:n>", 1, length},
    {"substring", "<s-nn?:s>", 3, substring},
    {"substringBefore", "<s-s:s>", 2, substring_before},
    {"substringAfter", "<s-s:s>", 2, substring_after},
    {"lowercase", "<s-:s>", 1, lowercase},
    {"uppercase", "<s-:s>", 1, uppercase},
    {"trim", "<s-:s>", 1, trim},
    {"pad", "<s-ns?:s>", 3, pad},
    {"join", "<a<s>s?:s>", 2, join},
    {"base64encode", "<s-:s>", 1, base64_encode},
    {"base64decode", "<s-:s>", 1, base64_decode},
};

}  // namespace

std::span<const Builtin> string_functions() { return kFunctions; }

}  // namespace tidemill::lang::jsonata
