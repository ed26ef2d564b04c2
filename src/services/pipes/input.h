// What an enrichment and a target are told of an event: what a template makes of it, and parameters whose value is a
// path into it (user guide, "Amazon EventBridge Pipes input transformation" and "Dynamic path parameters").
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "lang/inputs/input_path.h"
#include "lang/inputs/input_template.h"
#include "services/pipes/pipe.h"

namespace tidemill::pipes {

// An event on its way through a pipe: a record of the source, or what the enrichment made of some.
struct Event {
  json::Value document;  // as it came
  json::Value parsed;   // the same, with the text of a message's body or of a data record's data read as JSON, if it is
  bool is_json = true;  // such a text is JSON, or there is none
  std::string record;   // what its source knows it by; empty: nobody can tell
};

// The JSON text of an event, or the text itself of one that is only that.
[[nodiscard]] std::string text_of(const json::Value& value);

// A text, or the value that a path leads to.
class ParameterValue {
 public:
  // Throws lang::inputs::InputError for what begins as a path does and is none.
  explicit ParameterValue(std::string_view text);

  // Empty: the event has nothing there.
  [[nodiscard]] std::string of(const Event& event) const;

 private:
  std::string text_;
  std::optional<lang::inputs::InputPath> path_;
};

class PipeTemplate {
 public:
  // Throws lang::inputs::InputError for a place that is neither a path nor a reserved variable.
  explicit PipeTemplate(const std::string& text);

  // Nothing: it is longer than `bytes_max`. Gives way between paths. What is passed outlives the task.
  Task<std::optional<std::string>> render(const Event& event, const Pipe& pipe, base::Time now, size_t bytes_max) const;

 private:
  lang::inputs::InputTemplate template_;
  std::map<std::string, lang::inputs::InputPath, std::less<>> paths_;  // each once, however many places it has
  std::string sole_;  // the place that is all of it; else empty
};

}  // namespace tidemill::pipes
