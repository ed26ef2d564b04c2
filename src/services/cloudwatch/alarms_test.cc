#include <gmock/gmock.h>

#include "services/cloudwatch/alarm_history.h"
#include "services/cloudwatch/evaluation.h"
#include "services/cloudwatch/testing.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::World;

constexpr std::string_view kPlain =
    R"("Statistic":"Sum","Period":60,"EvaluationPeriods":1,"Threshold":5,"AlarmActions":["arn:aws:sns:us-east-1:000000000000:t"],)"
    R"("OKActions":["arn:aws:lambda:us-east-1:000000000000:function:f"])";

TEST(Alarms, ABreachRaisesTheAlarmWhenItsPeriodEndsAndTellsTheTopic) {
  World world;
  EXPECT_EQ(world.put_alarm("a", kPlain), "{}");
  world.settle();
  EXPECT_EQ(world.state("a"), "INSUFFICIENT_DATA");
  world.put(R"("Value":6)");
  EXPECT_EQ(world.state("a"), "INSUFFICIENT_DATA");
  world.advance(60s);
  EXPECT_EQ(world.state("a"), "ALARM");
  ASSERT_EQ(world.told.size(), 1u);
  EXPECT_THAT(world.told[0],
              AllOf(HasSubstr("arn:aws:sns:us-east-1:000000000000:t "), HasSubstr(R"(ALARM: \"a\" in US East (N. Virginia))"),
                    HasSubstr(R"(\"NewStateValue\":\"ALARM\",\"NewStateReason\":\"Threshold Crossed: 1 datapoint )"
                              R"([6.0 (14/03/26 00:00:00)] was greater than the threshold (5.0))")));
  world.put(R"("Value":1)");
  world.advance(60s);
  EXPECT_EQ(world.state("a"), "OK");
  ASSERT_EQ(world.told.size(), 2u);
  EXPECT_THAT(world.told[1], AllOf(HasSubstr("arn:aws:lambda:us-east-1:000000000000:function:f "),
                                   HasSubstr(R"("alarmData":{"alarmName":"a","state":{"value":"OK")")));
}

TEST(Alarms, WithoutDataAnAlarmFallsBackAndThenRests) {
  World world;
  world.put_alarm("a", kPlain);
  world.put(R"("Value":6)");
  world.advance(10min);
  EXPECT_EQ(world.state("a"), "INSUFFICIENT_DATA");
  const auto due = world.await([](store::Store& store) -> Task<std::optional<base::Time>> {
    const auto snapshot = store.snapshot();
    co_return co_await store::next_timer_due(*snapshot, kEvaluationTimer);
  }(*world.store));
  EXPECT_FALSE(due) << "nothing polls";
}

TEST(Alarms, AnEvaluationBeforeTheEndOfTheDataSPeriodIsNotTheLast) {
  World world;
  world.put_alarm("a", kPlain);
  world.settle();
  const int64_t in_half_an_hour = std::chrono::floor<std::chrono::seconds>(world.clock.now() + 30min).time_since_epoch().count();
  world.put(base::cat(R"("Value":6,"Timestamp":)", in_half_an_hour));
  world.run("SetAlarmState", R"({"AlarmName":"a","StateValue":"OK","StateReason":"a look at the end of this minute"})");
  world.advance(2min);
  EXPECT_EQ(world.state("a"), "INSUFFICIENT_DATA");
  world.advance(29min);
  EXPECT_EQ(world.state("a"), "ALARM");
}

TEST(Alarms, WhatCameForLaterAlongWithABreachDoesNotHideIt) {
  World world;
  world.put_alarm("a", kPlain);
  world.advance(5min);
  world.run("PutMetricData", base::cat(R"({"Namespace":"n","MetricData":[{"MetricName":"m","Value":6},)"
                                       R"({"MetricName":"m","Value":7,"Timestamp":)",
                                       world.now() + 90 * 60, "}]}"));
  world.advance(2min);
  EXPECT_EQ(world.state("a"), "ALARM");
  world.advance(30min);
  EXPECT_EQ(world.state("a"), "INSUFFICIENT_DATA");
  world.advance(59min + 30s);
  EXPECT_EQ(world.state("a"), "ALARM");
}

