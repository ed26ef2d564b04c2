// Literals and parameters.
#include <algorithm>

#include "base/decimal.h"
#include "lang/dynamodb/json_codec.h"
#include "lang/partiql/compile.h"

namespace tidemill::lang::partiql::detail {

namespace {

using dynamodb::Value;

// What AWS calls the value of an attribute in messages about literals.
constexpr const char* kRoot = "root";

// Decimal wants a digit before the point, PartiQL does not.
base::Decimal number(const std::string& text, const std::string& place) {
  std::string whole = text;
  const size_t sign = whole.starts_with('-') ? 1 : 0;
  if (whole[sign] == '.') whole.insert(sign, "0");
  const auto parsed = base::Decimal::parse(whole);
  if (parsed) return *parsed;
  throw StatementError(base::decimal_error_message(parsed.error(), text) + " under " + place);
}

std::string joined(const std::vector<std::string>& elements) {
  std::string text;
  for (const std::string& element : elements) text.append(text.empty() ? "" : ", ").append(element);
  return text;
}

template <class Element>
void refuse_duplicates(std::vector<Element> sorted, const std::vector<std::string>& written) {
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return;
  throw StatementError("One or more parameter values were invalid: Input collection [" + joined(written) +
                       "] contains duplicates.");
}

}  // namespace

bool Values::is_value(uint32_t node) const {
  switch (syntax_.nodes[node].kind) {
    case NodeKind::string:
    case NodeKind::number:
    case NodeKind::boolean:
    case NodeKind::null:
    case NodeKind::parameter:
    case NodeKind::list:
    case NodeKind::map:
    case NodeKind::bag:
      return true;
    default:
      return false;
  }
}

dynamodb::ValueView Values::value(uint32_t node) {
  Value built = build(node, kRoot);
  if (dynamodb::depth(built) > dynamodb::kDepthMax) throw StatementError(dynamodb::kNestedTooDeeply);
  return store_.emplace_back(std::move(built)).view();
}

dynamodb::Item Values::item(uint32_t node) {
  const auto attributes = members(syntax_.nodes[node], kRoot, true);
  dynamodb::MembersBuilder builder;
  for (const auto& [name, value] : attributes) {
    if (dynamodb::depth(value) > dynamodb::kDepthMax) throw StatementError(dynamodb::kNestedTooDeeply);
    builder.add(name, value);
  }
  return builder.build_item();
}

std::vector<std::pair<std::string, Value>> Values::members(const Node& node, const std::string& place, bool top) {
  std::vector<std::pair<std::string, Value>> members;
  for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const Node& key = syntax_.nodes[node.children[i]];
    if (key.kind != NodeKind::string) {
      throw StatementError("Tuple keys must be of type String. Actual type: " + syntax_.tokens[key.token].text +
                           " under " + place);
    }
    if (std::ranges::find(members, key.text, &std::pair<std::string, Value>::first) != members.end()) {
      throw StatementError("Duplicate keys in tuple. Key: " + key.text + " under " + place);
    }
    members.emplace_back(key.text, build(node.children[i + 1], top ? place : place + "." + key.text));
  }
  return members;
}

Value Values::build(uint32_t number_of_node, const std::string& place) {
  const Node& node = syntax_.nodes[number_of_node];
  switch (node.kind) {
    case NodeKind::string:
      return Value::string(node.text);
    case NodeKind::number:
      return Value::number(number(node.text, place));
    case NodeKind::boolean:
      return Value::boolean(node.text == "TRUE");
    case NodeKind::null:
      return Value::null();
    case NodeKind::parameter:
      if (node.number >= parameters_.size()) {
        throw StatementError("Number of parameters in request and statement don't match.");
      }
      return parameters_[node.number];
    case NodeKind::list: {
      std::vector<Value> elements;
      for (const uint32_t child : node.children) {
        elements.push_back(build(child, place + "[" + std::to_string(elements.size()) + "]"));
      }
      return Value::list(elements);
    }
    case NodeKind::map:
      return Value::map(members(node, place, false));
    case NodeKind::bag:
      return build_set(node, place);
    case NodeKind::missing:
      throw StatementError("MISSING must be compared using IS operator");
    default:
      break;
  }
  const std::string& name = node.text.empty() ? syntax_.tokens[node.token].text : node.text;
  throw StatementError("Unsupported data type: " + name + " under key " + place + syntax_.at(number_of_node));
}

Value Values::build_set(const Node& node, const std::string& place) {
  if (node.children.empty()) throw StatementError("Empty bags are not supported");
  std::vector<std::string> strings, written;
  std::vector<std::string> numbers;
  std::vector<base::Decimal> decimals;
  for (const uint32_t child : node.children) {
    const Value element = build(child, place);
    if (element.type() == dynamodb::Type::S) {
      strings.emplace_back(element.view().string());
      written.push_back(strings.back());
    } else if (element.type() == dynamodb::Type::N) {
      decimals.push_back(element.view().number());
      numbers.emplace_back(element.view().number_encoded());
      written.push_back(decimals.back().to_string());
    }
  }
  if (written.size() != node.children.size() || (!strings.empty() && !numbers.empty())) {
    throw StatementError("Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags");
  }
  if (strings.empty()) {
    refuse_duplicates(numbers, written);
    return Value::number_set(std::move(decimals));
  }
  refuse_duplicates(strings, written);
  return Value::string_set(std::move(strings));
}

}  // namespace tidemill::lang::partiql::detail
