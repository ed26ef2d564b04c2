// Paths into an event, as rules' targets write them: "$.detail.items[0].id". Members by their names behind dots,
// elements by their places; "$" is the whole event. Rules: the EventBridge user guide, "Transforming input".
#pragma once

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
  // Throws InputError: also for what JSONPath has beyond this (wildcards, filters, slices, names in brackets).
  static InputPath parse(std::string_view text);

  // Null: the event has nothing there. Into `event`.
  [[nodiscard]] const json::Value* find(const json::Value& event) const;

 private:
  std::vector<std::variant<std::string, size_t>> steps_;
};

}  // namespace tidemill::lang::inputs
