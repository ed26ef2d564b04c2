#include "lang/logs/json_pattern.h"

#include <functional>
#include <span>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "lang/logs/comparison.h"

namespace tidemill::lang::logs {
namespace {

// Deeper messages are not searched.
constexpr int kMessageDepthMax = 64;

// What parsing takes for each byte of a message, and looking at all its values once, in nanoseconds.
constexpr size_t kParsingSteps = 8;
constexpr size_t kWalkSteps = 8;

struct Step {
  enum class Kind { member, index, any } kind = Kind::member;
  std::string name;
  size_t index = 0;
};

struct Selector {
  std::string text;  // as it was written
  std::vector<Step> steps;
};

// Calls `visit` with each value that the selector means, until it returns true; whether it did.
bool any_of(const json::Value& value, std::span<const Step> steps, const std::function<bool(const json::Value&)>& visit) {
  if (steps.empty()) return visit(value);
  const Step& step = steps.front();
  const auto rest = steps.subspan(1);
  if (step.kind == Step::Kind::member) {
    const json::Value* found = value.find(step.name);
    return found && any_of(*found, rest, visit);
  }
  if (value.is_array()) {
    if (step.kind == Step::Kind::index) {
      return step.index < value.array().size() && any_of(value.array()[step.index], rest, visit);
    }
    for (const json::Value& element : value.array()) {
      if (any_of(element, rest, visit)) return true;
    }
  }
  if (value.is_object() && step.kind == Step::Kind::any) {
    for (const auto& [name, member] : value.object()) {
      if (any_of(member, rest, visit)) return true;
    }
  }
  return false;
}

std::string text_of(const json::Value& value) {
  if (value.is_string()) return value.string();
  return json::write(value);
}

struct Node {
  virtual ~Node() = default;
  [[nodiscard]] virtual bool holds(const json::Value& message) const = 0;
};
using NodePtr = std::unique_ptr<const Node>;

struct All final : Node {
  std::vector<NodePtr> parts;
  [[nodiscard]] bool holds(const json::Value& message) const override {
    for (const NodePtr& part : parts) {
      if (!part->holds(message)) return false;
    }
    return true;
  }
};

struct Any final : Node {
  std::vector<NodePtr> parts;
  [[nodiscard]] bool holds(const json::Value& message) const override {
    for (const NodePtr& part : parts) {
      if (part->holds(message)) return true;
    }
    return false;
  }
};

struct Compared final : Node {
  Selector selector;
  Comparison comparison;
  [[nodiscard]] bool holds(const json::Value& message) const override {
    return any_of(message, selector.steps, [&](const json::Value& value) {
      if (value.is_string()) return comparison.holds(value.string());
      if (value.is_number()) return comparison.holds(*value.to_double(), value.number_text());
      if (value.is_boolean()) return comparison.holds(value.boolean() ? "true" : "false");
      return false;
    });
  }
};

enum class Is { null, true_value, false_value };

struct Tested final : Node {
  Selector selector;
  Is is = Is::null;
  [[nodiscard]] bool holds(const json::Value& message) const override {
    return any_of(message, selector.steps, [&](const json::Value& value) {
      if (is == Is::null) return value.is_null();
      return value.is_boolean() && value.boolean() == (is == Is::true_value);
    });
  }
};

struct NotThere final : Node {
  Selector selector;
  [[nodiscard]] bool holds(const json::Value& message) const override {
    return !any_of(message, selector.steps, [](const json::Value&) { return true; });
  }
};

class JsonMatcher final : public FilterPattern::Matcher {
 public:
  JsonMatcher(NodePtr root, std::vector<Selector> selectors) : root_(std::move(root)), selectors_(std::move(selectors)) {}

  [[nodiscard]] bool matches(std::string_view message) const override {
    const auto document = json::parse(message, kMessageDepthMax);
    return document && document->is_object() && root_->holds(*document);
  }

  [[nodiscard]] Extracted extract(std::string_view message) const override {
    Extracted result;
    const auto document = json::parse(message, kMessageDepthMax);
    if (!document) return result;
    for (const Selector& selector : selectors_) {
      any_of(*document, selector.steps, [&](const json::Value& value) {
        result.emplace(selector.text, text_of(value));
        return true;
      });
    }
    return result;
  }

