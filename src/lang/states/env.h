// Inside: what a path, template or expression is evaluated against.
#pragma once

#include <optional>
#include <string>

#include "lang/jsonata/jsonata.h"
#include "lang/jsonpath/jsonpath.h"
#include "lang/states/evaluate.h"

namespace tidemill::lang::states {

// What the templates, paths and functions of one evaluation may make altogether, in bytes of memory: a template of many
// members that each take the whole input makes a thousand times as much of it as a payload may have.
inline constexpr size_t kMadeBytesMax = size_t{32} << 20;
// And how many nodes their paths may visit, and how many steps their expressions may take.
inline constexpr size_t kPathNodesMax = 10 * jsonpath::kNodesVisitedMax;
inline constexpr int64_t kQueryStepsMax = 4 * jsonata::Limits::kSteps;

struct Env {
  const Scope& scope;
  Document root;                    // $ of paths; $states.input
  Document result = nullptr;        // $states.result
  Document error_output = nullptr;  // $states.errorOutput
  const MapItem* item = nullptr;    // $$.Map.Item

  // What is left of this evaluation's; an environment is of one thread.
  mutable size_t bytes_left = kMadeBytesMax;
  mutable size_t nodes_left = kPathNodesMax;
  mutable int64_t steps_left = kQueryStepsMax;
  mutable int64_t steps_at_once = kQueryStepsAtOnce;

  // Before a value is copied, or once it has been made. Throws StateError: States.DataLimitExceeded.
  void charge(const json::Value& value) const;
};

// Null: a definite path leads nowhere. Throws StateError for a variable that is not there.
[[nodiscard]] Document resolve(const jsonpath::Path& path, const Env& env);
// The document that the path's steps start from, as text for messages.
[[nodiscard]] std::string root_text(const jsonpath::Path& path, const Env& env);
// The context with Map.Item in it.
[[nodiscard]] json::Value context_with_item(const Env& env);
// {"Index": …, "Value": …} and what else is known of it.
[[nodiscard]] json::Value item_value(const MapItem& item);

// What the paths of a state (InputPath, ItemsPath, SecondsPath, …) lead to. Throws StateError: "Invalid path '$.x' :
// …".
[[nodiscard]] Document require(const jsonpath::Path& path, const Env& env);

[[nodiscard]] const Document& empty_object();

}  // namespace tidemill::lang::states
