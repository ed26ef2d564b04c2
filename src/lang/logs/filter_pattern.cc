#include "lang/logs/filter_pattern.h"

#include <vector>

#include "base/find.h"
#include "base/text.h"
#include "lang/logs/fields_pattern.h"
#include "lang/logs/json_pattern.h"
#include "lang/logs/pattern_text.h"

namespace tidemill::lang::logs {
namespace {

// A word, a phrase or a regular expression.
struct Term {
  std::string text;
  Regex regex;
  [[nodiscard]] bool is_in(std::string_view message) const {
    return regex ? contains(message, regex) : base::find(message, text) != std::string_view::npos;
  }
};

class TermsMatcher final : public FilterPattern::Matcher {
 public:
  explicit TermsMatcher(PatternText& text) {
    for (text.skip_space(); !text.at_end(); text.skip_space()) {
      std::vector<Term>& list = text.accept("-") ? excluded_ : text.accept("?") ? optional_ : required_;
      list.push_back(term(text));
    }
    // Beside other terms those with '?' mean nothing, as the guide says.
    if (!required_.empty() || !excluded_.empty()) optional_.clear();
  }

  [[nodiscard]] bool matches(std::string_view message) const override {
    for (const Term& term : required_) {
      if (!term.is_in(message)) return false;
    }
    for (const Term& term : excluded_) {
      if (term.is_in(message)) return false;
    }
    for (const Term& term : optional_) {
      if (term.is_in(message)) return true;
    }
    return optional_.empty();
  }

 private:
  static Term term(PatternText& text) {
    text.add_steps(1);
    if (text.peek() == '"') return {.text = text.quoted()};
    if (text.peek() == '%') return {.regex = text.regex()};
    const std::string_view word = text.take_while(is_word);
    if (word.empty() || (!text.at_end() && !is_space(text.peek()))) {
      text.fail("a term with other characters than letters, digits and underscores must stand in quotation marks");
    }
    return {.text = std::string(word)};
  }

  std::vector<Term> required_;
  std::vector<Term> excluded_;
  std::vector<Term> optional_;
};

}  // namespace

std::expected<FilterPattern, std::string> FilterPattern::parse(std::string_view source) {
  if (source.size() > kPatternBytesMax) {
    return std::unexpected(base::cat("longer than ", kPatternBytesMax, " characters"));
  }
  try {
    PatternText text(source);
    text.skip_space();
    std::shared_ptr<const Matcher> matcher;
    if (text.peek() == '{') matcher = parse_json_pattern(text);
    else if (text.peek() == '[') matcher = parse_fields_pattern(text);
    else matcher = std::make_shared<TermsMatcher>(text);
    return FilterPattern(std::move(matcher), text.steps());
  } catch (const PatternError& error) {
    return std::unexpected(std::string(error.what()));
  }
}

}  // namespace tidemill::lang::logs
