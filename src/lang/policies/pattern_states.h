// Inside: a pattern of letters and wildcards, matched with all its places at once, a bit each: the time is the length of
// the text times the words of 64 bits that the pattern takes, whatever both hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemill::lang::policies {

// A letter (a byte), or what stands for others.
using PatternCode = char16_t;
inline constexpr PatternCode kAnyRun = 0x100;
inline constexpr PatternCode kAnyRunInSegment = 0x101;  // up to a colon
inline constexpr PatternCode kOne = 0x102;              // a character of UTF-8
inline constexpr PatternCode kOneInSegment = 0x103;     // but no colon

inline constexpr size_t kPatternWordBits = 64;

class PatternStates {
 public:
  // Of `pattern` nothing is kept.
  explicit PatternStates(std::u16string_view pattern);

  [[nodiscard]] bool match(std::string_view text) const;

 private:
  using Word = uint64_t;
  using Places = std::vector<Word>;

  [[nodiscard]] Places no_places() const { return Places((end_ / kPatternWordBits) + 1); }
  void add_letter(unsigned char letter, size_t place);
  // Of the places `now`, where one more byte leads. False: nowhere.
  bool step(const Places& now, unsigned char byte, bool continues_character, Places& next) const;

  size_t end_ = 0;  // the place behind the last
  std::vector<Places> letters_;                // where each that there is stands; the first nowhere
  std::array<uint16_t, 0x100> letter_of_{};  // in letters_
  Places runs_;
  Places runs_in_segment_;
  Places ones_;
  Places ones_in_segment_;
  Places behind_ones_;
};

}  // namespace tidemill::lang::policies
