// The first line is an input, the rest a definition: whatever they are, no more than diagnostics and errors come of it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "lang/states/evaluate.h"

namespace {

using namespace tidemill;
using namespace tidemill::lang::states;

void leave_with(const State& state, const Scope& scope) {
  if (state.type == StateType::map) {
    const MapPlan plan = map_of(state, scope);
    (void)item_input(state, scope, plan.input, {.index = 1, .value = scope.input});
  } else if (state.type == StateType::task) {
    (void)task_of(state, scope);
  }
  (void)leave(state, scope, scope.input);
}

void run(const State& state, const Scope& scope) {
  switch (state.type) {
    case StateType::pass:
      return (void)run_pass(state, scope);
    case StateType::choice:
      return (void)run_choice(state, scope);
    case StateType::succeed:
      return (void)run_succeed(state, scope);
    case StateType::fail:
      return (void)fail_of(state, scope);
    case StateType::wait:
      return (void)wait_until(state, scope);
    default:
      return leave_with(state, scope);
  }
}

void run_all(const Flow& flow, const Scope& scope) {
  for (const auto& state : flow.states()) {
    try {
      run(*state, scope);
      (void)retry(*state, {.error = "X"}, {}, *scope.world);
      (void)catch_error(*state, scope, {.error = "X", .cause = "c"});
    } catch (const StateError&) {
    }
    for (const auto& branch : state->branches) run_all(*branch, scope);
    if (state->processor) run_all(*state->processor, scope);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(text.find('\n'), text.size());
  const ParsedMachine parsed = parse_machine(text.substr(std::min(end + 1, text.size())));
  const bool has_error = std::ranges::any_of(
      parsed.diagnostics, [](const Diagnostic& each) { return each.severity == Diagnostic::Severity::error; });
  if (has_error == (parsed.machine != nullptr)) std::abort();
  auto input = json::parse(text.substr(0, end));
  if (!parsed.machine || !input) return 0;
  const World world{.random = [] { return uint64_t{4}; }, .uuid = [] { return std::string("u"); }};
  const Document document = make_document(std::move(*input));
  run_all(parsed.machine->flow(), {.input = document, .context = document.get(), .world = &world});
  return 0;
}
