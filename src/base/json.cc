#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/decimal.h"

namespace tidemill::base::json {

// ---- Object ----

Object::Object(std::initializer_list<Member> members) {
  members_.reserve(members.size());
  for (const Member& member : members) set(member.first, member.second);
}

const Value* Object::find(std::string_view name) const {
  for (const Member& member : members_) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

Value* Object::find(std::string_view name) {
  return const_cast<Value*>(static_cast<const Object*>(this)->find(name));  // the object itself is not const
}

Value& Object::set(std::string name, Value value) {
  if (Value* present = find(name)) return *present = std::move(value);
  return members_.emplace_back(std::move(name), std::move(value)).second;
}

bool Object::erase(std::string_view name) {
  return std::erase_if(members_, [&](const Member& member) { return member.first == name; }) != 0;
}

size_t Object::size() const { return members_.size(); }
Object::const_iterator Object::begin() const { return members_.begin(); }
Object::const_iterator Object::end() const { return members_.end(); }
Object::iterator Object::begin() { return members_.begin(); }
Object::iterator Object::end() { return members_.end(); }

// ---- Value ----

Value::Value(double number) {
  std::string text;
  Writer(text).number(number);
  if (std::isfinite(number)) data_ = Number{std::move(text)};
}

std::optional<int64_t> Value::to_int64() const {
  if (!is_number()) return std::nullopt;
  const std::string& text = number_text();
  int64_t integer = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error == std::errc() && end == text.data() + text.size()) return integer;
  const auto decimal = Decimal::parse(text);
  return decimal ? decimal->to_int64() : std::nullopt;
}

std::optional<double> Value::to_double() const {
  if (!is_number()) return std::nullopt;
  const std::string& text = number_text();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc()) return number;
  // Out of range: from_chars leaves the number as it was; tell huge from tiny by the exponent's sign.
  const size_t exponent = text.find_first_of("eE");
  const bool tiny =
      exponent != std::string::npos ? text[exponent + 1] == '-' : text.starts_with("0.") || text.starts_with("-0.");
  const double magnitude = tiny ? 0 : std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -magnitude : magnitude;
}

const Value* Value::find(std::string_view name) const { return is_object() ? object().find(name) : nullptr; }

namespace {

// Looking one member up after the other takes the square of their number.
constexpr size_t kIndexedFrom = 32;

bool equal_objects(const Object& a, const Object& b) {
  if (a.size() != b.size()) return false;
  std::unordered_map<std::string_view, const Value*> index;
  if (b.size() >= kIndexedFrom) {
    for (const Member& member : b) index.emplace(member.first, &member.second);
  }
  const auto find = [&](std::string_view name) -> const Value* {
    if (index.empty()) return b.find(name);
    const auto found = index.find(name);
    return found == index.end() ? nullptr : found->second;
  };
  return std::ranges::all_of(a, [&](const Member& member) {
    const Value* const other = find(member.first);
    return other != nullptr && equal(member.second, *other);
  });
}

}  // namespace

bool equal(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return a.boolean() == b.boolean();
    case Kind::number:
      return a.number_text() == b.number_text() || a.to_double() == b.to_double();
    case Kind::string:
      return a.string() == b.string();
    case Kind::array:
      return std::ranges::equal(a.array(), b.array(), equal);
    case Kind::object:
      break;
  }
  return equal_objects(a.object(), b.object());
}

}  // namespace tidemill::base::json
