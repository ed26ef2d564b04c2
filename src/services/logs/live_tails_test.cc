// Sessions that see events as they are written.
#include <gmock/gmock.h>

#include "services/logs/testing.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::World;

namespace shapes = wire::logs;

// A client that takes updates as they come.
struct Client {
  bool has_begun = false;
  bool is_sampled = false;
  std::vector<std::string> messages;
  bool ended = false;
  std::string error;
};

class TailWorld : public World {
 public:
  TailWorld() { create("g", "s"); }

  static std::string arn_of(std::string_view group) {
    return base::cat("arn:aws:logs:us-east-1:000000000000:log-group:", group);
  }

  std::shared_ptr<Client> tail(base::Scope& scope, shapes::StartLiveTailInput request = {}) {
    if (request.log_group_identifiers.empty()) request.log_group_identifiers = {arn_of("g")};
    auto client = std::make_shared<Client>();
    const base::Executor::Enter enter(executor);
    scope.spawn(follow(client, std::move(request)));
    settle();
    return client;
  }

 private:
  Task<void> follow(std::shared_ptr<Client> client, shapes::StartLiveTailInput request) {
    try {
      wire::Context context(*platform, std::string(kAccount), std::string(kRegion), "request", "tester");
      auto answer = co_await registry->call<shapes::ops::StartLiveTail>(context, request);
      while (auto event = co_await answer.response_stream.next()) {
        if (event->session_start) client->has_begun = true;
        if (!event->session_update) continue;
        client->is_sampled = client->is_sampled || event->session_update->session_metadata->sampled.value_or(false);
        for (const auto& shown : *event->session_update->session_results) client->messages.push_back(*shown.message);
      }
    } catch (const wire::Error& error) {
      client->error = error.code;
    }
    client->ended = true;
  }
};

TEST(LiveTails, ASessionSeesWhatIsWrittenWhileItIsOpen) {
  TailWorld world;
  base::Scope scope;
  world.put("g", "s", {{world.now(), "before"}});
  const auto client = world.tail(scope);
  EXPECT_TRUE(client->has_begun);
  world.put("g", "s", {{world.now(), "one"}, {world.now(), "two"}});
  world.settle();
  EXPECT_THAT(client->messages, ElementsAre("one", "two"));
  world.leave(scope);
  world.put("g", "s", {{world.now(), "after"}});
  world.settle();
  EXPECT_THAT(client->messages, ElementsAre("one", "two"));
}

TEST(LiveTails, ASessionSeesOnlyWhatItAskedFor) {
  TailWorld world;
  base::Scope scope;
  world.create_stream("g", "other");
  world.create("h", "s");
  const auto by_pattern = world.tail(scope, {.log_event_filter_pattern = "ERROR"});
  const auto by_name = world.tail(scope, {.log_stream_names = std::vector<std::string>{"other"}});
  const auto by_prefix = world.tail(scope, {.log_stream_name_prefixes = std::vector<std::string>{"ot"}});
  const auto of_both = world.tail(scope, {.log_group_identifiers = {TailWorld::arn_of("g"), TailWorld::arn_of("h")}});
  world.put("g", "s", {{world.now(), "fine"}, {world.now(), "an ERROR"}});
  world.put("g", "other", {{world.now(), "aside"}});
  world.put("h", "s", {{world.now(), "elsewhere"}});
  world.settle();
  EXPECT_THAT(by_pattern->messages, ElementsAre("an ERROR"));
  EXPECT_THAT(by_name->messages, ElementsAre("aside"));
  EXPECT_THAT(by_prefix->messages, ElementsAre("aside"));
  EXPECT_THAT(of_both->messages, ElementsAre("fine", "an ERROR", "aside", "elsewhere"));
  world.leave(scope);
}

TEST(LiveTails, MoreThanASecondHoldsIsSampled) {
  TailWorld world;
  base::Scope scope;
  const auto client = world.tail(scope);
  World::Events events;
  for (size_t i = 0; i <= LiveTails::kEventsPerSecondMax; ++i) events.emplace_back(world.now(), "x");
  world.put("g", "s", events);
  world.settle();
  EXPECT_EQ(client->messages.size(), LiveTails::kEventsPerSecondMax);
  EXPECT_TRUE(client->is_sampled);
  world.advance(1s);
  world.put("g", "s", {{world.now(), "in the next second"}});
  world.settle();
  EXPECT_EQ(client->messages.back(), "in the next second");
  world.leave(scope);
}

TEST(LiveTails, AnAccountHasFifteenInARegionAtOnce) {
  TailWorld world;
  base::Scope scope;
  for (size_t i = 0; i < LiveTails::kSessionsMax; ++i) EXPECT_TRUE(world.tail(scope)->has_begun);
  EXPECT_EQ(world.tail(scope)->error, "LimitExceededException");
  world.leave(scope);
  EXPECT_TRUE(world.tail(scope)->has_begun) << "the others have left";
  world.leave(scope);
}

// Who does not take what comes must not fill the memory: 500 events may be of a megabyte each.
TEST(LiveTails, WhatWaitsForASlowClientIsSampledByItsBytes) {
  PatternMatching matching(false);
  LiveTails tails(matching);
  TailWorld world;
  const auto group = std::make_shared<LogGroup>();
  group->id = "id";
  const auto session = tails.open({"000000000000", "us-east-1"},
                                  {.group_ids = {"id"}, .pattern = lang::logs::FilterPattern::parse("").value()});
  const std::string message(LiveTails::kPendingBytesMax / 4, 'x');
  const std::vector<shapes::InputLogEvent> events(5, {.timestamp = 1, .message = message});
  const auto publish = [&]() -> Task<bool> {
    co_await tails.publish(group, "s", events, 1'000);
    co_return true;
  };
  world.await(publish());
  LiveTails::Taken taken = session->take();
  EXPECT_EQ(taken.events.size(), 4U);
  EXPECT_TRUE(taken.is_sampled);
  world.await(publish());
  taken = session->take();
  EXPECT_EQ(taken.events.size(), 4U) << "there is room again";
}

TEST(LiveTails, ASessionEndsAfterThreeHours) {
  TailWorld world;
  base::Scope scope;
  const auto client = world.tail(scope);
  world.advance(3h - 1s);
  EXPECT_FALSE(client->ended);
  world.advance(1s);
  EXPECT_TRUE(client->ended);
  EXPECT_EQ(client->error, "SessionTimeoutException");
}

TEST(LiveTails, WhatMakesNoSenseIsRefused) {
  TailWorld world;
  base::Scope scope;
  const std::vector<std::string> names{"s"};
  EXPECT_EQ(world.tail(scope, {.log_group_identifiers = {TailWorld::arn_of("none")}})->error, "ResourceNotFoundException");
  EXPECT_EQ(world.tail(scope, {.log_event_filter_pattern = "{"})->error, "InvalidParameterException");
  EXPECT_EQ(world.tail(scope, {.log_stream_names = names, .log_stream_name_prefixes = names})->error,
            "InvalidParameterException");
}

}  // namespace
}  // namespace tidemill::logs
