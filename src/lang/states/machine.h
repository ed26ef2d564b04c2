// Amazon States Language (states-language.net/spec.html; developer guide of Step Functions): a parsed definition.
//
//   ParsedMachine parsed = parse_machine(text, {});
//   if (!parsed.machine) refuse(refusal(parsed.diagnostics));
//   const State& first = parsed.machine->flow().start();
//
// Everything in it is compiled when it is parsed: paths, templates, intrinsic functions, JSONata, choice rules. A
// machine is immutable; any number of threads may evaluate its states at once (evaluate.h). References into it live as
// long as it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "lang/states/diagnostic.h"

namespace tidemill::lang::states {

inline constexpr size_t kDefinitionBytesMax = size_t{1} << 20;
inline constexpr size_t kPayloadBytesMax = size_t{256} << 10;   // input, output, result: of text in UTF-8
inline constexpr size_t kAssignBytesMax = size_t{256} << 10;    // of all values of one Assign
inline constexpr size_t kVariablesBytesMax = size_t{10} << 20;  // of all variables of an execution
inline constexpr size_t kStateNameCharactersMax = 80;
inline constexpr size_t kVariableNameCharactersMax = 80;
inline constexpr size_t kLabelCharactersMax = 40;
inline constexpr int64_t kSecondsMax = 99'999'999;  // of waits, timeouts, heartbeats, intervals
inline constexpr int64_t kTimeoutSecondsDefault = kSecondsMax;
inline constexpr int64_t kMaxDelaySecondsLimit = 31'622'400;  // MaxDelaySeconds is below
inline constexpr int64_t kItemsMax = 100'000'000;             // of ReaderConfig.MaxItems
inline constexpr int kDiagnosticsMax = 100;

enum class QueryLanguage : uint8_t { jsonpath, jsonata };
enum class StateType : uint8_t { task, pass, choice, wait, succeed, fail, parallel, map };

// "Task", "Pass", …
[[nodiscard]] std::string_view name_of(StateType type);

class Flow;
struct Program;  // inside: what evaluations need (program.h)

struct State {
  State();
  State(const State&) = delete;
  ~State();

  std::string name;      // no other state of the machine has it
  std::string location;  // "/States/Each/ItemProcessor/States/One"
  StateType type = StateType::pass;
  QueryLanguage query_language = QueryLanguage::jsonpath;
  const Flow* flow = nullptr;  // in which it stands
  std::string next;            // empty: an end, a Choice, a Succeed or a Fail
  bool is_end = false;         // "End": true, Succeed, Fail

  std::string resource;  // of a Task

  std::vector<std::unique_ptr<const Flow>> branches;  // of a Parallel

  // Of a Map
  std::unique_ptr<const Flow> processor;
  bool is_distributed = false;
  bool has_express_children = false;  // ProcessorConfig.ExecutionType
  bool has_reader = false;            // ItemReader
  bool has_writer = false;            // ResultWriter
  bool has_batcher = false;           // ItemBatcher
  std::string label;                  // empty: the engine draws one

  size_t retriers = 0;  // how many counters retry() wants
  size_t catchers = 0;

  std::unique_ptr<const Program> program;
};

// Where a state may lead.
struct Transition {
  enum class Kind : uint8_t { next, choice, otherwise, caught };  // "Next", a rule of "Choices", "Default", "Catch"

  Kind kind = Kind::next;
  size_t index = 0;  // of the rule or catcher
  std::string_view target;
  std::vector<std::string_view> errors;  // of a catcher: what it catches
};
// In the order in which they are listed above.
[[nodiscard]] std::vector<Transition> transitions_of(const State& state);

// StartAt and States: of the machine, of a branch, of a Map's processor.
class Flow {
 public:
  Flow(std::string start_at, std::vector<std::unique_ptr<State>> states, const State* owner);
  Flow(const Flow&) = delete;
  ~Flow();

  [[nodiscard]] const State& start() const { return *start_; }
  // In the order of the text.
  [[nodiscard]] const std::vector<std::unique_ptr<State>>& states() const { return states_; }
  // Null: it is not in this flow.
  [[nodiscard]] const State* find(std::string_view name) const;
  // The Parallel or Map; null: the machine.
  [[nodiscard]] const State* owner() const { return owner_; }

 private:
  std::vector<std::unique_ptr<State>> states_;
  std::map<std::string_view, const State*> by_name_;
  const State* owner_;
  const State* start_ = nullptr;
};

class Machine {
 public:
  // Of each state that reads variables, by its name, their names in order: DescribeStateMachine's variableReferences.
  using VariableReferences = std::map<std::string, std::vector<std::string>, std::less<>>;

  Machine(std::unique_ptr<const Flow> flow, QueryLanguage language, std::optional<int64_t> timeout_seconds,
          std::string comment, VariableReferences references);
  Machine(const Machine&) = delete;
  ~Machine();

  [[nodiscard]] const Flow& flow() const { return *flow_; }
  // Anywhere in the machine: names are unique in all of it. Null: there is none.
  [[nodiscard]] const State* find(std::string_view name) const;
  [[nodiscard]] QueryLanguage query_language() const { return query_language_; }
  [[nodiscard]] std::optional<int64_t> timeout_seconds() const { return timeout_seconds_; }
  [[nodiscard]] const std::string& comment() const { return comment_; }
  [[nodiscard]] const VariableReferences& variable_references() const { return references_; }

 private:
  void index(const Flow& flow);

  std::unique_ptr<const Flow> flow_;
  QueryLanguage query_language_;
  std::optional<int64_t> timeout_seconds_;
  std::string comment_;
  std::map<std::string_view, const State*> by_name_;
  VariableReferences references_;
};

// What is known of a Task's Resource, an ARN.
struct ResourceRule {
  bool is_known = true;
  std::string refusal;                // why it is not known, a sentence; empty: AWS's
  bool needs_arguments = false;       // Parameters, or Arguments
  std::vector<std::string> required;  // members of them: "FunctionName"
  std::string arguments_problem;      // what else is wrong with them, a sentence; empty: nothing
};

struct ParseOptions {
  bool is_express = false;  // an Express machine has no callbacks, .sync, activities or distributed maps
  // Asked of every Task's Resource that is an ARN, with its Parameters or Arguments as they are written (null: none);
  // nobody to ask: all are known.
  std::function<ResourceRule(std::string_view resource, const json::Value* arguments)> rule_of = nullptr;
};

struct ParsedMachine {
  std::shared_ptr<const Machine> machine;  // null if a diagnostic is an error
  Diagnostics diagnostics;                 // errors and warnings, in the order of the text
};

[[nodiscard]] ParsedMachine parse_machine(std::string_view text, const ParseOptions& options = {});

// A machine of a single state, as TestState takes it: its targets need not exist. `name` is what it is called.
[[nodiscard]] ParsedMachine parse_state(std::string_view text, std::string_view name, const ParseOptions& options = {});

}  // namespace tidemill::lang::states
