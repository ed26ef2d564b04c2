#include <gmock/gmock.h>

#include "services/logs/testing.h"

namespace tidemill::logs {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::World;

TEST(LogGroups, AGroupLivesFromCreationToDeletion) {
  World world;
  EXPECT_EQ(world.run("CreateLogGroup", R"({"logGroupName":"/aws/lambda/f","tags":{"team":"a b"}})"), "{}");
  EXPECT_EQ(world.run("CreateLogGroup", R"({"logGroupName":"/aws/lambda/f"})"),
            "ResourceAlreadyExistsException: The specified log group already exists");
  const auto groups = world.ask("DescribeLogGroups", "{}");
  const json::Value& group = groups.find("logGroups")->array().at(0);
  EXPECT_EQ(World::text(group, "logGroupName"), "/aws/lambda/f");
  EXPECT_EQ(World::text(group, "arn"), "arn:aws:logs:us-east-1:000000000000:log-group:/aws/lambda/f:*");
  EXPECT_EQ(World::text(group, "logGroupArn"), "arn:aws:logs:us-east-1:000000000000:log-group:/aws/lambda/f");
  EXPECT_EQ(group.find("creationTime")->to_int64(), world.now());
  EXPECT_EQ(group.find("retentionInDays"), nullptr);
  EXPECT_EQ(group.find("storedBytes")->to_int64(), 0);
  EXPECT_EQ(world.run("DeleteLogGroup", R"({"logGroupName":"/aws/lambda/f"})"), "{}");
  EXPECT_EQ(world.run("DeleteLogGroup", R"({"logGroupName":"/aws/lambda/f"})"),
            "ResourceNotFoundException: The specified log group does not exist.");
}

TEST(LogGroups, ADeletedGroupTakesItsEventsAlong) {
  World world;
  world.create("g", "s");
  world.put("g", "s", {{world.now(), "old"}});
  EXPECT_EQ(world.run("DeleteLogGroup", World::of_group("g")), "{}");
  EXPECT_EQ(world.put("g", "s", {{world.now(), "late"}}),
            "ResourceNotFoundException: The specified log group does not exist.");
  world.create("g", "s");
  EXPECT_THAT(world.messages("g", "s"), IsEmpty());
}

TEST(LogGroups, NamesAreChecked) {
  World world;
  EXPECT_EQ(world.run("CreateLogGroup", R"({"logGroupName":"a b"})"),
            "InvalidParameterException: 1 validation error detected: Value 'a b' at 'logGroupName' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [\\.\\-_/#A-Za-z0-9]+");
  world.create_group("g");
  EXPECT_THAT(world.run("CreateLogStream", World::of_stream("g", "a:b")), HasSubstr("Member must satisfy regular"));
  EXPECT_EQ(world.run("CreateLogStream", World::of_stream("h", "s")),
            "ResourceNotFoundException: The specified log group does not exist.");
}

TEST(LogGroups, GroupsAreListedByPrefixPatternAndPage) {
  World world;
  for (const char* name : {"/app/one", "/app/two", "/other/app", "zone"}) world.create_group(name);
  const auto names = [&](std::string_view body) {
    return World::texts_of(world.ask("DescribeLogGroups", body), "logGroups", "logGroupName");
  };
  EXPECT_THAT(names(R"({"logGroupNamePrefix":"/app"})"), ElementsAre("/app/one", "/app/two"));
  EXPECT_THAT(names(R"({"logGroupNamePattern":"app"})"), ElementsAre("/app/one", "/app/two", "/other/app"));
  EXPECT_THAT(names(R"({"logGroupClass":"INFREQUENT_ACCESS"})"), IsEmpty());
  const auto first = world.ask("DescribeLogGroups", R"({"limit":3})");
  EXPECT_EQ(first.find("logGroups")->array().size(), 3u);
  EXPECT_THAT(names(base::cat(R"({"nextToken":")", World::text(first, "nextToken"), "\"}")), ElementsAre("zone"));
  EXPECT_EQ(world.run("DescribeLogGroups", R"({"nextToken":"?"})"),
            "InvalidParameterException: The specified nextToken is invalid.");
  EXPECT_THAT(world.run("DescribeLogGroups", R"({"logGroupNamePrefix":"a","logGroupNamePattern":"b"})"),
              HasSubstr("mutually exclusive"));
}

