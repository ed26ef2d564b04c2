// Intrinsic functions but those of arrays. Rules: the developer guide, "Intrinsic functions".
#include <algorithm>
#include <cmath>

#include "base/base64.h"
#include "base/json_objects.h"
#include "base/text.h"
#include "base/utf8.h"
#include "lang/states/hashes.h"
#include "lang/states/intrinsic.h"
#include "lang/states/numbers.h"

namespace tidemill::lang::states {

namespace {

using Arguments = std::span<const json::Value>;

const std::string& text_of(const json::Value& value, std::string_view what) {
  if (!value.is_string()) throw IntrinsicError(base::cat(what, " must be a string"));
  return value.string();
}

const std::string& short_text_of(const json::Value& value, std::string_view what) {
  const std::string& text = text_of(value, what);
  if (text.size() > kIntrinsicTextMax) throw IntrinsicError(base::cat(what, " is longer than 10000 characters"));
  return text;
}

// What a place of States.Format shows: strings as they are, anything else as JSON.
std::string shown(const json::Value& value) { return value.is_string() ? value.string() : json::write(value); }

json::Value format(Arguments arguments, const World&) {
  const std::string& text = text_of(arguments[0], "The template");
  std::string out;
  size_t next = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '{' || text[i + 1] == '}' || text[i + 1] == '\\')) {
      out.push_back(text[++i]);
    } else if (text[i] == '{') {
      if (i + 1 >= text.size() || text[i + 1] != '}') throw IntrinsicError("A '{' in the template is not closed");
      if (next >= arguments.size()) throw IntrinsicError("The template has more places than there are arguments");
      out += shown(arguments[next++]);
      ++i;
    } else if (text[i] == '}') {
      throw IntrinsicError("A '}' in the template closes nothing");
    } else {
      out.push_back(text[i]);
    }
  }
  if (next != arguments.size()) throw IntrinsicError("The template has fewer places than there are arguments");
  return out;
}

json::Value string_to_json(Arguments arguments, const World&) {
  auto value = json::parse(text_of(arguments[0], "The argument"));
  if (!value) throw IntrinsicError(base::cat("The argument is not valid JSON: ", value.error().message));
  return std::move(*value);
}

json::Value json_to_string(Arguments arguments, const World&) { return json::write(arguments[0]); }

json::Value base64_encode(Arguments arguments, const World&) {
  return base::base64_encode(short_text_of(arguments[0], "The argument"));
}

json::Value base64_decode(Arguments arguments, const World&) {
  auto bytes = base::base64_decode(short_text_of(arguments[0], "The argument"));
  if (!bytes) throw IntrinsicError("The argument is not valid base64");
  return base::to_utf8(*bytes);
}

json::Value hash(Arguments arguments, const World&) {
  const std::string data = shown(arguments[0]);
  if (data.size() > kIntrinsicTextMax) throw IntrinsicError("The data is longer than 10000 characters");
  auto digest = hex_digest(data, text_of(arguments[1], "The algorithm"));
  if (!digest) throw IntrinsicError("The algorithm must be one of MD5, SHA-1, SHA-256, SHA-384, SHA-512");
  return std::move(*digest);
}

json::Value json_merge(Arguments arguments, const World&) {
  if (!arguments[0].is_object() || !arguments[1].is_object()) throw IntrinsicError("Only objects can be merged");
  if (!arguments[2].is_boolean() || arguments[2].boolean()) {
    throw IntrinsicError("The third argument must be false: deep merging is not supported");
  }
  std::vector<json::Member> members(arguments[0].object().begin(), arguments[0].object().end());
  members.insert(members.end(), arguments[1].object().begin(), arguments[1].object().end());
  return json::object_of(std::move(members));
}

int64_t integer_of(const json::Value& value) {
  const auto number = value.to_double();
  if (!number || std::abs(*number) > 9e15) throw IntrinsicError("An argument must be an integer");
  return std::llround(*number);
}

json::Value math_random(Arguments arguments, const World& world) {
  const int64_t start = integer_of(arguments[0]);
  const int64_t end = integer_of(arguments[1]);
  if (end <= start) throw IntrinsicError("The end must be greater than the start");
  const auto span = static_cast<uint64_t>(end - start);
  const uint64_t drawn =
      arguments.size() > 2 ? scrambled(static_cast<uint64_t>(integer_of(arguments[2]))) : random_number(world);
  return start + static_cast<int64_t>(drawn % span);
}

json::Value math_add(Arguments arguments, const World&) { return integer_of(arguments[0]) + integer_of(arguments[1]); }

json::Value string_split(Arguments arguments, const World&) {
  const std::string& text = text_of(arguments[0], "The text");
  const std::string& delimiters = text_of(arguments[1], "The delimiters");
  json::Array parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, at), text.size());
    if (end > at) parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

json::Value uuid(Arguments, const World& world) {
  if (!world.uuid) throw IntrinsicError("No UUID can be made here");
  return world.uuid();
}

constexpr IntrinsicFunction kFunctions[] = {
    {"States.Format", 1, 100, format},
    {"States.StringToJson", 1, 1, string_to_json},
    {"States.JsonToString", 1, 1, json_to_string},
    {"States.Base64Encode", 1, 1, base64_encode},
    {"States.Base64Decode", 1, 1, base64_decode},
    {"States.Hash", 2, 2, hash},
    {"States.JsonMerge", 3, 3, json_merge},
    {"States.MathRandom", 2, 3, math_random},
    {"States.MathAdd", 2, 2, math_add},
    {"States.StringSplit", 2, 2, string_split},
    {"States.UUID", 0, 0, uuid},
};

}  // namespace

const IntrinsicFunction* find_intrinsic(std::string_view name) {
  const auto among = [&](std::span<const IntrinsicFunction> functions) -> const IntrinsicFunction* {
    const auto found = std::ranges::find(functions, name, &IntrinsicFunction::name);
    return found == functions.end() ? nullptr : &*found;
  };
  const IntrinsicFunction* const found = among(kFunctions);
  return found ? found : among(array_intrinsics());
}

}  // namespace tidemill::lang::states
