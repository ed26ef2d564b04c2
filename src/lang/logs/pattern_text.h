// Inside: reading the text of a pattern, and what all its kinds share: quoted phrases, regular expressions and numbers.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace tidemill::lang::logs {

// Thrown inside the parsers; FilterPattern::parse makes a value of it.
class PatternError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Regex = std::shared_ptr<const re2::RE2>;

// Walks over the text, from left to right.
class PatternText {
 public:
  explicit PatternText(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  // The next character; 0 at the end.
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  char take() { return text_[at_++]; }
  void skip_space();
  // Whether `token` comes next; takes it if so.
  bool accept(std::string_view token);
  // The same for a word, which ends where another character begins.
  bool accept_word(std::string_view word);
  void expect(std::string_view token);
  // As long as `belongs` holds.
  template <class Predicate>
  std::string_view take_while(Predicate belongs) {
    const size_t begin = at_;
    while (!at_end() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // What stands in quotes, which come next; \" and \\ mean the character.
  std::string quoted();
  // What stands between two '%', of which the first comes next; at most kRegexesMax of them. Adds its steps.
  Regex regex();

  // What was read of the pattern takes so many nanoseconds more for each byte of a message, at most.
  void add_steps(size_t per_byte) { steps_ += per_byte; }
  // All of them.
  [[nodiscard]] size_t steps() const { return steps_; }

  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::string_view text_;
  size_t at_ = 0;
  int regexes_ = 0;
  size_t steps_ = 0;
};

[[nodiscard]] bool is_space(char c);
[[nodiscard]] bool is_word(char c);  // a letter, a digit, '_', or part of a character beyond ASCII

// All of it as a number, if it is one.
[[nodiscard]] std::optional<double> number_of(std::string_view text);

// Whether it is like `pattern`, in which '*' stands for any characters.
[[nodiscard]] bool is_like(std::string_view text, std::string_view pattern);

[[nodiscard]] bool contains(std::string_view text, const Regex& regex);

}  // namespace tidemill::lang::logs
