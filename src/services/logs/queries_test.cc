// Queries of Logs Insights, from StartQuery to what they found, through stops and crashes; and query definitions.
#include <gmock/gmock.h>

#include "services/logs/query_record.h"
#include "services/logs/testing.h"

namespace tidemill::logs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using testing::World;

std::string start(World& world, std::string_view text, std::string_view groups = R"("logGroupName":"g")") {
  return world.run("StartQuery",
                   base::cat("{", groups, R"(,"startTime":)", world.now() / 1000 - 3600, R"(,"endTime":)",
                             world.now() / 1000 + 60, R"(,"queryString":)", json::write(json::Value(text)), "}"));
}
std::string id_of(const std::string& answer) { return World::parse(answer).find("queryId")->string(); }
json::Value results(World& world, const std::string& id) {
  return world.ask("GetQueryResults", base::cat(R"({"queryId":")", id, "\"}"));
}
// "a=1 b=2" of each row, without @ptr.
std::vector<std::string> rows(const json::Value& answer) {
  std::vector<std::string> out;
  for (const json::Value& row : answer.find("results")->array()) {
    std::string line;
    for (const json::Value& field : row.array()) {
      if (field.find("field")->string() == "@ptr") continue;
      line += base::cat(line.empty() ? "" : " ", field.find("field")->string(), "=", field.find("value")->string());
    }
    out.push_back(line);
  }
  return out;
}
std::vector<std::string> ask(World& world, std::string_view text) {
  const std::string id = id_of(start(world, text));
  world.settle();
  const json::Value answer = results(world, id);
  EXPECT_EQ(World::text(answer, "status"), "Complete");
  return rows(answer);
}

TEST(Queries, SearchTheEventsOfAGroupsStreams) {
  World world;
  world.create("g", "s");
  world.create_stream("g", "t");
  (void)world.put("g", "s", {{world.now(), R"({\"ms\":10})"}, {world.now() + 1, R"({\"ms\":20})"}});
  (void)world.put("g", "t", {{world.now() + 2, R"({\"ms\":30})"}});
  EXPECT_THAT(ask(world, "fields @logStream, ms | filter ms > 10"),
              ElementsAre("@logStream=t ms=30", "@logStream=s ms=20"));
  EXPECT_THAT(ask(world, "stats sum(ms) as total by @log"), ElementsAre("@log=000000000000:g total=60"));
}

TEST(Queries, SearchSeveralGroupsAndSayWhatTheyLookedAt) {
  World world;
  world.create("g", "s");
  world.create("h", "s");
  (void)world.put("g", "s", {{world.now(), "one"}});
  (void)world.put("g", "s", {{world.now() - 7'200'000, "long ago"}});
  (void)world.put("h", "s", {{world.now(), "two"}});
  const std::string id =
      id_of(start(world, "filter @message like 'o' | stats count(*) as n", R"("logGroupNames":["g","h"])"));
  EXPECT_EQ(World::text(results(world, id), "status"), "Scheduled");
  world.settle();
  const json::Value answer = results(world, id);
  EXPECT_THAT(rows(answer), ElementsAre("n=2"));
  const json::Value& statistics = *answer.find("statistics");
  EXPECT_EQ(statistics.find("recordsScanned")->to_int64(), 2);
  EXPECT_EQ(statistics.find("recordsMatched")->to_int64(), 2);
  EXPECT_EQ(statistics.find("bytesScanned")->to_int64(), 6);
  EXPECT_EQ(statistics.find("logGroupsScanned")->to_int64(), 2);
}

