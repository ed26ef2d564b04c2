#include "services/s3/encoded_words.h"

#include <algorithm>
#include <optional>

#include "base/base64.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

constexpr std::string_view kBegin = "=?";
constexpr std::string_view kEnd = "?=";
constexpr std::string_view kCharacterSet = "utf-8";
constexpr std::string_view kDigits = "0123456789ABCDEF";

std::optional<std::string> decode_quoted(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '_') {
      out.push_back(' ');
    } else if (text[at] != '=') {
      out.push_back(text[at]);
    } else {
      const auto byte = base::bytes_of_hex(text.substr(at + 1, 2));
      if (!byte || byte->size() != 1) return std::nullopt;
      out += *byte;
      at += 2;
    }
  }
  return out;
}

// Of one word: =?charset?encoding?text?=
std::optional<std::string> decode_word(std::string_view word) {
  if (!word.starts_with(kBegin) || !word.ends_with(kEnd) || word.size() < kBegin.size() + kEnd.size()) return std::nullopt;
  word = word.substr(kBegin.size(), word.size() - kBegin.size() - kEnd.size());
  const size_t first = word.find('?');
  const size_t second = first == std::string_view::npos ? first : word.find('?', first + 1);
  if (second == std::string_view::npos || lower(word.substr(0, first)) != kCharacterSet) return std::nullopt;
  const std::string encoding = lower(word.substr(first + 1, second - first - 1));
  const std::string_view text = word.substr(second + 1);
  auto decoded = encoding == "b" ? base::base64_decode(text) : encoding == "q" ? decode_quoted(text) : std::nullopt;
  if (decoded && !base::is_utf8(*decoded)) decoded.reset();
  return decoded;
}

bool is_plain(char c) { return c >= ' ' && c <= '~'; }
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

std::string decode_words(std::string_view text) {
  if (text.find(kBegin) == std::string_view::npos) return std::string(text);
  std::string out;
  bool last_was_word = false;
  while (!text.empty()) {
    const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    const size_t size = std::min(text.find(' ', blanks), text.size());
    const std::string_view word = text.substr(blanks, size - blanks);
    auto decoded = decode_word(word);
    // Blanks between encoded words part them and are none of the text.
    if (!decoded || !last_was_word) out.append(blanks, ' ');
    out += decoded ? *decoded : std::string(word);
    last_was_word = decoded.has_value();
    text.remove_prefix(size);
  }
  return out;
}

std::string encode_words(const std::string& text) {
  if (std::ranges::all_of(text, is_plain) && !text.contains(kBegin)) return text;
  const auto plain = std::ranges::count_if(text, is_plain);
  const auto others = std::ranges::count_if(text, [](char c) { return !is_plain(c) && begins_character(c); });
  if (plain <= others) return "=?UTF-8?B?" + base::base64_encode(text) + "?=";
  std::string out = "=?UTF-8?Q?";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') out.push_back('_');
    else if (is_plain(c) && c != '=' && c != '?' && c != '_') out.push_back(c);
    else out.append({'=', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return out + "?=";
}

}  // namespace tidemill::s3
