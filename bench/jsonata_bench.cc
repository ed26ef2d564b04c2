// What an evaluation of a JSONata expression costs: evaluations per second of one core, for expressions as state
// machines have them.
//
//   jsonata_bench [rounds]
//
// Prints "evaluations-per-second expression", each the best of all rounds.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/json.h"
#include "lang/jsonata/jsonata.h"

namespace {

using namespace tidemill;

constexpr int kCallsPerRound = 5000;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

const char* const kStates = R"({"input": {"a": {"b": 3}, "name": "Ada", "orders": [
  {"id": "o1", "price": 34.45, "quantity": 2}, {"id": "o2", "price": 21.67, "quantity": 1},
  {"id": "o3", "price": 107.99, "quantity": 1}, {"id": "o4", "price": 12.5, "quantity": 10}]},
  "context": {"Execution": {"Id": "arn:aws:states:eu-west-1:000000000000:execution:m:e"}, "State": {"Name": "S"}}})";

const char* const kExpressions[] = {
    "$states.input.a.b = 3",
    "$states.input.orders.(price * quantity)",
    "$sum($states.input.orders.(price * quantity))",
    "{'name': $states.input.name, 'execution': $states.context.Execution.Id}",
    "$states.input.orders[price > 20]^(>price).id",
    "$map($states.input.orders, function($o) {$o.id & ':' & $string($o.quantity)})",
    "$states.input.orders{id: price}",
    "$states.input.name ~> $uppercase() ~> $pad(10, '.')",
};

double best_rate(const lang::jsonata::Expression& expression, const lang::jsonata::Bindings& bindings, int rounds) {
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const double begin = cpu_seconds();
    for (int i = 0; i < kCallsPerRound; ++i) (void)expression.evaluate(nullptr, bindings);
    best = std::max(best, kCallsPerRound / (cpu_seconds() - begin));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  const json::Value states = json::parse(kStates).value();
  const lang::jsonata::Bindings bindings{.values = {{"states", &states}}};
  for (const char* const text : kExpressions) {
    const auto expression = lang::jsonata::Expression::compile(text);
    std::printf("%10.0f %s\n", best_rate(expression, bindings, rounds), text);
  }
}
