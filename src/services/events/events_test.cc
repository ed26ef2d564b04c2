// Buses over the simulated store: what unit tests tell faster or more exactly than clients of a server can.
#include <gmock/gmock.h>

#include <set>

#include "base/ordered.h"
#include "services/events/address.h"
#include "services/events/connection.h"
#include "services/events/routing.h"
#include "services/events/rule_set.h"
#include "services/events/target_input.h"
#include "services/events/target_services.h"
#include "services/events/testing.h"
#include "store/test_executor.h"

namespace tidemill::events {
namespace {

using namespace std::chrono_literals;
using testing::World;
namespace ops = shapes::ops;
using Texts = std::vector<std::string>;

constexpr const char* kShop = R"({"source":["shop"]})";

shapes::Target with_dead_letters(std::string_view queue, int retries = 185, int age_seconds = 86400) {
  shapes::Target target;
  target.dead_letter_config = {.arn = World::queue_arn(queue)};
  target.retry_policy = {.maximum_retry_attempts = retries, .maximum_event_age_in_seconds = age_seconds};
  return target;
}

std::string attribute(const json::Value& message, std::string_view name) {
  const json::Value* value = message.find("MessageAttributes")->find(name);
  return value ? value->find("StringValue")->string() : "";
}

Task<bool> save(store::Store& store, const ApiDestination& destination) {
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    save_destination(txn, destination);
    co_return;
  });
  co_return true;
}

TEST(EventsTest, AnEventReachesItsQueuesWithoutTimePassingAndLeavesNothing) {
  World world;
  for (const char* queue : {"a", "b"}) world.create_queue(queue);
  world.put_rule("r", kShop, {{"a"}, {"b"}});
  world.put(R"({"n":1})");
  world.put(R"({"n":2})", "other");
  world.settle();
  EXPECT_EQ(world.details("a"), Texts{R"({"n":1})"});
  EXPECT_EQ(world.details("b"), Texts{R"({"n":1})"});
  EXPECT_EQ(world.deliveries_left(), 0u);
}

TEST(EventsTest, AcknowledgedEventsSurviveACrash) {
  World world;
  world.create_queue("q");
  world.put_rule("r", kShop, {{"q"}});
  world.put(R"({"n":1})");
  world.crash();
  world.settle();
  // Again, if it had arrived and the crash came before that was noted.
  const Texts arrived = world.details("q");
  EXPECT_EQ(std::set(arrived.begin(), arrived.end()), std::set<std::string>{R"({"n":1})"});
  world.put(R"({"n":2})");
  world.settle();
  EXPECT_EQ(world.details("q"), Texts{R"({"n":2})"}) << "rules are compiled anew after a restart";
}

TEST(EventsTest, WhatIsOnItsWayArrivesAlsoIfTheRuleIsDeleted) {
  World world;
  world.create_queue("q");
  world.put_rule("r", kShop, {{"q"}});
  world.queues_fail = [](const auto&) { return true; };
  world.put(R"({"n":1})");
  world.settle();
  (void)world.ask<ops::RemoveTargets>({.rule = "r", .ids = {"q"}});
  (void)world.ask<ops::DeleteRule>({.name = "r"});
  world.queues_fail = [](const auto&) { return false; };
  world.advance(2s);
  EXPECT_EQ(world.details("q"), Texts{R"({"n":1})"});
}

TEST(EventsTest, AFailingTargetIsTriedAgainAsItsPolicySays) {
  World world;
  for (const char* queue : {"q", "dead"}) world.create_queue(queue);
  world.put_rule("r", kShop, {{"q", with_dead_letters("dead", 3)}});
  int attempts = 0;
  world.queues_fail = [&](const auto& request) { return request.queue_url == "q" && ++attempts > 0; };
  world.put(R"({"n":1})");
  world.settle();
  EXPECT_EQ(attempts, 1);
  world.advance(1s);
  EXPECT_EQ(attempts, 2) << "after a second";
  world.advance(1h);
  EXPECT_EQ(attempts, 4);
  const auto letters = world.messages("dead");
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(json::write(*World::parse(letters[0].find("Body")->string()).find("detail")), R"({"n":1})");
  EXPECT_EQ(attribute(letters[0], "EXHAUSTED_RETRY_CONDITION"), "MaximumRetryAttempts");
  EXPECT_EQ(attribute(letters[0], "RETRY_ATTEMPTS"), "3");
  EXPECT_EQ(attribute(letters[0], "TARGET_ARN"), World::queue_arn("q"));
  EXPECT_EQ(attribute(letters[0], "RULE_ARN"), "arn:aws:events:us-east-1:000000000000:rule/r");
  EXPECT_EQ(world.deliveries_left(), 0u);
}

