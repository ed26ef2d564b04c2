#include "lang/schedules/time_zone.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace tidemill::lang::schedules {
namespace {

using namespace std::chrono;

std::string contents(const std::string& zone) {
  std::ifstream file("/usr/share/zoneinfo/" + zone, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

int64_t offset(const TimeZone& zone, year_month_day day) {
  return zone.period_at(sys_seconds(sys_days(day)).time_since_epoch().count()).offset / 60;
}

TEST(TimeZone, ReadsTheFilesOfTheMachine) {
  struct Case {
    const char* zone;
    int64_t winter, summer, winter_2090, summer_2090;  // minutes
  };
  for (const Case& each : {Case{"UTC", 0, 0, 0, 0},
                           {"America/New_York", -300, -240, -300, -240},
                           {"Europe/Berlin", 60, 120, 60, 120},
                           {"Europe/Dublin", 0, 60, 0, 60},
                           {"Asia/Kolkata", 330, 330, 330, 330},
                           {"Australia/Sydney", 660, 600, 660, 600},
                           {"Australia/Lord_Howe", 660, 630, 660, 630}}) {
    const auto zone = TimeZone::parse(contents(each.zone));
    ASSERT_TRUE(zone) << each.zone;
    EXPECT_EQ(offset(*zone, 2026y / 1 / 15), each.winter) << each.zone;
    EXPECT_EQ(offset(*zone, 2026y / 7 / 15), each.summer) << each.zone;
    EXPECT_EQ(offset(*zone, 2090y / 1 / 15), each.winter_2090) << each.zone;
    EXPECT_EQ(offset(*zone, 2090y / 7 / 15), each.summer_2090) << each.zone;
  }
}

// The table of a file and its rule say the same where both speak.
TEST(TimeZone, GoesOnAfterTheTableAsInItsLastYears) {
  const auto zone = TimeZone::parse(contents("America/New_York"));
  ASSERT_TRUE(zone);
  const auto changes = [&](int year) {
    const int64_t begin = sys_seconds(sys_days(std::chrono::year(year) / 1 / 1)).time_since_epoch().count();
    const auto first = zone->period_at(begin);
    const auto second = zone->period_at(first.end);
    return std::pair((first.end - begin) / 3600, (second.end - begin) / 3600);
  };
  EXPECT_EQ(changes(2026), changes(2026 + 28));  // the same calendar
  EXPECT_EQ(changes(2037), changes(2037 + 28));
}

TEST(TimeZone, KnowsWhatClocksSkipAndRepeat) {
  const auto zone = TimeZone::parse(contents("Europe/Berlin"));
  ASSERT_TRUE(zone);
  const auto skipped = zone->find(local_days(2026y / 3 / 29) + 2h + 30min);
  EXPECT_FALSE(skipped.first);
  EXPECT_EQ(skipped.resumes, local_days(2026y / 3 / 29) + 3h);
  EXPECT_EQ(skipped.skipped_from, local_days(2026y / 3 / 29) + 2h);
  const auto repeated = zone->find(local_days(2026y / 10 / 25) + 2h + 30min);
  EXPECT_EQ(repeated.first, Time(sys_days(2026y / 10 / 25) + 30min));
  EXPECT_EQ(repeated.resumes, local_days(2026y / 10 / 25) + 3h);
  EXPECT_EQ(zone->wall(*repeated.first + 1h), local_days(2026y / 10 / 25) + 2h + 30min);
  const auto plain = zone->find(local_days(2026y / 6 / 1) + 12h);
  EXPECT_EQ(plain.first, Time(sys_days(2026y / 6 / 1) + 10h));
  EXPECT_EQ(plain.resumes, local_days(2026y / 6 / 1) + 12h);
}

TEST(TimeZone, RefusesWhatIsNoZoneFile) {
  EXPECT_FALSE(TimeZone::parse(""));
  EXPECT_FALSE(TimeZone::parse("# version 2025b"));
  const std::string file = contents("Europe/Berlin");
  for (size_t size = 0; size < file.size(); size += 7) EXPECT_FALSE(TimeZone::parse(file.substr(0, size))) << size;
}

TEST(ZoneRule, ReadsEveryFormOfPosix) {
  for (const char* good : {"UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "IST-1GMT0,M10.5.0,M3.5.0/1", "<+0330>-3:30",
                           "EET-2EEST,M3.4.4/50,M10.4.4/50", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "AAA3BBB,J60/0,J300",
                           "AAA3BBB,59,299/1:30:15"}) {
    EXPECT_TRUE(ZoneRule::parse(good)) << good;
  }
  for (const char* bad : {"", "UTC", "U0", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
                          "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,J0,J1", "<+03-3", "UTC0x"}) {
    EXPECT_FALSE(ZoneRule::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace tidemill::lang::schedules
