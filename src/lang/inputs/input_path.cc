#include "lang/inputs/input_path.h"

#include <charconv>

#include "base/text.h"

namespace tidemill::lang::inputs {
namespace {

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

InputPath InputPath::parse(std::string_view text) {
  if (!text.starts_with('$')) refuse(text);
  InputPath path;
  for (std::string_view rest = text.substr(1); !rest.empty();) {
    if (rest.front() == '.')
      path.steps_.emplace_back(take_name(text, rest));
    else if (rest.front() == '[')
      path.steps_.emplace_back(take_place(text, rest));
    else
      refuse(text);
  }
  return path;
}

const json::Value* InputPath::find(const json::Value& event) const {
  const json::Value* value = &event;
  for (const auto& step : steps_) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      value = value->find(*name);
    } else {
      const size_t place = std::get<size_t>(step);
      value = value->is_array() && place < value->array().size() ? &value->array()[place] : nullptr;
    }
    if (!value) return nullptr;
  }
  return value;
}

}  // namespace tidemill::lang::inputs