TEST(EventsTest, AnEventThatIsTooOldIsGivenUp) {
  World world;
  for (const char* queue : {"q", "dead"}) world.create_queue(queue);
  world.put_rule("r", kShop, {{"q", with_dead_letters("dead", 185, 60)}});
  world.queues_fail = [](const auto& request) { return request.queue_url == "q"; };
  world.put(R"({"n":1})");
  world.advance(2min);
  const auto letters = world.messages("dead");
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(attribute(letters[0], "EXHAUSTED_RETRY_CONDITION"), "MaximumEventAgeInSeconds");
}

TEST(EventsTest, WithoutADeadLetterQueueNothingIsLeft) {
  World world;
  world.put_rule("r", kShop, {{"none"}});
  world.put(R"({"n":1})");
  world.settle();
  EXPECT_EQ(world.deliveries_left(), 0u);
}

TEST(EventsTest, TagsThatCannotBeAreRefusedAtTheCreationAndLater) {
  World world;
  world.put_rule("r", kShop, {});
  const std::vector<std::string> arns = {"arn:aws:events:us-east-1:000000000000:rule/r",
                                         *world.ask<ops::CreateEventBus>({.name = "b"}).event_bus_arn};
  const auto refused = [&](const std::string& key, const std::string& value, const std::string& reason) {
    const std::vector<shapes::Tag> tags{{.key = key, .value = value}};
    const std::string refusal = "ValidationException: Parameter Tags is not valid. Reason: " + reason;
    EXPECT_EQ(world.refusal<ops::PutRule>({.name = "s", .event_pattern = kShop, .tags = tags}), refusal);
    EXPECT_EQ(world.refusal<ops::CreateEventBus>({.name = "c", .tags = tags}), refusal);
    for (const std::string& arn : arns) {
      EXPECT_EQ(world.refusal<ops::TagResource>({.resource_arn = arn, .tags = tags}), refusal);
    }
  };
  const std::string reserved = "Tag keys that begin with aws: are reserved for AWS.";
  for (const char* key : {"aws:a", "AWS:a"}) {
    refused(key, "1", reserved);
    for (const std::string& arn : arns) {
      EXPECT_THAT(world.refusal<ops::UntagResource>({.resource_arn = arn, .tag_keys = {key}}),
                  ::testing::EndsWith(reserved));
    }
  }
  const std::string characters = "Tags can only include letters, digits, spaces, and _ . : / = + - @";
  refused("a!", "1", characters);
  refused("a", "{1}", characters);
  const std::vector<shapes::Tag> twice{{.key = "a", .value = "1"}, {.key = "a", .value = "2"}};
  const std::string repeated =
      "ValidationException: Parameter Tags is not valid. Reason: Duplicated keys are not allowed.";
  EXPECT_EQ(world.refusal<ops::PutRule>({.name = "s", .event_pattern = kShop, .tags = twice}), repeated);
  EXPECT_EQ(world.refusal<ops::CreateEventBus>({.name = "c", .tags = twice}), repeated);
  for (const std::string& arn : arns) {
    EXPECT_EQ(world.refusal<ops::TagResource>({.resource_arn = arn, .tags = twice}), repeated);
    EXPECT_TRUE(world.ask<ops::ListTagsForResource>({.resource_arn = arn}).tags->empty());
  }
}

TEST(EventsTest, OnlyThePlatformPutsEventsOfAws) {
  World world;
  world.create_queue("q");
  world.put_rule("r", R"({"source":["aws.s3"]})", {{"q"}});
  const auto refused = world.ask<ops::PutEvents>(World::event("{}", "aws.s3"));
  EXPECT_EQ(refused.entries->at(0).error_code, "NotAuthorizedForSourceException");
  const auto taken = world.ask<ops::PutEvents>(World::event("{}", "aws.s3"), wire::Principal::platform());
  EXPECT_EQ(taken.failed_entry_count, 0);
  world.settle();
  EXPECT_EQ(world.details("q"), Texts{"{}"});
}

