// The syntax of paths.
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "lang/jsonpath/step.h"

namespace tidemill::lang::jsonpath {

namespace {

constexpr std::pair<std::string_view, Step::Function> kFunctions[] = {
    {"length", Step::Function::length}, {"size", Step::Function::length},   {"keys", Step::Function::keys},
    {"min", Step::Function::min},       {"max", Step::Function::max},       {"avg", Step::Function::avg},
    {"sum", Step::Function::sum},       {"stddev", Step::Function::stddev}, {"first", Step::Function::first},
    {"last", Step::Function::last},     {"index", Step::Function::index},
};

constexpr std::pair<std::string_view, Filter::Op> kSymbols[] = {
    {"==", Filter::Op::equal},         {"!=", Filter::Op::unequal}, {"<=", Filter::Op::less_equal},
    {">=", Filter::Op::greater_equal}, {"<", Filter::Op::less},     {">", Filter::Op::greater},
};

constexpr std::pair<std::string_view, Filter::Op> kWords[] = {
    {"in", Filter::Op::in},        {"nin", Filter::Op::nin},        {"subsetof", Filter::Op::subset_of},
    {"anyof", Filter::Op::any_of}, {"noneof", Filter::Op::none_of}, {"size", Filter::Op::size},
    {"empty", Filter::Op::empty},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0; }

}  // namespace

// Reads steps, and filters within them.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  void read_root(Path::Root& root, std::string& variable) {
    if (!take("$")) fail("Reference path didn't start with '$'");
    if (take("$")) {
      root = Path::Root::context;
    } else if (at_ < text_.size() && is_letter(text_[at_])) {
      const size_t begin = at_;
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      root = Path::Root::variable;
      variable = text_.substr(begin, at_ - begin);
    }
  }

  // To the end of the text; within a filter to whatever is no step.
  void read_steps(std::vector<Step>& steps, bool in_filter) {
    while (at_ < text_.size()) {
      if (!steps.empty() && steps.back().type == Step::Type::function) {
        if (in_filter) return;
        fail("Nothing may follow a function");
      }
      if (take("..")) {
        steps.push_back({.type = Step::Type::descend});
        if (peek() != '[') read_name(steps, in_filter);
      } else if (take(".")) {
        if (peek() != '[') read_name(steps, in_filter);
      } else if (peek() != '[') {
        if (in_filter) return;
        fail("Expected '.' or '['");
      }
      if (peek() == '[' && (steps.empty() || !after_name_)) read_bracket(steps);
      after_name_ = false;
    }
  }

  [[nodiscard]] size_t at() const { return at_; }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw PathError(base::cat(what, " at character ", at_, " of '", text_, "'"));
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(std::string_view symbol) {
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  void expect(std::string_view symbol) {
    if (!take(symbol)) fail(base::cat("Expected '", symbol, "'"));
  }
  void skip_space() {
    while (peek() == ' ') ++at_;
  }

  void read_name(std::vector<Step>& steps, bool in_filter) {
    after_name_ = true;
    if (take("*")) {
      steps.push_back({.type = Step::Type::all});
      return;
    }
    const std::string_view ends = in_filter ? " .[()=!<>,]&|~" : " .[(";
    const size_t begin = at_;
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) fail("Expected a name");
    if (peek() == ' ' && !in_filter) fail("A name with a space must stand in ['…']");
    if (take("(")) return read_function(steps, name);
    steps.push_back({.type = Step::Type::members, .names = {std::string(name)}});
  }

  void read_function(std::vector<Step>& steps, std::string_view name) {
    const auto* const found = std::ranges::find(kFunctions, name, &std::pair<std::string_view, Step::Function>::first);
    if (found == std::end(kFunctions)) fail(base::cat("There is no function '", name, "'"));
    Step step{.type = Step::Type::function, .function = found->second};
    skip_space();
    if (step.function == Step::Function::index) step.indexes.push_back(read_integer());
    skip_space();
    expect(")");
    steps.push_back(std::move(step));
  }

  int64_t read_integer() {
    int64_t number = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc() || number > INT32_MAX || number < INT32_MIN) fail("Expected a number");
    at_ += static_cast<size_t>(end - begin);
    return number;
  }

  void read_bracket(std::vector<Step>& steps) {
    expect("[");
    skip_space();
    if (take("*")) {
      steps.push_back({.type = Step::Type::all});
    } else if (take("?")) {
      skip_space();
      expect("(");
      steps.push_back({.type = Step::Type::filter, .filter = std::make_shared<Filter>(read_either(0))});
      skip_space();
      expect(")");
    } else if (peek() == '\'' || peek() == '"') {
      read_names(steps);
    } else {
      read_indexes(steps);
    }
    skip_space();
    expect("]");
  }

  void read_names(std::vector<Step>& steps) {
    Step step{.type = Step::Type::members};
    do {
      skip_space();
      step.names.push_back(read_string());
      skip_space();
    } while (take(","));
    steps.push_back(std::move(step));
  }

  void read_indexes(std::vector<Step>& steps) {
    Step step{.type = Step::Type::elements};
    if (peek() != ':') step.indexes.push_back(read_integer());
    skip_space();
    if (peek() != ':') {
      while (take(",")) {
        skip_space();
        step.indexes.push_back(read_integer());
        skip_space();
      }
      steps.push_back(std::move(step));
      return;
    }
    Step slice{.type = Step::Type::slice};
    if (!step.indexes.empty()) slice.from = step.indexes.front();
    expect(":");
    if (is_digit(peek()) || peek() == '-') slice.to = read_integer();
    if (take(":") && peek() != ']') {
      slice.stride = read_integer();
      if (slice.stride < 1) fail("Expected a step of 1 or more");
    }
    steps.push_back(std::move(slice));
  }

  std::string read_string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("Expected a string");
    ++at_;
    std::string text;
    while (true) {
      if (at_ >= text_.size()) fail("A string does not end");
      char c = text_[at_++];
      if (c == quote) return text;
      if (c == '\\') {
        if (at_ >= text_.size()) fail("A string does not end");
        c = text_[at_++];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      text.push_back(c);
    }
  }

  Filter joined(Filter::Op op, std::string_view symbol, int depth, Filter (Parser::*read)(int)) {
    Filter first = (this->*read)(depth);
    skip_space();
    if (!text_.substr(at_).starts_with(symbol)) return first;
    Filter all{.op = op};
    all.parts.push_back(std::move(first));
    while (take(symbol)) {
      all.parts.push_back((this->*read)(depth));
      skip_space();
    }
    return all;
  }
  Filter read_either(int depth) { return joined(Filter::Op::either, "||", depth, &Parser::read_both); }
  Filter read_both(int depth) { return joined(Filter::Op::both, "&&", depth, &Parser::read_condition); }

  Filter read_condition(int depth) {
    if (depth >= kFilterDepthMax) fail("A filter nests too deep");
    skip_space();
    if (peek() == '!' && text_.substr(at_, 2) != "!=") {
      ++at_;
      Filter negation{.op = Filter::Op::negation};
      negation.parts.push_back(read_condition(depth + 1));
      return negation;
    }
    if (take("(")) {
      Filter inner = read_either(depth + 1);
      skip_space();
      expect(")");
      return inner;
    }
    return read_comparison();
  }

  Filter read_comparison() {
    Filter filter;
    filter.left = read_operand();
    skip_space();
    if (take("=~")) {
      skip_space();
      filter.op = Filter::Op::matches;
      filter.pattern = read_pattern();
      return filter;
    }
    for (const auto& [symbol, op] : kSymbols) {
      if (!take(symbol)) continue;
      filter.op = op;
      filter.right = read_operand();
      return filter;
    }
    const size_t end =
        std::min(text_.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", at_), text_.size());
    std::string word(text_.substr(at_, end - at_));
    std::ranges::transform(word, word.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (word.empty()) {
      if (filter.left->literal) fail("Expected a comparison");
      return filter;
    }
    const auto* const found = std::ranges::find(kWords, word, &std::pair<std::string_view, Filter::Op>::first);
    if (found == std::end(kWords)) fail(base::cat("There is no operator '", word, "'"));
    at_ = end;
    filter.op = found->second;
    filter.right = read_operand();
    return filter;
  }

  std::shared_ptr<const re2::RE2> read_pattern() {
    expect("/");
    std::string pattern;
    while (peek() != '/') {
      if (at_ >= text_.size()) fail("A pattern does not end");
      if (peek() == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] != '/') pattern.push_back('\\');
        ++at_;
      }
      pattern.push_back(text_[at_++]);
    }
    ++at_;
    re2::RE2::Options options;
    options.set_log_errors(false);
    for (; is_letter(peek()); ++at_) {
      if (peek() == 'i')
        options.set_case_sensitive(false);
      else if (peek() == 's')
        options.set_dot_nl(true);
      else
        fail("There is no such flag");
    }
    auto compiled = std::make_shared<const re2::RE2>(pattern, options);
    if (!compiled->ok()) fail(base::cat("The pattern is not valid: ", compiled->error()));
    return compiled;
  }

  std::shared_ptr<const Operand> read_operand() {
    skip_space();
    auto operand = std::make_shared<Operand>();
    if (peek() == '@' || peek() == '$') {
      operand->is_relative = peek() == '@';
      if (++depth_ > kFilterDepthMax) fail("Paths nest too deep");
      ++at_;
      read_steps(operand->steps, true);
      operand->is_definite = std::ranges::all_of(operand->steps, &Step::is_definite);
      --depth_;
    } else {
      operand->literal = read_literal(0);
    }
    return operand;
  }

  json::Value read_literal(int depth) {
    skip_space();
    if (depth > kFilterDepthMax) fail("A list nests too deep");
    if (peek() == '\'' || peek() == '"') return read_string();
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("null")) return nullptr;
    if (take("[")) {
      json::Array items;
      skip_space();
      if (take("]")) return items;
      do items.push_back(read_literal(depth + 1));
      while (skip_space(), take(","));
      expect("]");
      return items;
    }
    const size_t end = std::min(text_.find_first_not_of("0123456789+-.eE", at_), text_.size());
    auto number = json::parse(text_.substr(at_, end - at_));
    if (!number || !number->is_number()) fail("Expected a value");
    at_ = end;
    return std::move(*number);
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool after_name_ = false;
};

Path Path::parse(std::string_view text) {
  if (text.size() > kPathBytesMax) throw PathError("The path is too long");
  Path path;
  path.text_ = text;
  Parser parser(path.text_);
  parser.read_root(path.root_, path.variable_);
  parser.read_steps(path.steps_, false);
  if (!path.steps_.empty() && path.steps_.back().type == Step::Type::descend)
    throw PathError("Path must not end with '..'");
  path.is_definite_ = std::ranges::all_of(path.steps_, &Step::is_definite);
  return path;
}

}  // namespace tidemill::lang::jsonpath
