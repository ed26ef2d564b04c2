// Inside: the steps between a state's input and its output.
#pragma once

#include "lang/states/program.h"

namespace tidemill::lang::states {

// `note(trace, &Trace::result, value)` if somebody wants to know.
inline void note(Trace* trace, Document Trace::*member, const Document& value) {
  if (trace) trace->*member = value;
}

// The raw input after InputPath; of JSONata the raw input.
[[nodiscard]] Document selected_input(const State& state, const Scope& scope, Trace* trace);
[[nodiscard]] Document apply_path(const PathField& field, const Env& env);
[[nodiscard]] Document apply_result_path(const PathField& field, const Document& input, Document result);
// Of Assign. Throws StateError if it is too large.
[[nodiscard]] json::Object assigned_by(const std::optional<Template>& assign, const Env& env);

}  // namespace tidemill::lang::states
