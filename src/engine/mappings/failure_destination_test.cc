// The way of a failure document, and what is counted of it, against a registry of its own.
#include "engine/mappings/failure_destination.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/ordered.h"
#include "engine/mappings/checkpoint_saver.h"
#include "wire/pipeline/authorize.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/s3.h"
#include "wire/shapes/sns.h"
#include "wire/shapes/sqs.h"
#include "wire/sim_platform_testing.h"

namespace tidemill::engine {
namespace {

class FailureDestinationTest : public testing::Test, protected wire::testing::SimPlatform {
 protected:
  FailureDestinationTest() {
    note<wire::sqs::ops::SendMessage, wire::sqs::SendMessageOutput>(
        [this](const wire::sqs::SendMessageInput& request) { sent_.push_back(request.message_body.value()); });
    note<wire::sns::ops::Publish, wire::sns::PublishOutput>(
        [this](const wire::sns::PublishInput& request) { sent_.push_back(request.message); });
    note<wire::s3::ops::PutObject, wire::s3::PutObjectOutput>(
        [this](const wire::s3::PutObjectInput& request) { keys_.push_back(request.key); });
    add_failure_sender(deliveries_, platform_, &usage_);
    const base::Executor::Enter enter(executor_);
    timers_->start();
  }
  ~FailureDestinationTest() override {
    timers_.reset();
    executor_.drop_all();
  }

  template <class Op, class Output, class Note>
  void note(Note note) {
    registry_.add<Op>([this, note](wire::Context& context, const typename Op::Request& request) -> Task<Output> {
      if (refusal_) throw *refusal_;
      by_.push_back(context.principal);
      note(request);
      co_return Output{};
    });
  }

  static Mapping mapping_to(std::string destination) {
    Mapping mapping;
    mapping.uuid = "u";
    mapping.account = "000000000000";
    mapping.region = "us-east-1";
    mapping.function_arn = "arn:aws:lambda:us-east-1:000000000000:function:f:live";
    mapping.event_source_arn = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/x";
    mapping.failure_destination = std::move(destination);
    mapping.count_events = true;
    return mapping;
  }

  // Once it has been enqueued `meanwhile` happens, and then a day passes.
  void send_to(std::string destination, const std::function<void()>& meanwhile = [] {}) {
    const Mapping mapping = mapping_to(std::move(destination));
    if (!is_kept_) keep(mapping);
    DiscardedBatch batch;
    batch.shard_id = "s";
    batch.count = 7;
    enqueue(failure_delivery(mapping, batch, clock_.now()).value());
    meanwhile();
    const base::Executor::Enter enter(executor_);
    clock_.advance_to(clock_.now() + std::chrono::hours(25), [] {});
    executor_.run_until_idle();
  }

  // As a shard does it with its progress.
  void enqueue(store::Delivery delivery) {
    const base::Executor::Enter enter(executor_);
    const auto claim = ownership_.claim("mapping/u/s", {});
    CheckpointSaver saver(*store_, clock_, claim->tenure(), "u", "s", &rights_);
    ShardChange change;
    change.deliveries.push_back(std::move(delivery));
    saver.save(std::move(change));
    executor_.run_until_idle();
  }

  void write(std::string key, std::optional<std::string> value) {
    base::Scope scope;
    const base::Executor::Enter enter(executor_);
    scope.spawn([](store::Store& store, std::string key, std::optional<std::string> value) -> Task<void> {
      co_await store.transact([&](store::Transaction& txn) -> Task<void> {
        if (value) txn.put(key, *value);
        else txn.erase(key);
        co_return;
      });
    }(*store_, std::move(key), std::move(value)));
    executor_.run_until_idle();
  }

  void keep(const Mapping& mapping) {
    is_kept_ = true;
    write(mapping_key(mapping.uuid), encode_mapping(mapping));
  }

  // Of the function; empty: it is gone.
  void answer_with_role() {
    registry_.add<wire::lambda::ops::GetFunctionConfiguration>(
        [this](wire::Context&, const wire::lambda::GetFunctionConfigurationInput&)
            -> Task<wire::lambda::FunctionConfiguration> {
          if (role_.empty()) throw wire::Error("ResourceNotFoundException", 404, "Function not found");
          co_return wire::lambda::FunctionConfiguration{.role = role_};
        });
  }

  std::map<std::string, double> sums() {
    std::map<std::string, double> sums;
    for (const auto& gathered : usage_.take()) {
      sums[std::string(gathered.metric->name) + " of " + gathered.resource] += gathered.values.sum();
    }
    return sums;
  }

