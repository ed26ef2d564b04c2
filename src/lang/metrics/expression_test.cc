#include "lang/metrics/expression.h"

#include <gmock/gmock.h>

#include <map>

#include "base/sim_executor.h"
#include "base/text.h"
#include "lang/metrics/search.h"

namespace tidemill::lang::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Series series(std::string label, std::vector<Point> points) { return {std::move(label), 60, std::move(points)}; }

// m1 and m2 with values at 0, 60, 120 and 60, 120, 180; e1 is an array of both; level is the same at both its ends.
class World : public Environment {
 public:
  World() {
    end = 300;
    values_["m1"] = series("one", {{0, 1}, {60, 2}, {120, 4}});
    values_["m2"] = series("two", {{60, 10}, {120, 20}, {180, 30}});
    values_["big"] = series("big", {{0, 1.5e308}, {60, -1.5e308}, {120, 1.5e308}, {180, 1.5e308}});
    values_["level"] = series("level", {{0, 41.7}, {300, 41.7}});
    values_["e1"] = SeriesList{std::get<Series>(values_["m1"]), std::get<Series>(values_["m2"]), series("none", {})};
  }
  [[nodiscard]] const Value* find(const std::string& id) const override {
    const auto found = values_.find(id);
    return found == values_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::vector<std::pair<std::string, const Series*>> metrics() const override {
    return {{"m1", &std::get<Series>(values_.at("m1"))}, {"m2", &std::get<Series>(values_.at("m2"))}};
  }
  [[nodiscard]] const SeriesList* found(const SearchCall&) const override {
    return &std::get<SeriesList>(values_.at("e1"));
  }

 private:
  std::map<std::string, Value> values_;
};

std::string shown(const Series& one) {
  std::string out;
  for (const Point& point : one.points) {
    char text[64];
    std::snprintf(text, sizeof(text), "%s%lld:%.6g", out.empty() ? "" : " ", static_cast<long long>(point.time),
                  point.value);
    out += text;
  }
  return out;
}

// "0:1 60:2", a number, several series in brackets, or what is wrong.
std::string eval(std::string_view text) {
  base::VirtualClock clock(base::Time(), base::VirtualClock::Mode::manual);
  base::SimExecutor executor(1, clock.activity());
  const base::Executor::Enter enter(executor);
  base::Scope scope;
  std::string result = "nothing";
  const World world;
  const auto run = [&]() -> Task<void> {
    try {
      const Expression expression = Expression::parse(text);
      const Value value = co_await expression.evaluate(world);
      if (const auto* number = std::get_if<double>(&value)) {
        char digits[32];
        std::snprintf(digits, sizeof(digits), "%.6g", *number);
        result = digits;
      } else if (const auto* one = std::get_if<Series>(&value)) {
        result = shown(*one);
      } else {
        result.clear();
        for (const Series& each : std::get<SeriesList>(value))
          result += base::cat("[", each.label, " ", shown(each), "]");
      }
    } catch (const ExpressionError& error) {
      result = error.what();
    }
  };
  scope.spawn(run());
  executor.run_until_idle();
  return result;
}

TEST(MetricMath, OperatorsBindAsInArithmetic) {
  EXPECT_EQ(eval("1 + 2 * 3"), "7");
  EXPECT_EQ(eval("(1 + 2) * 3"), "9");
  EXPECT_EQ(eval("-2^2"), "-4");
  EXPECT_EQ(eval("2^3^2"), "512");
  EXPECT_EQ(eval("10 - 4 - 3"), "3");
  EXPECT_EQ(eval("1 < 2 AND 3 != 3 OR 2 >= 2"), "1");
  EXPECT_EQ(eval("1 == 2 || 0 && 1"), "0");
}

TEST(MetricMath, SeriesAreCombinedAtTheTimesThatBothHave) {
  EXPECT_EQ(eval("m1 + m2"), "60:12 120:24");
  EXPECT_EQ(eval("m1 * 100"), "0:100 60:200 120:400");
  EXPECT_EQ(eval("100 / m1"), "0:100 60:50 120:25");
  EXPECT_EQ(eval("m1 > 1"), "0:0 60:1 120:1");
  EXPECT_EQ(eval("m2 / (m1 - 2)"), "120:10") << "what is divided by zero is left out";
  EXPECT_EQ(eval("e1 * 2"), "[one 0:2 60:4 120:8][two 60:20 120:40 180:60][none ]");
  EXPECT_EQ(eval("e1 - m1"), "[one 0:0 60:0 120:0][two 60:8 120:16][none ]");
  EXPECT_THAT(eval("e1 / e1"),
              HasSubstr("Unsupported operand type(s) for /: '[Array[TimeSeries], Array[TimeSeries]]'"));
}

TEST(MetricMath, AggregatesReduceASeriesToANumberAndAnArrayToASeries) {
  EXPECT_EQ(eval("SUM(m1)"), "7");
  EXPECT_EQ(eval("AVG(m2)"), "20");
  EXPECT_EQ(eval("SUM(e1)"), "0:1 60:12 120:24 180:30");
  EXPECT_EQ(eval("MAX([m1, m2])"), "0:1 60:10 120:20 180:30");
  EXPECT_EQ(eval("MIN(METRICS())"), "0:1 60:2 120:4 180:30");
  EXPECT_EQ(eval("STDDEV([m1, m1 + 2])"), "0:1 60:1 120:1");
  EXPECT_EQ(eval("DATAPOINT_COUNT(m1)"), "3");
  EXPECT_EQ(eval("METRIC_COUNT(METRICS(\"2\"))"), "1");
  EXPECT_EQ(eval("m1 / SUM(m1)"), "0:0.142857 60:0.285714 120:0.571429");
}

TEST(MetricMath, FunctionsGoFromPointToPoint) {
  EXPECT_EQ(eval("DIFF(m1)"), "60:1 120:2");
  EXPECT_EQ(eval("DIFF_TIME(m1)"), "60:60 120:60");
  EXPECT_EQ(eval("DIFF(big)"), "180:0") << "what is no number is no point";
  EXPECT_EQ(eval("RATE(big)"), "180:0");
  EXPECT_EQ(eval("big * 2"), "");
  EXPECT_EQ(eval("SUM([big, big])"), "");
  EXPECT_EQ(eval("RUNNING_SUM(big)"), "0:1.5e+308 60:0 120:1.5e+308");
  EXPECT_EQ(eval("RATE(m1) * 60"), "60:1 120:2");
  EXPECT_EQ(eval("RUNNING_SUM(m1)"), "0:1 60:3 120:7");
  EXPECT_EQ(eval("CEIL(m1 / 3)"), "0:1 60:1 120:2");
  EXPECT_EQ(eval("FLOOR(ABS(-1.5))"), "1");
  EXPECT_EQ(eval("LOG10(m1 - 1)"), "60:0 120:0.477121") << "there is no logarithm of zero";
  EXPECT_EQ(eval("PERIOD(m1)"), "60");
  EXPECT_EQ(eval("EPOCH(m1)"), "0:0 60:60 120:120");
  EXPECT_EQ(eval("DAY(m1)"), "0:4 60:4 120:4") << "1970 began on a Thursday";
  EXPECT_EQ(eval("YEAR(m1) + MONTH(m1) + DATE(m1) + HOUR(m1)"), "0:1972 60:1972 120:1972");
}

TEST(MetricMath, GapsAreFilled) {
  EXPECT_EQ(eval("FILL(m2, 0)"), "0:0 60:10 120:20 180:30 240:0");
  EXPECT_EQ(eval("FILL(m2, REPEAT)"), "60:10 120:20 180:30 240:30");
  EXPECT_EQ(eval("FILL(IF(m1 != 2, m1), LINEAR)"), "0:1 60:2.5 120:4");
  EXPECT_EQ(eval("FILL(level, LINEAR) == 41.7"), "0:1 60:1 120:1 180:1 240:1");
  EXPECT_EQ(eval("FILL(m2, m1)"), "0:1 60:10 120:20 180:30");
  EXPECT_EQ(eval("FILL([m2], 0) + 1"), "[two 0:1 60:11 120:21 180:31 240:1]");
  EXPECT_EQ(eval("TIME_SERIES(5)"), "0:5 60:5 120:5 180:5 240:5");
}

TEST(MetricMath, ConditionsChoose) {
  EXPECT_EQ(eval("IF(m1 > 1, m1, 0)"), "0:0 60:2 120:4");
  EXPECT_EQ(eval("IF(m1 > 1, m2)"), "60:10 120:20");
  EXPECT_EQ(eval("IF(1, m1, m2)"), "0:1 60:2 120:4");
}

TEST(MetricMath, ArraysAreSortedAndCut) {
  EXPECT_EQ(eval("SORT(e1, MAX, DESC)"), "[two 60:10 120:20 180:30][one 0:1 60:2 120:4][none ]");
  EXPECT_EQ(eval("SORT(e1, SUM, ASC, 1)"), "[one 0:1 60:2 120:4]");
  EXPECT_EQ(eval("SLICE(SORT(e1, AVG, DESC), 0, 1)"), "[two 60:10 120:20 180:30]");
  EXPECT_EQ(eval("SLICE(e1, 1)"), "[two 60:10 120:20 180:30][none ]");
  EXPECT_EQ(eval("REMOVE_EMPTY(e1)"), "[one 0:1 60:2 120:4][two 60:10 120:20 180:30]");
  EXPECT_EQ(eval("FIRST(e1)"), "0:1 60:2 120:4");
  EXPECT_EQ(eval("LAST(REMOVE_EMPTY(SEARCH('{n} m', 'Sum', 60)))"), "60:10 120:20 180:30");
}

TEST(MetricMath, WhatIsWrongIsSaid) {
  EXPECT_THAT(eval("m1 +"), HasSubstr("Syntax error"));
  EXPECT_THAT(eval("m1 m2"), HasSubstr("Syntax error"));
  EXPECT_THAT(eval("m9"), HasSubstr("'m9' is not defined"));
  EXPECT_THAT(eval("NONE(m1)"), HasSubstr("Unsupported function 'NONE'"));
  EXPECT_THAT(eval("ANOMALY_DETECTION_BAND(m1)"), HasSubstr("Tidemill does not support"));
  EXPECT_THAT(eval("SUM(m1, m2)"), HasSubstr("does not take 2 arguments"));
  EXPECT_THAT(eval(std::string(200, '(')), HasSubstr("nested too deep"));
  std::string many = "1";
  for (int i = 0; i < 500; ++i) many += "+1";
  EXPECT_THAT(eval(many), HasSubstr("nested too deep"));
}

TEST(MetricMath, TellsWhatItNeeds) {
  const Expression expression = Expression::parse("FILL(a, REPEAT) / b + SUM(SEARCH('x', 'Average', 300))");
  EXPECT_THAT(expression.ids(), ElementsAre("a", "b"));
  EXPECT_THAT(expression.searches(), ElementsAre(SearchCall{"x", "Average", 300}));
  EXPECT_FALSE(expression.uses_metrics());
}

bool finds(std::string_view text, std::string_view name_space = "AWS/Lambda",
           std::string_view name = "DeadLetterErrors") {
  const std::vector<std::pair<std::string, std::string>> dimensions{{"FunctionName", "order-Handler"}};
  return Search::parse(text).matches({name_space, name, dimensions});
}

TEST(MetricMath, SearchesFindMetricsByTheirWords) {
  EXPECT_TRUE(finds("{AWS/Lambda, FunctionName}"));
  EXPECT_FALSE(finds("{AWS/Lambda}")) << "those of exactly these dimensions";
  EXPECT_TRUE(finds("errors"));
  EXPECT_FALSE(finds("\"errors\"")) << "quoted, it is a whole value";
  EXPECT_TRUE(finds(R"({"AWS/Lambda",FunctionName} MetricName="DeadLetterErrors")"));
  EXPECT_TRUE(finds("letter AND order"));
  EXPECT_FALSE(finds("letter NOT order"));
  EXPECT_TRUE(finds("FunctionName=(payment OR handler)"));
  EXPECT_FALSE(finds("MetricName=(payment OR handler)"));
  EXPECT_TRUE(finds("payment OR (errors lambda)"));
  EXPECT_THROW((void)Search::parse("{AWS/Lambda"), ExpressionError);
  EXPECT_THROW((void)Search::parse("a = = b"), ExpressionError);
  EXPECT_THROW((void)Search::parse("(a"), ExpressionError);
}

}  // namespace
}  // namespace tidemill::lang::metrics
