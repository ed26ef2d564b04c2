#include "lang/metrics/search.h"

#include <algorithm>

#include "base/text.h"

namespace tidemill::lang::metrics {
namespace {

using base::cat;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
char small(char c) { return static_cast<char>(is_capital(c) ? c - 'A' + 'a' : c); }
bool is_word(char c) {
  return is_capital(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// "DeadLetterErrors" has the words dead, letter, errors; "CPUUtilization" cpu and utilization.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool is_within = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_word(c)) {
      is_within = false;
      continue;
    }
    const bool after_small = i > 0 && !is_capital(text[i - 1]);
    const bool before_small = i + 1 < text.size() && is_word(text[i + 1]) && !is_capital(text[i + 1]);
    if (is_within && is_capital(c) && (after_small || before_small)) is_within = false;
    if (!is_within) words.emplace_back();
    words.back().push_back(small(c));
    is_within = true;
  }
  return words;
}

}  // namespace

struct Search::Term {
  enum class Kind { all, any, none, value } kind = Kind::value;
  std::vector<TermPtr> parts;
  std::string property;  // Namespace, MetricName, a dimension's name; empty: any of them
  std::string text;
  bool is_whole = false;
  std::vector<std::string> words;
};

class SearchParser {
 public:
  explicit SearchParser(std::string_view text) : text_(text) {}

  Search parse() {
    if (text_.size() > kSearchSizeMax) fail(cat("it is longer than ", kSearchSizeMax, " characters"));
    skip_space();
    if (peek() == '{') schema();
    skip_space();
    if (at_ < text_.size()) search_.term_ = any();
    if (at_ < text_.size()) fail(cat("unexpected '", text_.substr(at_, 1), "'"));
    return std::move(search_);
  }

 private:
  using Term = Search::Term;
  using TermPtr = Search::TermPtr;

  [[noreturn]] static void fail(const std::string& what) {
    throw ExpressionError(cat("Invalid SEARCH expression: ", what));
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (is_space(peek())) ++at_;
  }

  void schema() {
    search_.has_schema_ = true;
    bool is_first = true;
    do {
      ++at_;
      skip_space();
      std::string name = peek() == '"' ? quoted() : bare(",}");
      while (!name.empty() && is_space(name.back())) name.pop_back();
      if (name.empty()) fail("a name is missing in its braces");
      if (is_first)
        search_.name_space_ = std::move(name);
      else
        search_.dimensions_.push_back(std::move(name));
      is_first = false;
      skip_space();
    } while (peek() == ',');
    if (peek() != '}') fail("a brace is missing");
    ++at_;
    std::ranges::sort(search_.dimensions_);
  }

  std::string quoted() {
    std::string out;
    for (++at_; peek() != '"'; ++at_) {
      if (at_ >= text_.size()) fail("a text does not end");
      if (peek() == '\\' && at_ + 1 < text_.size()) ++at_;
      out.push_back(text_[at_]);
    }
    ++at_;
    return out;
  }

  std::string bare(std::string_view until) {
    const size_t begin = at_;
    while (at_ < text_.size() && until.find(text_[at_]) == std::string_view::npos) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    const size_t end = at_ + word.size();
    if (end < text_.size() && !is_space(text_[end]) && text_[end] != '(') return false;
    at_ = end;
    return true;
  }

  static TermPtr make(Term::Kind kind, std::vector<TermPtr> parts) {
    if (kind != Term::Kind::none && parts.size() == 1) return parts[0];
    return std::make_shared<const Term>(Term{.kind = kind, .parts = std::move(parts)});
  }

  TermPtr any() {
    if (++depth_ > kExpressionDepthMax) fail("it is nested too deep");
    std::vector<TermPtr> parts{all()};
    while (accept_word("OR")) parts.push_back(all());
    --depth_;
    return make(Term::Kind::any, std::move(parts));
  }

  TermPtr all() {
    std::vector<TermPtr> parts{one()};
    while (true) {
      skip_space();
      if (at_ >= text_.size() || peek() == ')') break;
      const size_t before = at_;
      if (accept_word("OR")) {
        at_ = before;
        break;
      }
      (void)accept_word("AND");
      parts.push_back(one());
    }
    return make(Term::Kind::all, std::move(parts));
  }

  TermPtr one() {
    if (accept_word("NOT")) {
      if (++depth_ > kExpressionDepthMax) fail("it is nested too deep");
      TermPtr inner = one();
      --depth_;
      return make(Term::Kind::none, {std::move(inner)});
    }
    skip_space();
    if (peek() == '(') return in_parentheses();
    if (peek() == ':') ++at_;  // a dimension, also one called MetricName
    const bool is_quoted = peek() == '"';
    std::string text = is_quoted ? quoted() : bare(" \t\r\n()=\"");
    if (text.empty() && !is_quoted) fail(at_ < text_.size() ? cat("unexpected '", peek(), "'") : "it ends too early");
    skip_space();
    if (peek() != '=') return value(std::move(text), is_quoted);
    if (!property_.empty()) fail("'=' within what a property is to be");
    ++at_;
    skip_space();
    property_ = std::move(text);
    TermPtr result = peek() == '(' ? in_parentheses() : one();
    property_.clear();
    return result;
  }

  TermPtr in_parentheses() {
    ++at_;
    TermPtr inner = any();
    skip_space();
    if (peek() != ')') fail("a parenthesis is missing");
    ++at_;
    return inner;
  }

  TermPtr value(std::string text, bool is_whole) {
    Term term{.property = property_, .text = std::move(text), .is_whole = is_whole};
    term.words = words_of(term.text);
    return std::make_shared<const Term>(std::move(term));
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string property_;
  Search search_;
};

Search Search::parse(std::string_view text) { return SearchParser(text).parse(); }

bool Search::matches(const SearchedMetric& metric) const {
  if (has_schema_) {
    if (metric.name_space != name_space_ || metric.dimensions.size() != dimensions_.size()) return false;
    std::vector<std::string> names;
    for (const auto& [name, value] : metric.dimensions) names.push_back(name);
    std::ranges::sort(names);
    if (names != dimensions_) return false;
  }
  return !term_ || holds(*term_, metric);
}

bool Search::holds(const Term& term, const SearchedMetric& metric) {
  const auto part_holds = [&](const TermPtr& part) { return holds(*part, metric); };
  switch (term.kind) {
    case Term::Kind::all:
      return std::ranges::all_of(term.parts, part_holds);
    case Term::Kind::any:
      return std::ranges::any_of(term.parts, part_holds);
    case Term::Kind::none:
      return !part_holds(term.parts[0]);
    case Term::Kind::value:
      break;
  }
  const auto is_it = [&](std::string_view text) {
    if (term.is_whole) return text == term.text;
    if (term.words.empty()) return false;
    const std::vector<std::string> words = words_of(text);
    return std::ranges::search(words, term.words).begin() != words.end();
  };
  const std::string& property = term.property;
  if (property == "Namespace") return is_it(metric.name_space);
  if (property == "MetricName") return is_it(metric.name);
  if (property.empty() && (is_it(metric.name_space) || is_it(metric.name))) return true;
  return std::ranges::any_of(metric.dimensions, [&](const auto& dimension) {
    if (!property.empty()) return dimension.first == property && is_it(dimension.second);
    return is_it(dimension.first) || is_it(dimension.second);
  });
}

}  // namespace tidemill::lang::metrics
