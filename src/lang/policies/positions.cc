#include "lang/policies/positions.h"

#include <string>

namespace tidemill::lang::policies {

namespace {

constexpr std::string_view kStatement = "Statement";

// Goes over JSON text that is known to be right.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  [[nodiscard]] TextPosition position() const { return position_; }

  // The next letter that is no white space; 0 at the end.
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) step();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  // True: `letter` came next, and is behind now.
  bool take(char letter) {
    if (peek() != letter) return false;
    step();
    return true;
  }

  // What stands between the quotes, escapes and all: names of members have none that matter here.
  std::string_view take_text() {
    if (!take('"')) return {};
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') step();
      step();
    }
    const std::string_view inside = text_.substr(start, at_ - start);
    step();
    return inside;
  }

  // A value with all that is in it.
  void skip() {
    size_t depth = 0;
    do {
      const char next = peek();
      if (next == '\0') return;
      if (next == '"') {
        (void)take_text();
        continue;
      }
      if (next == '{' || next == '[') ++depth;
      if (next == '}' || next == ']') {
        if (depth == 0) return;  // of what this value is in
        --depth;
      }
      const bool is_word = !std::string_view("{}[],:").contains(next);
      step();
      while (is_word && at_ < text_.size() && !std::string_view("{}[],: \t\r\n\"").contains(text_[at_])) step();
    } while (depth > 0);
  }

 private:
  void step() {
    if (at_ >= text_.size()) return;
    if (text_[at_] == '\n') {
      ++position_.line;
      position_.column = 0;
    }
    ++position_.column;
    ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
  TextPosition position_;
};

std::vector<TextRange> positions_of_list(Walker& walker) {
  std::vector<TextRange> ranges;
  walker.take('[');
  TextPosition before = walker.position();
  while (walker.peek() != ']' && walker.peek() != '\0') {
    walker.skip();
    ranges.push_back({before, walker.position()});
    before = walker.position();
    if (!walker.take(',')) break;
  }
  return ranges;
}

}  // namespace

std::vector<TextRange> statement_positions(std::string_view document) {
  Walker walker(document);
  if (!walker.take('{')) return {};
  while (walker.peek() == '"') {
    const std::string_view name = walker.take_text();
    walker.take(':');
    if (name != kStatement) {
      walker.skip();
      if (!walker.take(',')) break;
      continue;
    }
    if (walker.peek() == '[') return positions_of_list(walker);
    TextPosition start = walker.position();
    ++start.column;  // behind its "{"
    walker.skip();
    return {{start, walker.position()}};
  }
  return {};
}

}  // namespace tidemill::lang::policies
