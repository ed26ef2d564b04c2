#include "lang/schedules/schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemill::lang::schedules {
namespace {

// A zone file with nothing but its rule.
std::shared_ptr<const TimeZone> zone_of(const std::string& rule) {
  const auto header = [](char types) {
    std::string text = "TZif2" + std::string(15, '\0') + std::string(24, '\0');
    text[39] = types;
    return text;
  };
  auto zone = TimeZone::parse(header(0) + header(1) + std::string(6, '\0') + "\n" + rule + "\n");
  EXPECT_TRUE(zone) << rule;
  return zone;
}

const auto kNewYork = zone_of("EST5EDT,M3.2.0,M11.1.0");
const auto kUtc = TimeZone::utc();

// "2026-03-08 06:59" or "2026-03-08 06:59:30", UTC.
Time at(std::string_view text) {
  const auto part = [&](size_t place, size_t size) { return std::stoi(std::string(text.substr(place, size))); };
  const std::chrono::year_month_day day(std::chrono::year(part(0, 4)), std::chrono::month(part(5, 2)),
                                        std::chrono::day(part(8, 2)));
  return Time(std::chrono::sys_days(day) + std::chrono::hours(part(11, 2)) + std::chrono::minutes(part(14, 2)) +
              std::chrono::seconds(text.size() > 16 ? part(17, 2) : 0));
}

std::string text(std::optional<Time> time) {
  if (!time) return "never";
  const auto day = std::chrono::floor<std::chrono::days>(*time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(*time - day);
  char out[32];
  std::snprintf(out, sizeof out, "%04d-%02u-%02u %02d:%02d:%02d", int(date.year()), unsigned(date.month()),
                unsigned(date.day()), int(clock.hours().count()), int(clock.minutes().count()),
                int(clock.seconds().count()));
  std::string result = out;
  if (result.ends_with(":00")) result.resize(result.size() - 3);
  return result;
}

std::string next(std::string_view expression, std::string_view time, const TimeZone& zone = *kUtc) {
  const auto schedule = Schedule::parse(expression);
  EXPECT_TRUE(schedule) << expression;
  return schedule ? text(schedule->next(at(time), {zone, at("2026-01-01 00:00")})) : "refused";
}

std::string previous(std::string_view expression, std::string_view time, const TimeZone& zone = *kUtc) {
  const auto schedule = Schedule::parse(expression);
  EXPECT_TRUE(schedule) << expression;
  return schedule ? text(schedule->previous(at(time), {zone, at("2026-01-01 00:00")})) : "refused";
}

TEST(Schedule, AcceptsWhatAwsAccepts) {
  for (const char* good : {"cron(0 2 ? * SAT *)",
                           "cron(0 12 * * ? *)",
                           "cron(5,35 14 * * ? *)",
                           "cron(15 10 ? * 6L 2002-2005)",
                           "cron(* * ? * SAT#3 *)",
                           "cron(0/15 * * * ? *)",
                           "cron(0/5 8-17 ? * MON-FRI *)",
                           "cron(0/30 20-2 ? * MON-FRI *)",
                           "cron(0 8 1 * ? *)",
                           "cron(0 9 LW * ? *)",
                           "cron(0 9 L * ? *)",
                           "cron(0 9 3W * ? *)",
                           "cron(0 9 ? * L *)",
                           "cron(0 9 ? * 3#2 *)",
                           "cron(0 9 ? JAN,jul mon 2022)",
                           "cron(0 9 29 2 ? *)",
                           "cron(0 0 1 1 ? 2199)",
                           "rate(1 minute)",
                           "rate(5 minutes)",
                           "rate(1 hour)",
                           "rate(2 hours)",
                           "rate(1 day)",
                           "rate(365 days)",
                           "at(2026-11-23T08:00:00)",
                           "at(1999-12-31T23:59:59)"}) {
    const auto schedule = Schedule::parse(good);
    ASSERT_TRUE(schedule) << good;
    EXPECT_FALSE(schedule->counts_seconds()) << good;
  }
}

TEST(Schedule, RefusesWhatAwsRefuses) {
  for (const char* bad : {"",
                          "cron()",
                          "cron(INVALID)",
                          "cron(0 12 * * ?)",
                          "cron(0 1 * * * *)",
                          "cron(0 1 ? * ? *)",
                          "cron(71 8 1 * ? *)",
                          "cron(0 24 1 * ? *)",
                          "cron(0 dummy ? * MON-FRI *)",
                          "cron(7 20 * * NOT *)",
                          "cron(0 0 0 * ? *)",
                          "cron(0 0 32 * ? *)",
                          "cron(0 0 1 13 ? *)",
                          "cron(0 0 ? * 0 *)",
                          "cron(0 0 ? * 8 *)",
                          "cron(0 0 1 1 ? 1969)",
                          "cron(0 0 1 1 ? 2200)",
                          "cron(0 0 1 1 ? 2030-2020)",
                          "cron(0 0 ? * 3#6 *)",
                          "cron(0 0 ? * 3#0 *)",
                          "cron(0 0 ? * 3#1,5 *)",
                          "cron(0 0 W * ? *)",
                          "cron(0 0 0W * ? *)",
                          "cron(0/0 * * * ? *)",
                          "cron(0/61 * * * ? *)",
                          "cron(1,,2 * * * ? *)",
                          "cron(-1 * * * ? *)",
                          "cron(1- * * * ? *)",
                          "cron(? * * * ? *)",
                          "cron(0 12 * * ? *",
                          "cron 0 12 * * ? *",
                          " cron(0 12 * * ? *)",
                          "CRON(0 12 * * ? *)",
                          "rate()",
                          "rate(10)",
                          "rate(1 minutes)",
                          "rate(1 hours)",
                          "rate(1 days)",
                          "rate(10 minute)",
                          "rate(10 minutess)",
                          "rate(foo minutes)",
                          "rate(0 minutes)",
                          "rate(-10 minutes)",
                          "rate(10 MINUTES)",
                          "rate( 10 minutes )",
                          " rate(10 minutes)",
                          "rate(10 minutes) ",
                          "rate(10 years)",
                          "rate(10  minutes)",
                          "rate(1.5 hours)",
                          "rate(99999999999999999999 days)",
                          "at(2026-11-23)",
                          "at(2026-11-23T08:00:00Z)",
                          "at(2026-11-23T08:00)",
                          "at(2026-02-30T08:00:00)",
                          "at(2026-11-23T24:00:00)",
                          "at(2026-11-23 08:00:00)",
                          "at(2026-1a-23T08:00:00)",
                          "every(5 minutes)"}) {
    EXPECT_FALSE(Schedule::parse(bad)) << bad;
  }
}

TEST(Schedule, KnowsWhichFormsAreBeyondAws) {
  for (const char* own : {"rate(1 second)", "rate(30 seconds)", "cron(0/10 * * * * ? *)"}) {
    const auto schedule = Schedule::parse(own);
    ASSERT_TRUE(schedule) << own;
    EXPECT_TRUE(schedule->counts_seconds()) << own;
  }
  EXPECT_FALSE(Schedule::parse("rate(1 seconds)"));
}

struct Case {
  const char* expression;
  const char* after;
  const char* next;
};

// Sunday is 2026-11-22.
constexpr Case kCases[] = {
    {"cron(0 12 * * ? *)", "2026-11-23 11:59:59", "2026-11-23 12:00"},
    {"cron(0 12 * * ? *)", "2026-11-23 12:00", "2026-11-24 12:00"},
    {"cron(* * * * ? *)", "2026-12-31 23:59", "2027-01-01 00:00"},
    {"cron(0/15 * * * ? *)", "2026-11-23 10:44:59", "2026-11-23 10:45"},
    {"cron(*/20 * * * ? *)", "2026-11-23 10:41", "2026-11-23 11:00"},
    {"cron(7/20 * * * ? *)", "2026-11-23 10:48", "2026-11-23 11:07"},
    {"cron(0/30 20-2 ? * MON-FRI *)", "2026-11-23 02:30", "2026-11-23 20:00"},
    {"cron(0/30 20-2 ? * MON-FRI *)", "2026-11-23 23:30", "2026-11-24 00:00"},
    {"cron(0 9 ? * FRI-MON *)", "2026-11-23 09:00", "2026-11-27 09:00"},
    {"cron(0 9 ? * 1 *)", "2026-11-23 00:00", "2026-11-29 09:00"},
    {"cron(0 9 ? * L *)", "2026-11-23 00:00", "2026-11-28 09:00"},
    {"cron(0 9 ? * 6L *)", "2026-11-23 00:00", "2026-11-27 09:00"},
    {"cron(15 10 ? * 6L 2002-2005)", "2026-11-23 00:00", "never"},
    {"cron(15 10 ? * 6L 2002-2005)", "2004-12-31 10:15", "2005-01-28 10:15"},
    {"cron(0 9 ? * 3#2 *)", "2026-11-23 00:00", "2026-12-08 09:00"},
    {"cron(0 9 ? * TUE#5 *)", "2026-11-23 00:00", "2026-12-29 09:00"},
    {"cron(0 9 ? FEB TUE#5 *)", "2026-11-23 00:00", "2028-02-29 09:00"},
    {"cron(0 9 L * ? *)", "2028-02-01 00:00", "2028-02-29 09:00"},
    {"cron(0 9 31 * ? *)", "2026-11-01 00:00", "2026-12-31 09:00"},
    {"cron(0 9 29 2 ? *)", "2026-11-23 00:00", "2028-02-29 09:00"},
    {"cron(0 9 29 2 ? *)", "2096-03-01 00:00", "2104-02-29 09:00"},
    {"cron(0 9 30 2 ? *)", "2026-11-23 00:00", "never"},
    {"cron(0 9 1W * ? *)", "2026-07-31 12:00", "2026-08-03 09:00"},   // the 1st is a Saturday
    {"cron(0 9 15W * ? *)", "2026-11-01 00:00", "2026-11-16 09:00"},  // a Sunday
    {"cron(0 9 14W * ? *)", "2026-11-01 00:00", "2026-11-13 09:00"},  // a Saturday
    {"cron(0 9 31W * ? *)", "2026-05-01 00:00", "2026-05-29 09:00"},  // a Sunday at the end
    {"cron(0 9 31W * ? *)", "2026-06-01 00:00", "2026-07-31 09:00"},
    {"cron(0 9 LW * ? *)", "2026-10-31 12:00", "2026-11-30 09:00"},
    {"cron(0 9 LW * ? *)", "2026-05-01 00:00", "2026-05-29 09:00"},
    {"cron(0 0 1 1/3 ? *)", "2026-11-23 00:00", "2027-01-01 00:00"},
    {"cron(0 0 1 NOV-FEB/2 ? *)", "2026-11-23 00:00", "2027-01-01 00:00"},
    {"cron(0 0 1 1 ? 2030,2028)", "2026-11-23 00:00", "2028-01-01 00:00"},
    {"cron(0 0 1 1 ? 2020/7)", "2026-11-23 00:00", "2027-01-01 00:00"},
    {"cron(59 23 31 12 ? 2199)", "2026-11-23 00:00", "2199-12-31 23:59"},
    {"cron(59 23 31 12 ? 2199)", "2199-12-31 23:59", "never"},
    {"cron(30 0/5 * * * ? *)", "2026-11-23 10:05:30", "2026-11-23 10:10:30"},
    {"cron(0/10 * * * * ? *)", "2026-11-23 23:59:50", "2026-11-24 00:00"},
    {"rate(5 minutes)", "2026-01-01 00:00", "2026-01-01 00:05"},
    {"rate(5 minutes)", "2025-12-31 23:00", "2026-01-01 00:00"},  // the anchor
    {"rate(7 days)", "2026-11-23 00:00", "2026-11-26 00:00"},
    {"rate(30 seconds)", "2026-01-01 00:00:29", "2026-01-01 00:00:30"},
    {"at(2026-11-23T08:00:00)", "2026-11-23 07:59", "2026-11-23 08:00"},
    {"at(2026-11-23T08:00:00)", "2026-11-23 08:00", "never"},
};

TEST(Schedule, FindsTheNextTime) {
  for (const Case& each : kCases) EXPECT_EQ(next(each.expression, each.after), each.next) << each.expression;
}

// What comes next has nothing between it and where we began.
TEST(Schedule, FindsThePreviousTimeAsTheReverse) {
  for (const Case& each : kCases) {
    if (std::string_view(each.next) == "never") continue;
    const auto schedule = Schedule::parse(each.expression);
    const Basis basis{*kUtc, at("2026-01-01 00:00")};
    EXPECT_EQ(text(schedule->previous(at(each.next) + base::Duration(1), basis)), each.next) << each.expression;
    const auto before = schedule->previous(at(each.next), basis);
    EXPECT_TRUE(!before || *before <= at(each.after)) << each.expression;
    if (before) EXPECT_EQ(text(schedule->next(*before, basis)), each.next) << each.expression;
  }
  EXPECT_EQ(previous("cron(15 10 ? * 6L 2002-2005)", "2026-11-23 00:00"), "2005-12-30 10:15");
  EXPECT_EQ(previous("cron(0 9 29 2 ? *)", "2028-02-29 09:00"), "2024-02-29 09:00");
  EXPECT_EQ(previous("cron(0 0 1 1 ? 2030)", "2026-11-23 00:00"), "never");
}

TEST(Schedule, RunsByTheWallOfItsZone) {
  EXPECT_EQ(next("cron(0 8 * * ? *)", "2026-01-15 00:00", *kNewYork), "2026-01-15 13:00");
  EXPECT_EQ(next("cron(0 8 * * ? *)", "2026-07-15 00:00", *kNewYork), "2026-07-15 12:00");
  EXPECT_EQ(next("at(2026-07-15T08:00:00)", "2026-07-01 00:00", *kNewYork), "2026-07-15 12:00");
  EXPECT_EQ(next("cron(0 8 * * ? *)", "2090-07-15 00:00", *kNewYork), "2090-07-15 12:00");
}

TEST(Schedule, LeavesOutWhatTheClocksSkip) {
  // 8 March 2026, 2:00 EST is 3:00 EDT, 7:00 UTC.
  EXPECT_EQ(next("cron(30 2 * * ? *)", "2026-03-07 08:00", *kNewYork), "2026-03-09 06:30");
  EXPECT_EQ(next("cron(0/10 * * * ? *)", "2026-03-08 06:50", *kNewYork), "2026-03-08 07:00");
  EXPECT_EQ(next("cron(* * * * * ? *)", "2026-03-08 06:59:59", *kNewYork), "2026-03-08 07:00");
  EXPECT_EQ(next("at(2026-03-08T02:30:00)", "2026-03-01 00:00", *kNewYork), "never");
  EXPECT_EQ(previous("cron(30 2 * * ? *)", "2026-03-09 06:30", *kNewYork), "2026-03-07 07:30");
  EXPECT_EQ(previous("cron(* * * * * ? *)", "2026-03-08 07:00", *kNewYork), "2026-03-08 06:59:59");
}

TEST(Schedule, RunsOnceWhatTheClocksRepeat) {
  // 1 November 2026, 2:00 EDT is 1:00 EST, 6:00 UTC.
  EXPECT_EQ(next("cron(30 1 * * ? *)", "2026-11-01 00:00", *kNewYork), "2026-11-01 05:30");
  EXPECT_EQ(next("cron(30 1 * * ? *)", "2026-11-01 05:30", *kNewYork), "2026-11-02 06:30");
  EXPECT_EQ(next("cron(0/10 * * * ? *)", "2026-11-01 05:50", *kNewYork), "2026-11-01 07:00");
  EXPECT_EQ(next("cron(0/10 * * * ? *)", "2026-11-01 06:15", *kNewYork), "2026-11-01 07:00");
  EXPECT_EQ(previous("cron(0/10 * * * ? *)", "2026-11-01 06:15", *kNewYork), "2026-11-01 05:50");
  EXPECT_EQ(previous("cron(0/10 * * * ? *)", "2026-11-01 07:00", *kNewYork), "2026-11-01 05:50");
  EXPECT_EQ(next("at(2026-11-01T01:30:00)", "2026-11-01 00:00", *kNewYork), "2026-11-01 05:30");
}

TEST(Schedule, CountsTimeThatPassesInRates) {
  const auto daily = Schedule::parse("rate(1 day)");
  const Basis basis{*kNewYork, at("2026-03-07 13:00")};                             // 8:00 on the wall
  EXPECT_EQ(text(daily->next(at("2026-03-07 13:00"), basis)), "2026-03-08 13:00");  // 9:00 on the wall
}

}  // namespace
}  // namespace tidemill::lang::schedules