  wire::PlatformMetrics usage_{clock_};
  std::unique_ptr<TimerService> timers_ = std::make_unique<TimerService>(*store_, clock_);
  Deliveries deliveries_{*store_, clock_, *timers_};
  SoleOwnership ownership_;
  MappingRights rights_{platform_};
  bool is_kept_ = false;
  std::string role_;
  std::vector<wire::Principal> by_;
  std::vector<std::string> sent_;
  std::vector<std::string> keys_;
  std::optional<wire::Error> refusal_;
};

TEST_F(FailureDestinationTest, AQueueAndATopicGetTheDocument) {
  for (const char* destination : {"arn:aws:sqs:us-east-1:000000000000:q", "arn:aws:sns:us-east-1:000000000000:t"}) {
    sent_.clear();
    send_to(destination);
    ASSERT_EQ(sent_.size(), 1u) << destination;
    EXPECT_EQ(json::parse(sent_[0])->find("DDBStreamBatchInfo")->find("batchSize")->to_int64(), 7);
    EXPECT_EQ(sums(), (std::map<std::string, double>{{"OnFailureDestinationDeliveredEventCount of u", 7}}));
  }
}

TEST_F(FailureDestinationTest, ABucketGetsAnObjectOfItsOwn) {
  send_to("arn:aws:s3:::b");
  ASSERT_EQ(keys_.size(), 1u);
  EXPECT_TRUE(keys_[0].starts_with("aws/lambda/u/s/2026/03/14/2026-03-14T00.00.00-")) << keys_[0];
}

class Allows : public wire::Authorizer {
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
};

TEST_F(FailureDestinationTest, OfAFunctionThatIsGoneItsRoleTells) {
  Allows authorizer;
  platform_.authorizer = &authorizer;
  answer_with_role();
  Mapping mapping;
  mapping.uuid = "u";
  mapping.last_role = "arn:aws:iam::000000000000:role/r";
  keep(mapping);
  send_to("arn:aws:sqs:us-east-1:000000000000:q");
  ASSERT_EQ(by_.size(), 1u);
  ASSERT_EQ(by_[0].kind(), wire::Principal::Kind::role);
  EXPECT_EQ(by_[0].standing()->role_arn, mapping.last_role);
  EXPECT_EQ(by_[0].standing()->session_name, "f");
}

// Its records are discarded already, so there is no other way to know of them.
TEST_F(FailureDestinationTest, WhatIsOnItsWayGoesUnderItsRoleThoughTheMappingAndTheFunctionAreGone) {
  Allows authorizer;
  platform_.authorizer = &authorizer;
  answer_with_role();
  role_ = "arn:aws:iam::000000000000:role/r";
  refusal_ = wire::Error("ServiceUnavailable", 503, "Try again.");
  send_to("arn:aws:sqs:us-east-1:000000000000:q", [this] {
    refusal_.reset();
    role_.clear();
    write(mapping_key("u"), std::nullopt);
  });
  ASSERT_EQ(by_.size(), 1u);
  ASSERT_EQ(by_[0].kind(), wire::Principal::Kind::role);
  EXPECT_EQ(by_[0].standing()->role_arn, "arn:aws:iam::000000000000:role/r");
  EXPECT_EQ(sums(), (std::map<std::string, double>{{"OnFailureDestinationDeliveredEventCount of u", 7}}));
}

TEST_F(FailureDestinationTest, WhatWasOnItsWayBeforeRolesWereKeptIsThePlatforms) {
  const Mapping mapping = mapping_to("arn:aws:sqs:us-east-1:000000000000:q");
  store::Delivery delivery = failure_delivery(mapping, {.count = 7}, clock_.now()).value();
  // A format without the role, which was empty: its length alone.
  std::string before;
  base::append_u8(before, 1);
  std::string no_role;
  base::append_string(no_role, "");
  before += delivery.payload.substr(1 + no_role.size());
  delivery.payload = before;
  EXPECT_EQ(json::parse(document_in(delivery))->find("DDBStreamBatchInfo")->find("batchSize")->to_int64(), 7);
  keep(mapping_to(""));
  enqueue(std::move(delivery));
  ASSERT_EQ(by_.size(), 1u);
  EXPECT_EQ(by_[0].kind(), wire::Principal::Kind::platform);
}

TEST_F(FailureDestinationTest, WhatIsRefusedCountsAsDropped) {
  refusal_ = wire::Error("AWS.SimpleQueueService.NonExistentQueue", 400, "The specified queue does not exist.");
  send_to("arn:aws:sqs:us-east-1:000000000000:q");
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(sums(),
            (std::map<std::string, double>{{"DroppedEventCount of u", 7}, {"DestinationDeliveryFailures of f", 1}}));
}

}  // namespace
}  // namespace tidemill::engine