TEST(EventsTest, AScheduledRuleRunsWhenItIsDue) {
  World world;
  world.create_queue("q");
  world.put_rule("r", kShop, {{"q"}});
  (void)world.ask<ops::PutRule>({.name = "r", .schedule_expression = "rate(5 minutes)"});
  world.advance(4min);
  EXPECT_EQ(world.bodies("q"), Texts{});
  world.advance(1min);
  const Texts bodies = world.bodies("q");
  ASSERT_EQ(bodies.size(), 1u);
  const json::Value event = World::parse(bodies[0]);
  EXPECT_EQ(event.find("source")->string(), "aws.events");
  EXPECT_EQ(event.find("detail-type")->string(), "Scheduled Event");
  EXPECT_EQ(event.find("time")->string(), "2026-03-14T00:05:00Z");
  EXPECT_EQ(json::write(*event.find("resources")), R"(["arn:aws:events:us-east-1:000000000000:rule/r"])");
  EXPECT_EQ(json::write(*event.find("detail")), "{}");
  world.crash();
  world.advance(15min);
  EXPECT_EQ(world.bodies("q").size(), 3u);
  (void)world.ask<ops::DisableRule>({.name = "r"});
  world.advance(1h);
  EXPECT_EQ(world.bodies("q"), Texts{});
  (void)world.ask<ops::EnableRule>({.name = "r"});
  world.advance(299s);
  EXPECT_EQ(world.bodies("q"), Texts{}) << "it counts from when it was enabled";
  world.advance(1s);
  EXPECT_EQ(world.bodies("q").size(), 1u);
}

TEST(EventsTest, WhatFellDueWhileNobodyRanRunsOnce) {
  World world;
  world.create_queue("q");
  world.put_rule("r", kShop, {{"q"}});
  (void)world.ask<ops::PutRule>({.name = "r", .schedule_expression = "cron(0/10 * * * ? *)"});
  {
    const auto hold = world.clock.activity().hold();
    world.timers->stop();
  }
  world.advance(1h);
  world.crash();
  world.settle();
  EXPECT_EQ(world.bodies("q").size(), 1u);
  world.advance(10min);
  EXPECT_EQ(world.bodies("q").size(), 1u);
}

constexpr const char* kDefaultBus = "arn:aws:events:us-east-1:000000000000:event-bus/default";

void archive(World& world, std::string name, int32_t retention_days = 0) {
  (void)world.ask<ops::CreateArchive>(
      {.archive_name = std::move(name), .event_source_arn = kDefaultBus, .retention_days = retention_days});
}

void start_replay(World& world, std::string name, std::string archive, base::Time from, base::Time until) {
  (void)world.ask<ops::StartReplay>({.replay_name = std::move(name),
                                     .event_source_arn = "arn:aws:events:us-east-1:000000000000:archive/" + archive,
                                     .event_start_time = from,
                                     .event_end_time = until,
                                     .destination = {.arn = kDefaultBus}});
}

TEST(ArchivesTest, EventsAreDroppedAfterTheirDays) {
  World world;
  archive(world, "a", 2);
  archive(world, "b");
  archive(world, "c", 213'503'982);  // microseconds that come to nothing as a number of 64 bits
  const auto count = [&](const char* name) {
    return world.ask<ops::DescribeArchive>({.archive_name = name}).event_count.value_or(-1);
  };
  for (int i = 0; i < 3; ++i) world.put("{}");
  world.advance(24h);
  for (int i = 0; i < 2; ++i) world.put("{}");
  EXPECT_EQ(count("a"), 5);
  world.advance(25h);
  EXPECT_EQ(count("a"), 2);
  EXPECT_EQ(count("b"), 5);
  world.advance(24h);
  EXPECT_EQ(count("a"), 0);
  EXPECT_EQ(world.ask<ops::DescribeArchive>({.archive_name = "a"}).size_bytes, 0);
  EXPECT_EQ(count("b"), 5);
  EXPECT_EQ(count("c"), 5);
}

TEST(ArchivesTest, AReplayGoesOnAfterACrashAndRepeatsNothing) {
  World world;
  archive(world, "a");
  const base::Time begin = world.clock.now();
  constexpr int kEvents = 450;
  for (int i = 0; i < kEvents; ++i) world.put(base::cat(R"({"n":)", i, "}"));
  world.advance(1min);
  world.create_queue("q");
  world.put_rule("r", R"({"replay-name":["again"]})", {{"q"}});
  start_replay(world, "again", "a", begin, world.clock.now());
  for (int i = 0; i < 40; ++i) {
    for (int step = 0; step < 30; ++step) world.executor.run_one();
    if (i % 8 == 7) world.crash();
  }
  world.settle();
  EXPECT_EQ(world.ask<ops::DescribeReplay>({.replay_name = "again"}).state, "COMPLETED");
  const Texts details = world.details("q");
  const std::set<std::string> distinct(details.begin(), details.end());
  EXPECT_EQ(distinct.size(), static_cast<size_t>(kEvents));
}

