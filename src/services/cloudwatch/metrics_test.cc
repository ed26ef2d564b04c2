#include <gmock/gmock.h>

#include "services/cloudwatch/metric_keys.h"
#include "services/cloudwatch/statistic.h"
#include "services/cloudwatch/testing.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::World;

TEST(Metrics, ValuesOfAMinuteBecomeItsStatistics) {
  World world;
  EXPECT_EQ(world.put(R"("Value":1)"), "{}");
  EXPECT_EQ(world.put(R"("Values":[2,3],"Counts":[1,2])"), "{}");
  world.advance(60s);
  world.put(R"("Value":10)");
  const auto answer = world.statistics(R"("Statistics":["SampleCount","Sum","Average","Minimum","Maximum"])");
  EXPECT_EQ(answer.find("Label")->string(), "m");
  EXPECT_THAT(World::values_of(answer, "SampleCount"), ElementsAre(4, 1));
  EXPECT_THAT(World::values_of(answer, "Sum"), ElementsAre(9, 10));
  EXPECT_THAT(World::values_of(answer, "Average"), ElementsAre(2.25, 10));
  EXPECT_THAT(World::values_of(answer, "Minimum"), ElementsAre(1, 10));
  EXPECT_THAT(World::values_of(answer, "Maximum"), ElementsAre(3, 10));
  EXPECT_EQ(answer.find("Datapoints")->array()[0].find("Unit")->string(), "None");
  EXPECT_EQ(answer.find("Datapoints")->array()[0].find("Timestamp")->to_int64(), world.now() - 60);
}

TEST(Metrics, PeriodsAreCountedTogether) {
  World world;
  for (int i = 1; i <= 10; ++i) {
    world.put(base::cat(R"("Value":)", i));
    world.advance(60s);
  }
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Sum"])", 600, 300), "Sum"), ElementsAre(15, 40));
  EXPECT_THAT(World::values_of(world.statistics(R"x("ExtendedStatistics":["p50","tm(10%:90%)"])x", 600, 600), "p50"),
              ElementsAre(5));
}

TEST(Metrics, StatisticSetsHaveNoPercentiles) {
  World world;
  EXPECT_EQ(world.put(R"("StatisticValues":{"SampleCount":3,"Sum":6,"Minimum":1,"Maximum":3})"), "{}");
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Average"])"), "Average"), ElementsAre(2));
  EXPECT_THAT(world.statistics(R"("ExtendedStatistics":["p99"])").find("Datapoints")->array(), IsEmpty());
}

TEST(Metrics, HighResolutionIsReadBySeconds) {
  World world;
  for (int i = 1; i <= 4; ++i) {
    world.put(base::cat(R"("StorageResolution":1,"Value":)", i));
    world.advance(5s);
  }
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Sum"])", 60, 10), "Sum"), ElementsAre(3, 7));
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Sum"])", 60, 60), "Sum"), ElementsAre(10));
}

TEST(Metrics, UnitsAreSeries) {
  World world;
  world.put(R"("Value":1,"Unit":"Seconds")");
  world.put(R"("Value":2,"Unit":"Count")");
  EXPECT_EQ(world.statistics(R"("Statistics":["Sum"])").find("Datapoints")->array().size(), 2u);
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Sum"],"Unit":"Count")"), "Sum"), ElementsAre(2));
}

TEST(Metrics, PeriodsBelowAMinuteShowValuesOfStandardResolutionAtTheirMinute) {
  World world;
  world.put(R"("Value":5)");
  world.put(R"("Value":7)");
  const json::Value found = world.statistics(R"("Statistics":["Sum"])", 120, 10);
  EXPECT_THAT(World::values_of(found, "Sum"), ElementsAre(12));
  world.advance(60s);
  world.put(R"("Value":1,"StorageResolution":1)");
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Sum"])", 240, 10), "Sum"), ElementsAre(12, 1));
}

TEST(Metrics, OldPeriodsAreForgottenTierByTier) {
  World world;
  world.put(R"("Value":1,"StorageResolution":1)");
  world.advance(4h);
  const auto by_seconds = [&] {
    return world.ask("GetMetricStatistics",
                     base::cat(R"({"Namespace":"n","MetricName":"m","Statistics":["Sum"],"Period":10,"StartTime":)",
                               world.now() - 4 * 3600 - 300, R"(,"EndTime":)", world.now() - 4 * 3600 + 300, "}"));
  };
  EXPECT_THAT(World::values_of(by_seconds(), "Sum"), ElementsAre(1)) << "what is kept by the minute";
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Sum"])", 5 * 3600, 60), "Sum"), ElementsAre(1));
  world.advance(16 * 24h);
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Sum"])", 17 * 24 * 3600, 3600), "Sum"), ElementsAre(1));
  EXPECT_THAT(world.run("GetMetricStatistics",
                        base::cat(R"({"Namespace":"n","MetricName":"m","Statistics":["Sum"],"Period":60,"StartTime":)",
                                  world.now() - 17 * 86'400, R"(,"EndTime":)", world.now() - 17 * 86'400 + 600, "}")),
              HasSubstr("must be a multiple of 300"));
  world.advance(24h * 460);
  EXPECT_EQ(world.run("ListMetrics", "{}"), R"({"Metrics":[]})");
}

