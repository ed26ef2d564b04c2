// Percent-encoding, as JavaScript's encodeURI and encodeURIComponent do it.
#include "base/utf8.h"
#include "lang/jsonata/error.h"
#include "lang/jsonata/functions.h"
#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr std::string_view kUnreserved = "-_.!~*'()";
constexpr std::string_view kReserved = ";/?:@&=+$,#";

bool is_alphanumeric(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

[[noreturn]] void malformed(std::string_view function, std::string_view text) {
  throw JsonataError("D3140", {.token = std::string(function), .value = excerpt(Value(text))});
}

Value encode(const Call& call, std::string_view function, std::string_view kept) {
  if (!call.has(0)) return {};
  const std::string_view text = call.argument(0).string();
  if (has_lone_surrogate(text)) malformed(function, text);
  std::string out;
  for (const char c : text) {
    if (is_alphanumeric(c) || kUnreserved.contains(c) || kept.contains(c)) {
      out.push_back(c);
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return call.text(out);
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

Value decode(const Call& call, std::string_view function, std::string_view kept) {
  if (!call.has(0)) return {};
  const std::string_view text = call.argument(0).string();
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low < 0) malformed(function, text);
    const char byte = static_cast<char>(high << 4 | low);
    kept.contains(byte) ? void(out += text.substr(i, 3)) : out.push_back(byte);
    i += 2;
  }
  if (!base::is_utf8(out)) malformed(function, text);
  return call.text(out);
}

Value encode_component(const Call& call) { return encode(call, "encodeUrlComponent", ""); }
Value encode_url(const Call& call) { return encode(call, "encodeUrl", kReserved); }
Value decode_component(const Call& call) { return decode(call, "decodeUrlComponent", ""); }
Value decode_url(const Call& call) { return decode(call, "decodeUrl", kReserved); }

constexpr Builtin kFunctions[] = {
    {"encodeUrlComponent", "<s-:s>", 1, encode_component},
    {"encodeUrl", "<s-:s>", 1, encode_url},
    {"decodeUrlComponent", "<s-:s>", 1, decode_component},
    {"decodeUrl", "<s-:s>", 1, decode_url},
};

}  // namespace

std::span<const Builtin> url_functions() { return kFunctions; }

}  // namespace tidemill::lang::jsonata
