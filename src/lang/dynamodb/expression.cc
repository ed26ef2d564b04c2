#include "lang/dynamodb/expression.h"

#include <algorithm>

#include "base/base64.h"
#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {
namespace {

// "#name" or ":value": the sign, then letters, digits and underscores.
bool is_placeholder(std::string_view text, char sign) {
  return text.size() > 1 && text[0] == sign && std::ranges::all_of(text.substr(1), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

void check_placeholder(std::string_view parameter, std::string_view text, char sign) {
  const std::string prefix = std::string(parameter) + " contains invalid key: ";
  if (text.size() > kPlaceholderSizeMax) {
    throw ExpressionError(prefix + "The expression attribute map contains a key that is too long; size of key: " +
                          std::to_string(text.size()));
  }
  if (!is_placeholder(text, sign)) throw ExpressionError(prefix + "Syntax error; key: \"" + std::string(text) + "\"");
}

template <class Entries>
auto* find_entry(Entries& entries, std::string_view placeholder) {
  const auto found =
      std::ranges::lower_bound(entries, placeholder, {}, [](const auto& entry) { return entry.placeholder; });
  return found != entries.end() && found->placeholder == placeholder ? &*found : nullptr;
}

// Where a Java HashSet made for `total` strings would keep this one: AWS lists keys in that order.
uint32_t java_hash_slot(std::string_view text, size_t total) {
  constexpr size_t kCapacityMin = 16;
  size_t capacity = kCapacityMin;
  while (capacity * 3 / 4 < total) capacity *= 2;
  uint32_t hash = 0;
  for (const char c : text) hash = hash * 31 + static_cast<uint8_t>(c);  // placeholders are ASCII
  return (hash ^ (hash >> 16)) & static_cast<uint32_t>(capacity - 1);
}

template <class Entries>
void check_used(const Entries& entries, std::string_view parameter) {
  std::vector<std::string_view> unused;
  for (const auto& entry : entries) {
    if (!entry.used) unused.push_back(entry.placeholder);
  }
  if (unused.empty()) return;
  std::ranges::sort(unused, {},
                    [&](std::string_view key) { return std::pair(java_hash_slot(key, entries.size()), key); });
  std::string keys;
  for (const std::string_view key : unused) {
    if (!keys.empty()) keys += ", ";
    keys += key;
  }
  throw ExpressionError("Value provided in " + std::string(parameter) + " unused in expressions: keys: {" + keys + "}",
                        true);
}

}  // namespace

std::string_view expression_name(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::condition:
      return "ConditionExpression";
    case ExpressionKind::filter:
      return "FilterExpression";
    case ExpressionKind::key_condition:
      return "KeyConditionExpression";
    case ExpressionKind::projection:
      return "ProjectionExpression";
    case ExpressionKind::update:
      break;
  }
  return "UpdateExpression";
}

void Substitutions::add_name(std::string_view placeholder, std::string_view name) {
  check_placeholder("ExpressionAttributeNames", placeholder, '#');
  if (name.empty()) {
    throw ExpressionError("ExpressionAttributeNames contains invalid value: Empty attribute name for key " +
                          std::string(placeholder));
  }
  names_.push_back({placeholder, name});
  size_ += placeholder.size() + name.size();
}

void Substitutions::finish_names() {
  if (names_.empty()) throw ExpressionError("ExpressionAttributeNames must not be empty").prefix_in_writes();
  if (size_ > kSubstitutionsSizeMax) throw ExpressionError("ExpressionAttributeNames exceeds max size");
  std::ranges::sort(names_, {}, &Name::placeholder);
}

void Substitutions::set_values(ItemView values) {
  if (values.empty()) throw ExpressionError("ExpressionAttributeValues must not be empty", true);
  for (const Member member : values.members()) {
    check_placeholder("ExpressionAttributeValues", member.name, ':');
    values_.push_back({member.name, member.value});
  }
  // By AWS's rules values are at most twice their encoding (lists of nulls), so most need no exact count.
  if (size_ + 2 * values.encoded().size() <= kSubstitutionsSizeMax) return;
  const size_t size = item_size(values);
  if (size > kSubstitutionsSizeMax) throw ExpressionError("ExpressionAttributeValues exceeds max size");
  if (size_ + size <= kSubstitutionsSizeMax) return;
  throw ExpressionError(
      "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size");
}

std::optional<std::string_view> Substitutions::name(std::string_view placeholder) {
  Name* const entry = find_entry(names_, placeholder);
  if (entry == nullptr) return std::nullopt;
  entry->used = true;
  return entry->name;
}

std::optional<ValueView> Substitutions::value(std::string_view placeholder) {
  ValueEntry* const entry = find_entry(values_, placeholder);
  if (entry == nullptr) return std::nullopt;
  entry->used = true;
  return entry->value;
}

void Substitutions::check_all_used() const {
  check_used(names_, "ExpressionAttributeNames");
  check_used(values_, "ExpressionAttributeValues");
}

std::string Path::to_string() const {
  std::string text = "[";
  for (const PathStep& step : steps) {
    if (text.size() > 1) text += ", ";
    text += step.is_index ? "[" + std::to_string(step.index) + "]" : step.name;
  }
  return text + "]";
}

std::optional<ValueView> resolve(const Path& path, ItemView item) {
  std::optional<ValueView> value = item.find(path.attribute());
  for (size_t i = 1; i < path.steps.size() && value; ++i) {
    const PathStep& step = path.steps[i];
    if (value->type() != (step.is_index ? Type::L : Type::M)) return std::nullopt;
    value = step.is_index ? value->at(step.index) : value->find(step.name);
  }
  return value;
}

std::string describe(ValueView value) {
  const Type type = value.type();
  std::string text = "{" + std::string(type_name(type)) + ":";
  if (type == Type::S) {
    text += value.string();
  } else if (type == Type::N) {
    value.number().append_to(text);
  } else if (type == Type::B) {
    const std::string size = std::to_string(value.string().size());
    text += "java.nio.HeapByteBuffer[pos=0 lim=" + size + " cap=" + size + "]";
  } else {
    append_json(text, value);
  }
  return text + "}";
}

}  // namespace tidemill::lang::dynamodb