TEST(LogGroups, GroupsAreListedByAlternatives) {
  World world;
  for (const char* name : {"/app/one", "/app/two", "/other/app", "zone"}) world.create_group(name);
  const auto names = [&](std::string_view pattern) {
    return World::texts_of(world.ask("ListLogGroups", base::cat(R"({"logGroupNamePattern":")", pattern, "\"}")),
                           "logGroups", "logGroupName");
  };
  EXPECT_THAT(names("^/app|zone"), ElementsAre("/app/one", "/app/two", "zone"));
  EXPECT_THAT(names("app"), ElementsAre("/app/one", "/app/two", "/other/app"));
  EXPECT_THAT(world.run("ListLogGroups", R"({"logGroupNamePattern":"ab|cde"})"), HasSubstr("regular expression"));
}

TEST(LogGroups, StreamsAreListedByNameAndByTheirLastEvent) {
  World world;
  world.create_group("g");
  for (const char* name : {"a1", "a2", "b"}) world.create_stream("g", name);
  world.put("g", "a1", {{world.now() - 1, "x"}, {world.now(), "y"}});
  world.put("g", "b", {{world.now() - 2, "x"}});
  const auto names = [&](std::string_view more) {
    return World::texts_of(world.ask("DescribeLogStreams", World::of_group("g", more)), "logStreams", "logStreamName");
  };
  EXPECT_THAT(names(""), ElementsAre("a1", "a2", "b"));
  EXPECT_THAT(names(R"("logStreamNamePrefix":"a")"), ElementsAre("a1", "a2"));
  EXPECT_THAT(names(R"("descending":true)"), ElementsAre("b", "a2", "a1"));
  EXPECT_THAT(names(R"("orderBy":"LastEventTime")"), ElementsAre("a2", "b", "a1"));
  const std::string_view by_time = R"("orderBy":"LastEventTime","descending":true,"limit":2)";
  const auto first = world.ask("DescribeLogStreams", World::of_group("g", by_time));
  EXPECT_THAT(World::texts_of(first, "logStreams", "logStreamName"), ElementsAre("a1", "b"));
  EXPECT_THAT(names(base::cat(by_time, R"(,"nextToken":")", World::text(first, "nextToken"), "\"")), ElementsAre("a2"));
  const json::Value& stream = first.find("logStreams")->array().at(0);
  EXPECT_EQ(stream.find("firstEventTimestamp")->to_int64(), world.now() - 1);
  EXPECT_EQ(stream.find("lastEventTimestamp")->to_int64(), world.now());
  EXPECT_EQ(stream.find("lastIngestionTime")->to_int64(), world.now());
  EXPECT_EQ(World::text(stream, "arn"), "arn:aws:logs:us-east-1:000000000000:log-group:g:log-stream:a1");
  EXPECT_THAT(world.run("DescribeLogStreams",
                        World::of_group("g", R"("orderBy":"LastEventTime","logStreamNamePrefix":"a")")),
              HasSubstr("Cannot order by LastEventTime"));
}

TEST(LogGroups, ADeletedStreamIsGone) {
  World world;
  world.create("g", "s");
  world.put("g", "s", {{world.now(), "old"}});
  EXPECT_EQ(world.run("CreateLogStream", World::of_stream("g", "s")),
            "ResourceAlreadyExistsException: The specified log stream already exists");
  EXPECT_EQ(world.run("DeleteLogStream", World::of_stream("g", "s")), "{}");
  EXPECT_EQ(world.put("g", "s", {{world.now(), "late"}}),
            "ResourceNotFoundException: The specified log stream does not exist.");
  EXPECT_THAT(World::messages_of(world.filter("g")), IsEmpty());
}