TEST(ArchivesTest, AnEventThatMoreWantThanOneTransactionTakesIsReplayedToAll) {
  World world;
  archive(world, "a");
  const base::Time begin = world.clock.now();
  constexpr int kEvents = 3;
  constexpr int kRules = 12;
  const std::string detail = base::cat(R"({"text":")", std::string(200'000, 'x'), R"("})");
  static_assert(kRules * 5 * 2 * 200'000 > kRoutedBytesMax);
  for (int i = 0; i < kEvents; ++i) world.put(detail);
  world.advance(1min);
  const char* const queues[] = {"a", "b", "c", "d", "e"};
  for (const char* queue : queues) world.create_queue(queue);
  for (int n = 0; n < kRules; ++n) {
    world.put_rule(base::cat("r", n), R"({"replay-name":["again"]})", {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}});
  }
  start_replay(world, "again", "a", begin, world.clock.now());
  world.settle();
  EXPECT_EQ(world.ask<ops::DescribeReplay>({.replay_name = "again"}).state, "COMPLETED");
  for (const char* queue : queues) EXPECT_EQ(world.bodies(queue).size(), size_t{kEvents * kRules}) << queue;
}

TEST(ArchivesTest, AReplayThatIsCancelledEnds) {
  World world;
  archive(world, "a");
  const base::Time begin = world.clock.now();
  for (int i = 0; i < 300; ++i) world.put("{}");
  world.advance(1s);
  start_replay(world, "again", "a", begin, world.clock.now());
  (void)world.ask<ops::CancelReplay>({.replay_name = "again"});
  world.settle();
  EXPECT_EQ(world.ask<ops::DescribeReplay>({.replay_name = "again"}).state, "CANCELLED");
}

TEST(ArchivesTest, ADeletedArchiveLeavesNothing) {
  World world;
  archive(world, "a", 1);
  world.put("{}");
  (void)world.ask<ops::DeleteArchive>({.archive_name = "a"});
  world.put("{}");
  archive(world, "a");
  EXPECT_EQ(world.ask<ops::DescribeArchive>({.archive_name = "a"}).event_count, 0);
}

TEST(ArchivesTest, ABusThatIsGoneStaysGoneWhenItsArchiveIsChanged) {
  World world;
  world.create_queue("dead");
  const auto bus = world.ask<ops::CreateEventBus>({.name = "b"}).event_bus_arn;
  (void)world.ask<ops::CreateArchive>({.archive_name = "a", .event_source_arn = *bus});
  (void)world.ask<ops::DeleteEventBus>({.name = "b"});
  (void)world.ask<ops::UpdateArchive>({.archive_name = "a", .description = "kept"});
  (void)world.ask<ops::PutRule>({.name = "r", .event_pattern = kShop});
  shapes::Target target = with_dead_letters("dead");
  target.id = "t";
  target.arn = *bus;
  (void)world.ask<ops::PutTargets>({.rule = "r", .targets = {target}});
  world.put(R"({"n":1})");
  world.settle();
  const auto letters = world.messages("dead");
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(attribute(letters[0], "ERROR_CODE"), "NO_RESOURCE");
  EXPECT_EQ(world.ask<ops::DescribeArchive>({.archive_name = "a"}).event_count, 0);
}

TEST(ArchivesTest, KeepEventsOfBusesOfTheirOwnAccountAndRegionOnly) {
  World world;
  for (const char* where : {"us-east-1:111111111111", "eu-west-1:000000000000"}) {
    EXPECT_EQ(world.refusal<ops::CreateArchive>(
                  {.archive_name = "a", .event_source_arn = base::cat("arn:aws:events:", where, ":event-bus/default")}),
              "ResourceNotFoundException: Event bus default does not exist.");
  }
}

Task<std::string> message_of_refusal(wire::Registry& registry, wire::Context& caller,
                                     const shapes::StartReplayInput& request) {
  try {
    (void)co_await registry.call<ops::StartReplay>(caller, request);
  } catch (const wire::Error& error) {
    co_return error.message;
  }
  co_return "";
}

TEST(ArchivesTest, AreReplayedByTheirOwnAccountOnlyAndInTheirRegion) {
  World world;
  const std::string bus = "arn:aws:events:us-east-1:000000000000:event-bus/default";
  const auto archive = world.ask<ops::CreateArchive>({.archive_name = "a", .event_source_arn = bus});
  shapes::StartReplayInput request{.replay_name = "p", .event_source_arn = *archive.archive_arn};
  request.event_start_time = world.clock.now() - 1h;
  request.event_end_time = world.clock.now();
  request.destination.arn = bus;
  constexpr std::pair<const char*, const char*> kOthers[] = {{"111111111111", "us-east-1"},
                                                             {"000000000000", "eu-west-1"}};
  for (const auto& [account, region] : kOthers) {
    wire::Context others(*world.platform, account, region, "request", "tester");
    EXPECT_EQ(world.await(message_of_refusal(*world.registry, others, request)),
              "Parameter EventSourceArn is not valid. Reason: Archive a does not exist.");
  }
  EXPECT_EQ(world.refusal<ops::StartReplay>(request), "");
}

