// Expressions in GetMetricData and in alarms.
#include <gmock/gmock.h>

#include "services/cloudwatch/testing.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::World;

void put(World& world, std::string_view name, int value, std::string_view dimensions = "[]") {
  EXPECT_EQ(world.run("PutMetricData", base::cat(R"({"Namespace":"n","MetricData":[{"MetricName":")", name,
                                                 R"(","Value":)", value, R"(,"Dimensions":)", dimensions, "}]}")),
            "{}");
}

std::string metric(std::string_view id, std::string_view name, std::string_view more = "") {
  return base::cat(R"({"Id":")", id, R"(","MetricStat":{"Metric":{"Namespace":"n","MetricName":")", name,
                   R"("},"Period":60,"Stat":"Sum"})", more, "}");
}
std::string expression(std::string_view id, std::string_view text, std::string_view more = "") {
  return base::cat(R"({"Id":")", id, R"(","Expression":)", json::write(json::Value(text)), more, "}");
}

std::string ask(World& world, std::string_view queries, std::string_view more = "") {
  return world.run("GetMetricData",
                   base::cat(R"({"MetricDataQueries":[)", queries, R"(],"ScanBy":"TimestampAscending","StartTime":)",
                             world.now() - 600, R"(,"EndTime":)", world.now() + 60, more, "}"));
}

// "id label: 1 2" of each result.
std::vector<std::string> results(const std::string& answer) {
  std::vector<std::string> out;
  for (const json::Value& result : World::parse(answer).find("MetricDataResults")->array()) {
    std::string line = result.find("Id")->string() + " " + result.find("Label")->string() + ":";
    for (const json::Value& value : result.find("Values")->array()) line += " " + value.number_text();
    out.push_back(line);
  }
  return out;
}

TEST(MetricMathQueries, ExpressionsAreEvaluatedOverQueriesThatAreNotShown) {
  World world;
  put(world, "errors", 1);
  put(world, "calls", 4);
  world.advance(60s);
  put(world, "errors", 3);
  put(world, "calls", 6);
  const std::string hidden = R"(,"ReturnData":false)";
  EXPECT_THAT(results(ask(world, base::cat(expression("rate", "100 * e / c"), ",", metric("e", "errors", hidden), ",",
                                           metric("c", "calls", hidden)))),
              ElementsAre("rate rate: 25.0 50.0"));
  EXPECT_THAT(results(ask(world, base::cat(metric("e", "errors"), ",", metric("c", "calls", hidden), ",",
                                           expression("all", "SUM(METRICS())", R"(,"Label":"together")")))),
              ElementsAre("e errors: 1.0 3.0", "all together: 5.0 9.0"));
  EXPECT_THAT(results(ask(world, base::cat(metric("e", "errors", hidden), ",", expression("a", "e + 1", hidden), ",",
                                           expression("b", "a * 10")))),
              ElementsAre("b b: 20.0 40.0"));
}

TEST(MetricMathQueries, ArraysGiveAResultForEachSeriesAlsoOverPages) {
  World world;
  for (int i = 0; i < 3; ++i) {
    put(world, "calls", i + 1, R"([{"Name":"f","Value":"a"}])");
    put(world, "calls", i + 10, R"([{"Name":"f","Value":"b"}])");
    world.advance(60s);
  }
  const std::string query = expression("s", R"(SEARCH('{n,f} MetricName="calls"', 'Sum', 60))");
  EXPECT_THAT(results(ask(world, query)), ElementsAre("s a: 1.0 2.0 3.0", "s b: 10.0 11.0 12.0"));
  EXPECT_THAT(results(ask(world, expression("s", "SORT(SEARCH('{n,f}', 'Sum', 60), MAX, DESC, 1)"))),
              ElementsAre("s b: 10.0 11.0 12.0"));
  std::vector<std::string> paged;
  std::string token;
  for (int page = 0; page < 10; ++page) {
    const std::string answer = ask(world, query, base::cat(R"(,"MaxDatapoints":2)", token));
    for (const std::string& line : results(answer)) paged.push_back(line);
    const json::Value* next = nullptr;
    const json::Value document = World::parse(answer);
    next = document.find("NextToken");
    if (!next) break;
    token = base::cat(R"(,"NextToken":")", next->string(), "\"");
  }
  EXPECT_THAT(paged, ElementsAre("s a: 1.0 2.0", "s a: 3.0", "s b: 10.0", "s b: 11.0 12.0"));
}

