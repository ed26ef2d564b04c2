#include "lang/policies/glob.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/find.h"

namespace tidemill::lang::policies {

namespace {

constexpr int kArnSegments = 6;  // the last may hold colons
constexpr size_t kVariablesMax = 0x4000;

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter; }

bool equal_but_case(std::string_view lower_case_text, std::string_view text) {
  return std::ranges::equal(lower_case_text, text, {}, {}, lower);
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

Glob::Glob(std::string_view text, GlobOptions options) : ignores_case_(options.ignores_case) {
  for (size_t at = 0; at < text.size();) {
    if (options.has_variables && text.substr(at).starts_with("${")) {
      if (const size_t taken = add_variable(text.substr(at))) {
        at += taken;
        continue;
      }
    }
    const char letter = text[at++];
    const bool is_wildcard = options.wildcards != Wildcards::none && (letter == '*' || letter == '?');
    if (is_wildcard)
      codes_.push_back(letter == '*' ? kAnyRun : kOne);
    else
      add_letter(letter);
  }
  if (options.wildcards == Wildcards::arn) keep_in_segments();
  is_plain_ = std::ranges::all_of(codes_, [](Code code) { return code < kAnyRun; });
  if (is_plain_)
    std::ranges::transform(codes_, std::back_inserter(plain_), [](Code code) { return static_cast<char>(code); });
}

void Glob::add_letter(char letter) {
  codes_.push_back(static_cast<unsigned char>(ignores_case_ ? lower(letter) : letter));
}

// Wildcards in the first segments of an ARN stay in them.
void Glob::keep_in_segments() {
  int segment = 1;
  for (size_t i = 0; i < codes_.size() && segment < kArnSegments; ++i) {
    if (codes_[i] == u':') ++segment;
    const bool ends_segment = i + 1 == codes_.size() || codes_[i + 1] == u':';
    if (codes_[i] == kAnyRun && !ends_segment) codes_[i] = kAnyRunInSegment;
    if (codes_[i] == kOne) codes_[i] = kOneInSegment;
  }
}

// `text` begins with "${". How much of it is the variable; 0: it is none, and its letters stand for themselves.
size_t Glob::add_variable(std::string_view text) {
  const size_t end = text.find('}');
  if (end == std::string_view::npos || variables_.size() == kVariablesMax) return 0;
  const std::string_view inside = text.substr(2, end - 2);
  if (inside == "*" || inside == "?" || inside == "$") {
    add_letter(inside.front());
    return end + 1;
  }
  Variable variable;
  const size_t comma = inside.find(',');
  variable.name = trim(inside.substr(0, comma));
  variable.key = lower_case(variable.name);
  if (comma != std::string_view::npos) {
    std::string_view otherwise = trim(inside.substr(comma + 1));
    if (otherwise.size() < 2 || !otherwise.starts_with('\'') || !otherwise.ends_with('\'')) return 0;
    variable.otherwise = std::string(otherwise.substr(1, otherwise.size() - 2));
  }
  codes_.push_back(static_cast<Code>(kVariables + variables_.size()));
  variables_.push_back(std::move(variable));
  return end + 1;
}

std::optional<std::u16string> Glob::filled(const FactSource& facts, size_t size_max) const {
  std::u16string out;
  for (const Code code : codes_) {
    if (code < kVariables) {
      out.push_back(code);
      continue;
    }
    const Variable& variable = variables_[code - kVariables];
    const Values* values = facts.find(variable.key);
    // Which of several is meant nobody can tell.
    const std::string* value = values && values->size() == 1 ? &values->front() : nullptr;
    if (!value && variable.otherwise) value = &*variable.otherwise;
    if (!value) return std::nullopt;
    if (out.size() > size_max) continue;  // all that is left to know is whether the others have values
    for (const char letter : *value) out.push_back(static_cast<unsigned char>(ignores_case_ ? lower(letter) : letter));
  }
  return out;
}

std::optional<bool> Glob::matches(std::string_view text, const FactSource& facts) const {
  if (is_plain_) return ignores_case_ ? equal_but_case(plain_, text) : plain_ == text;
  std::string lowered;
  if (ignores_case_) text = lowered = lower_case(text);
  if (variables_.empty()) return match(codes_, text);
  // Each letter takes one of the text's, so that a longer pattern cannot match, but for its runs.
  const size_t size_max = text.size() + codes_.size();
  const auto pattern = filled(facts, size_max);
  if (!pattern) return std::nullopt;
  return pattern->size() <= size_max && match(*pattern, text);
}

std::optional<std::string> Glob::text(const FactSource& facts) const {
  if (is_plain_) return plain_;
  const auto letters = filled(facts, std::numeric_limits<size_t>::max());
  if (!letters) return std::nullopt;
  std::string out;
  std::ranges::transform(*letters, std::back_inserter(out), [](Code code) { return static_cast<char>(code); });
  return out;
}

bool Glob::match(std::u16string_view pattern, std::string_view text) {
  const bool has_only_runs = std::ranges::all_of(pattern, [](Code code) { return code <= kAnyRun; });
  return has_only_runs ? match_runs(pattern, text) : PatternStates(pattern).match(text);
}

// Each piece between runs where it comes first, so that as much as can be is left for the next.
bool Glob::match_runs(std::u16string_view pattern, std::string_view text) {
  std::string piece;
  bool is_first = true;
  for (;;) {
    const size_t run = pattern.find(kAnyRun);
    piece.clear();
    for (const Code code : pattern.substr(0, run)) piece.push_back(static_cast<char>(code));
    if (run == std::u16string_view::npos) return is_first ? text == piece : text.ends_with(piece);
    const size_t at = is_first ? (text.starts_with(piece) ? 0 : std::string_view::npos) : base::find(text, piece);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + piece.size());
    pattern.remove_prefix(run + 1);
    is_first = false;
  }
}

}  // namespace tidemill::lang::policies