 private:
  NodePtr root_;
  std::vector<Selector> selectors_;
};

class Parser {
 public:
  explicit Parser(PatternText& text) : text_(text) {}

  std::shared_ptr<const FilterPattern::Matcher> parse() {
    text_.expect("{");
    text_.add_steps(kParsingSteps);
    NodePtr root = any(0);
    text_.expect("}");
    text_.skip_space();
    if (!text_.at_end()) text_.fail("expected nothing after '}'");
    return std::make_shared<JsonMatcher>(std::move(root), std::move(selectors_));
  }

 private:
  NodePtr any(int depth) {
    auto node = std::make_unique<Any>();
    do node->parts.push_back(all(depth));
    while (text_.accept("||"));
    return node;
  }

  NodePtr all(int depth) {
    auto node = std::make_unique<All>();
    do node->parts.push_back(one(depth));
    while (text_.accept("&&"));
    return node;
  }

  // With the white space around it.
  NodePtr one(int depth) {
    text_.skip_space();
    NodePtr node;
    if (text_.peek() == '(') {
      if (depth == kPatternDepthMax) text_.fail("too many parentheses");
      text_.expect("(");
      node = any(depth + 1);
      text_.expect(")");
    } else {
      node = condition();
    }
    text_.skip_space();
    return node;
  }

  NodePtr condition() {
    Selector selector = take_selector();
    text_.add_steps(kWalkSteps);
    selectors_.push_back(selector);
    text_.skip_space();
    if (text_.accept_word("IS")) return is(std::move(selector));
    if (text_.accept_word("NOT")) {
      text_.skip_space();
      if (!text_.accept_word("EXISTS")) text_.fail("expected EXISTS");
      auto node = std::make_unique<NotThere>();
      node->selector = std::move(selector);
      return node;
    }
    auto node = std::make_unique<Compared>();
    node->selector = std::move(selector);
    node->comparison = Comparison::parse(text_, "&|(){}");
    return node;
  }

  NodePtr is(Selector selector) {
    text_.skip_space();
    auto node = std::make_unique<Tested>();
    node->selector = std::move(selector);
    if (text_.accept_word("NULL")) node->is = Is::null;
    else if (text_.accept_word("TRUE")) node->is = Is::true_value;
    else if (text_.accept_word("FALSE")) node->is = Is::false_value;
    else text_.fail("expected NULL, TRUE or FALSE");
    return node;
  }

  Selector take_selector() {
    text_.expect("$");
    Selector selector{.text = "$"};
    while (true) {
      if (text_.accept(".")) {
        if (text_.peek() == '[') continue;  // $.["name"]
        selector.steps.push_back(text_.accept("*") ? wildcard() : member());
        selector.text += base::cat(".", selector.steps.back().kind == Step::Kind::any ? "*" : selector.steps.back().name);
      } else if (text_.accept("[")) {
        selector.steps.push_back(bracketed(selector.text));
        text_.skip_space();
        text_.expect("]");
      } else {
        break;
      }
    }
    if (selector.steps.empty()) text_.fail("expected a member");
    return selector;
  }

  Step wildcard() {
    if (++wildcards_ > kWildcardsMax) text_.fail("too many wildcards");
    return {.kind = Step::Kind::any};
  }

  Step member() {
    const std::string_view name = text_.take_while([](char c) { return is_word(c) || c == '-' || c == '@'; });
    if (name.empty()) text_.fail("expected a member's name");
    return {.name = std::string(name)};
  }

  Step bracketed(std::string& as_text) {
    text_.skip_space();
    if (text_.accept("*")) {
      as_text += "[*]";
      return wildcard();
    }
    if (text_.peek() == '"') {
      Step step{.name = text_.quoted()};
      as_text += base::cat("[\"", step.name, "\"]");
      return step;
    }
    const std::string_view digits = text_.take_while([](char c) { return c >= '0' && c <= '9'; });
    if (digits.empty() || digits.size() > 9) text_.fail("expected the number of an element");
    as_text += base::cat("[", digits, "]");
    return {.kind = Step::Kind::index, .index = std::stoul(std::string(digits))};
  }

  PatternText& text_;
  std::vector<Selector> selectors_;
  int wildcards_ = 0;
};

}  // namespace

std::shared_ptr<const FilterPattern::Matcher> parse_json_pattern(PatternText& text) { return Parser(text).parse(); }

}  // namespace tidemill::lang::logs