TEST(MetricMathQueries, WhatIsWrongIsRefused) {
  World world;
  EXPECT_THAT(ask(world, R"({"Id":"a"})"), HasSubstr("MetricDataQueries.member.1.MetricStat is required"));
  EXPECT_THAT(ask(world, expression("e", "a +")), HasSubstr("ValidationError: Error in expression 'e': Syntax error"));
  EXPECT_THAT(ask(world, expression("e", "a + 1")), HasSubstr("Error in expression 'e': 'a' is not defined"));
  EXPECT_THAT(ask(world, base::cat(expression("a", "b"), ",", expression("b", "a"))), HasSubstr("refers to itself"));
  EXPECT_THAT(ask(world, base::cat(metric("a", "m"), ",", expression("e", "SUM(a)"))),
              HasSubstr("must return a time series"));
  EXPECT_THAT(ask(world, base::cat(metric("a", "m"), ",", expression("e", "ANOMALY_DETECTION_BAND(a, 2)"))),
              HasSubstr("Tidemill does not support the function ANOMALY_DETECTION_BAND"));
}

std::string put_alarm(World& world, std::string_view queries, std::string_view more = "") {
  return world.run("PutMetricAlarm",
                   base::cat(R"({"AlarmName":"a","ComparisonOperator":"GreaterThanThreshold","Threshold":20,)",
                             R"("EvaluationPeriods":1,"AlarmActions":["arn:aws:sns:us-east-1:000000000000:t"],)",
                             R"("Metrics":[)", queries, "]", more, "}"));
}

TEST(MetricMathAlarms, WatchWhatAnExpressionReturns) {
  World world;
  const std::string hidden = R"(,"ReturnData":false)";
  const std::string queries = base::cat(metric("e", "errors", hidden), ",", metric("c", "calls", hidden), ",",
                                        expression("rate", "100 * e / c", R"(,"Label":"percent")"));
  EXPECT_EQ(put_alarm(world, queries), "{}");
  world.settle();
  EXPECT_EQ(world.state("a"), "INSUFFICIENT_DATA");
  put(world, "calls", 10);
  put(world, "errors", 1);
  world.advance(60s);
  EXPECT_EQ(world.state("a"), "OK");
  put(world, "calls", 10);
  put(world, "errors", 3);
  world.advance(60s);
  EXPECT_EQ(world.state("a"), "ALARM");
  ASSERT_EQ(world.told.size(), 1u);
  EXPECT_THAT(world.told[0], AllOf(HasSubstr(R"(\"Metrics\":[{\"Id\":\"e\",\"MetricStat\":{\"Metric\":)"),
                                   HasSubstr(R"(\"Expression\":\"100 * e / c\",\"Id\":\"rate\",\"Label\":\"percent\")"),
                                   HasSubstr("[30.0 (")));
  const json::Value shown = world.ask("DescribeAlarms", R"({"AlarmNames":["a"]})");
  const json::Value& alarm = shown.find("MetricAlarms")->array().at(0);
  EXPECT_EQ(alarm.find("Metrics")->array().size(), 3u);
  EXPECT_EQ(alarm.find("MetricName"), nullptr);
  EXPECT_THAT(
      world.ask("DescribeAlarmsForMetric", R"({"Namespace":"n","MetricName":"errors"})").find("MetricAlarms")->array(),
      IsEmpty());
  EXPECT_EQ(world.run("DeleteAlarms", R"({"AlarmNames":["a"]})"), "{}");
}

TEST(MetricMathAlarms, AreCheckedWhenTheyAreMade) {
  World world;
  EXPECT_THAT(put_alarm(world, base::cat(metric("e", "m"), ",", expression("x", "e"))),
              HasSubstr("Exactly one element of the metrics list should return data."));
  EXPECT_THAT(put_alarm(world, expression("x", "TIME_SERIES(1)")), HasSubstr("Invalid metrics list"));
  EXPECT_THAT(put_alarm(world, base::cat(metric("e", "m", R"(,"ReturnData":false)"), ",",
                                         expression("x", "SUM(SEARCH('n', 'Sum', 60))"))),
              HasSubstr("SEARCH is not supported on Metric Alarms."));
  EXPECT_THAT(put_alarm(world, metric("e", "m"), R"(,"MetricName":"m")"), HasSubstr("mutually exclusive"));
}

}  // namespace
}  // namespace tidemill::cloudwatch