// The tables of "Configuring how CloudWatch alarms treat missing data": the newest of five datapoints last, '-' missing,
// 'X' breaching.
std::string verdict(std::string_view points, int datapoints, std::string_view treatment) {
  Alarm alarm{.evaluation_periods = 3, .datapoints_to_alarm = datapoints, .threshold = 5};
  alarm.comparison = shapes::ComparisonOperator::kGreaterThanThreshold;
  alarm.treat_missing_data = treatment;
  alarm.state.value = "current";
  std::vector<AlarmPoint> found;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (*point != '-') found.push_back({.value = *point == 'X' ? 9.0 : 0.0});
  }
  return judge(alarm, found, base::Time()).state;
}

TEST(Alarms, MissingDataIsTreatedAsInAwsTables) {
  struct Row {
    std::string_view points;
    int datapoints;
    std::string_view missing, ignore, breaching, not_breaching;
  };
  const Row rows[] = {
      {"0-X-X", 3, "OK", "OK", "OK", "OK"},
      {"----0", 3, "OK", "OK", "OK", "OK"},
      {"-----", 3, "INSUFFICIENT_DATA", "current", "ALARM", "OK"},
      {"0XX-X", 3, "ALARM", "ALARM", "ALARM", "ALARM"},
      {"--X--", 3, "ALARM", "current", "ALARM", "OK"},
      {"0-X-X", 2, "ALARM", "ALARM", "ALARM", "ALARM"},
      {"00X0X", 2, "ALARM", "ALARM", "ALARM", "ALARM"},
      {"0-X--", 2, "OK", "OK", "ALARM", "OK"},
      {"----0", 2, "OK", "OK", "ALARM", "OK"},
      {"----X", 2, "ALARM", "current", "ALARM", "OK"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(base::cat(row.points, " ", row.datapoints));
    EXPECT_EQ(verdict(row.points, row.datapoints, "missing"), row.missing);
    EXPECT_EQ(verdict(row.points, row.datapoints, "ignore"), row.ignore);
    EXPECT_EQ(verdict(row.points, row.datapoints, "breaching"), row.breaching);
    EXPECT_EQ(verdict(row.points, row.datapoints, "notBreaching"), row.not_breaching);
  }
}

TEST(Alarms, SayWhyTheyAreInTheirState) {
  Alarm alarm{.evaluation_periods = 2, .threshold = 5};
  alarm.comparison = shapes::ComparisonOperator::kGreaterThanThreshold;
  const std::vector<AlarmPoint> points{{.value = 9}, {.value = 7.5}};
  EXPECT_THAT(judge(alarm, points, base::Time()).reason,
              AllOf(StartsWith("Threshold Crossed: 2 datapoints [9.0 ("),
                    EndsWith(")] were greater than the threshold (5.0).")));
  alarm.datapoints_to_alarm = 2;
  EXPECT_THAT(judge(alarm, points, base::Time()).reason, HasSubstr("2 out of the last 2 datapoints"));
  EXPECT_EQ(judge(alarm, {}, base::Time()).reason, "Insufficient Data: 2 datapoints were unknown.");
  alarm.treat_missing_data = "breaching";
  EXPECT_EQ(judge(alarm, {}, base::Time()).reason,
            "Threshold Crossed: no datapoints were received for 2 periods and 2 missing datapoints were treated as "
            "[Breaching].");
  alarm.treat_missing_data = "notBreaching";
  alarm.evaluation_periods = 1;
  EXPECT_EQ(judge(alarm, {}, base::Time()).reason,
            "Threshold Crossed: no datapoints were received for 1 period and 1 missing datapoint was treated as "
            "[NonBreaching].");
}

TEST(Alarms, TellWhatTheyLookedAt) {
  Alarm alarm{.evaluation_periods = 1, .threshold = 5};
  alarm.statistic = "Sum";
  alarm.unit = "Count";
  const std::string data = judge(alarm, {{.value = 2, .samples = 3}}, base::Time()).reason_data;
  EXPECT_THAT(data, AllOf(HasSubstr(R"("unit":"Count")"), HasSubstr(R"("recentDatapoints":[2.0],"threshold":5.0)"),
                          HasSubstr(R"("sampleCount":3.0,"value":2.0)")));
}

TEST(Alarms, SayNoMoreThanAwsDoesOfADaysDatapoints) {
  Alarm alarm{.evaluation_periods = 8'640, .threshold = 5};
  alarm.comparison = shapes::ComparisonOperator::kGreaterThanThreshold;
  alarm.statistic = "Average";
  std::vector<AlarmPoint> points(8'640, AlarmPoint{.value = 1234567.890123456});
  points.front().value = 9;
  const Verdict verdict = judge(alarm, points, base::Time());
  EXPECT_THAT(verdict.reason, AllOf(StartsWith("Threshold Crossed: 8640 datapoints were greater than the threshold "
                                               "(5.0). The most recent datapoints which crossed the threshold: [9.0 ("),
                                    EndsWith(")].")));
  EXPECT_LE(verdict.reason.size(), 1'023u);
  EXPECT_THAT(verdict.reason_data, AllOf(HasSubstr(R"(1234567.890123456,9.0],"threshold")"), EndsWith("}]}")));
  EXPECT_LE(verdict.reason_data.size(), 4'000u);
  EXPECT_GT(verdict.reason_data.size(), 3'500u) << "as many as there is room for";
  alarm.datapoints_to_alarm = 7;
  EXPECT_THAT(judge(alarm, points, base::Time()).reason,
              AllOf(StartsWith("Threshold Crossed: 8640 out of the last 8640 datapoints were greater than"),
                    EndsWith(")] (minimum 7 datapoints for OK -> ALARM transition).")));
}

TEST(Alarms, SeveralPeriodsMustBreach) {
  World world;
  world.put_alarm("a", R"("Statistic":"Maximum","Period":60,"EvaluationPeriods":3,"DatapointsToAlarm":2,"Threshold":5,)"
                       R"("TreatMissingData":"notBreaching")");
  world.settle();
  EXPECT_EQ(world.state("a"), "OK");
  world.put(R"("Value":6)");
  world.advance(60s);
  EXPECT_EQ(world.state("a"), "OK");
  world.put(R"("Value":7)");
  world.advance(60s);
  EXPECT_EQ(world.state("a"), "ALARM");
  world.advance(5min);
  EXPECT_EQ(world.state("a"), "OK");
}

TEST(Alarms, AStateThatIsSetHoldsUntilTheNextLook) {
  World world;
  world.put_alarm("a", kPlain);
  world.settle();
  EXPECT_EQ(world.run("SetAlarmState", R"({"AlarmName":"a","StateValue":"ALARM","StateReason":"a drill"})"), "{}");
  EXPECT_EQ(world.state("a"), "ALARM");
  world.settle();
  EXPECT_EQ(world.told.size(), 1u);
  world.advance(60s);
  EXPECT_EQ(world.state("a"), "INSUFFICIENT_DATA");
  EXPECT_EQ(world.run("SetAlarmState", R"({"AlarmName":"b","StateValue":"OK","StateReason":""})"),
            "ResourceNotFound: ");
  EXPECT_THAT(world.run("SetAlarmState", R"({"AlarmName":"a","StateValue":"OK","StateReason":"","StateReasonData":"{"})"),
              HasSubstr("InvalidFormatFault"));
}

TEST(Alarms, DisabledActionsTellNobody) {
  World world;
  world.put_alarm("a", kPlain);
  EXPECT_EQ(world.run("DisableAlarmActions", R"({"AlarmNames":["a","other"]})"), "{}");
  world.run("SetAlarmState", R"({"AlarmName":"a","StateValue":"ALARM","StateReason":""})");
  world.settle();
  EXPECT_THAT(world.told, IsEmpty());
  EXPECT_EQ(world.run("EnableAlarmActions", R"({"AlarmNames":["a"]})"), "{}");
  world.run("SetAlarmState", R"({"AlarmName":"a","StateValue":"OK","StateReason":""})");
  world.settle();
  EXPECT_EQ(world.told.size(), 1u);
}

TEST(Alarms, WhatHappenedIsKept) {
  World world;
  world.put_alarm("a", kPlain);
  world.put(R"("Value":6)");
  world.advance(60s);
  world.run("DeleteAlarms", R"({"AlarmNames":["a"]})");
  const auto summaries = [&](std::string_view more) {
    const auto answer = world.ask("DescribeAlarmHistory", base::cat(R"({"ScanBy":"TimestampAscending")", more, "}"));
    std::vector<std::string> result;
    for (const json::Value& item : answer.find("AlarmHistoryItems")->array()) {
      result.push_back(item.find("HistorySummary")->string());
    }
    return result;
  };
  EXPECT_THAT(summaries(R"(,"AlarmName":"a")"),
              ElementsAre("Alarm \"a\" created", "Alarm updated from INSUFFICIENT_DATA to ALARM",
                          "Started action arn:aws:sns:us-east-1:000000000000:t", "Alarm \"a\" deleted"));
  EXPECT_THAT(summaries(R"(,"HistoryItemType":"StateUpdate")"),
              ElementsAre("Alarm updated from INSUFFICIENT_DATA to ALARM"));
}

// Items "<alarm><i>" of alarms a and b, i from 0 up to `count`, `apart` from each other; the last is of now. Returns
// the key of a's first.
std::string add_histories(World& world, int count, base::Duration apart) {
  return world.await([](World& world, int count, base::Duration apart) -> Task<std::string> {
    const std::string account(World::kAccount);
    const std::string region(World::kRegion);
    co_await world.store->transact([&](store::Transaction& txn) -> Task<void> {
      for (int i = 0; i < count; ++i) {
        for (const char* alarm : {"a", "b"}) {
          co_await add_history(txn, {{account, region, alarm}}, world.clock.now() - (count - 1 - i) * apart,
                               i % 2 == 0 ? shapes::HistoryItemType::kStateUpdate : shapes::HistoryItemType::kAction,
                               base::cat(alarm, i), "{}");
        }
      }
    });
    std::string first;
    const auto snapshot = world.store->snapshot();
    co_await snapshot->scan(history_range(account, region, "a"), store::first(1),
                            [&](std::string_view key, std::string_view) {
                              first = key;
                              return true;
                            });
    co_return first;
  }(world, count, apart));
}

struct HistoryPage {
  std::vector<std::string> summaries;
  std::string token;  // empty: the last
};

// `members`: "\"MaxRecords\":2".
HistoryPage history_page(World& world, std::string_view members, std::string_view token = "") {
  const std::string next = token.empty() ? "" : base::cat(R"(,"NextToken":")", token, "\"");
  const auto answer = world.ask("DescribeAlarmHistory", base::cat("{", members, next, "}"));
  HistoryPage page;
  for (const json::Value& item : answer.find("AlarmHistoryItems")->array()) {
    page.summaries.push_back(item.find("HistorySummary")->string());
  }
  if (const json::Value* more = answer.find("NextToken")) page.token = more->string();
  return page;
}

TEST(Alarms, PagesOfTheirHistoryShowEachItemOnceInOrderOfTime) {
  World world;
  add_histories(world, 5, 2s);
  const auto all = [&](std::string_view members, size_t most) {
    std::vector<std::string> summaries;
    std::string token;
    do {
      HistoryPage page = history_page(world, base::cat(members, R"(,"MaxRecords":)", most), token);
      EXPECT_LE(page.summaries.size(), most);
      EXPECT_FALSE(page.summaries.empty());
      for (std::string& summary : page.summaries) summaries.push_back(std::move(summary));
      token = std::move(page.token);
    } while (!token.empty() && summaries.size() < 100);
    return summaries;
  };
  for (const size_t most : {1, 3, 5, 10}) {
    SCOPED_TRACE(most);
    EXPECT_THAT(all(R"("ScanBy":"TimestampAscending")", most),
                ElementsAre("a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"));
    EXPECT_THAT(all(R"("ScanBy":"TimestampDescending")", most),
                ElementsAre("b4", "a4", "b3", "a3", "b2", "a2", "b1", "a1", "b0", "a0"));
    EXPECT_THAT(all(R"("AlarmName":"a","ScanBy":"TimestampAscending")", most),
                ElementsAre("a0", "a1", "a2", "a3", "a4"));
    EXPECT_THAT(all(R"("AlarmName":"b","ScanBy":"TimestampDescending")", most),
                ElementsAre("b4", "b3", "b2", "b1", "b0"));
    EXPECT_THAT(all(R"("HistoryItemType":"Action","ScanBy":"TimestampDescending")", most),
                ElementsAre("b3", "a3", "b1", "a1"));
    EXPECT_THAT(all(R"("AlarmName":"a","HistoryItemType":"StateUpdate","ScanBy":"TimestampAscending")", most),
                ElementsAre("a0", "a2", "a4"));
  }
  EXPECT_THAT(all(base::cat(R"("AlarmName":"a","StartDate":)", world.now() - 6, R"(,"EndDate":)", world.now() - 1), 1),
              ElementsAre("a3", "a2", "a1"));
}

// Told by one that could not be read.
TEST(Alarms, APageOfTheirHistoryReadsNoItemsBehindIt) {
  World world;
  const std::string first = add_histories(world, 2000, 1ms);
  world.await([](World& world, const std::string& key) -> Task<bool> {
    co_await world.store->transact([&](store::Transaction& txn) -> Task<void> {
      txn.put(key, "damaged");
      co_return;
    });
    co_return true;
  }(world, first));
  for (const std::string_view members : {R"("AlarmName":"a","MaxRecords":2)", R"("MaxRecords":2)"}) {
    const HistoryPage page = history_page(world, members);
    EXPECT_EQ(page.summaries.size(), 2u);
    EXPECT_EQ(history_page(world, members, page.token).summaries.size(), 2u);
  }
}

TEST(Alarms, ATokenOfAnotherHistoryOrOfAnItemThatIsGoneIsRefused) {
  World world;
  const std::string first = add_histories(world, 3, 1s);
  constexpr std::string_view kAscending = R"("MaxRecords":1,"ScanBy":"TimestampAscending")";
  const std::string token = history_page(world, kAscending).token;
  const auto refusal = [&](std::string_view members, std::string_view token) {
    return world.run("DescribeAlarmHistory", base::cat("{", members, R"(,"NextToken":")", token, "\"}"));
  };
  EXPECT_THAT(refusal(kAscending, "none"), StartsWith("InvalidNextToken"));
  EXPECT_THAT(refusal(base::cat(R"("AlarmName":"b",)", kAscending), token), StartsWith("InvalidNextToken"));
  EXPECT_THAT(history_page(world, kAscending, token).summaries, ElementsAre("b0"));
  world.await([](World& world, const std::string& key) -> Task<bool> {
    co_await world.store->transact([&](store::Transaction& txn) -> Task<void> {
      txn.erase(key);
      co_return;
    });
    co_return true;
  }(world, first));
  EXPECT_THAT(refusal(kAscending, token), StartsWith("InvalidNextToken"));
}

TEST(Alarms, AreDescribedByNamePrefixStateAndMetric) {
  World world;
  for (const char* name : {"a1", "a2", "b"}) world.put_alarm(name, kPlain);
  const auto count = [&](std::string_view operation, std::string_view body) {
    return world.ask(operation, body).find("MetricAlarms")->array().size();
  };
  EXPECT_EQ(count("DescribeAlarms", "{}"), 3u);
  EXPECT_EQ(count("DescribeAlarms", R"({"AlarmNamePrefix":"a"})"), 2u);
  EXPECT_EQ(count("DescribeAlarms", R"({"StateValue":"OK"})"), 0u);
  EXPECT_EQ(count("DescribeAlarms", R"({"ActionPrefix":"arn:aws:sns"})"), 3u);
  EXPECT_EQ(count("DescribeAlarmsForMetric", R"({"Namespace":"n","MetricName":"m"})"), 3u);
  EXPECT_EQ(count("DescribeAlarmsForMetric", R"({"Namespace":"n","MetricName":"m","Statistic":"Average"})"), 0u);
  const auto page = world.ask("DescribeAlarms", R"({"MaxRecords":2})");
  EXPECT_EQ(count("DescribeAlarms", base::cat(R"({"NextToken":")", page.find("NextToken")->string(), "\"}")), 1u);
  EXPECT_EQ(world.run("DeleteAlarms", R"({"AlarmNames":["a1","nobody"]})"),
            "ResourceNotFound: Alarm nobody does not exist");
  EXPECT_EQ(count("DescribeAlarms", "{}"), 3u) << "all or none";
}

TEST(Alarms, AreCheckedWhenTheyAreMade) {
  World world;
  EXPECT_THAT(world.put_alarm("a", R"("Statistic":"Sum","Period":60,"EvaluationPeriods":1)"), HasSubstr("Threshold"));
  EXPECT_THAT(world.put_alarm("a", R"("Statistic":"Sum","Period":45,"EvaluationPeriods":1,"Threshold":1)"),
              HasSubstr("InvalidParameterValueException: The value 45 for parameter Period"));
  EXPECT_THAT(world.put_alarm("a", R"("Statistic":"Sum","Period":60,"EvaluationPeriods":2000,"Threshold":1)"),
              HasSubstr("more than a day"));
  EXPECT_THAT(world.put_alarm("a", R"("Statistic":"Sum","Period":60,"EvaluationPeriods":1,"Threshold":1,"AlarmActions":)"
                                   R"(["arn:aws:automate:us-east-1:ec2:stop"])"),
              HasSubstr("Tidemill does not support the action"));
  EXPECT_THAT(world.put_alarm("a", R"("ExtendedStatistic":"Sum","Period":60,"EvaluationPeriods":1,"Threshold":1)"),
              HasSubstr("ExtendedStatistic"));
}

TEST(Alarms, HaveTags) {
  World world;
  world.put_alarm("a", base::cat(kPlain, R"(,"Tags":[{"Key":"a","Value":"1"}])"));
  const std::string arn = R"("ResourceARN":"arn:aws:cloudwatch:us-east-1:000000000000:alarm:a")";
  EXPECT_EQ(world.run("TagResource", base::cat("{", arn, R"(,"Tags":[{"Key":"b","Value":"2"}]})")), "{}");
  EXPECT_EQ(world.run("UntagResource", base::cat("{", arn, R"(,"TagKeys":["a"]})")), "{}");
  EXPECT_EQ(world.run("ListTagsForResource", base::cat("{", arn, "}")), R"({"Tags":[{"Key":"b","Value":"2"}]})");
}

TEST(Alarms, RefuseTagsThatCannotBeAtTheCreationAndLater) {
  World world;
  world.put_alarm("a", kPlain);
  const std::string arn = R"("ResourceARN":"arn:aws:cloudwatch:us-east-1:000000000000:alarm:a")";
  const auto refused = [&](std::string_view tags, std::string_view words) {
    const std::string members = base::cat(R"(,"Tags":)", tags);
    const std::string refusal = base::cat("InvalidParameterValueException: ", words);
    EXPECT_EQ(world.run("TagResource", base::cat("{", arn, members, "}")), refusal);
    EXPECT_EQ(world.put_alarm("b", base::cat(kPlain, members)), refusal);
    EXPECT_EQ(world.run("PutCompositeAlarm", base::cat(R"({"AlarmName":"b","AlarmRule":"TRUE")", members, "}")),
              refusal);
  };
  for (const char* key : {"aws:a", "AWS:a"}) {
    refused(base::cat(R"([{"Key":")", key, R"(","Value":"1"}])"),
            base::cat("The value ", key, " for parameter Tags is invalid."));
    EXPECT_EQ(world.run("UntagResource", base::cat("{", arn, R"(,"TagKeys":[")", key, "\"]}")),
              base::cat("InvalidParameterValueException: The value ", key, " for parameter TagKeys is invalid."));
  }
  refused(R"([{"Key":"a!","Value":"1"}])", "The value a! for parameter Tags is invalid.");
  refused(R"([{"Key":"a","Value":"{1}"}])", "The value {1} for parameter Tags is invalid.");
  refused(R"([{"Key":"a","Value":"1"},{"Key":"a","Value":"2"}])", "The parameter Tags must not contain a key twice.");
  json::Array many;
  for (int i = 0; i <= 50; ++i) many.push_back(json::Object{{"Key", base::cat("k", i)}, {"Value", ""}});
  refused(json::write(many), "The collection Tags must not have a size greater than 50.");
  EXPECT_EQ(world.run("ListTagsForResource", base::cat("{", arn, "}")), R"({"Tags":[]})");
}

TEST(Alarms, SurviveACrash) {
  World world(5, store::SimFaults{});
  world.put_alarm("a", kPlain);
  world.put(R"("Value":6)");
  world.crash();
  world.advance(60s);
  EXPECT_EQ(world.state("a"), "ALARM");
  EXPECT_GE(world.told.size(), 1u);
}

}  // namespace
}  // namespace tidemill::cloudwatch
