#include "lang/inputs/input_path.h"

#include <charconv>

#include "base/text.h"

namespace tidemill::lang::inputs {
namespace {

constexpr std::string_view kEvery = "[*]";

[[noreturn]] void refuse(std::string_view path) { throw InputError(base::cat("Invalid JSON path: ", path)); }

// What stands between the brackets at the beginning of `rest`, which then begins behind them.
size_t take_place(std::string_view path, std::string_view& rest) {
  size_t place = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), place);
  if (error != std::errc() || end == rest.data() + rest.size() || *end != ']') refuse(path);
  rest.remove_prefix(static_cast<size_t>(end + 1 - rest.data()));
  return place;
}

std::string take_name(std::string_view path, std::string_view& rest) {
  rest.remove_prefix(1);
  const size_t size = std::min(rest.find_first_of(".["), rest.size());
  std::string name(rest.substr(0, size));
  if (name.empty() || name.find_first_of("*?@()'\" \t") != std::string::npos) refuse(path);
  rest.remove_prefix(size);
  return name;
}

}  // namespace

InputPath InputPath::parse(std::string_view text, Wildcards wildcards) {
  if (!text.starts_with('$')) refuse(text);
  InputPath path;
  for (std::string_view rest = text.substr(1); !rest.empty();) {
    if (rest.front() == '.') {
      path.steps_.emplace_back(take_name(text, rest));
    } else if (wildcards == Wildcards::allowed && rest.starts_with(kEvery)) {
      path.steps_.emplace_back(Every());
      rest.remove_prefix(kEvery.size());
    } else if (rest.front() == '[') {
      path.steps_.emplace_back(take_place(text, rest));
    } else {
      refuse(text);
    }
  }
  return path;
}

const json::Value* InputPath::follow(const Step& step, const json::Value& value) {
  if (const auto* name = std::get_if<std::string>(&step)) return value.find(*name);
  const auto* place = std::get_if<size_t>(&step);
  return place && value.is_array() && *place < value.array().size() ? &value.array()[*place] : nullptr;
}

const json::Value* InputPath::find(const json::Value& event) const {
  const json::Value* value = &event;
  for (const Step& step : steps_) {
    value = follow(step, *value);
    if (!value) return nullptr;
  }
  return value;
}

std::optional<json::Value> InputPath::select(const json::Value& event) const { return select(event, steps_); }

std::optional<json::Value> InputPath::select(const json::Value& value, std::span<const Step> steps) {
  if (steps.empty()) return value;
  const std::span<const Step> rest = steps.subspan(1);
  if (!std::holds_alternative<Every>(steps.front())) {
    const json::Value* next = follow(steps.front(), value);
    return next ? select(*next, rest) : std::nullopt;
  }
  if (!value.is_array()) return std::nullopt;
  json::Array found;
  for (const json::Value& element : value.array()) {
    if (auto one = select(element, rest)) found.push_back(*std::move(one));
  }
  return found;
}

}  // namespace tidemill::lang::inputs