TEST(EventsTest, ADestinationIsCalledNoMoreOftenThanItSays) {
  World world;
  const auto connection = world.ask<ops::CreateConnection>(
      {.name = "c",
       .authorization_type = "BASIC",
       .auth_parameters = {.basic_auth_parameters = shapes::BasicAuthParameters{.username = "u", .password = "p"}}});
  const auto destination = world.ask<ops::CreateApiDestination>({.name = "d",
                                                                 .connection_arn = *connection.connection_arn,
                                                                 .invocation_endpoint = "http://127.0.0.1:1/x",
                                                                 .http_method = "POST",
                                                                 .invocation_rate_limit_per_second = 2});
  (void)world.ask<ops::PutRule>({.name = "r", .event_pattern = kShop});
  shapes::PutTargetsInput targets{.rule = "r"};
  targets.targets.push_back({.id = "t", .arn = *destination.api_destination_arn});
  (void)world.ask<ops::PutTargets>(std::move(targets));
  for (int i = 0; i < 6; ++i) world.put("{}");
  world.settle();
  EXPECT_EQ(world.calls.size(), 1u);
  world.advance(1s);
  EXPECT_EQ(world.calls.size(), 3u);
  world.advance(10s);
  EXPECT_EQ(world.calls.size(), 6u);
  EXPECT_EQ(world.deliveries_left(), 0u);
}

// Whose secret would go wherever the destination's owner says.
TEST(EventsTest, ADestinationTakesNoConnectionOfAnotherAccountOrRegion) {
  World world;
  world.create_queue("dead");
  wire::Context others(*world.platform, "111111111111", std::string(World::kRegion), "request", "tester");
  wire::Context elsewhere(*world.platform, std::string(World::kAccount), "eu-west-1", "request", "tester");
  for (wire::Context* where : {&others, &elsewhere}) {
    const shapes::CreateConnectionInput making{
        .name = "c",
        .authorization_type = "BASIC",
        .auth_parameters = {.basic_auth_parameters = shapes::BasicAuthParameters{.username = "u", .password = "p"}}};
    const auto connection = world.await(world.registry->call<ops::CreateConnection>(*where, making));
    EXPECT_EQ(world.refusal<ops::CreateApiDestination>({.name = "d",
                                                        .connection_arn = *connection.connection_arn,
                                                        .invocation_endpoint = "http://127.0.0.1:1/x",
                                                        .http_method = "POST"}),
              base::cat("ResourceNotFoundException: Connection '", *connection.connection_arn, "' does not exist."));
    // One of before that was refused.
    ApiDestination destination{.address = {std::string(World::kAccount), std::string(World::kRegion), "d", "id"}};
    destination.connection = *connection.connection_arn;
    destination.endpoint = "http://127.0.0.1:1/x";
    destination.method = "POST";
    world.await(save(*world.store, destination));
    shapes::Target target = with_dead_letters("dead");
    target.id = "t";
    target.arn = destination.arn();
    (void)world.ask<ops::PutRule>({.name = "r", .event_pattern = kShop});
    (void)world.ask<ops::PutTargets>({.rule = "r", .targets = {target}});
    world.put("{}");
    world.settle();
    EXPECT_TRUE(world.calls.empty());
    EXPECT_EQ(world.messages("dead").size(), 1u);
  }
}

TEST(EventsTest, AMachinesExecutionHasTheDeliverysNameSoThatItBeginsOnce) {
  World world;
  (void)world.ask<ops::PutRule>({.name = "r", .event_pattern = R"({"source":["shop"]})"});
  shapes::Target target{.id = "m", .arn = "arn:aws:states:us-east-1:000000000000:stateMachine:m"};
  target.role_arn = "arn:aws:iam::000000000000:role/r";
  target.input_path = "$.detail";
  (void)world.ask<ops::PutTargets>({.rule = "r", .targets = {target}});
  int attempts = 0;
  world.machine_answers = [&] { return std::string(attempts++ == 0 ? "" : "ExecutionAlreadyExists"); };
  world.put(R"({"n":1})");
  world.settle();
  ASSERT_EQ(world.started.size(), 1u);
  EXPECT_THAT(world.started[0], ::testing::MatchesRegex(R"([-0-9a-f]{36}_[-0-9a-f]{36} \{"n":1\})"));
  world.put(R"({"n":2})");
  world.settle();
  EXPECT_EQ(world.started.size(), 2u);
  EXPECT_EQ(world.deliveries_left(), 0u) << "that it exists already is no failure";
}

