// For tests: machines and scopes in a line.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "lang/states/evaluate.h"

namespace tidemill::lang::states {

inline json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value) << text;
  return value ? std::move(*value) : json::Value();
}

// "code: message at location", a line each.
inline std::string told(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& each : diagnostics) text += each.code + ": " + each.message + " at " + each.location + "\n";
  return text;
}

// A state in a machine of its own, which is called State, and what it sees.
class StateFixture {
 public:
  explicit StateFixture(std::string_view state) : parsed_state_(parse_state(state, "State")) {
    EXPECT_TRUE(parsed_state_.machine) << state << "\n" << told(parsed_state_.diagnostics);
  }

  [[nodiscard]] const State& state() const { return parsed_state_.machine->flow().start(); }
  Scope& scope(std::string_view input) {
    scope_ = {.input = make_document(parsed(input)), .context = &context_, .variables = &chain_, .world = &world_};
    return scope_;
  }
  StateFixture& with_variables(std::string_view values) {
    variables_ = parsed(values).object();
    return *this;
  }
  StateFixture& with_context(std::string_view context) {
    context_ = parsed(context);
    return *this;
  }

  World& world() { return world_; }

 private:
  ParsedMachine parsed_state_;
  json::Value context_ =
      parsed(R"({"Execution":{"Id":"arn:e","Input":{"k":1}},"State":{"Name":"State"},"Task":{"Token":"tok"}})");
  json::Object variables_;
  Variables chain_{.values = &variables_};
  World world_{.now = Time(std::chrono::seconds(1'000)),
               .random = [] { return uint64_t{1} << 63; },
               .uuid = [] { return "u-1"; }};
  Scope scope_;
};

// "output | assigned | next", or "error: cause" with the state entered by event 2.
inline std::string outcome(auto&& run) {
  try {
    const Exit exit = run();
    std::string text = json::write(*exit.output);
    if (!exit.assigned.empty()) text += " | " + json::write(json::Value(exit.assigned));
    if (!exit.next.empty()) text += " -> " + std::string(exit.next);
    return text;
  } catch (const StateError& error) {
    return error.error() + ": " + error.detail();
  }
}

}  // namespace tidemill::lang::states