TEST(LogGroups, TagsAreKeptByNameAndByArn) {
  World world;
  world.create_group("g");
  const std::string arn = "arn:aws:logs:us-east-1:000000000000:log-group:g";
  EXPECT_EQ(world.run("TagLogGroup", World::of_group("g", R"("tags":{"a":"1","b":"2"})")), "{}");
  EXPECT_EQ(world.run("TagResource", base::cat(R"({"resourceArn":")", arn, R"(","tags":{"b":"3"}})")), "{}");
  EXPECT_EQ(world.run("ListTagsLogGroup", World::of_group("g")), R"({"tags":{"a":"1","b":"3"}})");
  EXPECT_EQ(world.run("UntagLogGroup", World::of_group("g", R"("tags":["a"])")), "{}");
  EXPECT_EQ(world.run("UntagResource", base::cat(R"({"resourceArn":")", arn, R"(","tagKeys":["x"]})")), "{}");
  EXPECT_EQ(world.run("ListTagsForResource", base::cat(R"({"resourceArn":")", arn, "\"}")), R"({"tags":{"b":"3"}})");
  for (const std::string key : {"aws:x", "AWS:x"}) {
    EXPECT_THAT(world.run("TagLogGroup", World::of_group("g", base::cat(R"("tags":{")", key, R"(":"1"})"))),
                HasSubstr("reserved"));
    EXPECT_THAT(world.run("UntagLogGroup", World::of_group("g", base::cat(R"("tags":[")", key, R"("])"))),
                HasSubstr("reserved"));
    EXPECT_THAT(world.run("UntagResource", base::cat(R"({"resourceArn":")", arn, R"(","tagKeys":[")", key, "\"]}")),
                HasSubstr("reserved"));
  }
}

TEST(LogGroups, EventsThatOutliveTheRetentionAreHiddenAndDeleted) {
  World world;
  world.create("g", "s");
  EXPECT_THAT(world.run("PutRetentionPolicy", World::of_group("g", R"("retentionInDays":2)")),
              HasSubstr("InvalidParameterException: 1 validation error detected: Value '2' at 'retentionInDays'"));
  const Milliseconds day = std::chrono::milliseconds(24h).count();
  world.put("g", "s", {{world.now() - 2 * day, "oldest"}});
  world.put("g", "s", {{world.now() - day / 2, "older"}, {world.now(), "new"}});
  EXPECT_EQ(world.run("PutRetentionPolicy", World::of_group("g", R"("retentionInDays":1)")), "{}");
  EXPECT_THAT(world.messages("g", "s"), ElementsAre("older", "new"));
  EXPECT_THAT(World::messages_of(world.filter("g")), ElementsAre("older", "new"));
  EXPECT_THAT(world.put("g", "s", {{world.now() - day - 1, "late"}, {world.now() - 2, "fine"}}),
              HasSubstr(R"("rejectedLogEventsInfo":{"expiredLogEventEndIndex":1})"));
  const auto events = [&] {
    int count = 0;
    const auto group = decode_group({"000000000000", "us-east-1", "g"},
                                    *world.await(world.store->snapshot()->get(
                                        group_key({"000000000000", "us-east-1", "g"}))));
    std::string prefix = contents_range(group.id).begin + "e";
    world.await([](store::Store& store, std::string begin, int& count) -> Task<bool> {
      const auto snapshot = store.snapshot();
      co_await snapshot->scan(store::Range::prefix(begin), store::Direction::forward,
                              [&](std::string_view, std::string_view) { return ++count > 0; });
      co_return true;
    }(*world.store, prefix, count));
    return count;
  };
  world.advance(1h);
  EXPECT_EQ(events(), 3) << "the oldest is deleted";
  world.advance(13h);
  EXPECT_EQ(events(), 2);
  world.advance(48h);
  EXPECT_EQ(events(), 0);
  EXPECT_EQ(world.ask("DescribeLogGroups", "{}").find("logGroups")->array()[0].find("storedBytes")->to_int64(), 0);
  EXPECT_EQ(world.run("DeleteRetentionPolicy", World::of_group("g")), "{}");
}

TEST(LogGroups, WhatIsNotSupportedIsRefusedByName) {
  World world;
  EXPECT_EQ(world.run("CreateLogGroup", R"({"logGroupName":"g","kmsKeyId":"k"})"),
            "InvalidParameterException: Tidemill does not support the parameter kmsKeyId of CreateLogGroup");
  EXPECT_EQ(world.run("CreateLogGroup", R"({"logGroupName":"g","logGroupClass":"STANDARD"})"), "{}");
  EXPECT_THAT(world.run("CreateScheduledQuery", "{}"),
              HasSubstr("Tidemill does not support the operation CreateScheduledQuery"));
}

}  // namespace
}  // namespace tidemill::logs
