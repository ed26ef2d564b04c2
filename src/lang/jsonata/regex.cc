#include "lang/jsonata/regex.h"

#include <re2/re2.h>

#include "base/text.h"
#include "lang/jsonata/error.h"
#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr int64_t kProgramBytesMax = 8 << 20;

// Rewrites what the two dialects say differently.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string translate() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '\\') {
        escape(false);
      } else if (c == '[') {
        char_class();
      } else if (c == '(') {
        group();
      } else if (c == '.') {
        take(1, "[^\\n\\r\\x{2028}\\x{2029}]");
      } else {
        copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw JsonataError("S0303", {.token = std::string(pattern_), .value = std::string(why)});
  }
  void copy(size_t count) {
    out_ += pattern_.substr(at_, count);
    at_ += count;
  }
  void take(size_t count, std::string_view instead) {
    out_ += instead;
    at_ += count;
  }

  void group() {
    const std::string_view rest = pattern_.substr(at_);
    if (rest.starts_with("(?=") || rest.starts_with("(?!")) refuse("lookahead");
    if (rest.starts_with("(?<=") || rest.starts_with("(?<!")) refuse("lookbehind");
    if (rest.starts_with("(?<")) return take(3, "(?P<");
    if (rest.starts_with("(?:")) return copy(3);
    if (rest.starts_with("(?")) refuse("invalid group");
    copy(1);
  }

  void char_class() {
    const std::string_view rest = pattern_.substr(at_);
    if (rest.starts_with("[^]")) return take(3, "[\\x{0}-\\x{10FFFF}]");
    if (rest.starts_with("[]")) return take(2, "[^\\x{0}-\\x{10FFFF}]");
    copy(rest.starts_with("[^") ? 2 : 1);
    while (at_ < pattern_.size() && pattern_[at_] != ']') {
      if (pattern_[at_] == '\\') {
        escape(true);
      } else if (pattern_[at_] == '[') {
        take(1, "\\[");  // [: begins nothing in JavaScript
      } else {
        copy(1);
      }
    }
    if (at_ < pattern_.size()) copy(1);
  }

  void escape(bool in_class) {
    if (at_ + 1 >= pattern_.size()) refuse("trailing \\");
    const char c = pattern_[at_ + 1];
    constexpr std::string_view kSpace =
        "\\t\\n\\v\\f\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}"
        "\\x{205F}\\x{3000}\\x{FEFF}";
    if (std::string_view("dDwWtnvfr").contains(c)) return copy(2);
    if (c == 's') return take(2, in_class ? std::string(kSpace) : base::cat("[", kSpace, "]"));
    if (c == 'S') return in_class ? copy(2) : take(2, base::cat("[^", kSpace, "]"));
    if (c == 'b') return take(2, in_class ? "\\x{8}" : "\\b");
    if (c == 'B' && !in_class) return copy(2);
    if (c == 'u') return hexadecimal(4);
    if (c == 'x') return hexadecimal(2);
    if (c == 'c' && at_ + 2 < pattern_.size()) return code(3, static_cast<char32_t>(pattern_[at_ + 2]) % 32);
    if (c == '0') return code(2, 0);
    if (is_digit(c)) refuse("reference back to a group");
    if (c == 'k') refuse("reference back to a group");
    // Any other character stands for itself.
    const size_t size = character_size(pattern_, at_ + 1);
    code(1 + size, code_point(pattern_, at_ + 1));
  }
  void code(size_t count, char32_t point) { take(count, base::cat("\\x{", base::hex(point, 1), "}")); }
  void hexadecimal(size_t digits) {
    const std::string text(pattern_.substr(at_ + 2, digits));
    const bool is_code = text.size() == digits && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (!is_code) return code(2, static_cast<unsigned char>(pattern_[at_ + 1]));
    code(2 + digits, static_cast<char32_t>(std::stoul(text, nullptr, 16)));
  }

  std::string_view pattern_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

Regex::Regex(std::string_view pattern, std::string_view flags) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!flags.contains('i'));
  options.set_max_mem(kProgramBytesMax);
  const std::string translated = Translator(pattern).translate();
  regex_ = std::make_unique<const RE2>(flags.contains('m') ? "(?m)" + translated : translated, options);
  if (!regex_->ok()) throw JsonataError("S0303", {.token = std::string(pattern), .value = regex_->error()});
}

Regex::~Regex() = default;

std::optional<Regex::Match> Regex::find(std::string_view text, size_t from) const {
  if (from > text.size()) return std::nullopt;
  std::vector<re2::StringPiece> parts(static_cast<size_t>(regex_->NumberOfCapturingGroups()) + 1);
  const re2::StringPiece subject(text.data(), text.size());
  if (!regex_->Match(subject, from, text.size(), RE2::UNANCHORED, parts.data(), static_cast<int>(parts.size()))) {
    return std::nullopt;
  }
  Match match;
  match.start = static_cast<size_t>(parts[0].data() - text.data());
  match.end = match.start + parts[0].size();
  for (size_t i = 1; i < parts.size(); ++i) {
    match.groups.push_back(parts[i].data() ? std::optional(std::string_view(parts[i].data(), parts[i].size()))
                                           : std::nullopt);
  }
  return match;
}

}  // namespace tidemill::lang::jsonata
