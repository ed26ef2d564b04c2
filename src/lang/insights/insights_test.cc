// Queries over some events.
#include <gmock/gmock.h>

#include <chrono>

#include "base/processor_time.h"
#include "base/sim_executor.h"
#include "base/text.h"
#include "lang/insights/execution.h"
#include "lang/insights/functions.h"

namespace tidemill::lang::insights {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kMinute = 60'000;

// In the order of their times, a minute apart.
std::vector<LogEvent> events() {
  const char* messages[] = {
      R"({"level":"error","ms":30,"user":{"name":"ann"},"tags":["x","y"],"ok":false})",
      R"({"level":"info","ms":10,"user":{"name":"bob"},"ok":true})",
      R"({"level":"info","ms":20,"user":{"name":"ann"}})",
      "user=carl, took 40ms",
      "REPORT RequestId: 8f5 \tDuration: 12.50 ms\tBilled Duration: 13 ms\tMemory Size: 128 MB\tMax Memory Used: 64 "
      "MB\t",
  };
  std::vector<LogEvent> all;
  for (const char* message : messages) {
    const auto number = static_cast<int64_t>(all.size());
    all.push_back({.message = message,
                   .timestamp = number * kMinute,
                   .stream = "s",
                   .log = "1:g",
                   .pointer = "ptr" + std::to_string(number)});
  }
  return all;
}

// "a=1 b=2" of each row, without @ptr; or what is wrong.
std::vector<std::string> run(std::string_view text, size_t limit = 1000) {
  base::VirtualClock clock(base::Time(), base::VirtualClock::Mode::manual);
  base::SimExecutor executor(1, clock.activity());
  const base::Executor::Enter enter(executor);
  base::Scope scope;
  std::vector<std::string> out;
  const auto go = [&]() -> Task<void> {
    try {
      Execution execution(Query::parse(text), limit);
      for (LogEvent& event : events()) execution.push(Record(std::move(event)));
      for (const ResultRow& row : co_await execution.finish()) {
        std::string line;
        for (const auto& [name, value] : row) {
          if (name != "@ptr") line += base::cat(line.empty() ? "" : " ", name, "=", value);
        }
        out.push_back(line);
      }
    } catch (const QueryError& error) {
      out.push_back(base::cat(error.what(), " [", error.begin, ",", error.end, ")"));
    } catch (const ExecutionError& error) {
      out.emplace_back(error.what());
    }
  };
  scope.spawn(go());
  executor.run_until_idle();
  return out;
}

TEST(Insights, WithoutCommandsTheNewestEventsComeFirst) {
  EXPECT_THAT(run("", 2), ElementsAre(HasSubstr("@timestamp=1970-01-01 00:04:00.000 @message=REPORT"),
                                      "@timestamp=1970-01-01 00:03:00.000 @message=user=carl, took 40ms"));
}

TEST(Insights, FieldsAreDiscoveredInJsonAndInReports) {
  EXPECT_THAT(run("fields user.name, ms, tags.1, ok | filter level = 'error'"),
              ElementsAre("user.name=ann ms=30 tags.1=y ok=0"));
  EXPECT_THAT(
      run("filter @type = \"REPORT\" | fields @requestId, @duration, @billedDuration, @memorySize / 1000 / 1000 as mb"),
      ElementsAre("@requestId=8f5 @duration=12.5 @billedDuration=13 mb=128"));
  EXPECT_THAT(run("fields @logStream, @log | limit 1"), ElementsAre("@logStream=s @log=1:g"));
}

TEST(Insights, FiltersCompareNumbersAndTexts) {
  EXPECT_THAT(run("filter ms > 9 and ms <= 20 | fields ms | sort ms"), ElementsAre("ms=10", "ms=20"));
  EXPECT_THAT(run("filter level != 'info' | stats count(*) as n"), ElementsAre("n=3")) << "what has none is not info";
  EXPECT_THAT(run("filter not ispresent(level) | stats count() as n"), ElementsAre("n=2"));
  EXPECT_THAT(run("filter level in ['error', 'fatal'] | fields ms"), ElementsAre("ms=30"));
  EXPECT_THAT(run("filter level not in ['error'] and ispresent(level) | stats count(*)"), ElementsAre("count(*)=2"));
  EXPECT_THAT(run("filter @message like /took [0-9]+/ | fields @timestamp"),
              ElementsAre("@timestamp=1970-01-01 00:03:00.000"));
  EXPECT_THAT(run("filter @message like 'carl' or @message =~ /(?i)REPORT/ | stats count(*) as n"), ElementsAre("n=2"));
  EXPECT_THAT(run("filter @message not like 'level' | stats count(*) as n"), ElementsAre("n=2"));
  EXPECT_THAT(run("filter ok = 1 | fields ms"), ElementsAre("ms=10"));
}

TEST(Insights, ParseTakesFieldsOutOfTexts) {
  EXPECT_THAT(run(R"(parse @message "user=*, took *ms" as who, took | filter ispresent(who) | display who, took)"),
              ElementsAre("who=carl took=40"));
  EXPECT_THAT(run(R"(parse @message /user=(?<who>\w+)/ | filter who = "carl" | display who)"), ElementsAre("who=carl"));
  EXPECT_THAT(run(R"(parse "took *" as rest | filter ispresent(rest) | display rest)"), ElementsAre("rest=40ms"));
  EXPECT_THAT(run(R"(parse @message "a * b *" as x)"), ElementsAre(HasSubstr("2 wildcards for 1 names")));
}

TEST(Insights, StatsGroupAndAggregate) {
  EXPECT_THAT(run("stats count(*) as n, sum(ms) as total by level | sort level desc"),
              ElementsAre("level=info n=2 total=30", "level=error n=1 total=30", "n=2"));
  EXPECT_THAT(run("stats avg(ms), min(ms), max(ms), stddev(ms), median(ms), pct(ms, 90)"),
              ElementsAre("avg(ms)=20 min(ms)=10 max(ms)=30 stddev(ms)=8.165 median(ms)=20 pct(ms, 90)=30"));
  EXPECT_THAT(run("stats count_distinct(user.name) as users, earliest(level) as first, latest(level) as last"),
              ElementsAre("users=2 first=error last=info"));
  EXPECT_THAT(run("stats sum(ms) / count(ms) as mean, sortsFirst(user.name) as a, sortsLast(user.name) as z"),
              ElementsAre("mean=20 a=ann z=bob"));
  EXPECT_THAT(
      run("stats count(*) as n by bin(2m) as t | sort t"),
      ElementsAre("t=1970-01-01 00:00:00.000 n=2", "t=1970-01-01 00:02:00.000 n=2", "t=1970-01-01 00:04:00.000 n=1"));
  EXPECT_THAT(run("filter ms > 1000 | stats count(*) as n"), ElementsAre("n=0"));
  EXPECT_THAT(run("stats max(ms) as m by user.name | filter m > 15 | stats count(*) as n"), ElementsAre("n=1"))
      << "twice";
}

TEST(Insights, RowsAreSortedDroppedAndCut) {
  EXPECT_THAT(run("filter ispresent(ms) | fields user.name, ms | sort user.name asc, ms desc"),
              ElementsAre("user.name=ann ms=30", "user.name=ann ms=20", "user.name=bob ms=10"));
  EXPECT_THAT(run("filter ispresent(ms) | sort ms desc | dedup user.name | display user.name, ms"),
              ElementsAre("user.name=ann ms=30", "user.name=bob ms=10"));
  EXPECT_THAT(run("filter ispresent(ms) | dedup user.name | display ms"), ElementsAre("ms=20", "ms=10"))
      << "the newest of each";
  EXPECT_THAT(run("fields @message | sort @timestamp asc | limit 1"), ElementsAre(HasSubstr("\"error\"")));
  EXPECT_THAT(run("sort @timestamp | limit 3", 2), SizeIs(2));
}

TEST(Insights, FunctionsCompute) {
  const auto one = [](std::string_view expression) {
    const auto rows = run(base::cat("fields ", expression, " as x | display x | sort @timestamp | limit 1"));
    return rows.size() == 1 ? rows[0] : "?";
  };
  EXPECT_EQ(one("concat(level, '-', ms + 1)"), "x=error-31");
  EXPECT_EQ(one("toupper(substr(level, 0, 3))"), "x=ERR");
  EXPECT_EQ(one("strlen('grün')"), "x=4");
  EXPECT_EQ(one("replace('a-b-c', '-', '+')"), "x=a+b+c");
  EXPECT_EQ(one("trim('  a ')"), "x=a");
  EXPECT_EQ(one("coalesce(none, user.name)"), "x=ann");
  EXPECT_EQ(one("greatest(ms, 31, 7) - least(ms, 5)"), "x=26");
  EXPECT_EQ(one("abs(-2 ^ 2) % 3"), "x=1");
  EXPECT_EQ(one("2 + 3 * 4"), "x=14");
  EXPECT_EQ(one("ms / 0"), "") << "nothing";
  EXPECT_EQ(one("1 / 3"), "x=0.3333");
  EXPECT_EQ(one("datefloor(fromMillis(90000), 1m)"), "x=1970-01-01 00:01:00.000");
  EXPECT_EQ(one("toMillis(dateceil(fromMillis(90000), 1m))"), "x=120000");
  EXPECT_EQ(one("datefloor('1e300', 1m)"), "") << "no calendar goes so far";
  EXPECT_EQ(one("datefloor('-1e300', 1m)"), "");
  EXPECT_EQ(one("dateceil('1e300', 1m)"), "");
  EXPECT_EQ(one("fromMillis('1e300')"), "");
  EXPECT_EQ(one("strcontains(@message, 'ann') and isempty(none) and not isblank(level)"), "x=1");
  EXPECT_EQ(one("isIpv4InSubnet('10.1.2.3', '10.1.0.0/16') and isValidIp('::1') and not isValidIpv4('1.2.3')"), "x=1");
  EXPECT_EQ(one("`user.name`"), "x=ann");
}

TEST(Insights, CommentsAndCapitalsAreRead) {
  EXPECT_THAT(run("# all\nFIELDS ms AS x # some\n| FILTER x = 10 | DISPLAY x"), ElementsAre("x=10"));
}

TEST(Insights, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_THAT(run("fields @message | count()"),
              ElementsAre("unexpected symbol found count at line 1 and position 18 [18,23)"));
  EXPECT_THAT(run("fields\n@a | filter x >"), ElementsAre(HasSubstr("unexpected end of the query")));
  EXPECT_THAT(run("fields none(x)"), ElementsAre("unknown function none [7,11)"));
  EXPECT_THAT(run("filter count(*) > 1"), ElementsAre(HasSubstr("belongs into stats")));
  EXPECT_THAT(run("stats level by ms"), ElementsAre(HasSubstr("needs an aggregation function")));
  EXPECT_THAT(run("filter a like /(/"), ElementsAre(HasSubstr("invalid regular expression")));
  EXPECT_THAT(run("limit 0"), ElementsAre(HasSubstr("whole number")));
  EXPECT_THAT(run("pattern @message"), ElementsAre(HasSubstr("Tidemill does not support the command pattern")));
  EXPECT_THAT(run("fields bin(5x)"), ElementsAre(HasSubstr("invalid period 5x")));
  EXPECT_THAT(run("filter " + std::string(100, '(')), ElementsAre(HasSubstr("nested too deep")));
  EXPECT_THAT(run("fields 'abc"), ElementsAre(HasSubstr("does not end")));
}

// Each name in a command may be of one before: what they make grows by a power.
TEST(Insights, AQueryThatMakesTooMuchOfAnEventFails) {
  std::string query = "fields 'abcdefgh' as a0";
  for (int level = 1; level <= 6; ++level) {
    query += base::cat(" | fields concat(a", level - 1);
    for (int n = 1; n < 64; ++n) query += base::cat(",a", level - 1);
    query += base::cat(") as a", level);
  }
  EXPECT_THAT(run(query), ElementsAre("The query makes too much of one event"));
}

TEST(Insights, RegularExpressionsOfAQueryHaveALimitTogether) {
  EXPECT_THAT(run("filter @message like /(a|b)*a(a|b){900}c/ or @message like /(a|b)*a(a|b){900}d/"),
              ElementsAre(HasSubstr("the regular expressions of the query are too large")));
}

// What stands behind a sort or stats may be regular expressions on long rows: whoever asks says where that is done.
TEST(Insights, RowsBehindSortsAndStatsAreWorkedOnWhereTheCallerWants) {
  base::VirtualClock clock(base::Time(), base::VirtualClock::Mode::manual);
  base::SimExecutor executor(1, clock.activity());
  const base::Executor::Enter enter(executor);
  base::Scope scope;
  std::vector<size_t> steps;
  size_t rows = 0;
  const auto go = [&]() -> Task<void> {
    Execution execution(Query::parse("stats count(*) as n by @message | filter @message like /e+r/"), 100);
    for (LogEvent& event : events()) execution.push(Record(std::move(event)));
    const Execution::Worker worker = [&](size_t count, const std::function<void()>& work) -> Task<void> {
      steps.push_back(count);
      work();
      co_return;
    };
    rows = (co_await execution.finish(worker)).size();
  };
  scope.spawn(go());
  executor.run_until_idle();
  EXPECT_EQ(rows, 4u);
  ASSERT_THAT(steps, SizeIs(5));
  for (const size_t count : steps) EXPECT_GT(count, 20u) << "bytes times instructions";
}

TEST(Insights, RowsAreOfWholeCharacters) {
  for (const std::string& row : run("fields substr('\xC3\xA9', 0, 1) as x | limit 1")) {
    EXPECT_THAT(row, ::testing::Not(HasSubstr("\xC3 "))) << row;
    EXPECT_NE(row.back(), '\xC3');
  }
}

// Would take minutes if the work were the product of both texts' sizes.
TEST(Insights, FunctionsOfTwoLongTextsTakeLinearTime) {
  constexpr size_t kSize = 4'000'000;
  const std::string text(kSize, 'a');
  const std::string absent = std::string(kSize / 2, 'a') + "b";
  const std::string set = std::string(kSize, 'x') + "a";
  const auto began = base::processor_time();
  const auto of = [](const std::string& name, std::initializer_list<Value> arguments) {
    return call(name, std::vector<Value>(arguments)).text();
  };
  EXPECT_EQ(of("strcontains", {text, absent}), "0");
  EXPECT_EQ(of("replace", {text, absent, "c"}), text);
  EXPECT_EQ(of("trim", {text, set}), "");
  EXPECT_EQ(of("rtrim", {text, set}), "");
  EXPECT_LT(base::processor_time() - began, std::chrono::seconds(10));
}

TEST(Insights, TextsAreReplacedAndTrimmedAsTheyStand) {
  const auto of = [](const std::string& name, std::initializer_list<Value> arguments) {
    return call(name, std::vector<Value>(arguments)).text();
  };
  EXPECT_EQ(of("replace", {"aaab", "aa", "c"}), "cab");
  EXPECT_EQ(of("replace", {"abab", "ab", ""}), "");
  EXPECT_EQ(of("replace", {"ab", "", "c"}), "ab");
  EXPECT_EQ(of("trim", {"xy\xC3\xA9yx", "yx"}), "\xC3\xA9");
  EXPECT_EQ(of("ltrim", {"xax", "x"}), "ax");
  EXPECT_EQ(of("rtrim", {"xax", "x"}), "xa");
  EXPECT_EQ(of("strcontains", {"abc", ""}), "1");
  EXPECT_EQ(of("strcontains", {"", "a"}), "0");
}

TEST(Insights, FunctionsOfTextsAreWorkForEachByte) {
  const auto steps = [](std::string_view query) { return Query::parse(query).work().steps(1'000'000); };
  EXPECT_LT(steps("fields @timestamp, @message | filter level = 3"), 200'000u);
  EXPECT_GE(steps("filter strlen(@message) > 3"), 1'000'000u);
  std::string nested = "@message";
  for (int i = 0; i < 15; ++i) nested = "replace(" + nested + ", 'a', 'bb')";
  EXPECT_GE(steps("filter strlen(" + nested + ") > 3"), 16'000'000u);
  EXPECT_GE(Query::parse("filter strlen(" + nested + ") > 3").work().steps(1), 60'000u) << "of little it makes much";
}

}  // namespace
}  // namespace tidemill::lang::insights
