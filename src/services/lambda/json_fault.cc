#include "services/lambda/json_fault.h"

#include <cctype>
#include <cstdio>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace tidemill::lambda {
namespace {

using base::cat;

constexpr size_t kShownMax = 500;    // bytes of the payload that are shown
constexpr size_t kWordMax = 256;     // of a word that is none of JSON's
constexpr size_t kDepthMax = 1'000;  // deeper ones are told as too deep elsewhere
constexpr std::string_view kValues = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

struct Fault {
  std::string what;
  size_t at = 0;  // how much had been read
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// Where line and column stand after so many bytes.
std::string place_of(std::string_view text, size_t at) {
  size_t line = 1;
  size_t begin = 0;
  for (size_t i = 0; i < std::min(at, text.size()); ++i) {
    if (text[i] != '\n') continue;
    ++line;
    begin = i + 1;
  }
  return cat("line: ", line, ", column: ", at - begin + 1);
}

std::string source_of(std::string_view text) {
  std::string shown = cat("(byte[])\"", base::to_utf8(text.substr(0, kShownMax)), "\"");
  if (text.size() > kShownMax) shown += cat("[truncated ", text.size() - kShownMax, " bytes]");
  return shown;
}

// The first value of the text, as far as it goes. What stands behind it is nobody's.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  void read() {
    std::vector<Open> open;
    skip();
    if (at_ == text_.size()) fail("No content to map due to end-of-input");
    value(open);
    while (!open.empty()) {
      Open& inner = open.back();
      skip();
      if (at_ == text_.size()) fail_open(inner);
      const char close = inner.is_object ? '}' : ']';
      if (text_[at_] == close) {
        ++at_;
        open.pop_back();
        continue;
      }
      if (!inner.is_first) {
        if (text_[at_] != ',') {
          fail_character(cat("was expecting comma to separate ", inner.is_object ? "Object" : "Array", " entries"));
        }
        ++at_;
        skip();
        if (at_ == text_.size()) fail_open(inner);
      }
      inner.is_first = false;
      if (inner.is_object) name(inner);
      value(open);
    }
  }

 private:
  struct Open {
    bool is_object = false;
    size_t begin = 0;
    bool is_first = true;
  };

  [[noreturn]] void fail(std::string what) const { throw Fault{std::move(what), at_}; }
  // Of the next character, which has been read then.
  [[noreturn]] void fail_character(std::string_view why) {
    const auto c = static_cast<unsigned char>(text_[at_++]);
    const std::string shown = c < ' ' ? cat("(CTRL-CHAR, code ", int{c}, ")")
                                      : cat("('", base::to_utf8(text_.substr(at_ - 1, 1)), "' (code ", int{c}, "))");
    fail(cat("Unexpected character ", shown, why.starts_with(" in ") ? "" : ": ", why));
  }
  [[noreturn]] void fail_open(const Open& inner) const {
    const char* kind = inner.is_object ? "Object" : "Array";
    fail(cat("Unexpected end-of-input: expected close marker for ", kind,
             " (start marker at [Source: ", source_of(text_), "; ", place_of(text_, inner.begin), "])"));
  }

  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  void name(const Open& inner) {
    if (text_[at_] != '"') fail_character("was expecting double-quote to start field name");
    text("field name");
    skip();
    if (at_ == text_.size()) fail_open(inner);
    if (text_[at_] != ':') fail_character("was expecting a colon to separate field name and value");
    ++at_;
    skip();
    if (at_ == text_.size()) fail_open(inner);
  }

  void value(std::vector<Open>& open) {
    const char c = text_[at_];
    if (c == '{' || c == '[') {
      if (open.size() == kDepthMax) fail("Document nesting depth exceeds the maximum allowed");
      open.push_back({.is_object = c == '{', .begin = at_++});
    } else if (c == '"') {
      text("string value");
    } else if (c == '-' || is_digit(c)) {
      number();
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word();
    } else {
      fail_character(cat("expected a valid value ", kValues));
    }
  }

  void text(std::string_view what) {
    for (++at_; at_ < text_.size();) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < ' ') {
        ++at_;
        fail(cat("Illegal unquoted character ((CTRL-CHAR, code ", int{static_cast<unsigned char>(c)},
                 ")): has to be escaped using backslash to be included in ", what == "field name" ? "name" : what));
      }
      ++at_;
      if (c == '"') return;
      if (c == '\\') escape();
    }
    fail(what == "field name" ? "Unexpected end-of-input in field name"
                              : "Unexpected end-of-input: was expecting closing quote for a string value");
  }

  void escape() {
    if (at_ == text_.size()) fail("Unexpected end-of-input in character escape sequence");
    const char c = text_[at_++];
    if (std::string_view("\"\\/bfnrt").contains(c)) return;
    if (c != 'u')
      fail(cat("Unrecognized character escape '", base::to_utf8(text_.substr(at_ - 1, 1)), "' (code ",
               int{static_cast<unsigned char>(c)}, ")"));
    for (int i = 0; i < 4; ++i) {
      if (at_ == text_.size()) fail("Unexpected end-of-input in character escape sequence");
      if (std::isxdigit(static_cast<unsigned char>(text_[at_])) == 0) {
        fail_character("expected a hex-digit for character escape sequence");
      }
      ++at_;
    }
  }

  [[nodiscard]] bool is_at_digit() const { return at_ < text_.size() && is_digit(text_[at_]); }
  void digits(std::string_view why) {
    if (at_ == text_.size()) fail("Unexpected end-of-input in a Number value");
    if (!is_at_digit()) fail_character(cat(" in numeric value: ", why));
    while (is_at_digit()) ++at_;
  }

  void number() {
    if (text_[at_] == '-') {
      ++at_;
      if (!is_at_digit()) digits("expected digit (0-9) to follow minus sign, for valid numeric value");
    }
    if (text_[at_] == '0') {
      ++at_;
      if (is_at_digit()) fail("Invalid numeric value: Leading zeroes not allowed");
    } else {
      digits("");
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      digits("Decimal point not followed by a digit");
    }
    if (at_ < text_.size() && (text_[at_] | 0x20) == 'e') {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      digits("Exponent indicator not followed by a digit");
    }
    if (at_ < text_.size() && is_word(text_[at_])) fail_character("Expected space separating root-level values");
  }

  void word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_]) && at_ - begin < kWordMax) ++at_;
    const std::string_view found = text_.substr(begin, at_ - begin);
    if (found == "true" || found == "false" || found == "null") return;
    fail(cat("Unrecognized token '", found, "': was expecting ", kValues));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<std::string> find_json_fault(std::string_view text) {
  try {
    Reader(text).read();
  } catch (const Fault& fault) {
    return cat(fault.what, "\n at [Source: ", source_of(text), "; ", place_of(text, fault.at), "]");
  }
  return std::nullopt;
}

}  // namespace tidemill::lambda
