// Inside: what a path, template or expression is evaluated against.
#pragma once

#include <optional>
#include <string>

#include "lang/jsonpath/jsonpath.h"
#include "lang/states/evaluate.h"

namespace tidemill::lang::states {

struct Env {
  const Scope& scope;
  Document root;                    // $ of paths; $states.input
  Document result = nullptr;        // $states.result
  Document error_output = nullptr;  // $states.errorOutput
  const MapItem* item = nullptr;    // $$.Map.Item
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