TEST(EventsTest, GoesToNoMoreOfOtherAccountsThanIsKnownToBeLet) {
  World world;
  (void)world.ask<ops::PutRule>({.name = "r", .event_pattern = kShop});
  const auto refusal = [&](std::string arn, std::string role_account) {
    shapes::Target target{.id = "t", .arn = std::move(arn)};
    if (!role_account.empty()) target.role_arn = base::cat("arn:aws:iam::", role_account, ":role/r");
    return world.refusal<ops::PutTargets>({.rule = "r", .targets = {target}});
  };
  const std::string own(World::kAccount);
  for (const char* resource :
       {"logs:us-east-1:111111111111:log-group:g", "states:us-east-1:111111111111:stateMachine:m",
        "events:us-east-1:111111111111:api-destination/d/0", "sqs:eu-west-1:111111111111:q"}) {
    const std::string arn = base::cat("arn:aws:", resource);
    EXPECT_EQ(refusal(arn, own), base::cat("AccessDeniedException: Access to the resource ", arn,
                                           " is denied. Reason: Adding cross-account target is not permitted."));
  }
  for (const char* resource : {"sqs:us-east-1:111111111111:q", "sns:us-east-1:111111111111:t",
                               "lambda:us-east-1:111111111111:function:f", "kinesis:us-east-1:111111111111:stream/s"}) {
    const std::string arn = base::cat("arn:aws:", resource);
    EXPECT_EQ(refusal(arn, ""), base::cat("ValidationException: RoleArn is required for target ", arn, "."));
    EXPECT_EQ(refusal(arn, "111111111111"), "AccessDeniedException: Cross-account pass role is not allowed.");
    EXPECT_EQ(refusal(arn, own), "");
  }
}

// Whoever may put targets on another account's bus does not have its events for that.
TEST(EventsTest, GoesToAnotherAccountOnlyWhereTheAccountOfTheBusSaysSo) {
  World world;
  wire::Context theirs(*world.platform, "111111111111", std::string(World::kRegion), "request", "tester");
  const shapes::PutRuleInput rule{.name = "r", .event_pattern = kShop};
  (void)world.await(world.registry->call<ops::PutRule>(theirs, rule));
  shapes::PutTargetsInput request{.rule = "r"};
  request.event_bus_name = "arn:aws:events:us-east-1:111111111111:event-bus/default";
  request.targets.push_back({.id = "t", .arn = World::queue_arn("q")});
  request.targets.back().role_arn = "arn:aws:iam::000000000000:role/r";
  EXPECT_EQ(world.refusal<ops::PutTargets>(request),
            base::cat("AccessDeniedException: Access to the resource ", World::queue_arn("q"),
                      " is denied. Reason: Adding cross-account target is not permitted."));
}

TEST(EventsTest, CountsWhatHappens) {
  World world;
  world.create_queue("q");
  world.put_rule("r", kShop, {{"q"}, {"none"}});
  world.put("{}");
  world.settle();
  const auto measured = world.measured("AWS/Events");
  EXPECT_EQ(measured.at("PutEventsEntriesCount "), "1 of 1");
  EXPECT_EQ(measured.at("Invocations r"), "1 of 1");
  EXPECT_EQ(measured.at("FailedInvocations r"), "1 of 1");
}

TEST(EventsTest, ATargetMayBeAnOperationByItsNameWhoseRequestIsTheInput) {
  World world;
  world.create_queue("q");
  world.create_queue("letters");
  (void)world.ask<ops::PutRule>({.name = "r", .event_pattern = kShop});
  shapes::Target target{.id = "t", .arn = "arn:aws:scheduler:::aws-sdk:sqs:sendMessage"};
  target.role_arn = "arn:aws:iam::000000000000:role/r";
  target.input_path = "$.detail";
  target.dead_letter_config = {.arn = World::queue_arn("letters")};
  (void)world.ask<ops::PutTargets>({.rule = "r", .targets = {target}});
  world.put(R"({"QueueUrl":"q","MessageBody":"tea"})");
  world.crash();
  world.settle();
  // Once or, if it crashed between the call and the note of it, once more.
  const Texts bodies = world.bodies("q");
  EXPECT_THAT(bodies, ::testing::Each("tea"));
  EXPECT_FALSE(bodies.empty());
  world.put(R"({"QueueUrl":"none","MessageBody":"tea"})");
  world.settle();
  const auto letters = world.messages("letters");
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(attribute(letters[0], "ERROR_CODE"), "NO_RESOURCE");
}

