// What a target receives, made from a text with places for values: the InputTemplate of rules and pipes.
//
//   const auto text = InputTemplate::parse(R"({"who":<name>,"says":"hello <name>"})");
//   text.render([&](std::string_view name) { return values.find(name); }, 256 << 10);
//
// A template is JSON, or one or more strings in quotes. In JSON a place outside of quotes takes the value's JSON text.
// Within quotes it takes a text as it is, unescaped, numbers and booleans as they are written, and lists and objects
// without their quotation marks. A value that is not there is empty: "" outside of quotes, nothing within them.
//
// Rules: the EventBridge user guide, "Transforming input".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace tidemill::lang::inputs {

class InputTemplate {
 public:
  // Of a name that stands in a place; null: it has no value.
  using Values = std::function<const json::Value*(std::string_view name)>;

  static InputTemplate parse(std::string_view text);

  // The name of the first place outside of quotes that does not end; nothing: each does. No value makes JSON of it.
  [[nodiscard]] static std::optional<std::string_view> unclosed(std::string_view text);

  // The names in its places, in their order, as often as they stand there.
  [[nodiscard]] std::vector<std::string_view> names() const;

  // Nothing: it is longer than `bytes_max`. A value may stand in thousands of places.
  [[nodiscard]] std::optional<std::string> render(const Values& values, size_t bytes_max) const;

 private:
  struct Part {
    std::string text;        // before the place
    std::string name;        // empty: the end
    bool is_quoted = false;  // the place stands within quotes
  };
  std::vector<Part> parts_;
};

}  // namespace tidemill::lang::inputs
