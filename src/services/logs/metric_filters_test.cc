// Metric filters: from events to metrics.
#include <gmock/gmock.h>

#include "services/logs/testing.h"

namespace tidemill::logs {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using testing::World;

// A filter of group "g" on metric "m" of namespace "n".
std::string put_filter(World& world, std::string_view name, std::string_view pattern, std::string_view more) {
  return world.run("PutMetricFilter",
                   World::of_group("g", base::cat(R"("filterName":")", name, R"(","filterPattern":)",
                                                  json::write(json::Value(std::string(pattern))),
                                                  R"(,"metricTransformations":[{"metricName":"m","metricNamespace":"n",)", more,
                                                  "}]")));
}

// "sum of count" of what metric "m" has got in two hours, now or at another time.
std::string total(World& world, std::string_view dimensions = "[]", std::optional<Milliseconds> at = {}) {
  const int64_t now = at.value_or(world.now()) / 1000;
  const json::Value answer = world.ask(
      "cloudwatch", "GetMetricStatistics",
      base::cat(R"({"Namespace":"n","MetricName":"m","Statistics":["Sum","SampleCount"],"Period":3600,"Dimensions":)",
                dimensions, R"(,"StartTime":)", now - 3600, R"(,"EndTime":)", now + 3600, "}"));
  double sum = 0;
  double count = 0;
  for (const json::Value& point : answer.find("Datapoints")->array()) {
    sum += *point.find("Sum")->to_double();
    count += *point.find("SampleCount")->to_double();
  }
  return base::cat(static_cast<int64_t>(sum), " of ", static_cast<int64_t>(count));
}

TEST(MetricFilters, WhatMatchesIsCounted) {
  World world;
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "errors", "ERROR", R"("metricValue":"1")"), "{}");
  (void)world.put("g", "s", {{world.now(), "ERROR one"}, {world.now(), "fine"}, {world.now(), "ERROR two"}});
  world.settle();
  EXPECT_EQ(total(world), "2 of 2");
}

TEST(MetricFilters, ValuesAndDimensionsAreTakenFromEvents) {
  World world;
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "latency", "{ $.ms = * && $.path = * }",
                       R"("metricValue":"$.ms","unit":"Milliseconds","dimensions":{"Path":"$.path"})"),
            "{}");
  (void)world.put("g", "s",
                  {{world.now(), R"({\"ms\":10,\"path\":\"/a\"})"},
                   {world.now(), R"({\"ms\":30,\"path\":\"/a\"})"},
                   {world.now(), R"({\"ms\":5,\"path\":\"/b\"})"},
                   {world.now(), R"({\"ms\":\"many\",\"path\":\"/a\"})"}});
  world.settle();
  EXPECT_EQ(total(world, R"([{"Name":"Path","Value":"/a"}])"), "40 of 2");
  EXPECT_EQ(total(world, R"([{"Name":"Path","Value":"/b"}])"), "5 of 1");
}

TEST(MetricFilters, WithoutAMatchThereIsTheDefault) {
  World world;
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "errors", "ERROR", R"("metricValue":"1","defaultValue":0)"), "{}");
  (void)world.put("g", "s", {{world.now(), "fine"}, {world.now(), "fine"}});
  world.settle();
  EXPECT_EQ(total(world), "0 of 1");
  (void)world.put("g", "s", {{world.now(), "ERROR"}, {world.now(), "fine"}});
  world.settle();
  EXPECT_EQ(total(world), "1 of 2");
}

TEST(MetricFilters, WhatIsNoValueOfAMetricHarmsNoOther) {
  World world;
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "values", "{ $.v = * }", R"("metricValue":"$.v")"), "{}");
  (void)world.put("g", "s", {{world.now(), R"({\"v\":1e200})"}, {world.now(), R"({\"v\":2})"}});
  world.settle();
  EXPECT_EQ(total(world), "2 of 1");
}

// The minute of the oldest event that a group takes begins before what CloudWatch takes.
TEST(MetricFilters, WhatIsTooOldForAMetricHarmsNoOther) {
  World world;
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "values", "{ $.v = * }", R"("metricValue":"$.v")"), "{}");
  world.advance(30s);
  const Milliseconds oldest = (world.now() - Milliseconds{14 * 24 * 3'600'000}) / 60'000 * 60'000 + 59'999;
  const Milliseconds later = oldest + 120'000;
  (void)world.put("g", "s", {{oldest, R"({\"v\":8})"}, {later, R"({\"v\":4})"}});
  world.settle();
  EXPECT_EQ(total(world, "[]", later), "4 of 1");
}