// Eight at a time of those that wait for what they call, which may take long.
TEST(EventsTest, OperationsThatEndAtOnceWaitForNoOthers) {
  World world;
  world.create_queue("q");
  (void)world.ask<ops::PutRule>({.name = "r", .event_pattern = kShop});
  shapes::Target target{.id = "t", .arn = "arn:aws:scheduler:::aws-sdk:sqs:sendMessage"};
  target.role_arn = "arn:aws:iam::000000000000:role/r";
  target.input_path = "$.detail";
  (void)world.ask<ops::PutTargets>({.rule = "r", .targets = {target}});
  world.put(R"({"QueueUrl":"q","MessageBody":"tea"})");
  world.settle();
  EXPECT_EQ(world.bodies("q"), Texts{"tea"});
  EXPECT_EQ(world.timers->ran()["delivery.events"], 1u);
  EXPECT_EQ(world.timers->ran()["delivery.events-call"], 0u);
}

TEST(EventsTest, AnEventThatWasOnItsWayBeforeTargetsRolesWereKeptIsRead) {
  const Outgoing outgoing{.rule_arn = "rule",
                          .dead_letter_queue = "",
                          .event_id = "id",
                          .key = "group",
                          .trace_header = "",
                          .event = "",
                          .input = "{}",
                          .role = "role",
                          .denial = "no"};
  EXPECT_EQ(decode_outgoing(encode_outgoing(outgoing)).role, "role");
  EXPECT_EQ(decode_outgoing(encode_outgoing(outgoing)).denial, "no");
  std::string before("\x01", 1);
  for (const char* part : {"rule", "", "id", "group", "", ""}) base::append_string(before, part);
  before += "{}";
  const Outgoing read = decode_outgoing(before);
  EXPECT_EQ(read.rule_arn, "rule");
  EXPECT_EQ(read.key, "group");
  EXPECT_EQ(read.input, "{}");
  EXPECT_EQ(read.role, "");
  // And with roles, but not what a bus refuses.
  std::string later("\x02", 1);
  for (const char* part : {"role", "rule", "", "id", "group", "", ""}) base::append_string(later, part);
  EXPECT_EQ(decode_outgoing(later + "{}").role, "role");
  EXPECT_EQ(decode_outgoing(later + "{}").denial, "");
}

TEST(EventsTest, MoreThanOneTransactionTakesReachesEveryTargetOnceAllTheSame) {
  World world;
  constexpr int kRules = 20;
  static_assert(kRules * 5 * 200'000 > kRoutedBytesMax);
  for (const char* queue : {"a", "b", "c", "d", "e"}) world.create_queue(queue);
  for (int n = 0; n < kRules; ++n) {
    world.put_rule(base::cat("r", n), kShop, {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}});
  }
  const std::string detail = base::cat(R"({"text":")", std::string(200'000, 'x'), R"("})");
  world.put(detail);
  world.settle();
  for (const char* queue : {"a", "b", "c", "d", "e"}) EXPECT_EQ(world.bodies(queue).size(), size_t{kRules}) << queue;
}

TEST(EventsTest, ARoundGoesOnWhereItsLastTransactionHasEnded) {
  Round round(100);
  const auto send = [&](int letters) {
    Texts taken;
    round.begin();
    for (int n = 0; n < letters; ++n) {
      if (!round.may_send()) continue;
      taken.push_back(std::to_string(n));
      round.sent(60);
    }
    return taken;
  };
  EXPECT_EQ(send(5), (Texts{"0", "1"}));
  EXPECT_EQ(send(5), (Texts{"0", "1"})) << "a transaction that lost a race runs again";
  EXPECT_TRUE(round.goes_on());
  EXPECT_EQ(send(5), (Texts{"2", "3"}));
  EXPECT_TRUE(round.goes_on());
  EXPECT_EQ(send(5), (Texts{"4"}));
  EXPECT_FALSE(round.goes_on());
}

TEST(EventsTest, ArnsNameBusesAndRules) {
  EXPECT_EQ(parse_bus_arn("arn:aws:events:us-east-1:000000000000:event-bus/a/b")->name, "a/b");
  EXPECT_FALSE(parse_bus_arn("arn:aws:events:us-east-1:000000000000:rule/a"));
  EXPECT_FALSE(parse_bus_arn("arn:aws:events:us-east-1:000000000000:event-bus/"));
  EXPECT_EQ(parse_rule_arn("arn:aws:events:us-east-1:000000000000:rule/r")->bus.name, "default");
  EXPECT_FALSE(parse_rule_arn("arn:aws:events:us-east-1:000000000000:rule/default/r"));
  const auto rule = parse_rule_arn("arn:aws:events:us-east-1:000000000000:rule/a/b/r");
  EXPECT_EQ(rule->bus.name, "a/b");
  EXPECT_EQ(rule->name, "r");
  EXPECT_EQ(rule->arn(), "arn:aws:events:us-east-1:000000000000:rule/a/b/r");
}

