#include "lang/alarms/alarm_rule.h"

#include <gmock/gmock.h>

namespace tidemill::lang::alarms {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "cpu" is in ALARM, "disk" OK, "a b" has no data.
bool holds(std::string_view text) {
  return AlarmRule::parse(text).holds([](const std::string& alarm) -> std::string {
    return alarm == "cpu" ? "ALARM" : alarm == "disk" ? "OK" : alarm == "a b" ? "INSUFFICIENT_DATA" : "";
  });
}

std::string fault(std::string_view text) {
  try {
    (void)AlarmRule::parse(text);
    return "";
  } catch (const RuleError& error) {
    return error.what();
  }
}

TEST(AlarmRules, AskAboutStates) {
  EXPECT_TRUE(holds("ALARM(cpu)"));
  EXPECT_TRUE(holds("ALARM(\"cpu\")"));
  EXPECT_FALSE(holds("OK('cpu')"));
  EXPECT_TRUE(holds("OK( disk )"));
  EXPECT_TRUE(holds("INSUFFICIENT_DATA(\"a b\")"));
  EXPECT_FALSE(holds("ALARM(none) OR OK(none) OR INSUFFICIENT_DATA(none)"));
  EXPECT_TRUE(holds("TRUE"));
  EXPECT_FALSE(holds("FALSE"));
}

TEST(AlarmRules, OperatorsBindNotAndOr) {
  EXPECT_TRUE(holds("TRUE OR TRUE AND FALSE"));
  EXPECT_FALSE(holds("(TRUE OR TRUE) AND FALSE"));
  EXPECT_FALSE(holds("NOT TRUE AND FALSE"));
  EXPECT_TRUE(holds("NOT (TRUE AND FALSE)"));
  EXPECT_TRUE(holds("NOT NOT ALARM(cpu)\n AND OK(disk)"));
}

TEST(AlarmRules, TellWhichAlarmsTheyNeed) {
  EXPECT_THAT(AlarmRule::parse("ALARM(b) AND (OK(a) OR ALARM(b))").alarms(), ElementsAre("a", "b"));
}

TEST(AlarmRules, SayWhatIsWrong) {
  EXPECT_THAT(fault(""), HasSubstr("ends too early"));
  EXPECT_THAT(fault("ALARM(cpu"), HasSubstr("')' is missing"));
  EXPECT_THAT(fault("ALARM()"), HasSubstr("name of an alarm is missing"));
  EXPECT_THAT(fault("ALARM(a) OK(b)"), HasSubstr("unexpected 'O' at 9"));
  EXPECT_THAT(fault("alarm(a)"), HasSubstr("unexpected 'alarm(a)'"));
  EXPECT_THAT(fault(std::string(200, '(')), HasSubstr("nested too deep"));
  EXPECT_THAT(fault("AT_LEAST(1, ALARM, (a, b))"), HasSubstr("AT_LEAST"));
}

}  // namespace
}  // namespace tidemill::lang::alarms