// A minute's values that need several entries of a request, behind as many minutes as it just takes.
TEST(MetricFilters, MoreThanARequestTakesIsPutByTwo) {
  World world;
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "values", "{ $.v = * }", R"("metricValue":"$.v")"), "{}");
  constexpr Milliseconds kMinutes = 999;
  constexpr int kValues = 1'501;
  const Milliseconds last = world.now() / 60'000 * 60'000;
  World::Events events;
  for (Milliseconds minute = kMinutes; minute > 0; --minute) events.emplace_back(last - minute * 60'000, R"({\"v\":1})");
  for (int value = 1; value <= kValues; ++value) events.emplace_back(last, base::cat(R"({\"v\":)", value, "}"));
  (void)world.put("g", "s", events);
  world.settle();
  EXPECT_NE(total(world), "0 of 0");
  EXPECT_NE(total(world, "[]", last - 500 * 60'000), "0 of 0");
}

TEST(MetricFilters, WhatIsNoDimensionHarmsNoOther) {
  World world;
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "paths", "{ $.v = * && $.p = * }", R"("metricValue":"$.v","dimensions":{"Path":"$.p"})"), "{}");
  (void)world.put("g", "s", {{world.now(), R"({\"v\":1,\"p\":\")" + std::string(2'000, 'x') + R"(\"})"},
                             {world.now(), R"({\"v\":4,\"p\":\"/a\"})"}});
  world.settle();
  EXPECT_EQ(total(world, R"([{"Name":"Path","Value":"/a"}])"), "4 of 1");
}

TEST(MetricFilters, WhatMatchesIsCountedThroughACrash) {
  World world;
  world.create("g", "s");
  EXPECT_EQ(put_filter(world, "errors", "ERROR", R"("metricValue":"1")"), "{}");
  (void)world.put("g", "s", {{world.now(), "ERROR"}});
  world.crash();
  world.settle();
  const std::string counted = total(world);
  EXPECT_THAT(counted, AnyOf("1 of 1", "2 of 2")) << "at least once: it may have been counted when the process died";
  EXPECT_EQ(world.run("DeleteMetricFilter", World::of_group("g", R"("filterName":"errors")")), "{}");
  (void)world.put("g", "s", {{world.now(), "ERROR"}});
  world.settle();
  EXPECT_EQ(total(world), counted) << "the filter is gone";
}

TEST(MetricFilters, AreDescribedByGroupPrefixAndMetricInPages) {
  World world;
  world.create("g", "s");
  world.create("h", "s");
  for (const char* name : {"b", "a", "c"}) EXPECT_EQ(put_filter(world, name, "", R"("metricValue":"1")"), "{}");
  const auto names = [&](std::string_view request) {
    return World::texts_of(world.ask("DescribeMetricFilters", request), "metricFilters", "filterName");
  };
  EXPECT_THAT(names("{}"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names(R"({"logGroupName":"h"})"), ElementsAre());
  EXPECT_THAT(names(R"({"logGroupName":"g","filterNamePrefix":"b"})"), ElementsAre("b"));
  EXPECT_THAT(names(R"({"metricName":"m","metricNamespace":"n"})"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names(R"({"metricName":"m","metricNamespace":"other"})"), ElementsAre());
  const json::Value page = world.ask("DescribeMetricFilters", R"({"limit":2})");
  EXPECT_THAT(World::texts_of(page, "metricFilters", "filterName"), ElementsAre("a", "b"));
  EXPECT_THAT(names(base::cat(R"({"nextToken":")", World::text(page, "nextToken"), "\"}")), ElementsAre("c"));
  const json::Value groups = world.ask("DescribeLogGroups", "{}");
  EXPECT_EQ(*groups.find("logGroups")->array()[0].find("metricFilterCount")->to_int64(), 3);
}

TEST(MetricFilters, AreChecked) {
  World world;
  world.create("g", "s");
  EXPECT_THAT(put_filter(world, "f", "{ $.a", R"("metricValue":"1")"), HasSubstr("Invalid filter pattern"));
  EXPECT_THAT(put_filter(world, "f", "", R"("metricValue":"one")"), HasSubstr("Invalid metric transformation"));
  EXPECT_THAT(put_filter(world, "f", "{ $.a = * }", R"("metricValue":"1","defaultValue":0,"dimensions":{"A":"$.a"})"),
              HasSubstr("dimensions and default value are mutually exclusive properties."));
  EXPECT_THAT(put_filter(world, "a:b", "", R"("metricValue":"1")"), HasSubstr("InvalidParameterException"));
  // What CloudWatch would refuse of every event.
  EXPECT_THAT(put_filter(world, "f", "", R"("metricValue":"1e200")"), HasSubstr("between -2^360 and 2^360"));
  EXPECT_THAT(put_filter(world, "f", "", R"("metricValue":"1","defaultValue":1e200)"), HasSubstr("between -2^360 and 2^360"));
  EXPECT_THAT(put_filter(world, "f", "{ $.a = * }", R"("metricValue":"1","dimensions":{":A":"$.a"})"),
              HasSubstr("must not begin with a colon"));
  EXPECT_THAT(world.run("PutMetricFilter", World::of_group("g", R"("filterName":"f","filterPattern":"","metricTransformations":[)"
                                                                R"({"metricName":"m","metricNamespace":"AWS/S3","metricValue":"1"}])")),
              HasSubstr("namespaces that begin with AWS/ are reserved"));
  EXPECT_THAT(world.run("DeleteMetricFilter", World::of_group("g", R"("filterName":"f")")),
              HasSubstr("ResourceNotFoundException"));
  for (size_t i = 0; i < kMetricFiltersMax; ++i) {
    EXPECT_EQ(put_filter(world, base::cat("f", i), "", R"("metricValue":"1")"), "{}");
  }
  EXPECT_EQ(put_filter(world, "one more", "", R"("metricValue":"1")"), "LimitExceededException: Resource limit exceeded.");
  EXPECT_EQ(put_filter(world, "f0", "ERROR", R"("metricValue":"2")"), "{}") << "it replaces";
}

}  // namespace
}  // namespace tidemill::logs
