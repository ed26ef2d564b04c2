// Inside: UTF-8 as a sequence of code points. A lone surrogate, which JavaScript's strings may hold, is three bytes
// (ED A0 80 and on) until a result leaves the evaluation, where it becomes U+FFFD.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::lang::jsonata {

void append_code_point(std::string& out, char32_t point);

// The length of the character that begins at `at`, at least 1, and never beyond the end.
[[nodiscard]] size_t character_size(std::string_view text, size_t at);
[[nodiscard]] char32_t code_point(std::string_view text, size_t at);
[[nodiscard]] std::vector<char32_t> code_points(std::string_view text);
[[nodiscard]] std::string from_code_points(const std::vector<char32_t>& points);
[[nodiscard]] size_t count_characters(std::string_view text);
// The bytes before character `index`; the whole text if it has fewer.
[[nodiscard]] size_t offset_of_character(std::string_view text, size_t index);
// How long it is as UTF-16.
[[nodiscard]] size_t count_utf16(std::string_view text);
[[nodiscard]] bool has_lone_surrogate(std::string_view text);

[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string to_upper(std::string_view text);

// What std::ranges::contains of C++23 does, which this standard library lacks.
[[nodiscard]] bool contains(const auto& range, const auto& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

[[nodiscard]] inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace tidemill::lang::jsonata
