#include "lang/patterns/pattern_index.h"

#include <algorithm>
#include <cstring>

namespace tidemill::lang::patterns {
namespace {

std::string bytes_of(double number) {
  if (number == 0) number = 0;  // -0 is the same number
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

double number_of(const std::string& bytes) {
  double number = 0;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

Key key_of_wildcard(PathId path, const Matcher& matcher) {
  const std::vector<std::string>& pieces = matcher.pieces;
  if (pieces.size() == 1) return {path, Key::Kind::text, pieces.front()};
  if (!pieces.front().empty()) return {path, Key::Kind::prefix, pieces.front()};
  if (!pieces.back().empty()) return {path, Key::Kind::suffix, pieces.back()};
  return {path, Key::Kind::any, ""};
}

// `prefixes` of the text if they are beginnings, else its ends.
template <bool is_prefix, class Parts>
void add_parts(const Parts& parts, std::string_view text, std::vector<KeyId>& found) {
  for (const size_t size : parts.sizes) {
    if (size > text.size()) return;
    const KeyId key = parts.keys.find(is_prefix ? text.substr(0, size) : text.substr(text.size() - size));
    if (key != TextTable::kNone) found.push_back(key);
  }
}

void add_text_of(const TextTable& texts, std::string_view text, std::vector<KeyId>& found) {
  const KeyId key = texts.find(text);
  if (key != TextTable::kNone) found.push_back(key);
}

void add_all(const std::vector<KeyId>& keys, std::vector<KeyId>& found) {
  found.insert(found.end(), keys.begin(), keys.end());
}

}  // namespace

Key key_of(PathId path, const Matcher& matcher) {
  using Kind = Matcher::Kind;
  switch (matcher.kind) {
    case Kind::null:
      return {path, Key::Kind::null, ""};
    case Kind::boolean:
      return {path, matcher.flag ? Key::Kind::boolean_true : Key::Kind::boolean_false, ""};
    case Kind::number:
      return {path, Key::Kind::number, bytes_of(matcher.number)};
    case Kind::text:
      return {path, matcher.flag ? Key::Kind::folded_text : Key::Kind::text, matcher.text};
    case Kind::prefix:
      return {path, matcher.flag ? Key::Kind::folded_prefix : Key::Kind::prefix, matcher.text};
    case Kind::suffix:
      return {path, matcher.flag ? Key::Kind::folded_suffix : Key::Kind::suffix, matcher.text};
    case Kind::wildcard:
      return key_of_wildcard(path, matcher);
    case Kind::numeric: {
      const NumberRange& range = matcher.range;
      const bool is_exact = range.bottom && range.top && *range.bottom == *range.top;
      if (is_exact) return {path, Key::Kind::number, bytes_of(*range.bottom)};
      return {path, Key::Kind::any_number, ""};
    }
    case Kind::cidr:
    case Kind::exists:
    case Kind::absent:
    case Kind::anything_but:
      break;
  }
  return {path, Key::Kind::any, ""};
}

void Paths::Parts::add(const std::string& text, KeyId id) {
  keys.emplace(text, id);
  const auto place = std::ranges::lower_bound(sizes, text.size());
  if (place == sizes.end() || *place != text.size()) sizes.insert(place, text.size());
}

PathId Paths::child(PathId parent, std::string_view segment) {
  if (const PathId found = nodes_[parent].children.find(segment); found != TextTable::kNone) return found;
  const auto id = static_cast<PathId>(nodes_.size());
  nodes_[parent].children.emplace(segment, id);
  nodes_.emplace_back().parent = parent;
  return id;
}

void Paths::ask(const Key& key, KeyId id) {
  Node& node = nodes_[key.path];
  node.asks_values = true;
  switch (key.kind) {
    case Key::Kind::text:
      node.texts.emplace(key.text, id);
      break;
    case Key::Kind::folded_text:
      node.folded_texts.emplace(key.text, id);
      break;
    case Key::Kind::number:
      node.numbers.emplace(number_of(key.text), id);
      break;
    case Key::Kind::prefix:
      node.prefixes.add(key.text, id);
      break;
    case Key::Kind::suffix:
      node.suffixes.add(key.text, id);
      break;
    case Key::Kind::folded_prefix:
      node.folded_prefixes.add(key.text, id);
      break;
    case Key::Kind::folded_suffix:
      node.folded_suffixes.add(key.text, id);
      break;
    case Key::Kind::boolean_true:
      node.trues.push_back(id);
      break;
    case Key::Kind::boolean_false:
      node.falses.push_back(id);
      break;
    case Key::Kind::null:
      node.nulls.push_back(id);
      break;
    case Key::Kind::any_number:
      node.any_number.push_back(id);
      break;
    case Key::Kind::any:
      node.any.push_back(id);
      break;
  }
  for (PathId path = key.path; !nodes_[path].is_asked; path = nodes_[path].parent) nodes_[path].is_asked = true;
}

void Paths::add_text(const Node& node, std::string_view text, std::vector<KeyId>& found) {
  add_text_of(node.texts, text, found);
  add_parts<true>(node.prefixes, text, found);
  add_parts<false>(node.suffixes, text, found);
  if (node.folded_texts.empty() && node.folded_prefixes.keys.empty() && node.folded_suffixes.keys.empty()) return;
  const std::string folded = fold_case(text);
  add_text_of(node.folded_texts, folded, found);
  add_parts<true>(node.folded_prefixes, folded, found);
  add_parts<false>(node.folded_suffixes, folded, found);
}

void Paths::add_value(const Node& node, const json::Value& value, std::vector<KeyId>& found) {
  add_all(node.any, found);
  if (value.is_string()) return add_text(node, value.string(), found);
  if (value.is_null()) return add_all(node.nulls, found);
  if (value.is_boolean()) return add_all(value.boolean() ? node.trues : node.falses, found);
  add_all(node.any_number, found);
  if (node.numbers.empty()) return;
  const auto key = node.numbers.find(value.to_double().value_or(0));
  if (key != node.numbers.end()) found.push_back(key->second);
}

// "a.b" is b in a, as patterns see it.
void Paths::walk_member(const Node& node, std::string_view name, const json::Value& value, Satisfied& found) const {
  const size_t dot = name.find('.');
  const PathId next = node.children.find(name.substr(0, dot));
  if (next == TextTable::kNone || !nodes_[next].is_asked) return;
  if (dot == std::string_view::npos) return walk(nodes_[next], value, found);
  found.is_plain = false;
  walk_member(nodes_[next], name.substr(dot + 1), value, found);
}

void Paths::walk_array(const Node& node, const json::Array& array, Satisfied& found) const {
  for (const json::Value& element : array) {
    if (element.is_object() || element.is_array()) found.is_plain = false;
    walk(node, element, found);
  }
}

void Paths::walk(const Node& node, const json::Value& value, Satisfied& found) const {
  if (value.is_object()) {
    for (const auto& [name, member] : value.object()) walk_member(node, name, member, found);
  } else if (value.is_array()) {
    walk_array(node, value.array(), found);
  } else if (node.asks_values) {
    add_value(node, value, found.keys);
  }
}

Satisfied Paths::satisfied(const json::Value& event) const {
  Satisfied found;
  if (!event.is_object() || !nodes_[kRoot].is_asked) return found;
  constexpr size_t kUsualKeys = 32;
  found.keys.reserve(kUsualKeys);
  walk(nodes_[kRoot], event, found);
  std::ranges::sort(found.keys);
  found.keys.erase(std::ranges::unique(found.keys).begin(), found.keys.end());
  return found;
}

bool Satisfied::contains(KeyId key) const { return std::ranges::binary_search(keys, key); }

bool is_exact(const Matcher& matcher) {
  using Kind = Matcher::Kind;
  switch (matcher.kind) {
    case Kind::null:
    case Kind::boolean:
    case Kind::number:
    case Kind::text:
    case Kind::prefix:
    case Kind::suffix:
    case Kind::exists:
      return true;
    case Kind::numeric:
      return key_of(Paths::kRoot, matcher).kind == Key::Kind::number;
    case Kind::wildcard:  // a text, or the beginning or the end of one
      return matcher.pieces.size() == 1 ||
             (matcher.pieces.size() == 2 && matcher.pieces.front().empty() != matcher.pieces.back().empty());
    case Kind::cidr:
    case Kind::absent:
    case Kind::anything_but:
      break;
  }
  return false;
}

}  // namespace tidemill::lang::patterns
