#include "main/graph_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "main/graph_dot.h"
#include "main/graph_trace.h"

namespace tidemill {
namespace {

namespace json = base::json;
using ::testing::HasSubstr;
using ::testing::Not;

GraphOptions parse(std::vector<std::string_view> arguments) {
  return parse_graph_options(arguments, [](const std::string&) { return std::nullopt; });
}

TEST(GraphCommand, AMachineIsEnough) {
  const GraphOptions options = parse({"tea"});
  EXPECT_EQ(options.what, "tea");
  EXPECT_EQ(options.output, "");
  EXPECT_FALSE(options.as_text);
  EXPECT_EQ(parse({"--output", "x.svg", "tea", "--dot"}).output, "x.svg");
  EXPECT_TRUE(parse({"--dot", "tea"}).as_text);
  for (const auto& wrong :
       std::vector<std::vector<std::string_view>>{{}, {"a", "b"}, {"a", "--svg"}, {"a", "--output"}}) {
    EXPECT_THROW(parse(wrong), UsageError);
  }
}

constexpr std::string_view kMachine = R"({
  "StartAt": "Weigh",
  "States": {
    "Weigh": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Next": "Heavy \"?\"",
              "Catch": [{"ErrorEquals": ["Spilled", "States.Timeout"], "Next": "Sorry"}]},
    "Heavy \"?\"": {"Type": "Choice", "Default": "Sorry", "Choices": [
      {"And": [{"Variable": "$.n", "NumericGreaterThan": 1}, {"Not": {"Variable": "$.x", "IsPresent": true}}],
       "Next": "Both"}]},
    "Both": {"Type": "Parallel", "Next": "Each", "Branches": [
      {"StartAt": "Left", "States": {"Left": {"Type": "Pass", "End": true}}},
      {"StartAt": "Right", "States": {"Right": {"Type": "Pass", "End": true}}}]},
    "Each": {"Type": "Map", "End": true, "ItemProcessor": {
      "StartAt": "One", "States": {"One": {"Type": "Pass", "End": true}}}},
    "Sorry": {"Type": "Fail"}
  }
})";

TEST(GraphDot, HasABoxForEachStateAndAnArrowForEachWay) {
  const std::string dot = dot_of(json::parse(kMachine).value(), "tea");
  for (const char* line : {
           "label=\"tea\"",
           "  s0 [label=\"Weigh\\nTask lambda:invoke\"];",
           "  s1 [label=\"Heavy \\\"?\\\"\\nChoice\"];",
           "  subgraph cluster_s2 {",
           "    s2 [label=\"Both\\nParallel\"];",
           "    s3 [label=\"Left\\nPass\"];",
           "  start -> s0;",
           "  s0 -> s1;",
           "  s0 -> s7 [label=\"Spilled, States.Timeout\", style=dashed];",
           "  s1 -> s2 [label=\"$.n NumericGreaterThan 1 and not ($.x IsPresent …\"];",
           "  s1 -> s7 [label=\"default\"];",
           "  s2 -> s3;",
           "  s2 -> s4;",
           "  s3 -> s2_end;",
           "  s4 -> s2_end;",
           "  s2_end -> s5;",
           "  s5 -> s6;",
           "  s6 -> s5_end;",
           "  s5_end -> end;",
       }) {
    EXPECT_THAT(dot, HasSubstr(line));
  }
  EXPECT_THAT(dot, Not(HasSubstr("s7 ->"))) << "a failure leads nowhere";
}

json::Value event(int id, int previous, std::string type, double at, std::string state = "") {
  json::Object out{{"id", id}, {"previousEventId", previous}, {"type", type}, {"timestamp", at}};
  const char* details = type.ends_with("Entered") ? "stateEnteredEventDetails" : "stateExitedEventDetails";
  if (!state.empty()) out.set(details, json::Object{{"name", std::move(state)}});
  return out;
}

TEST(GraphTrace, TellsWhatBecameOfEachState) {
  const ExecutionTrace trace =
      trace_of(json::Object{{"status", "FAILED"}},
               {event(1, 0, "ExecutionStarted", 100.0), event(2, 0, "TaskStateEntered", 100.1, "Weigh"),
                event(3, 2, "TaskScheduled", 100.2), event(4, 3, "TaskFailed", 100.5),
                event(5, 4, "TaskStateExited", 100.6, "Weigh"), event(6, 5, "FailStateEntered", 100.6, "Sorry"),
                event(7, 6, "ExecutionFailed", 100.7)});
  ASSERT_EQ(trace.states.size(), 2u);
  EXPECT_EQ(trace.states.at("Weigh").outcome, StateOutcome::caught);
  EXPECT_EQ(trace.states.at("Weigh").time, std::chrono::milliseconds(500));
  EXPECT_EQ(trace.states.at("Sorry").outcome, StateOutcome::failed);
  EXPECT_TRUE(trace.taken.contains({"Weigh", "Sorry"}));
  const std::string dot = dot_of(json::parse(kMachine).value(), "run", trace);
  EXPECT_THAT(dot, HasSubstr("s0 [label=\"Weigh\\nTask lambda:invoke\\n0.500 s\", fillcolor=\"#ffe5b4\"];"));
  EXPECT_THAT(dot, HasSubstr("s7 [label=\"Sorry\\nFail\", fillcolor=\"#f8cfcf\"];"));
  EXPECT_THAT(dot, HasSubstr("style=dashed, penwidth=2.2];"));
  EXPECT_THAT(dot, HasSubstr("s6 [label=\"One\\nPass\", color=gray70, fontcolor=gray50];"));
}

TEST(GraphTrace, CountsIterationsAndSeesWhatRuns) {
  const ExecutionTrace trace = trace_of(
      json::Object{{"status", "RUNNING"}},
      {event(1, 0, "ExecutionStarted", 0), event(2, 0, "MapStateEntered", 0, "Each"), event(3, 2, "MapStateStarted", 0),
       event(4, 3, "MapIterationStarted", 0), event(5, 4, "PassStateEntered", 1, "One"),
       event(6, 3, "MapIterationStarted", 1), event(7, 6, "PassStateEntered", 2, "One"),
       event(8, 5, "PassStateExited", 3, "One"), event(9, 7, "PassStateExited", 5, "One")});
  EXPECT_EQ(trace.states.at("Each").outcome, StateOutcome::running);
  EXPECT_EQ(trace.states.at("One").entered, 2u);
  EXPECT_EQ(trace.states.at("One").time, std::chrono::seconds(5));
  EXPECT_EQ(trace.states.at("One").outcome, StateOutcome::succeeded);
  EXPECT_TRUE(trace.taken.contains({"Each", "One"}));
}

}  // namespace
}  // namespace tidemill
