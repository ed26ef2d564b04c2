#include "lang/logs/pattern_text.h"

#include <re2/re2.h>

#include <charconv>

#include "base/find.h"
#include "base/text.h"
#include "lang/logs/filter_pattern.h"

namespace tidemill::lang::logs {
namespace {

// What a regular expression needs at most.
constexpr int64_t kRegexMemoryMax = 8 << 20;

bool is_regex_character(char c) {
  constexpr std::string_view kSymbols = ":_#=@/;,-^$?[]{}|\\*+. ";
  return (is_word(c) && static_cast<unsigned char>(c) < 0x80) || kSymbols.find(c) != std::string_view::npos;
}

Regex compile(std::string_view source) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRegexMemoryMax);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // bytes: messages need not be valid UTF-8
  auto regex = std::make_shared<re2::RE2>(re2::StringPiece(source.data(), source.size()), options);
  return regex->ok() ? regex : nullptr;
}

}  // namespace

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

void PatternText::skip_space() {
  while (!at_end() && is_space(text_[at_])) ++at_;
}

bool PatternText::accept(std::string_view token) {
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

bool PatternText::accept_word(std::string_view word) {
  const std::string_view rest = text_.substr(at_);
  if (!rest.starts_with(word) || (rest.size() > word.size() && is_word(rest[word.size()]))) return false;
  at_ += word.size();
  return true;
}

void PatternText::expect(std::string_view token) {
  if (!accept(token)) fail(base::cat("expected '", token, "'"));
}

std::string PatternText::quoted() {
  expect("\"");
  std::string result;
  while (!at_end()) {
    const char c = take();
    if (c == '"') return result;
    if (c == '\\' && (peek() == '"' || peek() == '\\')) result.push_back(take());
    else result.push_back(c);
  }
  fail("a quotation mark is not closed");
}

Regex PatternText::regex() {
  expect("%");
  if (++regexes_ > kRegexesMax) fail(base::cat("more than ", kRegexesMax, " regular expressions"));
  const std::string_view source = take_while([](char c) { return c != '%'; });
  if (at_end()) fail("a '%' is not closed");
  expect("%");
  if (source.empty()) fail("an empty regular expression");
  for (const char c : source) {
    if (!is_regex_character(c)) fail("a character that regular expressions here cannot have");
  }
  Regex regex = compile(source);
  if (!regex) fail("not a regular expression");
  if (regex->ProgramSize() > kRegexInstructionsMax) fail("too large a regular expression");
  add_steps(static_cast<size_t>(regex->ProgramSize()));
  return regex;
}

void PatternText::fail(std::string_view what) const { throw PatternError(base::cat(what, " at character ", at_ + 1)); }

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  // No "inf" and "nan".
  if (text.empty() || !(text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value != value) return std::nullopt;
  return value;
}

bool is_like(std::string_view text, std::string_view pattern) {
  const size_t first_star = pattern.find('*');
  if (first_star == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, first_star))) return false;
  text.remove_prefix(first_star);
  pattern.remove_prefix(first_star + 1);
  // The earliest place for each piece leaves most for those behind it.
  for (size_t star = pattern.find('*'); star != std::string_view::npos; star = pattern.find('*')) {
    const size_t found = base::find(text, pattern.substr(0, star));
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + star);
    pattern.remove_prefix(star + 1);
  }
  return text.ends_with(pattern);
}

bool contains(std::string_view text, const Regex& regex) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex);
}

}  // namespace tidemill::lang::logs