TEST(Queries, ARowsPointerLeadsToItsRecord) {
  World world;
  world.create("g", "s");
  (void)world.put("g", "s", {{world.now(), R"({\"user\":{\"name\":\"ann\"}})"}});
  const std::string id = id_of(start(world, "fields @message"));
  world.settle();
  const json::Value answer = results(world, id);
  const json::Value& field = answer.find("results")->array().at(0).array().back();
  ASSERT_EQ(field.find("field")->string(), "@ptr");
  const json::Value record =
      world.ask("GetLogRecord", base::cat(R"({"logRecordPointer":")", field.find("value")->string(), "\"}"));
  EXPECT_EQ(World::text(*record.find("logRecord"), "user.name"), "ann");
  EXPECT_EQ(World::text(*record.find("logRecord"), "@logStream"), "s");
  EXPECT_THAT(world.run("GetLogRecord", R"({"logRecordPointer":"AAAA"})"), HasSubstr("InvalidParameterException"));
}

TEST(Queries, ThatAreWrongAreRefusedWithThePlaceOfTheFault) {
  World world;
  world.create_group("g");
  EXPECT_THAT(start(world, "fields @message | count()"),
              HasSubstr("MalformedQueryException: unexpected symbol found count at line 1 and position 18"));
  EXPECT_THAT(start(world, "fields @message | count()"), HasSubstr(R"("startCharOffset":18,"endCharOffset":23)"));
  EXPECT_EQ(start(world, "fields @message", R"("logGroupName":"none")"),
            "ResourceNotFoundException: Log group 'none' does not exist for account ID '000000000000'");
  EXPECT_THAT(start(world, "fields @message", R"("logGroupName":"g","logGroupNames":["g"])"),
              HasSubstr("Exactly one of"));
  EXPECT_THAT(start(world, "fields @message", R"("logGroupName":"g","queryLanguage":"SQL")"),
              HasSubstr("does not support"));
  EXPECT_THAT(world.run("GetQueryResults", R"({"queryId":"none"})"), HasSubstr("ResourceNotFoundException"));
}

TEST(Queries, AreStoppedAndListed) {
  World world;
  world.create("g", "s");
  const std::string stopped = id_of(start(world, "fields @message"));
  EXPECT_EQ(world.run("StopQuery", base::cat(R"({"queryId":")", stopped, "\"}")), R"({"success":true})");
  world.settle();
  EXPECT_EQ(World::text(results(world, stopped), "status"), "Cancelled");
  EXPECT_THAT(world.run("StopQuery", base::cat(R"({"queryId":")", stopped, "\"}")), HasSubstr("is not running"));
  world.advance(1s);
  const std::string done = id_of(start(world, "stats count(*)"));
  world.settle();
  const json::Value all = world.ask("DescribeQueries", R"({"maxResults":1})");
  EXPECT_THAT(World::texts_of(all, "queries", "queryId"), ElementsAre(done)) << "the newest first";
  const json::Value next =
      world.ask("DescribeQueries", base::cat(R"({"nextToken":")", World::text(all, "nextToken"), "\"}"));
  EXPECT_THAT(World::texts_of(next, "queries", "status"), ElementsAre("Cancelled"));
  EXPECT_THAT(World::texts_of(world.ask("DescribeQueries", R"({"status":"Complete"})"), "queries", "queryString"),
              ElementsAre("stats count(*)"));
}

TEST(Queries, GoOnAfterACrashAndAreForgottenAfterAWeek) {
  World world;
  world.create("g", "s");
  (void)world.put("g", "s", {{world.now(), "one"}});
  const std::string id = id_of(start(world, "stats count(*) as n"));
  world.crash();
  world.settle();
  EXPECT_THAT(rows(results(world, id)), ElementsAre("n=1"));
  world.advance(kQueryResultsKept - 1h);
  EXPECT_THAT(rows(results(world, id)), ElementsAre("n=1"));
  world.advance(2h);
  EXPECT_THAT(world.run("GetQueryResults", base::cat(R"({"queryId":")", id, "\"}")), HasSubstr("does not exist"));
}

