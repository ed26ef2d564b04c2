// What requests ask for, as the rows of the tables say.
#include "rights/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ranges>

#include "base/text.h"
#include "rights/tables.h"
#include "rights/testing.h"
#include "wire/shapes/dynamodb.h"
#include "wire/shapes/events.h"
#include "wire/shapes/kinesis.h"
#include "wire/shapes/kms.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/logs.h"
#include "wire/shapes/pipes.h"
#include "wire/shapes/s3.h"
#include "wire/shapes/sqs.h"
#include "wire/shapes/states.h"

namespace tidemill::rights {
namespace {

using base::cat;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using testing::World;

std::string_view row_of(const wire::OperationInfo& operation) {
  constexpr std::string_view kBar = " | ";
  for (const auto& [service, text] : kTables) {
    if (service != operation.service) continue;
    for (const auto part : std::views::split(text, '\n')) {
      const std::string_view line(part.begin(), part.end());
      const size_t bar = line.find(kBar);
      if (bar == std::string_view::npos) continue;
      const std::string names = cat(" ", line.substr(0, bar), " ");
      if (names.contains(cat(" ", operation.name, " "))) return line.substr(bar + kBar.size());
    }
  }
  return "";
}

// "states:StartExecution arn:… states:StateMachineQualifier=PROD", one for each ask.
template <class Op>
std::vector<std::string> asked(const typename Op::Request& request) {
  World world;
  const wire::Context context = world.context(wire::Principal());
  std::vector<std::string> told;
  for (const Ask& ask : Row(Op::info, row_of(Op::info)).asks(context, &request)) {
    std::string text = cat(ask.action, " ", ask.resource);
    for (const auto& [key, values] : ask.facts) text += cat(" ", key, "=", values.front());
    told.push_back(std::move(text));
  }
  return told;
}

// ---- State machines ----

namespace states = wire::states;

const std::string kMachine = "arn:aws:states:us-east-1:111111111111:stateMachine:m";
const std::string kRole = "arn:aws:iam::111111111111:role/r";
const std::string kPassing = cat("iam:PassRole ", kRole, " iam:PassedToService=states.amazonaws.com");

TEST(Rows, AVersionOrAnAliasIsJudgedAsItsMachine) {
  using Start = states::ops::StartExecution;
  EXPECT_THAT(asked<Start>({.state_machine_arn = kMachine}), ElementsAre(cat("states:StartExecution ", kMachine)));
  for (const char* qualifier : {"1", "PROD"}) {
    const std::string arn = cat(kMachine, ":", qualifier);
    const std::string judged = cat(kMachine, " states:StateMachineQualifier=", qualifier);
    EXPECT_THAT(asked<Start>({.state_machine_arn = arn}), ElementsAre(cat("states:StartExecution ", judged)));
    EXPECT_THAT(asked<states::ops::DeleteStateMachineVersion>({.state_machine_version_arn = arn}),
                ElementsAre(cat("states:DeleteStateMachineVersion ", judged)));
    EXPECT_THAT(asked<states::ops::UpdateStateMachineAlias>({.state_machine_alias_arn = arn}),
                ElementsAre(cat("states:UpdateStateMachineAlias ", judged)));
  }
}

TEST(Rows, WhoeverPublishesOnTheWayNeedsTheRightToPublish) {
  const std::string publishing = cat("states:PublishStateMachineVersion ", kMachine);
  using Create = states::ops::CreateStateMachine;
  EXPECT_THAT(asked<Create>({.name = "m", .role_arn = kRole, .publish = true}),
              ElementsAre(cat("states:CreateStateMachine ", kMachine), kPassing, publishing));
  EXPECT_THAT(asked<Create>({.name = "m", .role_arn = kRole, .publish = false}), Not(Contains(publishing)));
  EXPECT_THAT(asked<Create>({.name = "m", .role_arn = kRole}), Not(Contains(publishing)));
  EXPECT_THAT(asked<states::ops::UpdateStateMachine>({.state_machine_arn = kMachine, .publish = true}),
              ElementsAre(cat("states:UpdateStateMachine ", kMachine), publishing));
}

TEST(Rows, TheExecutionsOfAMapRunAreJudgedByTheRun) {
  const std::string run = "arn:aws:states:us-east-1:111111111111:mapRun:m/each:uuid";
  using List = states::ops::ListExecutions;
  EXPECT_THAT(asked<List>({.map_run_arn = run}), ElementsAre(cat("states:ListExecutions ", run)));
  EXPECT_THAT(asked<List>({.state_machine_arn = cat(kMachine, ":PROD")}),
              ElementsAre(cat("states:ListExecutions ", kMachine, " states:StateMachineQualifier=PROD")));
}

// ---- Rules ----

namespace events = wire::events;

TEST(Rows, AReplayIsJudgedByTheBusToo) {
  const std::string here = "arn:aws:events:us-east-1:111111111111:", asks = cat("events:StartReplay ", here);
  EXPECT_THAT(asked<events::ops::StartReplay>({.replay_name = "r",
                                               .event_source_arn = cat(here, "archive/a"),
                                               .destination = {.arn = cat(here, "event-bus/prod")}}),
              ElementsAre(cat(asks, "replay/r"), cat(asks, "archive/a"), cat(asks, "event-bus/prod")));
}

TEST(Rows, WhatSendsSecretsOfAConnectionIsJudgedByTheConnection) {
  const std::string here = "arn:aws:events:us-east-1:111111111111:", connection = cat(here, "connection/c/uuid");
  EXPECT_THAT(asked<events::ops::CreateApiDestination>({.name = "d", .connection_arn = connection}),
              ElementsAre(cat("events:CreateApiDestination ", here, "api-destination/d"),
                          cat("events:CreateApiDestination ", connection)));
  EXPECT_THAT(asked<events::ops::UpdateApiDestination>({.name = "d", .connection_arn = connection}),
              ElementsAre(cat("events:UpdateApiDestination ", here, "api-destination/d"),
                          cat("events:UpdateApiDestination ", connection)));
  EXPECT_THAT(asked<events::ops::UpdateApiDestination>({.name = "d"}),
              ElementsAre(cat("events:UpdateApiDestination ", here, "api-destination/d")));
  // The connection that it has: Lookups.AnApiDestinationIsJudgedByItsConnection.
  EXPECT_THAT(asked<events::ops::UpdateApiDestination>({.name = "d", .invocation_endpoint = "https://a.example"}),
              ElementsAre(cat("events:UpdateApiDestination ", here, "api-destination/d"),
                          "events:UpdateApiDestination d"));
  EXPECT_THAT(asked<events::ops::UpdateApiDestination>(
                  {.name = "d", .connection_arn = connection, .invocation_endpoint = "https://a.example"}),
              ElementsAre(cat("events:UpdateApiDestination ", here, "api-destination/d"),
                          cat("events:UpdateApiDestination ", connection),
                          cat("events:UpdateApiDestination ", connection)));
}

TEST(Rows, ARuleIsJudgedWhereItsBusIs) {
  const auto put_on = [](std::optional<std::string> bus) {
    return asked<events::ops::PutRule>({.name = "r", .event_bus_name = std::move(bus)});
  };
  const auto is_rule = [](std::string_view place, std::string_view rule) {
    return ElementsAre(cat("events:PutRule arn:aws:events:", place, ":rule/", rule));
  };
  constexpr std::string_view kHere = "us-east-1:111111111111";
  EXPECT_THAT(put_on(std::nullopt), is_rule(kHere, "r"));
  EXPECT_THAT(put_on("default"), is_rule(kHere, "r"));
  EXPECT_THAT(put_on("shop"), is_rule(kHere, "shop/r"));
  for (const char* place : {"us-east-1:111111111111", "eu-west-1:111111111111", "us-east-1:222222222222"}) {
    const std::string bus = cat("arn:aws:events:", place, ":event-bus/");
    EXPECT_THAT(put_on(cat(bus, "default")), is_rule(place, "r"));
    EXPECT_THAT(put_on(cat(bus, "shop")), is_rule(place, "shop/r"));
    EXPECT_THAT(put_on(cat(bus, "aws.partner/a/b")), is_rule(place, "aws.partner/a/b/r"));
  }
}

TEST(Rows, RulesAreListedWhereTheirBusIs) {
  using List = events::ops::ListRules;
  EXPECT_THAT(asked<List>({}), ElementsAre("events:ListRules arn:aws:events:us-east-1:111111111111:rule/*"));
  EXPECT_THAT(asked<List>({.event_bus_name = "arn:aws:events:eu-west-1:222222222222:event-bus/shop"}),
              ElementsAre("events:ListRules arn:aws:events:eu-west-1:222222222222:rule/shop/*"));
  EXPECT_THAT(asked<events::ops::ListRuleNamesByTarget>({.target_arn = "t", .event_bus_name = "shop"}),
              ElementsAre("events:ListRuleNamesByTarget arn:aws:events:us-east-1:111111111111:rule/shop/*"));
}

// ---- Tables ----

const std::string kTable = "arn:aws:dynamodb:us-east-1:111111111111:table/t";

TEST(Rows, APolicyOfATableThatIsCreatedNeedsTheRightToPutOne) {
  using Create = wire::dynamodb::ops::CreateTable;
  EXPECT_THAT(asked<Create>({.table_name = "t", .resource_policy = "{}"}),
              ElementsAre(cat("dynamodb:CreateTable ", kTable), cat("dynamodb:PutResourcePolicy ", kTable)));
  EXPECT_THAT(asked<Create>({.table_name = "t"}), ElementsAre(cat("dynamodb:CreateTable ", kTable)));
}

// ---- Buckets ----

// "aws s3 ls s3://b" sends it so, and policies let it by that.
TEST(Rows, AnEmptyPrefixIsOneAndNoneIsNone) {
  using List = wire::s3::ops::ListObjectsV2;
  EXPECT_THAT(asked<List>({.bucket = "b", .delimiter = "/", .prefix = ""}),
              ElementsAre("s3:ListBucket arn:aws:s3:::b s3:prefix= s3:delimiter=/"));
  EXPECT_THAT(asked<List>({.bucket = "b"}), ElementsAre("s3:ListBucket arn:aws:s3:::b"));
}

// ---- Conditions on what stands in a body ----

TEST(Rows, WhereABucketIsToBeIsToldToConditions) {
  wire::s3::ops::CreateBucket::Request request{.bucket = "b"};
  EXPECT_THAT(asked<wire::s3::ops::CreateBucket>(request), ElementsAre("s3:CreateBucket arn:aws:s3:::b"));
  request.create_bucket_configuration = {.location_constraint = "eu-west-1"};
  EXPECT_THAT(asked<wire::s3::ops::CreateBucket>(request),
              ElementsAre("s3:CreateBucket arn:aws:s3:::b s3:LocationConstraint=eu-west-1"));
}

TEST(Rows, HowAnObjectIsLockedIsToldToConditions) {
  wire::s3::ops::PutObjectRetention::Request kept{.bucket = "b", .key = "k"};
  EXPECT_THAT(asked<wire::s3::ops::PutObjectRetention>(kept), ElementsAre("s3:PutObjectRetention arn:aws:s3:::b/k"));
  kept.retention = {.mode = "GOVERNANCE", .retain_until_date = base::Time(std::chrono::seconds(1560209851))};
  EXPECT_THAT(asked<wire::s3::ops::PutObjectRetention>(kept),
              ElementsAre("s3:PutObjectRetention arn:aws:s3:::b/k s3:object-lock-mode=GOVERNANCE "
                          "s3:object-lock-retain-until-date=2019-06-10T23:37:31Z"));
  wire::s3::ops::PutObjectLegalHold::Request held{.bucket = "b", .key = "k"};
  held.legal_hold = {.status = "OFF"};
  EXPECT_THAT(asked<wire::s3::ops::PutObjectLegalHold>(held),
              ElementsAre("s3:PutObjectLegalHold arn:aws:s3:::b/k s3:object-lock-legal-hold=OFF"));
}

// The key is yet to be found, by the name that the request has.
TEST(Rows, HowAKeyIsToBeDeletedOrGuardedIsToldToConditions) {
  namespace ops = wire::kms::ops;
  EXPECT_THAT(asked<ops::ScheduleKeyDeletion>({.key_id = "k", .pending_window_in_days = 7}),
              ElementsAre("kms:ScheduleKeyDeletion k kms:ScheduleKeyDeletionPendingWindowInDays=7"));
  EXPECT_THAT(asked<ops::ScheduleKeyDeletion>({.key_id = "k"}), ElementsAre("kms:ScheduleKeyDeletion k"));
  EXPECT_THAT(asked<ops::EnableKeyRotation>({.key_id = "k", .rotation_period_in_days = 90}),
              ElementsAre("kms:EnableKeyRotation k kms:RotationPeriodInDays=90"));
  EXPECT_THAT(asked<ops::PutKeyPolicy>({.key_id = "k", .policy = "{}", .bypass_policy_lockout_safety_check = true}),
              ElementsAre("kms:PutKeyPolicy k kms:BypassPolicyLockoutSafetyCheck=true"));
  EXPECT_THAT(asked<ops::CreateKey>({.bypass_policy_lockout_safety_check = false}),
              ElementsAre("kms:CreateKey * kms:BypassPolicyLockoutSafetyCheck=false"));
}

// ---- Tags ----

const std::map<std::string, std::string> kPairs{{"a", "b"}};

TEST(Rows, TagsOnCreationNeedTheRightToTag) {
  const std::string tagging = "sqs:TagQueue arn:aws:sqs:us-east-1:111111111111:q";
  using Create = wire::sqs::ops::CreateQueue;
  EXPECT_THAT(asked<Create>({.queue_name = "q", .tags = kPairs}), Contains(tagging));
  EXPECT_THAT(asked<Create>({.queue_name = "q"}), Not(Contains(tagging)));
  const std::string rule = "arn:aws:events:us-east-1:111111111111:rule/shop/r";
  const std::vector<events::Tag> tags{{.key = "a", .value = "b"}};
  EXPECT_THAT(asked<events::ops::PutRule>({.name = "r", .tags = tags, .event_bus_name = "shop"}),
              ElementsAre(cat("events:PutRule ", rule), cat("events:TagResource ", rule)));
  EXPECT_THAT(asked<wire::dynamodb::ops::CreateTable>({.table_name = "t", .tags = {{{.key = "a", .value = "b"}}}}),
              Contains(cat("dynamodb:TagResource ", kTable)));
  EXPECT_THAT(asked<wire::logs::ops::CreateLogGroup>({.log_group_name = "g", .tags = kPairs}),
              Contains("logs:TagResource arn:aws:logs:us-east-1:111111111111:log-group:g"));
  EXPECT_THAT(asked<wire::lambda::ops::CreateFunction>({.function_name = "f", .tags = kPairs}),
              Contains("lambda:TagResource arn:aws:lambda:us-east-1:111111111111:function:f"));
  EXPECT_THAT(asked<wire::lambda::ops::CreateEventSourceMapping>({.function_name = "f", .tags = kPairs}),
              Contains("lambda:TagResource arn:aws:lambda:us-east-1:111111111111:event-source-mapping:*"));
  using Bucket = wire::s3::ops::CreateBucket;
  const wire::s3::CreateBucketConfiguration tagged{.tags = {{{.key = "a", .value = "b"}}}};
  EXPECT_THAT(asked<Bucket>({.bucket = "b", .create_bucket_configuration = tagged}),
              ElementsAre("s3:CreateBucket arn:aws:s3:::b", "s3:TagResource arn:aws:s3:::b"));
  EXPECT_THAT(asked<Bucket>({.bucket = "b"}), ElementsAre("s3:CreateBucket arn:aws:s3:::b"));
  EXPECT_THAT(asked<wire::pipes::ops::CreatePipe>({.name = "p", .tags = kPairs}),
              Contains("pipes:TagResource arn:aws:pipes:us-east-1:111111111111:pipe/p"));
}

TEST(Rows, APipeThatLogsNeedsTheRightToDeliverLogs) {
  namespace pipes = wire::pipes;
  const std::string delivering = "logs:CreateLogDelivery *";
  const pipes::PipeLogConfigurationParameters log{
      .cloudwatch_logs_log_destination = {{.log_group_arn = "arn:aws:logs:us-east-1:111111111111:log-group:g"}},
      .level = "INFO"};
  EXPECT_THAT(asked<pipes::ops::CreatePipe>({.name = "p", .log_configuration = log}), Contains(delivering));
  EXPECT_THAT(asked<pipes::ops::UpdatePipe>({.name = "p", .log_configuration = log}), Contains(delivering));
  EXPECT_THAT(asked<pipes::ops::CreatePipe>({.name = "p"}), Not(Contains(delivering)));
  EXPECT_THAT(asked<pipes::ops::UpdatePipe>({.name = "p", .log_configuration = {{.level = "OFF"}}}),
              Not(Contains(delivering)));
}

// Of what has no name yet it is that of all.
TEST(Rows, TagsOfAKeyThatIsCreatedNeedTheRightToTagAnyKey) {
  using Create = wire::kms::ops::CreateKey;
  EXPECT_THAT(asked<Create>({.tags = {{{.tag_key = "a", .tag_value = "b"}}}}),
              ElementsAre("kms:CreateKey *", "kms:TagResource arn:aws:kms:us-east-1:111111111111:key/*"));
  World world;
  const auto side = world.side("arn:aws:kms:us-east-1:111111111111:key/*");
  EXPECT_FALSE(side->must_allow);
  EXPECT_FALSE(side->policy);
}

// "The kms:PutKeyPolicy permission is not required to create the KMS key" (developer guide, "Creating keys").
TEST(Rows, APolicyOfAKeyThatIsCreatedNeedsNoRightOfItsOwn) {
  EXPECT_THAT(asked<wire::kms::ops::CreateKey>({.policy = "{}"}), ElementsAre("kms:CreateKey *"));
}

// "The kinesis:TagResource permission won't work to tag streams on creation" (CreateStream).
TEST(Rows, TagsOfAStreamThatIsCreatedNeedTheOlderRight) {
  namespace kinesis = wire::kinesis;
  const std::string stream = "arn:aws:kinesis:us-east-1:111111111111:stream/s";
  EXPECT_THAT(asked<kinesis::ops::CreateStream>({.stream_name = "s", .tags = kPairs}),
              ElementsAre(cat("kinesis:CreateStream ", stream), cat("kinesis:AddTagsToStream ", stream)));
  EXPECT_THAT(asked<kinesis::ops::RegisterStreamConsumer>({.stream_arn = stream, .consumer_name = "c", .tags = kPairs}),
              ElementsAre(cat("kinesis:RegisterStreamConsumer ", stream),
                          cat("kinesis:TagResource ", stream, "/consumer/c:*")));
}

TEST(Rows, AnEmptyListOrMapOfTagsAsksForNothing) {
  const std::map<std::string, std::string> no_pairs;
  EXPECT_THAT(asked<wire::sqs::ops::CreateQueue>({.queue_name = "q", .tags = no_pairs}),
              ElementsAre("sqs:CreateQueue arn:aws:sqs:us-east-1:111111111111:q"));
  const std::vector<states::Tag> no_tags;
  EXPECT_THAT(asked<states::ops::CreateActivity>({.name = "a", .tags = no_tags}),
              ElementsAre("states:CreateActivity arn:aws:states:us-east-1:111111111111:activity:a"));
}

}  // namespace
}  // namespace tidemill::rights
