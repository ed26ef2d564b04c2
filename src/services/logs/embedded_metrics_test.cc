#include "services/logs/embedded_metrics.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "services/logs/testing.h"

namespace tidemill::logs {
namespace {

// An event with these members beside those of a directive that says `directive`.
std::string event(std::string_view directive, std::string_view members) {
  return base::cat(R"({"_aws":{"Timestamp":1760000012345,"CloudWatchMetrics":[)", directive, "]},", members, "}");
}

constexpr std::string_view kOrders =
    R"({"Namespace":"Shop","Dimensions":[["Service"]],"Metrics":[{"Name":"Orders","Unit":"Count"}]})";

// Each value with its metric and set of dimensions.
std::vector<std::pair<MetricSeries, double>> values_in(std::string_view message) {
  std::vector<std::pair<MetricSeries, double>> all;
  for (const auto& directive : metrics_in(message).directives) {
    for (const auto& metric : directive.metrics) {
      for (const auto& dimensions : directive.dimension_sets) {
        MetricSeries series = metric.series;
        series.dimensions = dimensions;
        for (const double value : metric.values) all.emplace_back(series, value);
      }
    }
  }
  return all;
}

// "[…],[…]": an element so often.
std::string repeated(std::string_view element, size_t count) {
  std::string list;
  for (size_t i = 0; i < count; ++i) list += base::cat(i == 0 ? "" : ",", element);
  return list;
}

// A hundred metrics in a hundred sets, with so many values each.
std::string event_with_values(size_t values) {
  std::string sets;
  std::string metrics;
  std::string members;
  for (int i = 0; i < 100; ++i) {
    const std::string_view comma = i == 0 ? "" : ",";
    sets += base::cat(comma, R"(["D)", i, "\"]");
    metrics += base::cat(comma, R"({"Name":"M)", i, "\"}");
    members += base::cat(comma, R"("D)", i, R"(":"d","M)", i, "\":[", repeated("1", values), "]");
  }
  return event(base::cat(R"({"Namespace":"Shop","Dimensions":[)", sets, R"(],"Metrics":[)", metrics, "]}"), members);
}

TEST(EmbeddedMetrics, AMetricHasTheValuesOfItsMember) {
  const auto found = values_in(event(kOrders, R"("Service":"checkout","Orders":[1,2.5])"));
  ASSERT_EQ(found.size(), 2U);
  const MetricSeries series{"Shop", "Orders", "Count", {{"Service", "checkout"}}, 1'759'999'980'000, false};
  EXPECT_EQ(found[0], std::pair(series, 1.0));
  EXPECT_EQ(found[1], std::pair(series, 2.5));
}

TEST(EmbeddedMetrics, EachSetOfDimensionsHasItsOwn) {
  const auto found = values_in(
      event(R"({"Namespace":"Shop","Dimensions":[[],["A"],["A","B"]],"Metrics":[{"Name":"M","StorageResolution":1}]})",
            R"("A":"a","B":"b","M":7)"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].first.dimensions.empty());
  EXPECT_EQ(found[1].first.dimensions.size(), 1U);
  EXPECT_EQ(found[2].first.dimensions.size(), 2U);
  EXPECT_TRUE(found[2].first.is_high_resolution);
  EXPECT_EQ(found[2].first.time, 1'760'000'012'000);
}

TEST(EmbeddedMetrics, OtherLinesAreJustLines) {
  const std::string good = R"("Service":"checkout","Orders":1)";
  EXPECT_EQ(values_in(event(kOrders, good)).size(), 1U);
  for (const std::string& message :
       {std::string("hello"), std::string(R"({"_aws":1})"), std::string(R"({"_aws":{"CloudWatchMetrics":[]}})"),
        std::string(R"({"_aws":{"Timestamp":"x","CloudWatchMetrics":[]}})"), event("7", good), event("{}", good),
        event(kOrders, R"("Service":"checkout")"), event(kOrders, R"("Orders":1)"),
        event(kOrders, R"("Service":1,"Orders":1)"), event(kOrders, R"("Service":"","Orders":1)"),
        event(kOrders, R"("Service":"checkout","Orders":"1")"),
        event(kOrders, R"("Service":"checkout","Orders":1e999)"),
        event(R"({"Namespace":"AWS/SQS","Dimensions":[[]],"Metrics":[{"Name":"Orders"}]})", good),
        event(R"({"Namespace":"Shop","Dimensions":[[]],"Metrics":[{"Name":"Orders","Unit":"Pieces"}]})", good),
        event(R"({"Namespace":"Shop","Dimensions":[[]],"Metrics":[{"Name":"\u0001"}]})", R"("\u0001":1)"),
        event(R"({"Namespace":"Shop","Dimensions":[":"],"Metrics":[{"Name":"Orders"}]})", good)}) {
    EXPECT_TRUE(values_in(message).empty()) << message;
  }
}

// A line that would come to 10^8 values is one of these.
TEST(EmbeddedMetrics, WhatComesToTooMuchIsALineLikeAnyOther) {
  EXPECT_EQ(values_in(event_with_values(3)).size(), kEmbeddedValuesMax);
  EXPECT_TRUE(values_in(event_with_values(4)).empty());
  // Few values, whose dimensions are long.
  const std::string sets = repeated(R"(["D"])", 100);
  const std::string metrics = repeated(R"({"Name":"M"})", 100);
  const std::string directive =
      base::cat(R"({"Namespace":"Shop","Dimensions":[)", sets, R"(],"Metrics":[)", metrics, "]}");
  const auto with_dimension = [&](size_t bytes) {
    return event(repeated(directive, 3), base::cat(R"("M":1,"D":")", std::string(bytes, 'd'), "\""));
  };
  EXPECT_EQ(values_in(with_dimension(10)).size(), 30'000U);
  EXPECT_TRUE(values_in(with_dimension(1'024)).empty());
}

TEST(EmbeddedMetrics, OfARequestTheEventsAreLinesFromWhereItIsTooMuch) {
  testing::World world;
  std::vector<wire::logs::InputLogEvent> events(5, {.timestamp = world.now(), .message = event_with_values(3)});
  events.push_back({.timestamp = world.now(), .message = event(kOrders, R"("Service":"checkout","Orders":1)")});
  EXPECT_EQ(world.await(EmbeddedMetrics::find(events)).events(), 3U + 1U) << "the last one fits again";
}

}  // namespace
}  // namespace tidemill::logs
