#include <gmock/gmock.h>

#include <algorithm>

#include "services/logs/merged_events.h"
#include "services/logs/testing.h"

namespace tidemill::logs {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::World;

constexpr Milliseconds kHour = std::chrono::milliseconds(1h).count();

TEST(LogEvents, AreReadInTheOrderOfTheirTimes) {
  World world;
  world.create("g", "s");
  EXPECT_THAT(world.put("g", "s", {{world.now(), "b"}, {world.now(), "c"}}), HasSubstr("nextSequenceToken"));
  world.put("g", "s", {{world.now() - 1, "a"}, {world.now(), "d"}});
  EXPECT_THAT(world.messages("g", "s"), ElementsAre("a", "b", "c", "d"));
  const auto event = world.get("g", "s").find("events")->array().at(0);
  EXPECT_EQ(event.find("timestamp")->to_int64(), world.now() - 1);
  EXPECT_EQ(event.find("ingestionTime")->to_int64(), world.now());
}

TEST(LogEvents, OldAndNewOnesAreRejectedAndTheOthersTaken) {
  World world;
  world.create("g", "s");
  const Milliseconds now = world.now();
  EXPECT_THAT(world.put("g", "s", {{now - 1, "old"}, {now + 2 * kHour, "in time"}, {now + 2 * kHour + 1, "too new"}}),
              HasSubstr(R"("rejectedLogEventsInfo":{"tooNewLogEventStartIndex":2})"));
  EXPECT_THAT(world.put("g", "s", {{now - 14 * 24 * kHour - 1, "too old"}, {now - 14 * 24 * kHour, "in time"}}),
              HasSubstr(R"("rejectedLogEventsInfo":{"tooOldLogEventEndIndex":1})"));
  EXPECT_THAT(world.messages("g", "s"), ElementsAre("in time", "old", "in time"));
}

TEST(LogEvents, BatchesAreChecked) {
  World world;
  world.create("g", "s");
  const Milliseconds now = world.now();
  EXPECT_EQ(world.put("g", "s", {{now, "b"}, {now - 1, "a"}}),
            "InvalidParameterException: Log events in a single PutLogEvents request must be in chronological order.");
  EXPECT_EQ(world.put("g", "s", {{now - 24 * kHour - 1, "a"}, {now, "b"}}),
            "InvalidParameterException: The batch of log events in a single PutLogEvents request cannot span more than "
            "24 hours.");
  EXPECT_EQ(world.put("g", "s", {{now, std::string(1'048'576 - 25, 'x')}}),
            "InvalidParameterException: Log event too large: 1048577 bytes exceeds limit of 1048576");
  EXPECT_EQ(world.put("g", "s", {{now, std::string(1'048'500, 'x')}, {now, std::string(25, 'x')}}),
            "InvalidParameterException: Upload too large: 1048577 bytes exceeds limit of 1048576");
  EXPECT_EQ(world.put("g", "s", World::Events(10'001, {now, "x"})),
            "InvalidParameterException: 1 validation error detected: Value at 'logEvents' failed to satisfy constraint: "
            "Member must have length less than or equal to 10000");
  EXPECT_THAT(world.put("g", "s", {}), HasSubstr("Member must have length greater than or equal to 1"));
  EXPECT_THAT(world.messages("g", "s"), IsEmpty());
  EXPECT_THAT(world.put("g", "s", World::Events(10'000, {now, "x"})), HasSubstr("nextSequenceToken"));
}

TEST(LogEvents, SequenceTokensAreIgnored) {
  World world;
  world.create("g", "s");
  const std::string body = World::put_body("g", "s", {{world.now(), "a"}});
  EXPECT_THAT(world.run("PutLogEvents", base::cat(body.substr(0, body.size() - 1), R"(,"sequenceToken":"wrong"})")),
              HasSubstr("nextSequenceToken"));
}

TEST(LogEvents, PagesGoBothWaysAndTokensStandStillAtTheEnds) {
  World world;
  world.create("g", "s");
  const Milliseconds now = world.now();
  for (int i = 0; i < 5; ++i) world.put("g", "s", {{now + i, std::string(1, static_cast<char>('a' + i))}});
  const auto page = [&](const std::string& token) {
    return world.get("g", "s", base::cat(R"("limit":2,"nextToken":")", token, "\""));
  };
  auto latest = world.get("g", "s", R"("limit":2)");
  EXPECT_THAT(World::messages_of(latest), ElementsAre("d", "e"));
  const std::string end = World::text(latest, "nextForwardToken");
  EXPECT_THAT(World::messages_of(page(end)), IsEmpty());
  EXPECT_EQ(World::text(page(end), "nextForwardToken"), end);

  auto earlier = page(World::text(latest, "nextBackwardToken"));
  EXPECT_THAT(World::messages_of(earlier), ElementsAre("b", "c"));
  auto first = page(World::text(earlier, "nextBackwardToken"));
  EXPECT_THAT(World::messages_of(first), ElementsAre("a"));
  const std::string beginning = World::text(first, "nextBackwardToken");
  EXPECT_THAT(World::messages_of(page(beginning)), IsEmpty());
  EXPECT_EQ(World::text(page(beginning), "nextBackwardToken"), beginning);
  EXPECT_THAT(World::messages_of(page(World::text(first, "nextForwardToken"))), ElementsAre("b", "c"));

  world.put("g", "s", {{now + 9, "f"}});
  EXPECT_THAT(World::messages_of(page(end)), ElementsAre("f")) << "what came since";
  EXPECT_EQ(world.run("GetLogEvents", World::of_stream("g", "s", R"("nextToken":"f/12/s")")),
            "InvalidParameterException: The specified nextToken is invalid.");
}

TEST(LogEvents, AnEmptyStreamIsFollowedFromItsBeginning) {
  World world;
  world.create("g", "s");
  const auto nothing = world.get("g", "s", R"("startFromHead":false)");
  world.put("g", "s", {{world.now(), "a"}});
  EXPECT_THAT(World::messages_of(world.get(
                  "g", "s", base::cat(R"("nextToken":")", World::text(nothing, "nextForwardToken"), "\""))),
              ElementsAre("a"));
}

TEST(LogEvents, TheStartIsIncludedAndTheEndOnlyByFilter) {
  World world;
  world.create("g", "s");
  const Milliseconds now = world.now();
  world.put("g", "s", {{now, "a"}, {now + 1, "b"}, {now + 2, "c"}});
  const std::string range = base::cat(R"("startTime":)", now, R"(,"endTime":)", now + 1);
  EXPECT_THAT(World::messages_of(world.get("g", "s", range)), ElementsAre("a"));
  EXPECT_THAT(World::messages_of(world.filter("g", range)), ElementsAre("a", "b"));
  EXPECT_THAT(World::messages_of(world.get("g", "s", base::cat(R"("startTime":)", now + 9, R"(,"endTime":)", now))),
              IsEmpty());
}

TEST(LogEvents, APageHoldsAMegabyte) {
  World world;
  world.create("g", "s");
  for (int i = 0; i < 3; ++i) world.put("g", "s", {{world.now() + i, std::string(600'000, 'x')}});
  EXPECT_EQ(world.messages("g", "s").size(), 1u);
  EXPECT_EQ(World::messages_of(world.filter("g")).size(), 1u);
}

TEST(LogEvents, StreamsAreSearchedTogetherInTheOrderOfTime) {
  World world;
  world.create_group("g");
  for (const char* stream : {"a1", "a2", "b"}) world.create_stream("g", stream);
  const Milliseconds now = world.now();
  world.put("g", "a1", {{now, "1 ERROR"}, {now + 3, "4"}});
  world.put("g", "a2", {{now + 1, "2"}, {now + 4, "5 ERROR"}});
  world.put("g", "b", {{now + 2, "3 ERROR"}});
  EXPECT_THAT(World::messages_of(world.filter("g")), ElementsAre("1 ERROR", "2", "3 ERROR", "4", "5 ERROR"));
  EXPECT_THAT(World::messages_of(world.filter("g", R"("filterPattern":"ERROR")")),
              ElementsAre("1 ERROR", "3 ERROR", "5 ERROR"));
  EXPECT_THAT(World::messages_of(world.filter("g", R"("logStreamNamePrefix":"a")")),
              ElementsAre("1 ERROR", "2", "4", "5 ERROR"));
  EXPECT_THAT(World::messages_of(world.filter("g", R"("logStreamNames":["b","a2","b"])")),
              ElementsAre("2", "3 ERROR", "5 ERROR"));
  EXPECT_EQ(world.run("FilterLogEvents", World::of_group("g", R"("logStreamNames":["c"])")),
            "ResourceNotFoundException: The specified log stream does not exist.");
  EXPECT_THAT(world.run("FilterLogEvents", World::of_group("g", R"("filterPattern":"{ $.a")")),
              HasSubstr("InvalidParameterException: Invalid filter pattern: "));
}

TEST(LogEvents, ASearchGoesOnWhereItsPageEnded) {
  World world;
  world.create_group("g");
  for (const char* stream : {"a", "b"}) world.create_stream("g", stream);
  const Milliseconds now = world.now();
  for (int i = 0; i < 4; ++i) world.put("g", i % 2 == 0 ? "a" : "b", {{now, std::to_string(i)}});
  std::vector<std::string> all;
  std::string token;
  do {
    const auto page = world.filter(
        "g", token.empty() ? R"("limit":1)" : base::cat(R"("limit":1,"nextToken":")", token, "\""));
    for (const std::string& message : World::messages_of(page)) all.push_back(message);
    token = World::text(page, "nextToken");
    ASSERT_LE(all.size(), 4u);
  } while (!token.empty());
  EXPECT_THAT(all, ElementsAre("0", "1", "2", "3"));
}

TEST(LogEvents, GroupsAreCalledByIdentifierToo) {
  World world;
  world.create("g", "s");
  world.put("g", "s", {{world.now(), "a"}});
  const auto messages = [&](std::string_view identifier) {
    return World::messages_of(
        world.ask("FilterLogEvents", base::cat(R"({"logGroupIdentifier":")", identifier, "\"}")));
  };
  EXPECT_THAT(messages("g"), ElementsAre("a"));
  EXPECT_THAT(messages("arn:aws:logs:us-east-1:000000000000:log-group:g"), ElementsAre("a"));
  EXPECT_THAT(world.run("FilterLogEvents", R"({"logGroupIdentifier":"g","logGroupName":"g"})"),
              HasSubstr("cannot be specified together"));
}

TEST(LogEvents, WritersOfOneStreamDoNotConflict) {
  World world;
  world.create("g", "s");
  const uint64_t before = world.store->metrics().conflicts;
  std::vector<World::RequestPtr> requests;
  for (int i = 0; i < 50; ++i) {
    requests.push_back(world.start("PutLogEvents", World::put_body("g", "s", {{world.now(), "x"}})));
  }
  world.settle();
  for (const auto& request : requests) EXPECT_THAT(request->answer, HasSubstr("nextSequenceToken"));
  EXPECT_EQ(world.messages("g", "s").size(), 50u);
  EXPECT_EQ(world.store->metrics().conflicts, before);
}

TEST(LogEvents, APatternIsTriedOnMessages) {
  World world;
  EXPECT_EQ(world.run("TestMetricFilter",
                      R"({"filterPattern":"{ $.a > 1 }","logEventMessages":["{\"a\":1}","{\"a\":2}"]})"),
            R"({"matches":[{"eventNumber":2,"eventMessage":"{\"a\":2}","extractedValues":{"$.a":"2"}}]})");
}

class MergedEventsTest : public ::testing::Test {
 protected:
  MergedEventsTest() { group_.id = std::string(kIdSize, 'g'); }

  // So many streams, and in each its messages: event e of stream s is "s.e", all at different times, streams taking turns.
  Task<bool> write(int streams, int events) {
    co_await world_.store->transact([&](store::Transaction& txn) -> Task<void> {
      for (int s = 0; s < streams; ++s) {
        const LogStream stream{.name = base::cat("s", s), .id = new_id(), .created = {}};
        txn.put(stream_key(group_.id, stream.name), encode_stream(stream));
        for (int e = 0; e < events; ++e) {
          const EventPlace place{.time = 1 + e * streams + s * 3 % streams, .position = {}};
          txn.put(event_key(group_.id, stream.id, place), encode_event(0, base::cat(s, ".", e)));
        }
      }
      co_return;
    });
    co_return true;
  }
  // The times and messages in the order in which they come; what was kept at most.
  Task<std::vector<std::pair<Milliseconds, std::string>>> all(size_t streams_max) {
    const auto snapshot = world_.store->snapshot();
    MergedEvents events(*snapshot, group_, streams_range(group_.id), 0, 1'000'000, {}, streams_max);
    std::vector<std::pair<Milliseconds, std::string>> found;
    kept_ = 0;
    while (auto one = co_await events.next()) {
      kept_ = std::max(kept_, events.kept());
      EXPECT_TRUE(one->event.message.starts_with(base::cat(one->stream->name.substr(1), ".")));
      found.emplace_back(one->event.place.time, std::move(one->event.message));
    }
    co_return found;
  }

  World world_;
  LogGroup group_;
  size_t kept_ = 0;
};

TEST_F(MergedEventsTest, OfManyStreamsAFewAreKeptAndTheOrderIsTheSame) {
  world_.await(write(40, 5));
  const auto expected = world_.await(all(MergedEvents::kStreamsMax));
  EXPECT_EQ(kept_, 40u);
  EXPECT_EQ(expected.size(), 200u);
  EXPECT_TRUE(std::ranges::is_sorted(expected));
  for (const size_t streams_max : {1, 3, 20, 21}) {
    EXPECT_EQ(world_.await(all(streams_max)), expected) << streams_max;
    EXPECT_LT(kept_, 2 * streams_max);
  }
}

TEST_F(MergedEventsTest, StreamsAreReadPageByPage) {
  constexpr size_t kStreams = StreamPages::kStreamsAtOnce;
  for (const size_t more : {0, 1}) {
    world_.await(write(static_cast<int>(kStreams + more), 1));
    EXPECT_EQ(world_.await(all(MergedEvents::kStreamsMax)).size(), kStreams + more);
    EXPECT_EQ(kept_, kStreams + more);
  }
}

}  // namespace
}  // namespace tidemill::logs
