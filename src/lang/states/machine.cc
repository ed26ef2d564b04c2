#include "lang/states/machine.h"

#include "lang/states/program.h"

namespace tidemill::lang::states {

State::State() = default;
State::~State() = default;

std::vector<Transition> transitions_of(const State& state) {
  std::vector<Transition> transitions;
  const auto add = [&](Transition transition) {
    if (!transition.target.empty()) transitions.push_back(std::move(transition));
  };
  const Program& program = *state.program;
  add({.target = state.next});
  for (size_t i = 0; i < program.choices.size(); ++i) {
    add({.kind = Transition::Kind::choice, .index = i, .target = program.choices[i].next});
  }
  add({.kind = Transition::Kind::otherwise, .target = program.default_next});
  for (size_t i = 0; i < program.catchers.size(); ++i) {
    const Catcher& catcher = program.catchers[i];
    add({.kind = Transition::Kind::caught,
         .index = i,
         .target = catcher.next,
         .errors = {catcher.errors.begin(), catcher.errors.end()}});
  }
  return transitions;
}

Flow::Flow(std::string start_at, std::vector<std::unique_ptr<State>> states, const State* owner)
    : states_(std::move(states)), owner_(owner) {
  for (const std::unique_ptr<State>& state : states_) {
    state->flow = this;
    by_name_.emplace(state->name, state.get());
  }
  start_ = find(start_at);
}

Flow::~Flow() = default;

const State* Flow::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Machine::Machine(std::unique_ptr<const Flow> flow, QueryLanguage language, std::optional<int64_t> timeout_seconds,
                 std::string comment, VariableReferences references)
    : flow_(std::move(flow)),
      query_language_(language),
      timeout_seconds_(timeout_seconds),
      comment_(std::move(comment)),
      references_(std::move(references)) {
  index(*flow_);
}

Machine::~Machine() = default;

void Machine::index(const Flow& flow) {
  for (const std::unique_ptr<State>& state : flow.states()) {
    by_name_.emplace(state->name, state.get());
    for (const std::unique_ptr<const Flow>& branch : state->branches) index(*branch);
    if (state->processor) index(*state->processor);
  }
}

const State* Machine::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace tidemill::lang::states