TEST(Metrics, WritersOfOneMetricShareTransactions) {
  World world(3, store::SimFaults{});
  std::vector<World::RequestPtr> requests;
  for (int i = 0; i < 50; ++i) {
    requests.push_back(
        world.start("PutMetricData", R"({"Namespace":"n","MetricData":[{"MetricName":"m","Value":1}]})"));
  }
  world.settle();
  for (const auto& request : requests) EXPECT_EQ(request->answer, "{}");
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Sum"])"), "Sum"), ElementsAre(50));
  world.crash();
  EXPECT_THAT(World::values_of(world.statistics(R"("Statistics":["Sum"])"), "Sum"), ElementsAre(50));
}

TEST(Metrics, WhatIsPutIsChecked) {
  World world;
  const auto refused = [&](std::string_view members) { return world.put(members); };
  EXPECT_EQ(world.run("PutMetricData", R"({"Namespace":"AWS/X","MetricData":[{"MetricName":"m","Value":1}]})"),
            "InvalidParameterValueException: The value AWS/X for parameter Namespace is invalid.");
  EXPECT_EQ(refused(R"("Value":1,"Values":[1])"),
            "InvalidParameterCombinationException: The parameters MetricData.member.1.Value and "
            "MetricData.member.1.Values are mutually exclusive and you have specified both.");
  EXPECT_THAT(refused(R"("Unit":"Count")"), HasSubstr("MissingRequiredParameterException"));
  EXPECT_THAT(refused(R"("Values":[1,2],"Counts":[1])"), HasSubstr("must be of the same size"));
  EXPECT_THAT(refused(R"("Value":1,"StorageResolution":5)"), HasSubstr("InvalidParameterValueException"));
  EXPECT_THAT(refused(R"("Value":1,"Unit":"Furlongs")"), HasSubstr("ValidationException"));
  EXPECT_THAT(refused(base::cat(R"("Value":1,"Timestamp":)", world.now() - 15 * 86'400)), HasSubstr("past two weeks"));
  EXPECT_THAT(refused(base::cat(R"("Value":1,"Timestamp":)", world.now() + 7'300)), HasSubstr("two hours"));
  EXPECT_THAT(refused(R"("Value":1,"Dimensions":[{"Name":"a","Value":"1"},{"Name":"a","Value":"2"}])"),
              HasSubstr("more than once"));
  EXPECT_THAT(world.run("GetMetricStatistics",
                        R"({"Namespace":"n","MetricName":"m","Statistics":["Sum"],"Period":1,"StartTime":0,"EndTime":1})"),
              HasSubstr("multiple of 3600"));
  EXPECT_EQ(world.run("GetMetricStatistics",
                      base::cat(R"({"Namespace":"n","MetricName":"m","Statistics":["Sum"],"Period":60,"StartTime":)",
                                world.now() - 172'800, R"(,"EndTime":)", world.now(), "}")),
            "InvalidParameterCombinationException: You have requested up to 2880 datapoints, which exceeds the limit of "
            "1440. You may reduce the datapoints requested by increasing Period, or decreasing the time range.");
}

TEST(Metrics, AreListedByNameAndDimensions) {
  World world;
  const auto put = [&](std::string_view name, std::string_view dimensions) {
    EXPECT_EQ(world.run("PutMetricData", base::cat(R"({"Namespace":"n","MetricData":[{"MetricName":")", name,
                                                   R"(","Value":1,"Dimensions":[)", dimensions, "]}]}")),
              "{}");
  };
  put("a", R"({"Name":"host","Value":"1"},{"Name":"az","Value":"x"})");
  put("a", R"({"Name":"host","Value":"2"})");
  put("b", "");
  const auto count = [&](std::string_view body) { return world.ask("ListMetrics", body).find("Metrics")->array().size(); };
  EXPECT_EQ(count("{}"), 3u);
  EXPECT_EQ(count(R"({"Namespace":"other"})"), 0u);
  EXPECT_EQ(count(R"({"Namespace":"n","MetricName":"a"})"), 2u);
  EXPECT_EQ(count(R"({"Dimensions":[{"Name":"host"}]})"), 2u);
  EXPECT_EQ(count(R"({"Dimensions":[{"Name":"host","Value":"1"},{"Name":"az"}]})"), 1u);
  world.advance(4h);
  EXPECT_EQ(count(R"({"RecentlyActive":"PT3H"})"), 0u);
  EXPECT_EQ(count("{}"), 3u);
}

TEST(Metrics, SeveralAreReadAtOnceInPages) {
  World world;
  for (int i = 1; i <= 3; ++i) {
    world.put(base::cat(R"("Value":)", i));
    world.advance(60s);
  }
  const auto ask = [&](std::string_view more) {
    return world.ask("GetMetricData",
                     base::cat(R"({"StartTime":)", world.now() - 600, R"(,"EndTime":)", world.now(),
                               R"(,"MetricDataQueries":[{"Id":"sum","MetricStat":{"Metric":{"Namespace":"n","MetricName":"m"},)",
                               R"("Period":60,"Stat":"Sum"}},{"Id":"p","Label":"middle","MetricStat":{"Metric":)",
                               R"({"Namespace":"n","MetricName":"m"},"Period":600,"Stat":"p50"}}])", more, "}"));
  };
  const auto all = ask(R"(,"ScanBy":"TimestampAscending")");
  const auto& results = all.find("MetricDataResults")->array();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(json::write(*results[0].find("Values")), "[1.0,2.0,3.0]");
  EXPECT_EQ(results[0].find("StatusCode")->string(), "Complete");
  EXPECT_EQ(results[0].find("Label")->string(), "m Sum 60") << "statistics and periods differ";
  EXPECT_EQ(results[1].find("Label")->string(), "middle");
  EXPECT_EQ(json::write(*results[1].find("Values")), "[2.0]");
  const auto first = ask(R"(,"MaxDatapoints":2)");
  EXPECT_EQ(json::write(*first.find("MetricDataResults")->array()[0].find("Values")), "[3.0,2.0]");
  const auto second = ask(base::cat(R"(,"MaxDatapoints":2,"NextToken":")", first.find("NextToken")->string(), "\""));
  EXPECT_EQ(json::write(*second.find("MetricDataResults")->array()[0].find("Values")), "[1.0]");
  EXPECT_EQ(json::write(*second.find("MetricDataResults")->array()[1].find("Values")), "[2.0]");
  EXPECT_THAT(world.run("GetMetricData", R"({"StartTime":0,"EndTime":1,"MetricDataQueries":[{"Id":"e","Expression":"1","AccountId":"111111111111"}]})"),
              HasSubstr("does not support the parameter"));
}

TEST(Metrics, ThePlatformsOwnAreWrittenAtTheMinutesEndAndForWhoAsks) {
  World world;
  static constexpr wire::PlatformMetric kSent{"AWS/SQS", "NumberOfMessagesSent", "Count", "QueueName"};
  const auto sum = [&] {
    return World::values_of(
        world.ask("GetMetricStatistics",
                  base::cat(R"({"Namespace":"AWS/SQS","MetricName":"NumberOfMessagesSent","Statistics":["Sum"],"Period":60,)",
                            R"("Dimensions":[{"Name":"QueueName","Value":"q"}],"StartTime":)", world.now() - 600,
                            R"(,"EndTime":)", world.now() + 60, "}")),
        "Sum");
  };
  world.gathered.add(kSent, World::kAccount, World::kRegion, "q");
  EXPECT_THAT(sum(), ElementsAre(1)) << "for who asks";
  world.gathered.add(kSent, World::kAccount, World::kRegion, "q", 1, 2);
  world.advance(60s);
  world.crash();
  EXPECT_THAT(sum(), ElementsAre(3)) << "durable at the minute's end";
}

// What is stored of the metric cannot be read any more.
void damage(World& world, std::string_view name_space, std::string_view name, DimensionList dimensions = {}) {
  const std::string key = series_key({.account = std::string(World::kAccount),
                                      .region = std::string(World::kRegion),
                                      .name_space = std::string(name_space),
                                      .name = std::string(name),
                                      .dimensions = std::move(dimensions)});
  ASSERT_TRUE(world.disk.data.contains(key));
  world.disk.data[key] = "damaged";
}

TEST(Metrics, OneThatIsDamagedTakesNoOthersValuesWithIt) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    World world(seed);
    world.put(R"("Value":1)");
    damage(world, "n", "m");
    const auto putting = [&](std::string_view name) {
      return world.start("PutMetricData",
                         base::cat(R"({"Namespace":"n","MetricData":[{"MetricName":")", name, R"(","Value":1}]})"));
    };
    const auto first = putting("first");
    const std::vector others{putting("a"), putting("b"), putting("c")};
    const auto damaged = putting("m");
    const auto last = putting("d");
    world.settle();
    for (const auto& request : others) EXPECT_EQ(request->answer, "{}") << seed;
    EXPECT_EQ(last->answer, "{}") << seed;
    EXPECT_EQ(damaged->answer, "") << "an internal error";
  }
}

TEST(Metrics, ADamagedOneOfThePlatformsTakesNoOthersValuesWithIt) {
  World world;
  static constexpr wire::PlatformMetric kSent{"AWS/SQS", "NumberOfMessagesSent", "Count", "QueueName"};
  const auto add_all = [&] {
    for (const char* queue : {"a", "b", "c", "d", "e"}) {
      world.gathered.add(kSent, World::kAccount, World::kRegion, queue);
    }
    world.advance(60s);
  };
  add_all();
  damage(world, "AWS/SQS", "NumberOfMessagesSent", {{"QueueName", "b"}});
  add_all();
  for (const char* queue : {"a", "c", "d", "e"}) {
    EXPECT_THAT(World::values_of(
                    world.ask("GetMetricStatistics",
                              base::cat(R"({"Namespace":"AWS/SQS","MetricName":"NumberOfMessagesSent","Period":60,)",
                                        R"("Statistics":["Sum"],"Dimensions":[{"Name":"QueueName","Value":")", queue,
                                        R"("}],"StartTime":)", world.now() - 600, R"(,"EndTime":)", world.now(), "}")),
                    "Sum"),
                ElementsAre(1, 1))
        << queue;
  }
}

