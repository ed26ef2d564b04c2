#include "services/logs/embedded_metrics.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace tidemill::logs {
namespace {

// An event with these members beside those of a directive that says `directive`.
std::string event(std::string_view directive, std::string_view members) {
  return base::cat(R"({"_aws":{"Timestamp":1760000012345,"CloudWatchMetrics":[)", directive, "]},", members, "}");
}

constexpr std::string_view kOrders =
    R"({"Namespace":"Shop","Dimensions":[["Service"]],"Metrics":[{"Name":"Orders","Unit":"Count"}]})";

TEST(EmbeddedMetrics, AMetricHasTheValuesOfItsMember) {
  const auto found = metrics_in(event(kOrders, R"("Service":"checkout","Orders":[1,2.5])"));
  ASSERT_EQ(found.size(), 2U);
  const MetricSeries series{"Shop", "Orders", "Count", {{"Service", "checkout"}}, 1'759'999'980'000, false};
  EXPECT_EQ(found[0], std::pair(series, 1.0));
  EXPECT_EQ(found[1], std::pair(series, 2.5));
}

TEST(EmbeddedMetrics, EachSetOfDimensionsHasItsOwn) {
  const auto found = metrics_in(
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
  EXPECT_EQ(metrics_in(event(kOrders, good)).size(), 1U);
  for (const std::string message :
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
    EXPECT_TRUE(metrics_in(message).empty()) << message;
  }
}

}  // namespace
}  // namespace tidemill::logs