TEST(EventsTest, WhatATemplateMakesTooLargeIsRefusedLikeWhatATargetRefuses) {
  World world;
  for (const char* queue : {"q", "dead"}) world.create_queue(queue);
  shapes::Target target = with_dead_letters("dead");
  std::string text = "\"";
  for (int i = 0; i < 100; ++i) text += "<t>";
  target.input_transformer = {.input_template = text + "\""};
  target.input_transformer->input_paths_map.emplace()["t"] = "$.detail.t";
  world.put_rule("r", kShop, {{"q", target}});
  world.put(base::cat(R"({"t":")", std::string(1'000, 'x'), R"("})"));
  world.put(base::cat(R"({"t":")", std::string(10'000, 'x'), R"("})"));
  world.settle();
  EXPECT_EQ(world.bodies("q").size(), 1u);
  const auto letters = world.messages("dead");
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(attribute(letters[0], "ERROR_MESSAGE"),
            "ValidationException: what the InputTransformer makes of the event is larger than 262144 bytes");
  EXPECT_EQ(World::parse(letters[0].find("Body")->string()).find("detail")->find("t")->string().size(), 10'000u);
  EXPECT_EQ(world.deliveries_left(), 0u);
}

TEST(TargetInputs, OthersHaveTheirTurnBetweenThePathsOfATransformer) {
  constexpr size_t kPaths = 100;
  shapes::InputTransformer transformer{.input_paths_map = std::map<std::string, std::string>(), .input_template = "\""};
  for (size_t i = 0; i < kPaths; ++i) transformer.input_paths_map->emplace(base::cat("v", i), base::cat("$.detail.m", i));
  std::string expected = "\"";
  for (size_t i = 0; i < 3 * kPaths; ++i) {
    transformer.input_template += base::cat("<v", i % kPaths, ">");
    expected += base::cat(i % kPaths);
  }
  transformer.input_template += "\"";
  const ActiveTarget target = activate({.input_transformer = std::move(transformer)});
  json::Object detail;
  for (size_t i = 0; i < kPaths; ++i) detail.set(base::cat("m", i), base::cat(i));
  const Arrival arrival({}, document_of({.detail = std::move(detail)}), {});
  const ActiveRule rule;

  store::TestExecutor executor(nullptr, store::TestExecutor::Slices::none);
  base::Scope scope;
  std::optional<std::optional<std::string>> input;
  {
    const base::Executor::Enter enter(executor);
    scope.spawn([](const ActiveRule& of, const ActiveTarget& to, const Arrival& what,
                   std::optional<std::optional<std::string>>& out) -> Task<void> {
      out = co_await input_of(of, to, what);
    }(rule, target, arrival, input));
  }
  size_t turns = 0;
  executor.run_until([&] { return input || ++turns > 10 * kPaths; });
  ASSERT_TRUE(input);
  EXPECT_GE(turns, kPaths);
  EXPECT_LT(turns, 2 * kPaths);  // a path is followed once, however often it is named
  EXPECT_EQ(*input, expected + "\"");
}

TEST(RoutingTest, LetsOthersHaveTheirTurnWhileALargeEventMeetsItsRules) {
  constexpr size_t kRules = 300;
  lang::patterns::PatternSet::Builder builder;
  for (size_t i = 0; i < kRules; ++i) {
    builder.add(
        lang::patterns::Pattern::parse(R"({"detail":{"a":[{"anything-but":"b"}]}})", lang::patterns::event_bridge()));
  }
  RuleSet rules;
  rules.patterns = std::move(builder).finish();
  rules.by_place.resize(kRules);
  const json::Value event = json::parse(R"({"detail":{"a":"c"}})").value();

  store::TestExecutor executor(nullptr, store::TestExecutor::Slices::none);
  base::Scope scope;
  std::optional<std::vector<const Wanting*>> found;
  {
    const base::Executor::Enter enter(executor);
    scope.spawn([](const RuleSet& whom, const json::Value& what,
                   std::optional<std::vector<const Wanting*>>& out) -> Task<void> {
      out = co_await whom.match(what, 200'000);
    }(rules, event, found));
  }
  size_t turns = 0;
  executor.run_until([&] { return found || ++turns > 2 * kRules; });
  ASSERT_TRUE(found);
  EXPECT_GE(turns, kRules - 1);
  EXPECT_EQ(found->size(), kRules);
}

}  // namespace
}  // namespace tidemill::events
