// A pattern that a whole text must match, as the models' @pattern says. Linear time. Compiled at its first use: a
// server starts without compiling hundreds of them.
#pragma once

#include <atomic>
#include <string_view>

namespace tidemill::wire {

class Pattern {
 public:
  // `text` must live as long as the pattern: a literal. It is in the syntax that Java and RE2 share.
  constexpr explicit Pattern(std::string_view text) : text_(text) {}
  ~Pattern();
  Pattern(const Pattern&) = delete;

  // Any thread. Throws std::logic_error if the pattern itself is malformed.
  [[nodiscard]] bool matches(std::string_view text) const;
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  struct Compiled;
  [[nodiscard]] const Compiled& compiled() const;

  std::string_view text_;
  mutable std::atomic<const Compiled*> compiled_ = nullptr;  // owned; set once
};

}  // namespace tidemill::wire
