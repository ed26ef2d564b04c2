// Composite alarms: rules over other alarms, and suppressors; and dashboards.
#include <gmock/gmock.h>

#include "services/cloudwatch/testing.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::World;

constexpr std::string_view kTopic = R"("AlarmActions":["arn:aws:sns:us-east-1:000000000000:t"])";

void put_child(World& world, std::string_view name) {
  EXPECT_EQ(world.put_alarm(name, R"("Statistic":"Sum","Period":60,"EvaluationPeriods":1,"Threshold":5)"), "{}");
  world.settle();
}
std::string put_composite(World& world, std::string_view name, std::string_view rule, std::string_view more = kTopic) {
  return world.run("PutCompositeAlarm", base::cat(R"({"AlarmName":")", name, R"(","AlarmRule":)",
                                                  json::write(json::Value(rule)), more.empty() ? "" : ",", more, "}"));
}
void set(World& world, std::string_view name, std::string_view state) {
  EXPECT_EQ(world.run("SetAlarmState", base::cat(R"({"AlarmName":")", name, R"(","StateValue":")", state,
                                                 R"(","StateReason":"a test"})")),
            "{}");
  world.settle();
}
json::Value composite(World& world, std::string_view name) {
  const json::Value answer =
      world.ask("DescribeAlarms", base::cat(R"({"AlarmTypes":["CompositeAlarm"],"AlarmNames":[")", name, "\"]}"));
  const auto& found = answer.find("CompositeAlarms")->array();
  return found.empty() ? json::Value() : found[0];
}
std::string state(World& world, std::string_view name) {
  world.settle();
  const json::Value found = composite(world, name);
  return found.is_null() ? "" : found.find("StateValue")->string();
}

TEST(CompositeAlarms, FollowTheirChildren) {
  World world;
  put_child(world, "cpu");
  put_child(world, "disk");
  EXPECT_EQ(put_composite(world, "both", "ALARM(cpu) AND ALARM(\"disk\")"), "{}");
  EXPECT_EQ(state(world, "both"), "OK");
  set(world, "cpu", "ALARM");
  EXPECT_EQ(state(world, "both"), "OK");
  EXPECT_THAT(world.told, IsEmpty());
  world.advance(1s);
  set(world, "disk", "ALARM");
  EXPECT_EQ(state(world, "both"), "ALARM");
  ASSERT_THAT(world.told, SizeIs(1));
  EXPECT_THAT(
      world.told[0],
      AllOf(HasSubstr(R"(\"AlarmRule\":\"ALARM(cpu) AND ALARM(\\\"disk\\\")\")"),
            HasSubstr("alarm:disk transitioned to ALARM at Saturday 14 March, 2026 00:00:01 UTC"),
            HasSubstr(R"(\"TriggeringChildren\":[{\"Arn\":\"arn:aws:cloudwatch:us-east-1:000000000000:alarm:)")));
  set(world, "cpu", "OK");
  EXPECT_EQ(state(world, "both"), "OK");
  EXPECT_THAT(world.told, SizeIs(1));
}

TEST(CompositeAlarms, MayAskAboutOtherCompositeAlarmsAndAreNotEvaluatedInACycle) {
  World world;
  put_child(world, "cpu");
  EXPECT_EQ(put_composite(world, "one", "ALARM(cpu)"), "{}");
  EXPECT_EQ(put_composite(world, "two", "NOT ALARM(arn:aws:cloudwatch:us-east-1:000000000000:alarm:one)"), "{}");
  EXPECT_EQ(state(world, "two"), "ALARM");
  set(world, "cpu", "ALARM");
  EXPECT_EQ(state(world, "two"), "OK");
  EXPECT_EQ(put_composite(world, "one", "ALARM(two)"), "{}") << "a cycle may be made";
  world.advance(1h);
  EXPECT_EQ(state(world, "one"), "ALARM") << "and nothing goes on in it";
}

