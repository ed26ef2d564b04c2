#include "lang/patterns/matcher.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "base/find.h"
#include "base/text.h"
#include "lang/patterns/pattern.h"

namespace tidemill::lang::patterns {
namespace {

constexpr size_t kAddressTextMax = 45;
constexpr int kV4Offset = 12;  // of an IPv4 address within the 16 bytes
constexpr std::array<uint8_t, 16> kV4Mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0};

// Nothing: it is no address. `is_v4` says which kind.
std::optional<std::array<uint8_t, 16>> parse_address(std::string_view text, bool& is_v4) {
  if (text.empty() || text.size() > kAddressTextMax) return std::nullopt;
  const std::string terminated(text);
  std::array<uint8_t, 16> bytes = kV4Mapped;
  is_v4 = inet_pton(AF_INET, terminated.c_str(), bytes.data() + kV4Offset) == 1;
  if (is_v4) return bytes;
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return bytes;
  return std::nullopt;
}

// The code point in lower case, for the scripts in which case is a matter of a fixed distance.
uint32_t fold(uint32_t c) {
  constexpr uint32_t kLatinDistance = 0x20, kCyrillicExtraDistance = 0x50;
  if (c >= 'A' && c <= 'Z') return c + kLatinDistance;
  if (c < 0xC0) return c;
  if (c <= 0xDE) return c == 0xD7 ? c : c + kLatinDistance;
  if ((c >= 0x100 && c <= 0x137) || (c >= 0x14A && c <= 0x177)) return c | 1;           // pairs, the upper one even
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) return c + (c & 1);     // pairs, the upper one odd
  if (c >= 0x391 && c <= 0x3A9) return c + kLatinDistance;
  if (c >= 0x410 && c <= 0x42F) return c + kLatinDistance;
  if (c >= 0x400 && c <= 0x40F) return c + kCyrillicExtraDistance;
  return c;
}

bool starts_with(std::string_view text, std::string_view prefix, bool folded) {
  return folded ? fold_case(text).starts_with(prefix) : text.starts_with(prefix);
}
bool ends_with(std::string_view text, std::string_view suffix, bool folded) {
  return folded ? fold_case(text).ends_with(suffix) : text.ends_with(suffix);
}

}  // namespace

bool AddressRange::contains(std::string_view address) const {
  bool is_v4 = false;
  const auto bytes = parse_address(address, is_v4);
  if (!bytes) return false;
  const int whole = bits / 8;
  if (!std::equal(base.begin(), base.begin() + whole, bytes->begin())) return false;
  const int rest = bits % 8;
  if (rest == 0) return true;
  const auto mask = static_cast<uint8_t>(0xff << (8 - rest));
  return ((base[whole] ^ (*bytes)[whole]) & mask) == 0;
}

AddressRange AddressRange::parse(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.find('/', slash + 1) != std::string_view::npos) {
    throw PatternError("Malformed CIDR, one '/' required");
  }
  AddressRange range;
  bool is_v4 = false;
  const auto base = parse_address(text.substr(0, slash), is_v4);
  if (!base) throw PatternError(base::cat("Nonstandard IP address: ", text.substr(0, slash)));
  range.base = *base;
  const std::string_view mask = text.substr(slash + 1);
  const auto [end, error] = std::from_chars(mask.data(), mask.data() + mask.size(), range.bits);
  if (error != std::errc() || end != mask.data() + mask.size()) {
    throw PatternError("Malformed CIDR, mask bits must be an integer");
  }
  const int bits_max = is_v4 ? 32 : 128;
  if (range.bits < 0) throw PatternError("Malformed CIDR, mask bits must not be negative");
  if (range.bits > bits_max) throw PatternError(base::cat("Malformed CIDR, mask bits must be <= ", bits_max));
  if (is_v4) range.bits += kV4Offset * 8;
  return range;
}

bool NumberRange::contains(double number) const {
  if (bottom && (includes_bottom ? number < *bottom : number <= *bottom)) return false;
  return !top || (includes_top ? number <= *top : number < *top);
}

std::string fold_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const bool is_pair = lead >= 0xC2 && lead < 0xE0 && i + 1 < text.size() &&
                         (static_cast<unsigned char>(text[i + 1]) & 0xC0) == 0x80;
    if (!is_pair) {
      out += lead < 0x80 ? static_cast<char>(fold(lead)) : text[i];
      continue;
    }
    const uint32_t c = fold((lead & 0x1Fu) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3Fu));
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
  return out;
}

std::vector<std::string> parse_wildcard(std::string_view text) {
  std::vector<std::string> pieces(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '*') {
      if (i > 0 && text[i - 1] == '*' && pieces.back().empty()) {
        throw PatternError(base::cat("Consecutive wildcard characters at pos ", i - 1));
      }
      pieces.emplace_back();
      continue;
    }
    if (text[i] == '\\') {
      if (i + 1 == text.size() || (text[i + 1] != '*' && text[i + 1] != '\\')) {
        throw PatternError(base::cat("Invalid escape character at pos ", i));
      }
      ++i;
    }
    pieces.back() += text[i];
  }
  return pieces;
}

bool matches_wildcard(const std::vector<std::string>& pieces, std::string_view text) {
  if (pieces.size() == 1) return text == pieces.front();
  if (!text.starts_with(pieces.front())) return false;
  text.remove_prefix(pieces.front().size());
  // The earliest place for each piece leaves most for those behind it.
  for (size_t i = 1; i + 1 < pieces.size(); ++i) {
    const size_t found = base::find(text, pieces[i]);
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + pieces[i].size());
  }
  return text.ends_with(pieces.back());
}

bool Matcher::matches(const json::Value& value) const {
  switch (kind) {
    case Kind::null: return value.is_null();
    case Kind::boolean: return value.is_boolean() && value.boolean() == flag;
    case Kind::number: return value.is_number() && value.to_double() == number;
    case Kind::text: return value.is_string() && (flag ? fold_case(value.string()) == text : value.string() == text);
    case Kind::prefix: return value.is_string() && starts_with(value.string(), text, flag);
    case Kind::suffix: return value.is_string() && ends_with(value.string(), text, flag);
    case Kind::wildcard: return value.is_string() && matches_wildcard(pieces, value.string());
    case Kind::numeric: return value.is_number() && range.contains(*value.to_double());
    case Kind::cidr: return value.is_string() && addresses.contains(value.string());
    case Kind::exists: return true;
    case Kind::absent: return false;
    case Kind::anything_but:
      return std::ranges::none_of(exceptions, [&](const Matcher& one) { return one.matches(value); });
  }
  return false;
}

}  // namespace tidemill::lang::patterns
