// Filter patterns of CloudWatch Logs: which messages a FilterLogEvents, a live tail or a metric filter means. The
// syntax is that of "Filter pattern syntax for metric filters, subscription filters, filter log events, and Live Tail"
// in the user guide. Four kinds, told apart by how they begin:
//
//   ERROR "in a phrase" -debug ?one ?another     words: all of them, none of those with '-', any of those with '?'
//   %ERR[0-9]+%                                  a regular expression, alone or among words
//   { $.level = "error" && $.ms > 100 }          members of a message that is JSON: json_pattern.h
//   [ip, user, ..., status = 4*, size]           fields of a message, by place: fields_pattern.h
//
// Everything is sensitive to case. Nothing, or white space, matches every message.
//
//   const auto pattern = FilterPattern::parse(text);
//   if (!pattern) refuse(pattern.error());
//   if (pattern->matches(message)) ...
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace tidemill::lang::logs {

inline constexpr size_t kPatternBytesMax = 1024;
// Regular expressions in one pattern.
inline constexpr int kRegexesMax = 2;
// What a regular expression compiles to: about one for each character or class, repeated ones ("{36}") as often as that.
// In the worst case each is looked at for each character of a message.
inline constexpr int kRegexInstructionsMax = 256;
// How deep parentheses may nest.
inline constexpr int kPatternDepthMax = 32;

// What a pattern took out of a message: "$.level" or "$status" and the text that was there.
using Extracted = std::map<std::string, std::string>;

// Immutable, any thread.
class FilterPattern {
 public:
  // The error says in a few words what is wrong and where.
  static std::expected<FilterPattern, std::string> parse(std::string_view text);

  [[nodiscard]] bool matches(std::string_view message) const { return matcher_->matches(message); }
  // How many steps of about a nanosecond it takes at most to match a message of so many bytes, or to extract from it.
  [[nodiscard]] size_t steps(size_t bytes) const { return steps_per_byte_ * (bytes + kBytesOfCall); }
  // Of a message that matches.
  [[nodiscard]] Extracted extract(std::string_view message) const { return matcher_->extract(message); }

  // Inside: one kind of pattern.
  struct Matcher {
    virtual ~Matcher() = default;
    [[nodiscard]] virtual bool matches(std::string_view message) const = 0;
    [[nodiscard]] virtual Extracted extract(std::string_view) const { return {}; }
  };

 private:
  // What looking at a message takes however short it is.
  static constexpr size_t kBytesOfCall = 16;

  FilterPattern(std::shared_ptr<const Matcher> matcher, size_t steps_per_byte)
      : matcher_(std::move(matcher)), steps_per_byte_(steps_per_byte) {}
  std::shared_ptr<const Matcher> matcher_;
  size_t steps_per_byte_;
};

}  // namespace tidemill::lang::logs
