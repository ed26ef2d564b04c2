#include "lang/logs/fields_pattern.h"

#include <optional>
#include <vector>

#include "base/text.h"
#include "lang/logs/comparison.h"

namespace tidemill::lang::logs {
namespace {

struct Field {
  std::string name;  // may be empty
  // Any of: all of.
  std::vector<std::vector<Comparison>> conditions;

  [[nodiscard]] bool accepts(std::string_view text) const {
    if (conditions.empty()) return true;
    for (const auto& all : conditions) {
      bool holds = true;
      for (const Comparison& comparison : all) holds = holds && comparison.holds(text);
      if (holds) return true;
    }
    return false;
  }
};

// What splitting takes for each byte of a message, in nanoseconds.
constexpr size_t kSplitSteps = 8;

// The fields of a message. Each kind of group's end is looked for in vain only once, so that the time is linear.
std::vector<std::string_view> split(std::string_view message) {
  std::vector<std::string_view> fields;
  bool may_end_quotes = true;
  bool may_end_brackets = true;
  size_t at = 0;
  while (at < message.size()) {
    if (is_space(message[at])) {
      ++at;
      continue;
    }
    bool* may_end = message[at] == '"' ? &may_end_quotes : message[at] == '[' ? &may_end_brackets : nullptr;
    if (may_end && *may_end) {
      const size_t end_of_group = message.find(message[at] == '"' ? '"' : ']', at + 1);
      if (end_of_group != std::string_view::npos) {
        fields.push_back(message.substr(at + 1, end_of_group - at - 1));
        at = end_of_group + 1;
        continue;
      }
      *may_end = false;
    }
    size_t end = at;
    while (end < message.size() && !is_space(message[end])) ++end;
    fields.push_back(message.substr(at, end - at));
    at = end;
  }
  return fields;
}

class FieldsMatcher final : public FilterPattern::Matcher {
 public:
  FieldsMatcher(std::vector<Field> fields, std::optional<size_t> ellipsis)
      : fields_(std::move(fields)), ellipsis_(ellipsis) {}

  [[nodiscard]] bool matches(std::string_view message) const override {
    const auto found = split(message);
    if (ellipsis_ ? found.size() < fields_.size() : found.size() != fields_.size()) return false;
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (!fields_[i].accepts(found[place(i, found.size())])) return false;
    }
    return true;
  }

  [[nodiscard]] Extracted extract(std::string_view message) const override {
    Extracted result;
    const auto found = split(message);
    if (found.size() < fields_.size()) return result;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const size_t at = place(i, found.size());
      const std::string name = fields_[i].name.empty() ? std::to_string(at + 1) : fields_[i].name;
      result.emplace("$" + name, std::string(found[at]));
    }
    return result;
  }

 private:
  // Where the pattern's field `i` stands in a message of `count` fields.
  [[nodiscard]] size_t place(size_t i, size_t count) const {
    return ellipsis_ && i >= *ellipsis_ ? count - fields_.size() + i : i;
  }

  std::vector<Field> fields_;
  std::optional<size_t> ellipsis_;  // before which field it stands
};

class Parser {
 public:
  explicit Parser(PatternText& text) : text_(text) {}

  std::shared_ptr<const FilterPattern::Matcher> parse() {
    text_.expect("[");
    text_.add_steps(kSplitSteps);
    do {
      text_.skip_space();
      if (text_.accept("...")) {
        if (ellipsis_) text_.fail("more than one ellipsis");
        ellipsis_ = fields_.size();
      } else {
        fields_.push_back(field());
      }
      text_.skip_space();
    } while (text_.accept(","));
    text_.expect("]");
    text_.skip_space();
    if (!text_.at_end()) text_.fail("expected nothing after ']'");
    return std::make_shared<FieldsMatcher>(std::move(fields_), ellipsis_);
  }

 private:
  Field field() {
    const bool in_parentheses = text_.accept("(");
    text_.skip_space();
    Field result{.name = take_name()};
    text_.skip_space();
    if (text_.peek() != ',' && text_.peek() != ']' && text_.peek() != ')') {
      result.conditions.push_back({condition()});
      while (true) {
        text_.skip_space();
        const bool is_and = text_.accept("&&");
        if (!is_and && !text_.accept("||")) break;
        text_.skip_space();
        const std::string name = take_name();
        if (name != result.name) text_.fail("a condition of another field");
        text_.skip_space();
        if (!is_and) result.conditions.emplace_back();
        result.conditions.back().push_back(condition());
      }
    }
    if (in_parentheses) {
      text_.skip_space();
      text_.expect(")");
    }
    return result;
  }

  std::string take_name() {
    return std::string(text_.take_while([](char c) { return is_word(c) || c == '-' || c == '@' || c == '.'; }));
  }

  Comparison condition() { return Comparison::parse(text_, ",]&|()"); }

  PatternText& text_;
  std::vector<Field> fields_;
  std::optional<size_t> ellipsis_;
};

}  // namespace

std::shared_ptr<const FilterPattern::Matcher> parse_fields_pattern(PatternText& text) { return Parser(text).parse(); }

}  // namespace tidemill::lang::logs