TEST(CompositeAlarms, WithASuppressorInAlarmTellNobodyUntilItHasLeftIt) {
  World world;
  put_child(world, "cpu");
  put_child(world, "deployment");
  set(world, "cpu", "OK");
  set(world, "deployment", "ALARM");
  EXPECT_EQ(put_composite(world, "c", "NOT OK(cpu)",
                          base::cat(kTopic, R"(,"ActionsSuppressor":"deployment","ActionsSuppressorWaitPeriod":60,)",
                                    R"("ActionsSuppressorExtensionPeriod":120)")),
            "{}");
  EXPECT_EQ(state(world, "c"), "OK");
  set(world, "cpu", "ALARM");
  EXPECT_EQ(state(world, "c"), "ALARM");
  EXPECT_EQ(composite(world, "c").find("ActionsSuppressedBy")->string(), "Alarm");
  set(world, "deployment", "OK");
  EXPECT_EQ(composite(world, "c").find("ActionsSuppressedBy")->string(), "ExtensionPeriod");
  world.advance(119s);
  EXPECT_THAT(world.told, IsEmpty());
  world.advance(1s);
  EXPECT_THAT(world.told, SizeIs(1));
  EXPECT_EQ(composite(world, "c").find("ActionsSuppressedBy"), nullptr);
}

TEST(CompositeAlarms, WaitForTheSuppressorAndThenAct) {
  World world;
  // Children without data fall back when a minute is over; those here are set and looked at within it.
  put_child(world, "cpu");
  put_child(world, "deployment");
  EXPECT_EQ(put_composite(world, "c", "NOT OK(cpu)",
                          base::cat(kTopic, R"(,"ActionsSuppressor":"deployment","ActionsSuppressorWaitPeriod":30,)",
                                    R"("ActionsSuppressorExtensionPeriod":10)")),
            "{}");
  EXPECT_EQ(state(world, "c"), "ALARM");
  EXPECT_EQ(composite(world, "c").find("ActionsSuppressedBy")->string(), "WaitPeriod");
  world.advance(29s);
  EXPECT_THAT(world.told, IsEmpty());
  world.advance(1s);
  EXPECT_THAT(world.told, SizeIs(1));
  EXPECT_EQ(composite(world, "c").find("ActionsSuppressedBy"), nullptr);
}

TEST(CompositeAlarms, AreCheckedShownAndDeleted) {
  World world;
  put_child(world, "cpu");
  EXPECT_EQ(put_composite(world, "c", "ALARM(none) OR OK(cpu)"),
            "ValidationError: Could not save the composite alarm as alarms "
            "[arn:aws:cloudwatch:us-east-1:000000000000:alarm:none] in the alarm rule do not exist");
  EXPECT_THAT(put_composite(world, "c", "ALARM(cpu"), HasSubstr("ValidationError: AlarmRule is invalid"));
  EXPECT_THAT(put_composite(world, "cpu", "TRUE"), HasSubstr("already used by a metric alarm"));
  EXPECT_THAT(put_composite(world, "c", "TRUE", R"("ActionsSuppressor":"cpu")"),
              HasSubstr("must be specified together"));
  EXPECT_EQ(
      put_composite(world, "c", "TRUE OR ALARM(cpu)", R"("AlarmDescription":"d","Tags":[{"Key":"k","Value":"v"}])"),
      "{}");
  EXPECT_THAT(world.put_alarm("c", R"("Statistic":"Sum","Period":60,"EvaluationPeriods":1,"Threshold":5)"),
              HasSubstr("already used by a composite alarm"));
  EXPECT_EQ(state(world, "c"), "ALARM");
  EXPECT_THAT(world.ask("DescribeAlarms", "{}").find("CompositeAlarms")->array(), IsEmpty()) << "only of metrics";
  const json::Value children = world.ask("DescribeAlarms", R"({"ChildrenOfAlarmName":"c"})");
  EXPECT_EQ(children.find("MetricAlarms")->array().at(0).find("AlarmName")->string(), "cpu");
  const json::Value parents = world.ask("DescribeAlarms", R"({"ParentsOfAlarmName":"cpu"})");
  EXPECT_EQ(parents.find("CompositeAlarms")->array().at(0).find("AlarmName")->string(), "c");
  EXPECT_EQ(world.run("ListTagsForResource", R"({"ResourceARN":"arn:aws:cloudwatch:us-east-1:000000000000:alarm:c"})"),
            R"({"Tags":[{"Key":"k","Value":"v"}]})");
  EXPECT_EQ(put_composite(world, "d", "TRUE"), "{}");
  EXPECT_THAT(world.run("DeleteAlarms", R"({"AlarmNames":["c","d"]})"), HasSubstr("only one composite alarm"));
  EXPECT_EQ(world.run("DeleteAlarms", R"({"AlarmNames":["c","cpu"]})"), "{}");
  EXPECT_EQ(state(world, "c"), "");
  const auto history = world.ask("DescribeAlarmHistory",
                                 R"({"AlarmName":"c","AlarmTypes":["CompositeAlarm"],"ScanBy":"TimestampAscending"})");
  std::vector<std::string> summaries;
  for (const json::Value& item : history.find("AlarmHistoryItems")->array()) {
    EXPECT_EQ(item.find("AlarmType")->string(), "CompositeAlarm");
    summaries.push_back(item.find("HistorySummary")->string());
  }
  EXPECT_THAT(summaries, ElementsAre("Alarm \"c\" created", "Alarm updated from INSUFFICIENT_DATA to ALARM",
                                     "Alarm \"c\" deleted"));
}

