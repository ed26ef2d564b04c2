// Inside: from the JSON of a definition to states. One file for each kind of thing:
//   parse_machine.cc     the machine, its flows and where its transitions lead
//   compile_state.cc     what states share, and the simple ones
//   compile_choice.cc    choice rules
//   compile_failure.cc   Retry and Catch
//   compile_map.cc       Map
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lang/states/fields.h"

namespace tidemill::lang::states {

class Compiler {
 public:
  Compiler(const ParseOptions& options, QueryLanguage language, Report& report)
      : options_(options), language_(language), report_(report) {}

  // StartAt and States of `source`. Null: they are not as they must be; the report says why.
  [[nodiscard]] std::unique_ptr<const Flow> compile_flow(const json::Object& source, const std::string& location,
                                                         const State* owner);
  // Null: no state can be made of it.
  [[nodiscard]] std::unique_ptr<State> compile_state(std::string_view name, const json::Value& source,
                                                     const std::string& location);

  [[nodiscard]] Machine::VariableReferences take_references() { return std::move(references_); }

 private:
  void compile_common(State& state, Program& program, const Fields& fields);
  void compile_task(State& state, Program& program, const Fields& fields);
  void check_resource(const State& state, const Fields& fields);
  void compile_wait(Program& program, const Fields& fields);
  void compile_parallel(State& state, const Fields& fields);
  void compile_choices(Program& program, const Fields& fields);
  void compile_map(State& state, Program& program, const Fields& fields);
  void compile_processor(State& state, const Fields& fields);
  [[nodiscard]] QueryLanguage language_of(const json::Object& source, const std::string& location);

  const ParseOptions& options_;
  QueryLanguage language_;  // of the machine
  Report& report_;
  std::set<std::string, std::less<>> names_;  // of states
  Machine::VariableReferences references_;
};

[[nodiscard]] std::vector<Retrier> compile_retriers(const Fields& fields);
[[nodiscard]] std::vector<Catcher> compile_catchers(const Fields& fields);
// And/Or/Not and comparisons; `fields` is the rule's object. `is_top`: it may say Next.
[[nodiscard]] Rule compile_rule(const Fields& fields, bool is_top);

// Targets that are not there, and states that nobody leads to.
void check_transitions(const Flow& flow, std::string_view start_at, const std::string& location, Report& report);

}  // namespace tidemill::lang::states
