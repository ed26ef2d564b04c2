#include "wire/query_form.h"

#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "base/text.h"
#include "net/http.h"
#include "wire/error.h"
#include "wire/shape_bindings.h"
#include "wire/unsupported.h"

namespace tidemill::wire::shapes {

namespace {

[[noreturn]] void refuse_form(std::string why) { throw Error("MalformedQueryString", 404, std::move(why)); }

[[noreturn]] void refuse_many() { refuse_form("too many parameters"); }

const std::string& scalar(const QueryNode& node) {
  static const std::string kEmpty;
  if (!node.children.empty()) throw serialization_error("Unexpected complex element in place of a value");
  return node.value ? *node.value : kEmpty;
}

}  // namespace

const QueryNode* QueryNode::find(std::string_view name) const {
  const auto found = children.find(name);
  return found == children.end() ? nullptr : &found->second;
}

QueryNode make_query_tree(const std::vector<std::pair<std::string, std::string>>& pairs) {
  QueryNode root;
  size_t nodes = 0;
  for (const auto& [name, value] : pairs) {
    QueryNode* node = &root;
    std::string_view rest = name;
    for (int depth = 0;; ++depth) {
      if (depth == QueryNode::kDepthMax) refuse_form("a parameter's name has too many parts");
      const size_t dot = std::min(rest.find('.'), rest.size());
      const auto [child, is_new] = node->children.try_emplace(std::string(rest.substr(0, dot)));
      if (is_new && ++nodes > QueryNode::kNodesMax) refuse_many();
      node = &child->second;
      if (dot == rest.size()) break;
      rest.remove_prefix(dot + 1);
    }
    node->value = value;
  }
  return root;
}

QueryNode read_query_tree(std::string_view target, std::string_view body) {
  // As two strings each they would take fifty times the text.
  const auto parameters = std::ranges::count(target, '&') + std::ranges::count(body, '&');
  if (static_cast<size_t>(parameters) > QueryNode::kNodesMax) refuse_many();
  auto pairs = net::parse_query(target);
  for (auto& pair : net::parse_query(base::cat("?", body))) pairs.push_back(std::move(pair));
  return make_query_tree(pairs);
}

std::vector<const QueryNode*> query_elements(const QueryNode& node, std::string_view wrapper) {
  const QueryNode* list = wrapper.empty() ? &node : node.find(wrapper);
  if (!list) return {};
  std::vector<std::pair<uint32_t, const QueryNode*>> numbered;
  for (const auto& [name, child] : list->children) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size()) {
      throw serialization_error("Unexpected name in place of an element's number: " + name);
    }
    numbered.emplace_back(number, &child);
  }
  std::ranges::sort(numbered, {}, &std::pair<uint32_t, const QueryNode*>::first);
  std::vector<const QueryNode*> elements;
  for (const auto& [number, child] : numbered) elements.push_back(child);
  return elements;
}

std::string query_text(const QueryNode& node) { return text_of(scalar(node)); }
bool query_boolean(const QueryNode& node) { return boolean_of(scalar(node)); }
int32_t query_integer(const QueryNode& node) { return integer_of(scalar(node)); }
int64_t query_long(const QueryNode& node) { return long_of(scalar(node)); }
double query_double(const QueryNode& node) { return double_of(scalar(node)); }
base::Time query_timestamp(const QueryNode& node) { return timestamp_of(scalar(node)); }

std::string query_blob(const QueryNode& node) {
  auto bytes = base::base64_decode(scalar(node));
  if (!bytes) throw serialization_error("a blob that is not base64");
  return *std::move(bytes);
}

void refuse_unsupported(const OperationInfo& operation, const QueryNode& node, std::string_view name,
                        std::string_view accepted) {
  if (node.children.empty() && (!node.value || node.value->empty() || *node.value == accepted)) return;
  throw unsupported_parameter(operation, name);
}

}  // namespace tidemill::wire::shapes
