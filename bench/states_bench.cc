// What a state's evaluation costs: evaluations per second of one core, for states as machines have them.
//
//   states_bench [rounds]
//
// Prints "evaluations-per-second name", each the best of all rounds; "parse" is a whole definition.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lang/states/evaluate.h"

namespace {

using namespace tidemill;
using namespace tidemill::lang::states;

constexpr int kCallsPerRound = 5000;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

constexpr const char* kInput = R"({"order": {"id": "o1", "total": 34.5, "items": [{"sku": "a", "count": 2},
      {"sku": "b", "count": 1}]},
  "customer": {"name": "Ada", "tier": "gold"}, "attempt": 3})";
constexpr const char* kContext = R"({"Execution": {"Id": "arn:aws:states:eu-west-1:000000000000:execution:m:e",
      "Input": {}},
  "State": {"Name": "S", "EnteredTime": "2026-11-23T00:00:00Z"}, "StateMachine": {"Id": "arn", "Name": "m"}})";

struct Case {
  const char* name;
  const char* state;
};
constexpr Case kCases[] = {
    {"pass", R"({"Type": "Pass", "End": true})"},
    {"pass-paths", R"({"Type": "Pass", "InputPath": "$.order", "ResultPath": "$.copy", "OutputPath": "$.copy",
      "End": true})"},
    {"pass-template", R"({"Type": "Pass", "Parameters": {"id.$": "$.order.id", "name.$": "$.customer.name",
       "execution.$": "$$.Execution.Id", "fixed": {"a": [1, 2, 3]}}, "End": true})"},
    {"pass-intrinsic", R"x({"Type": "Pass",
      "Parameters": {"t.$": "States.Format('{} of {}', $.order.id, $.customer.name)"},
       "End": true})x"},
    {"pass-assign", R"({"Type": "Pass", "Assign": {"id.$": "$.order.id", "tries.$": "$.attempt"}, "End": true})"},
    {"choice", R"({"Type": "Choice", "Choices": [{"Variable": "$.customer.tier", "StringEquals": "silver", "Next": "S"},
       {"And": [{"Variable": "$.order.total", "NumericGreaterThan": 30}, {"Variable": "$.attempt",
      "IsPresent": true}], "Next": "S"}]})"},
    {"jsonata-output", R"({"Type": "Pass", "QueryLanguage": "JSONata", "Output": {"id": "{% $states.input.order.id %}",
       "count": "{% $sum($states.input.order.items.count) %}"}, "End": true})"},
    {"jsonata-choice", R"({"Type": "Choice", "QueryLanguage": "JSONata", "Choices": [
       {"Condition": "{% $states.input.order.total > 30 %}", "Next": "S"}]})"},
};

double best_rate(int rounds, auto&& call) {
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const double begin = cpu_seconds();
    for (int i = 0; i < kCallsPerRound; ++i) call();
    best = std::max(best, kCallsPerRound / (cpu_seconds() - begin));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  const json::Value context = json::parse(kContext).value();
  const World world{.random = [] { return uint64_t{1}; }, .uuid = [] { return std::string("u"); }};
  const Scope scope{.input = make_document(json::parse(kInput).value()), .context = &context, .world = &world};
  for (const Case& each : kCases) {
    const ParsedMachine parsed = parse_state(each.state, "S");
    if (!parsed.machine) return std::fprintf(stderr, "%s: %s\n", each.name, refusal(parsed.diagnostics).c_str()), 1;
    const State& state = parsed.machine->flow().start();
    const bool is_choice = state.type == StateType::choice;
    const double rate =
        best_rate(rounds, [&] { (void)(is_choice ? run_choice(state, scope) : run_pass(state, scope)); });
    std::printf("%.0f %s\n", rate, each.name);
  }
  const double rate = best_rate(std::max(1, rounds / 10), [&] {
    for (const Case& each : kCases) (void)parse_state(each.state, "S");
  });
  std::printf("%.0f parse\n", rate * static_cast<double>(std::size(kCases)));
}
