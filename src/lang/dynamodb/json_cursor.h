// Walks JSON text that simdjson's first pass has found to be UTF-8 with closed strings; the grammar is checked here,
// step by step. Inside this room only.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/json.h"
#include "lang/dynamodb/buffer.h"
#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb::detail {

class JsonCursor {
 public:
  enum class Kind { null, boolean, number, string, array, object };

  // kPadding bytes behind `text` can be read.
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  // The kind of the value that begins here.
  Kind kind() {
    switch (peek()) {
      case '"':
        return Kind::string;
      case '{':
        return Kind::object;
      case '[':
        return Kind::array;
      case 't':
      case 'f':
        return Kind::boolean;
      case 'n':
        return Kind::null;
      case '-':
        return Kind::number;
      default:
        if (*at_ >= '0' && *at_ <= '9') return Kind::number;
        malformed();
    }
  }

  // Walking an object or an array:
  //   for (bool more = begin('{', '}'); more; more = next('}')) …
  bool begin(char open, char close) {
    expect(open);
    return !accept(close);
  }
  bool next(char close) {
    if (accept(',')) return true;
    expect(close);
    return false;
  }

  // A member's name and the colon behind it.
  std::string_view name() {
    const std::string_view text = string();
    expect(':');
    return text;
  }

  // If a name of one letter comes here, as it does in most values: that letter, and moves on behind the colon. Else 0.
  char letter_name() {
    if (end_ - at_ < 4 || at_[0] != '"' || at_[1] < 'A' || at_[1] > 'Z' || at_[2] != '"' || at_[3] != ':') return '\0';
    at_ += 4;
    return at_[-3];
  }

  // A string. Lives as long as the text and this; kPadding bytes behind it can be read.
  std::string_view string() {
    expect('"');
    const char* const begin = at_;
    const char* const stop = find_quote_or_backslash(begin);
    if (stop >= end_) malformed();
    at_ = stop + 1;
    if (*stop == '"') return {begin, static_cast<size_t>(stop - begin)};
    return unescaped(begin);
  }

  bool boolean() {
    const bool value = peek() == 't';
    word(value ? "true" : "false");
    return value;
  }
  void null() { word("null"); }

  // A number's text.
  std::string_view number() {
    const char* const begin = at_;
    while (at_ < end_ && std::string_view("+-.0123456789eE").find(*at_) != std::string_view::npos) ++at_;
    return {begin, static_cast<size_t>(at_ - begin)};
  }

  // Any value.
  void skip(int depth = 0) {
    if (depth > json::kDepthMax) malformed();
    switch (kind()) {
      case Kind::null:
        return null();
      case Kind::boolean:
        return void(boolean());
      case Kind::number:
        return void(number());
      case Kind::string:
        return void(string());
      case Kind::array:
        for (bool more = begin('[', ']'); more; more = next(']')) skip(depth + 1);
        return;
      case Kind::object:
        for (bool more = begin('{', '}'); more; more = next('}')) {
          (void)name();
          skip(depth + 1);
        }
    }
  }

  [[noreturn]] static void malformed() {
    throw ValueError(ValueError::Kind::serialization, "Unexpected token received from parser");
  }

 private:
  // The next character that is no white space; 0 at the end.
  char peek() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ < end_ ? *at_ : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (peek() != c) malformed();
    ++at_;
  }
  void word(std::string_view word) {
    if (static_cast<size_t>(end_ - at_) < word.size() || std::string_view(at_, word.size()) != word) malformed();
    at_ += word.size();
  }

  // May look beyond the end, not further than kPadding.
  const char* find_quote_or_backslash(const char* at) const {
#ifdef __SSE2__
    for (; at < end_; at += sizeof(__m128i)) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m128i found =
          _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
      const auto mask = static_cast<uint32_t>(_mm_movemask_epi8(found));
      if (mask != 0) return at + std::countr_zero(mask);
    }
#else
    for (; at < end_; ++at) {
      if (*at == '"' || *at == '\\') return at;
    }
#endif
    return end_;
  }

  std::string_view unescaped(const char* begin) {
    // at_ stands behind the first backslash: find the quote that ends the string.
    for (++at_;; ++at_) {
      at_ = find_quote_or_backslash(at_);
      if (at_ >= end_) malformed();
      if (*at_ == '"') break;
      ++at_;
    }
    const auto value = json::parse(std::string_view(begin - 1, static_cast<size_t>(++at_ - (begin - 1))));
    if (!value) malformed();
    std::string& text = *unescaped_.emplace_back(std::make_unique<std::string>(value->string()));
    text.resize(text.size() + kPadding);
    return {text.data(), text.size() - kPadding};
  }

  const char* at_;
  const char* end_;
  std::vector<std::unique_ptr<std::string>> unescaped_;
};

}  // namespace tidemill::lang::dynamodb::detail