// Shows a number that its test sets, as long as it is asked to.
class Level final : public wire::PlatformMetrics::Gauges {
 public:
  void note(const wire::PlatformMetrics::Gathered& gathered) override { noted += gathered.resource; }
  Task<bool> measure(base::Time minute, std::vector<wire::PlatformMetrics::Gathered>& found) override {
    static constexpr wire::PlatformMetric kLevel{"AWS/SQS", "Level", "Count", "QueueName"};
    wire::PlatformMetrics::Gathered one{&kLevel, std::string(World::kAccount), std::string(World::kRegion), "q", "", minute, {}};
    one.values.add(level);
    found.push_back(std::move(one));
    co_return --looks > 0;
  }
  std::string noted;
  double level = 0;
  int looks = 3;
};

TEST(Metrics, WhatResourcesHoldIsLookedAtWhenMinutesEndAsLongAsThereIsReason) {
  World world;
  static constexpr wire::PlatformMetric kSent{"AWS/SQS", "NumberOfMessagesSent", "Count", "QueueName"};
  const auto level = std::make_shared<Level>();
  world.gathered.watch_with(level);
  world.advance(600s);
  EXPECT_EQ(level->looks, 3) << "nothing happens";
  world.gathered.add(kSent, World::kAccount, World::kRegion, "q");
  level->level = 5;
  world.advance(60s);
  EXPECT_EQ(level->noted, "q");
  level->level = 7;
  world.advance(600s);
  EXPECT_EQ(level->looks, 0);
  EXPECT_THAT(World::values_of(
                  world.ask("GetMetricStatistics",
                            base::cat(R"({"Namespace":"AWS/SQS","MetricName":"Level","Statistics":["Sum"],"Period":60,)",
                                      R"("Dimensions":[{"Name":"QueueName","Value":"q"}],"StartTime":)", world.now() - 3600,
                                      R"(,"EndTime":)", world.now() + 60, "}")),
                  "Sum"),
              ElementsAre(5, 7, 7));
}

