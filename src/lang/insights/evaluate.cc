#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "lang/insights/execution.h"
#include "lang/insights/functions.h"
#include "lang/insights/node.h"

namespace tidemill::lang::insights {
namespace {

Value arithmetic(char sign, const Value& a, const Value& b) {
  const auto left = a.number();
  const auto right = b.number();
  if (!left || !right) return {};
  double result = 0;
  switch (sign) {
    case '+':
      result = *left + *right;
      break;
    case '-':
      result = *left - *right;
      break;
    case '*':
      result = *left * *right;
      break;
    case '/':
      result = *right == 0 ? NAN : *left / *right;
      break;
    case '%':
      result = *right == 0 ? NAN : std::fmod(*left, *right);
      break;
    default:
      result = std::pow(*left, *right);
      break;
  }
  return std::isfinite(result) ? Value(result) : Value();
}

// What is not there is like nothing, and unlike everything.
Value comparison(const std::string& sign, const Value& a, const Value& b) {
  if (a.is_nothing() || b.is_nothing()) return sign == "!=" && a.is_nothing() != b.is_nothing();
  const int order = compare(a, b);
  if (sign == "=") return order == 0;
  if (sign == "!=") return order != 0;
  if (sign == "<") return order < 0;
  if (sign == "<=") return order <= 0;
  if (sign == ">") return order > 0;
  return order >= 0;
}

class Evaluation {
 public:
  Evaluation(const Record& record, const std::vector<Value>* aggregates) : record_(record), aggregates_(aggregates) {}

  [[nodiscard]] Value of(const Node& node) const {
    switch (node.kind) {
      case NodeKind::constant:
        return node.value;
      case NodeKind::field:
        return record_.get(node.name);
      case NodeKind::binary:
        return binary(node);
      case NodeKind::negation:
        return !of(*node.parts[0]).holds();
      case NodeKind::opposite:
        return arithmetic('-', 0.0, of(*node.parts[0]));
      case NodeKind::like:
        return like(node);
      case NodeKind::among: {
        const Value value = of(*node.parts[0]);
        return std::any_of(node.parts.begin() + 1, node.parts.end(),
                           [&](const NodePtr& part) { return comparison("=", value, of(*part)).holds(); });
      }
      case NodeKind::aggregate:
        return aggregates_ ? (*aggregates_)[node.aggregate] : Value();
      case NodeKind::call:
        break;
    }
    std::vector<Value> arguments;
    size_t bytes = 0;
    for (const NodePtr& part : node.parts) {
      bytes += arguments.emplace_back(of(*part)).bytes();
      if (bytes > kMadeBytesMax) throw ExecutionError("The query makes too much of one event");
    }
    if (node.name == "bin") arguments.push_back(record_.get("@timestamp"));
    return call(node.name, arguments);
  }

 private:
  [[nodiscard]] Value binary(const Node& node) const {
    Value left = of(*node.parts[0]);
    if (node.name == "and") return left.holds() && of(*node.parts[1]).holds();
    if (node.name == "or") return left.holds() || of(*node.parts[1]).holds();
    const Value right = of(*node.parts[1]);
    const char sign = node.name[0];
    if (node.name.size() == 1 && std::string_view("+-*/%^").find(sign) != std::string_view::npos) {
      return arithmetic(sign, left, right);
    }
    return comparison(node.name, left, right);
  }

  [[nodiscard]] Value like(const Node& node) const {
    const Value value = of(*node.parts[0]);
    if (value.is_nothing()) return false;
    if (const std::string* text = value.plain_text()) return re2::RE2::PartialMatch(*text, *node.regex);
    return re2::RE2::PartialMatch(value.text(), *node.regex);
  }

  const Record& record_;
  const std::vector<Value>* aggregates_;
};

}  // namespace

Value evaluate(const Node& node, const Record& record, const std::vector<Value>* aggregates) {
  return Evaluation(record, aggregates).of(node);
}

}  // namespace tidemill::lang::insights