TEST(CompositeAlarms, SurviveCrashes) {
  World world(7, store::SimFaults{});
  put_child(world, "cpu");
  EXPECT_EQ(put_composite(world, "c", "ALARM(cpu)"), "{}");
  world.crash();
  world.run("SetAlarmState", R"({"AlarmName":"cpu","StateValue":"ALARM","StateReason":"a test"})");
  world.crash();
  EXPECT_EQ(state(world, "c"), "ALARM");
  EXPECT_GE(world.told.size(), 1u);
}

TEST(Dashboards, ArePutShownListedAndDeleted) {
  World world;
  const std::string body = R"({"widgets":[{"type":"text","properties":{"markdown":"hello"},"width":6}]})";
  const auto put = [&](std::string_view name, std::string_view text) {
    return world.run("PutDashboard", base::cat(R"({"DashboardName":")", name, R"(","DashboardBody":)",
                                               json::write(json::Value(text)), "}"));
  };
  EXPECT_EQ(put("a", body), R"({"DashboardValidationMessages":[]})");
  EXPECT_EQ(put("b", body), R"({"DashboardValidationMessages":[]})");
  const json::Value shown = world.ask("GetDashboard", R"({"DashboardName":"a"})");
  EXPECT_EQ(shown.find("DashboardBody")->string(), body);
  EXPECT_EQ(shown.find("DashboardArn")->string(), "arn:aws:cloudwatch::000000000000:dashboard/a");
  const json::Value list = world.ask("ListDashboards", R"({"DashboardNamePrefix":"b"})");
  ASSERT_THAT(list.find("DashboardEntries")->array(), SizeIs(1));
  EXPECT_EQ(list.find("DashboardEntries")->array()[0].find("Size")->to_int64(), static_cast<int64_t>(body.size()));
  EXPECT_EQ(world.run("DeleteDashboards", R"({"DashboardNames":["a","none"]})"),
            "DashboardNotFoundError: Dashboard none does not exist");
  EXPECT_EQ(world.run("DeleteDashboards", R"({"DashboardNames":["a","b"]})"), "{}");
  EXPECT_THAT(world.run("GetDashboard", R"({"DashboardName":"a"})"), HasSubstr("DashboardNotFoundError"));
  EXPECT_THAT(put("a b", body), HasSubstr("It can only contain alphanumerics, dash (-) and underscore (_)."));
  EXPECT_THAT(put("a", "{"), HasSubstr("The field DashboardBody must be a valid JSON object"));
  EXPECT_THAT(put("a", R"({"widgets":[{"type":"pie","width":25}]})"),
              AllOf(HasSubstr("there are 3 validation errors"),
                    HasSubstr(R"({"dataPath":"/widgets/0/width","message":"Should be <= 24"})")));
}

}  // namespace
}  // namespace tidemill::cloudwatch
