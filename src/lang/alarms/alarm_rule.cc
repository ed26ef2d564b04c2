#include "lang/alarms/alarm_rule.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace tidemill::lang::alarms {
namespace {

using base::cat;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

}  // namespace

struct AlarmRule::Node {
  enum class Kind { all, any, none, state, constant } kind = Kind::constant;
  std::vector<NodePtr> parts;
  std::string state;  // "ALARM"
  std::string alarm;
  bool constant = false;
};

class RuleParser {
 public:
  explicit RuleParser(std::string_view text) : text_(text) {}

  AlarmRule parse() {
    if (text_.size() > kRuleSizeMax) fail(cat("it is longer than ", kRuleSizeMax, " characters"));
    rule_.root_ = any();
    skip_space();
    if (at_ < text_.size()) fail(cat("unexpected '", text_[at_], "' at ", at_));
    if (rule_.alarms_.size() > kChildrenMax) fail(cat("it asks about more than ", kChildrenMax, " alarms"));
    return std::move(rule_);
  }

 private:
  using Node = AlarmRule::Node;
  using NodePtr = AlarmRule::NodePtr;

  [[noreturn]] static void fail(const std::string& what) { throw RuleError(what); }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  [[nodiscard]] char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string word() {
    skip_space();
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  bool accept(std::string_view wanted) {
    const size_t before = at_;
    if (word() == wanted) return true;
    at_ = before;
    return false;
  }
  void expect(char c) {
    if (peek() != c)
      fail(at_ < text_.size() ? cat("'", c, "' is missing at ", at_) : cat("'", c, "' is missing at its end"));
    ++at_;
  }

  static NodePtr make(Node::Kind kind, std::vector<NodePtr> parts) {
    if (kind != Node::Kind::none && parts.size() == 1) return parts[0];
    return std::make_shared<const Node>(Node{.kind = kind, .parts = std::move(parts)});
  }

  NodePtr any() {
    if (++depth_ > kRuleDepthMax) fail("it is nested too deep");
    std::vector<NodePtr> parts{all()};
    while (accept("OR")) parts.push_back(all());
    --depth_;
    return make(Node::Kind::any, std::move(parts));
  }
  NodePtr all() {
    std::vector<NodePtr> parts{one()};
    while (accept("AND")) parts.push_back(one());
    return make(Node::Kind::all, std::move(parts));
  }

  NodePtr one() {
    if (++elements_ > kElementsMax) fail(cat("it has more than ", kElementsMax, " elements"));
    if (peek() == '(') {
      ++at_;
      NodePtr inner = any();
      expect(')');
      return inner;
    }
    const size_t begin = at_;
    const std::string name = word();
    if (name == "NOT") {
      if (++depth_ > kRuleDepthMax) fail("it is nested too deep");
      NodePtr inner = one();
      --depth_;
      return make(Node::Kind::none, {std::move(inner)});
    }
    if (name == "TRUE" || name == "FALSE") {
      return std::make_shared<const Node>(Node{.kind = Node::Kind::constant, .constant = name == "TRUE"});
    }
    if (name == "AT_LEAST") fail("Tidemill does not support AT_LEAST");
    if (name != "ALARM" && name != "OK" && name != "INSUFFICIENT_DATA") {
      fail(begin < text_.size() ? cat("unexpected '", text_.substr(begin, 16), "' at ", begin) : "it ends too early");
    }
    expect('(');
    std::string alarm = peek() == '"' ? quoted('"') : peek() == '\'' ? quoted('\'') : bare();
    expect(')');
    if (alarm.empty()) fail(cat("the name of an alarm is missing at ", begin));
    rule_.alarms_.insert(alarm);
    return std::make_shared<const Node>(Node{.kind = Node::Kind::state, .state = name, .alarm = std::move(alarm)});
  }

  std::string quoted(char quote) {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out.push_back(text_[at_]);
    }
    if (at_ == text_.size()) fail("a name in quotes does not end");
    ++at_;
    return out;
  }
  std::string bare() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '(' && text_[at_] != ')') ++at_;
    std::string out(text_.substr(begin, at_ - begin));
    while (!out.empty() && is_space(out.back())) out.pop_back();
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  size_t elements_ = 0;
  AlarmRule rule_;
};

AlarmRule AlarmRule::parse(std::string_view text) { return RuleParser(text).parse(); }

bool AlarmRule::holds(const std::function<std::string(const std::string&)>& state_of) const {
  return holds(*root_, state_of);
}

bool AlarmRule::holds(const Node& node, const std::function<std::string(const std::string&)>& state_of) {
  const auto part_holds = [&](const NodePtr& part) { return holds(*part, state_of); };
  switch (node.kind) {
    case Node::Kind::all:
      return std::ranges::all_of(node.parts, part_holds);
    case Node::Kind::any:
      return std::ranges::any_of(node.parts, part_holds);
    case Node::Kind::none:
      return !part_holds(node.parts[0]);
    case Node::Kind::state:
      return state_of(node.alarm) == node.state;
    case Node::Kind::constant:
      return node.constant;
  }
  return false;
}

}  // namespace tidemill::lang::alarms
