#include "lang/jsonata/text.h"

#include <algorithm>

#include "lang/jsonata/case_mapping.h"

namespace tidemill::lang::jsonata {

void append_code_point(std::string& out, char32_t point) {
  const auto byte = [&](char32_t bits) { out.push_back(static_cast<char>(bits)); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xC0 | point >> 6);
    byte(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    byte(0xE0 | point >> 12);
    byte(0x80 | (point >> 6 & 0x3F));
    byte(0x80 | (point & 0x3F));
  } else {
    byte(0xF0 | point >> 18);
    byte(0x80 | (point >> 12 & 0x3F));
    byte(0x80 | (point >> 6 & 0x3F));
    byte(0x80 | (point & 0x3F));
  }
}

size_t character_size(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(size, text.size() - at);
}

char32_t code_point(std::string_view text, size_t at) {
  const size_t size = character_size(text, at);
  const auto lead = static_cast<unsigned char>(text[at]);
  if (size == 1) return lead;
  char32_t point = lead & (0x7F >> size);
  for (size_t i = 1; i < size; ++i) point = point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  return point;
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  points.reserve(text.size());
  for (size_t at = 0; at < text.size(); at += character_size(text, at)) points.push_back(code_point(text, at));
  return points;
}

std::string from_code_points(const std::vector<char32_t>& points) {
  std::string text;
  for (const char32_t point : points) append_code_point(text, point);
  return text;
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += character_size(text, at)) ++count;
  return count;
}

size_t offset_of_character(std::string_view text, size_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += character_size(text, at);
  return at;
}

size_t count_utf16(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += character_size(text, at)) count += code_point(text, at) > 0xFFFF ? 2 : 1;
  return count;
}

bool has_lone_surrogate(std::string_view text) {
  for (size_t at = 0; at < text.size(); at += character_size(text, at)) {
    const char32_t point = code_point(text, at);
    if (point >= 0xD800 && point <= 0xDFFF) return true;
  }
  return false;
}

namespace {

template <class Map>
std::string mapped(std::string_view text, Map map) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); at += character_size(text, at)) {
    append_code_point(out, map(code_point(text, at)));
  }
  return out;
}

}  // namespace

std::string to_lower(std::string_view text) { return mapped(text, lower_case); }

std::string to_upper(std::string_view text) {
  constexpr char32_t kSharpS = 0xDF;  // the one letter in wide use whose capital is two
  if (text.find("\xC3\x9F") == std::string_view::npos) return mapped(text, upper_case);
  std::string out;
  for (size_t at = 0; at < text.size(); at += character_size(text, at)) {
    const char32_t point = code_point(text, at);
    point == kSharpS ? void(out += "SS") : append_code_point(out, upper_case(point));
  }
  return out;
}

}  // namespace tidemill::lang::jsonata