TEST(Queries, LargeResultsComeWhole) {
  World world;
  world.create("g", "s");
  for (int batch = 0; batch < 4; ++batch) {
    World::Events events;
    for (int i = 0; i < 200; ++i)
      events.emplace_back(world.now(), std::string(4'000, 'x') + std::to_string(batch * 200 + i));
    (void)world.put("g", "s", events);
  }
  EXPECT_THAT(ask(world, "fields @message"), SizeIs(800));
  EXPECT_THAT(ask(world, "fields @message | limit 3"), SizeIs(3));
}

TEST(QueryDefinitions, ArePutShownAndDeleted) {
  World world;
  const auto put = [&](std::string_view name, std::string_view more = "") {
    return world.run(
        "PutQueryDefinition",
        base::cat(R"({"name":")", name, R"(","queryString":"fields @message","logGroupNames":["g"])", more, "}"));
  };
  const std::string token = R"(,"clientToken":"0123456789012345678901234567890123456")";
  const std::string first = put("errors/one", token);
  EXPECT_EQ(put("errors/one", token), first) << "the same request once more";
  const std::string id = World::parse(first).find("queryDefinitionId")->string();
  (void)put("other");
  EXPECT_EQ(put("errors/renamed", base::cat(R"(,"queryDefinitionId":")", id, "\"")), first);
  const json::Value shown = world.ask("DescribeQueryDefinitions", R"({"queryDefinitionNamePrefix":"errors/"})");
  EXPECT_THAT(World::texts_of(shown, "queryDefinitions", "name"), ElementsAre("errors/renamed"));
  EXPECT_THAT(World::texts_of(world.ask("DescribeQueryDefinitions", "{}"), "queryDefinitions", "name"), SizeIs(2));
  EXPECT_THAT(put("x", R"(,"queryDefinitionId":"none")"), HasSubstr("ResourceNotFoundException"));
  EXPECT_EQ(world.run("DeleteQueryDefinition", base::cat(R"({"queryDefinitionId":")", id, "\"}")),
            R"({"success":true})");
  EXPECT_THAT(world.run("DeleteQueryDefinition", base::cat(R"({"queryDefinitionId":")", id, "\"}")),
              HasSubstr("does not exist"));
}

TEST(ResourcePolicies, ArePutShownAndDeleted) {
  World world;
  const auto put = [&](std::string_view name, std::string_view service = "events") {
    const std::string document = base::cat(R"({\"Statement\":{\"Effect\":\"Allow\",\"Principal\":{\"Service\":\")", service,
                                           R"(.amazonaws.com\"},\"Action\":\"logs:*\",\"Resource\":\"*\"}})");
    return world.run("PutResourcePolicy", base::cat(R"({"policyName":")", name, R"(","policyDocument":")", document, "\"}"));
  };
  EXPECT_THAT(put("one"), HasSubstr(R"("policyScope":"ACCOUNT")"));
  EXPECT_THAT(put("one", "route53"), HasSubstr("route53")) << "the same name once more";
  for (int i = 1; i < 10; ++i) (void)put(base::cat("other", i));
  EXPECT_THAT(put("eleventh"), HasSubstr("LimitExceededException"));
  const json::Value first = world.ask("DescribeResourcePolicies", R"({"limit":7})");
  EXPECT_THAT(World::texts_of(first, "resourcePolicies", "policyName"), SizeIs(7));
  const std::string token = first.find("nextToken")->string();
  const json::Value rest = world.ask("DescribeResourcePolicies", base::cat(R"({"nextToken":")", token, "\"}"));
  EXPECT_THAT(World::texts_of(rest, "resourcePolicies", "policyName"), SizeIs(3));
  EXPECT_THAT(World::texts_of(world.ask("DescribeResourcePolicies", R"({"policyScope":"RESOURCE"})"), "resourcePolicies",
                              "policyName"),
              SizeIs(0));
  EXPECT_EQ(world.run("DeleteResourcePolicy", R"({"policyName":"one"})"), "{}");
  EXPECT_THAT(world.run("DeleteResourcePolicy", R"({"policyName":"one"})"),
              HasSubstr("Policy with name [one] does not exist."));
  EXPECT_THAT(world.run("PutResourcePolicy", R"({"policyName":"p","policyDocument":"{"})"),
              HasSubstr("InvalidParameterException"));
}

}  // namespace
}  // namespace tidemill::logs
