// Paths into an event, as rules' targets write them: "$.detail.items[0].id". Members by their names behind dots,
// elements by their places; "$" is the whole event. Rules: the EventBridge user guide, "Transforming input".
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"

namespace tidemill::lang::inputs {

// what() says what is wrong with which path.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class InputPath {
 public:
  enum class Wildcards { refused, allowed };  // "$.items[*].id"; pipes have them

  // Throws InputError: also for what JSONPath has beyond this (filters, slices, names in brackets).
  static InputPath parse(std::string_view text, Wildcards wildcards = Wildcards::refused);

  // Null: the event has nothing there. Into `event`. Of a path without wildcards.
  [[nodiscard]] const json::Value* find(const json::Value& event) const;

  // Nothing: the event has nothing there. What a wildcard stands for is a list of what is found behind it.
  [[nodiscard]] std::optional<json::Value> select(const json::Value& event) const;

 private:
  struct Every {};  // "[*]"
  using Step = std::variant<std::string, size_t, Every>;

  [[nodiscard]] static const json::Value* follow(const Step& step, const json::Value& value);
  [[nodiscard]] static std::optional<json::Value> select(const json::Value& value, std::span<const Step> steps);

  std::vector<Step> steps_;
};

}  // namespace tidemill::lang::inputs
