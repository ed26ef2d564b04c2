// $partition, $range, $hash, $random, $uuid and $parse. Rules: the developer guide, "Transforming data with JSONata".
#include <algorithm>
#include <cmath>

#include "lang/states/hashes.h"
#include "lang/states/numbers.h"
#include "lang/states/query.h"

namespace tidemill::lang::states {

namespace {

using Arguments = jsonata::NativeFunction::Arguments;
using Result = std::optional<json::Value>;

constexpr size_t kRangeMax = 360'145;  // items of $range, as AWS accepts them

[[noreturn]] void fail(std::string_view code, std::string_view function, std::string message) {
  throw jsonata::JsonataError(code, std::move(message), {.token = std::string(function)});
}

const json::Value* argument(Arguments arguments, size_t index) {
  return index < arguments.size() && arguments[index] ? &*arguments[index] : nullptr;
}

// Rounded towards zero. Nothing: it is not there.
std::optional<double> integer(Arguments arguments, size_t index, std::string_view function) {
  const json::Value* const value = argument(arguments, index);
  if (!value) return std::nullopt;
  const auto number = value->to_double();
  if (!number) fail("T0410", function, "An argument does not match the function's signature: a number is expected");
  return std::trunc(*number);
}

Result partition(Arguments arguments) {
  const json::Value* const items = argument(arguments, 0);
  const auto size = integer(arguments, 1, "partition");
  if (!items || !size || *size < 1) return std::nullopt;
  const json::Array one = items->is_array() ? json::Array() : json::Array{*items};
  const json::Array& all = items->is_array() ? items->array() : one;
  if (all.empty()) return std::nullopt;
  json::Array parts;
  const auto step = static_cast<size_t>(std::min(*size, static_cast<double>(all.size())));
  for (size_t at = 0; at < all.size(); at += step) {
    const size_t end = std::min(all.size(), at + step);
    parts.emplace_back(
        json::Array(all.begin() + static_cast<ptrdiff_t>(at), all.begin() + static_cast<ptrdiff_t>(end)));
  }
  return parts;
}

Result range(Arguments arguments) {
  const auto first = integer(arguments, 0, "range");
  const auto last = integer(arguments, 1, "range");
  const auto step = integer(arguments, 2, "range");
  if (!first || !last || !step || *step == 0 || (*step > 0 ? *first > *last : *first < *last)) return std::nullopt;
  const double count = std::floor((*last - *first) / *step) + 1;
  if (count > static_cast<double>(kRangeMax)) fail("U1001", "range", "Expression evaluation memory limit exceeded");
  json::Array items;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) items.emplace_back(*first + *step * static_cast<double>(i));
  if (items.size() == 1) return std::move(items.front());
  return items;
}

Result hash(Arguments arguments) {
  const json::Value* const data = argument(arguments, 0);
  const json::Value* const algorithm = argument(arguments, 1);
  if (!data || !algorithm) return std::nullopt;
  const std::string text = data->is_string() ? data->string() : json::write(*data);
  auto digest = algorithm->is_string() ? hex_digest(text, algorithm->string()) : std::nullopt;
  if (!digest) fail("T0410", "hash", "The algorithm must be one of MD5, SHA-1, SHA-256, SHA-384, SHA-512");
  return std::move(*digest);
}

Result parse(Arguments arguments) {
  const json::Value* const text = argument(arguments, 0);
  if (!text) return std::nullopt;
  if (!text->is_string()) fail("T0410", "parse", "Argument 1 of function \"parse\" does not match function signature");
  auto value = json::parse(text->string());
  if (!value) fail("D3120", "parse", "The argument of function \"parse\" is not valid JSON: " + value.error().message);
  return std::move(*value);
}

Result random_fraction(Arguments arguments, const World& world) {
  const auto seed = integer(arguments, 0, "random");
  if (!seed) return fraction(random_number(world));
  return fraction(scrambled(static_cast<uint64_t>(static_cast<int64_t>(std::clamp(*seed, -9e15, 9e15)))));
}

const std::vector<jsonata::NativeFunction>& pure_functions() {
  static const std::vector<jsonata::NativeFunction> kFunctions = {
      {.name = "partition", .parameters = 2, .call = partition},
      {.name = "range", .parameters = 3, .call = range},
      {.name = "hash", .parameters = 2, .call = hash},
      {.name = "parse", .parameters = 1, .call = parse},
  };
  return kFunctions;
}

}  // namespace

bool is_query_function(std::string_view name) {
  return name == "uuid" || name == "random" ||
         std::ranges::any_of(pure_functions(), [&](const auto& function) { return function.name == name; });
}

QueryFunctions::QueryFunctions(const jsonata::References& references, const World& world) {
  made.reserve(2);
  for (const std::string& name : references.variables) {
    for (const jsonata::NativeFunction& function : pure_functions()) {
      if (function.name == name) bound.push_back(&function);
    }
    if (name == "uuid" && world.uuid) {
      made.push_back({.name = "uuid", .call = [&world](Arguments) -> Result { return world.uuid(); }});
      bound.push_back(&made.back());
    }
  }
  // The language has a $random of its own, which takes no seed.
  if (std::ranges::find(references.functions, "random") == references.functions.end()) return;
  made.push_back({.name = "random", .parameters = 1, .call = [&world](Arguments arguments) {
                    return random_fraction(arguments, world);
                  }});
  bound.push_back(&made.back());
}

}  // namespace tidemill::lang::states