TEST(Statistics, AreReadAndComputed) {
  base::Distribution numbers;
  for (int i = 1; i <= 10; ++i) numbers.add(i);
  const auto of = [&](std::string_view text) {
    const auto statistic = Statistic::parse(text);
    return statistic ? statistic->of(numbers).value_or(-1) : -2;
  };
  EXPECT_EQ(of("p90"), 9);
  EXPECT_EQ(of("p99.9"), 10);
  EXPECT_DOUBLE_EQ(of("tm90"), 5);
  EXPECT_DOUBLE_EQ(of("tm(10%:90%)"), 5.5);
  EXPECT_DOUBLE_EQ(of("IQM"), 5.5);
  EXPECT_DOUBLE_EQ(of("TM(2:4)"), 3.5);
  EXPECT_DOUBLE_EQ(of("TC(:4)"), 4);
  EXPECT_DOUBLE_EQ(of("TS(8:)"), 19);
  EXPECT_DOUBLE_EQ(of("PR(:3)"), 30);
  EXPECT_DOUBLE_EQ(of("wm(10%:90%)"), 5.5);
  for (const char* wrong : {"", "median", "p101", "p", "tm", "tm(:)", "tm(90%:10%)", "tm(1%:2)", "PR90", "p-1"}) {
    EXPECT_EQ(of(wrong), -2) << wrong;
  }
}

}  // namespace
}  // namespace tidemill::cloudwatch
