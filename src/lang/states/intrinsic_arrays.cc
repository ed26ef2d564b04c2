// Intrinsic functions of arrays.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "lang/states/intrinsic.h"

namespace tidemill::lang::states {

namespace {

using Arguments = std::span<const json::Value>;

constexpr size_t kArgumentsMax = 1'000;

const json::Array& array_of(const json::Value& value) {
  if (!value.is_array()) throw IntrinsicError("The first argument must be an array");
  return value.array();
}

int64_t rounded(const json::Value& value, std::string_view what) {
  const auto number = value.to_double();
  if (!number || std::abs(*number) > 9e15) throw IntrinsicError(base::cat(what, " must be an integer"));
  return std::llround(*number);
}

json::Value array(Arguments arguments, const World&) { return json::Array(arguments.begin(), arguments.end()); }

json::Value array_partition(Arguments arguments, const World&) {
  const json::Array& items = array_of(arguments[0]);
  const int64_t size = rounded(arguments[1], "The size of a part");
  if (size < 1) throw IntrinsicError("The size of a part must be positive");
  json::Array parts;
  for (size_t at = 0; at < items.size(); at += static_cast<size_t>(size)) {
    const size_t end = std::min(items.size(), at + static_cast<size_t>(size));
    parts.emplace_back(
        json::Array(items.begin() + static_cast<ptrdiff_t>(at), items.begin() + static_cast<ptrdiff_t>(end)));
  }
  return parts;
}

json::Value array_contains(Arguments arguments, const World&) {
  return std::ranges::any_of(array_of(arguments[0]),
                             [&](const json::Value& item) { return json::equal(item, arguments[1]); });
}

json::Value array_range(Arguments arguments, const World&) {
  const int64_t first = rounded(arguments[0], "The first value");
  const int64_t last = rounded(arguments[1], "The last value");
  const int64_t step = rounded(arguments[2], "The step");
  if (step == 0) throw IntrinsicError("The step must not be 0");
  json::Array items;
  for (int64_t value = first; step > 0 ? value <= last : value >= last; value += step) {
    if (items.size() == kArrayRangeMax) throw IntrinsicError("The range has more than 1000 items");
    items.emplace_back(value);
  }
  return items;
}

json::Value array_get_item(Arguments arguments, const World&) {
  const json::Array& items = array_of(arguments[0]);
  const int64_t index = rounded(arguments[1], "The index");
  if (index < 0 || static_cast<size_t>(index) >= items.size()) throw IntrinsicError("The index is out of bounds");
  return items[static_cast<size_t>(index)];
}

json::Value array_length(Arguments arguments, const World&) { return array_of(arguments[0]).size(); }

// Of equal values equal text: members in order, numbers by value.
void append_canonical(std::string& out, const json::Value& value) {
  if (value.is_array()) {
    out.push_back('[');
    for (const json::Value& item : value.array()) {
      append_canonical(out, item);
      out.push_back(',');
    }
    out.push_back(']');
  } else if (value.is_object()) {
    std::map<std::string_view, const json::Value*> members;
    for (const auto& [name, member] : value.object()) members.emplace(name, &member);
    out.push_back('{');
    for (const auto& [name, member] : members) {
      json::append_string(out, name);
      append_canonical(out, *member);
      out.push_back(',');
    }
    out.push_back('}');
  } else if (value.is_number()) {
    json::append(out, json::Value(value.to_double().value_or(0)));
  } else {
    json::append(out, value);
  }
}

json::Value array_unique(Arguments arguments, const World&) {
  json::Array unique;
  std::set<std::string> known;
  for (const json::Value& item : array_of(arguments[0])) {
    std::string text;
    append_canonical(text, item);
    if (known.insert(std::move(text)).second) unique.push_back(item);
  }
  return unique;
}

constexpr IntrinsicFunction kFunctions[] = {
    {"States.Array", 0, kArgumentsMax, array},      {"States.ArrayPartition", 2, 2, array_partition},
    {"States.ArrayContains", 2, 2, array_contains}, {"States.ArrayRange", 3, 3, array_range},
    {"States.ArrayGetItem", 2, 2, array_get_item},  {"States.ArrayLength", 1, 1, array_length},
    {"States.ArrayUnique", 1, 1, array_unique},
};

}  // namespace

std::span<const IntrinsicFunction> array_intrinsics() { return kFunctions; }

}  // namespace tidemill::lang::states
