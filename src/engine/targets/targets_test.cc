// The senders against a registry of their own, whose operations note what they are asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sim_executor.h"
#include "engine/targets/bucket_target.h"
#include "engine/targets/queue_target.h"
#include "engine/targets/topic_target.h"
#include "store/sim_store.h"
#include "wire/registry.h"
#include "wire/shapes/s3.h"
#include "wire/shapes/sns.h"

namespace tidemill::engine {
namespace {

using store::SendStatus;

class TargetsTest : public testing::Test {
 protected:
  TargetsTest() : store_(store::make_sim_store(disk_, executor_, clock_, store::SimFaults::none())) {
    registry_.add<wire::sns::ops::Publish>([this](wire::Context& context, const wire::sns::PublishInput& request) {
      return answer<wire::sns::PublishOutput>(context, request, published_);
    });
    registry_.add<wire::s3::ops::PutObject>([this](wire::Context& context, const wire::s3::PutObjectInput& request) {
      return answer<wire::s3::PutObjectOutput>(context, request, put_);
    });
  }

  template <class Answer, class Request>
  Task<Answer> answer(wire::Context& context, const Request& request, std::vector<Request>& noted) {
    account_ = context.account;
    region_ = context.region;
    if (refusal_) throw *refusal_;
    noted.push_back(request);
    co_return Answer{};
  }

  store::SendOutcome run(Task<store::SendOutcome> task) {
    std::optional<store::SendOutcome> outcome;
    const base::Executor::Enter enter(executor_);
    base::Scope scope;
    scope.spawn([](Task<store::SendOutcome> one, std::optional<store::SendOutcome>& out) -> Task<void> {
      out.emplace(co_await std::move(one));
    }(std::move(task), outcome));
    while (!outcome && executor_.run_one()) {
    }
    return outcome.value();
  }

  base::VirtualClock clock_{base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)),
                            base::VirtualClock::Mode::manual};
  base::SimExecutor executor_{1, clock_.activity()};
  base::Metrics metrics_;
  store::SimDisk disk_;
  std::unique_ptr<store::SimStore> store_;
  wire::Registry registry_;
  wire::Platform platform_{*store_, clock_, metrics_, registry_};

  std::vector<wire::sns::PublishInput> published_;
  std::vector<wire::s3::PutObjectInput> put_;
  std::optional<wire::Error> refusal_;
  std::string account_;
  std::string region_;
};

constexpr std::string_view kTopic = "arn:aws:sns:eu-west-1:123456789012:news";
constexpr std::string_view kBucket = "arn:aws:s3:::photos";

TEST_F(TargetsTest, AMessageIsPublishedInTheTopicsAccountAndRegion) {
  const TopicMessage message{.body = "text", .subject = "about", .attributes = {{"kind", "String", "a"}}};
  EXPECT_EQ(run(publish_to_topic(platform_, kTopic, message)).status, SendStatus::delivered);
  ASSERT_EQ(published_.size(), 1u);
  EXPECT_EQ(published_[0].topic_arn, kTopic);
  EXPECT_EQ(published_[0].message, "text");
  EXPECT_EQ(published_[0].subject, "about");
  EXPECT_EQ(published_[0].message_attributes->at("kind").string_value, "a");
  EXPECT_EQ(account_, "123456789012");
  EXPECT_EQ(region_, "eu-west-1");
}

TEST_F(TargetsTest, AnObjectIsPutIntoTheBucketThatTheArnNames) {
  const BucketObject object{.key = "a/b.json", .content_type = "application/json", .body = "{}"};
  EXPECT_EQ(run(put_into_bucket(platform_, kBucket, object)).status, SendStatus::delivered);
  ASSERT_EQ(put_.size(), 1u);
  EXPECT_EQ(put_[0].bucket, "photos");
  EXPECT_EQ(put_[0].key, "a/b.json");
  EXPECT_EQ(put_[0].content_type, "application/json");
  EXPECT_EQ(put_[0].body.take_whole(), "{}");
}

TEST_F(TargetsTest, WhatIsNoBucketsArnIsRejected) {
  EXPECT_EQ(run(put_into_bucket(platform_, kTopic, {.key = "a"})).status, SendStatus::rejected);
  EXPECT_TRUE(put_.empty());
}

TEST_F(TargetsTest, ARefusalThatStaysIsRejectedAndOneThatPassesIsTriedAgain) {
  refusal_ = wire::Error("NotFound", 404, "Topic does not exist");
  const auto lost = run(publish_to_topic(platform_, kTopic, {.body = "text"}));
  EXPECT_EQ(lost.status, SendStatus::rejected);
  EXPECT_EQ(lost.error, "NotFound: Topic does not exist");
  refusal_ = wire::Error("Throttling", 429, "later");
  EXPECT_EQ(run(put_into_bucket(platform_, kBucket, {.key = "a"})).status, SendStatus::unavailable);
  refusal_ = wire::Error("InternalError", 500, "broken");
  EXPECT_EQ(run(put_into_bucket(platform_, kBucket, {.key = "a"})).status, SendStatus::failed);
}

TEST(TargetPayloadTest, MessagesAndObjectsAreReadAsTheyWereWritten) {
  const TopicMessage message{
      .body = std::string("a\0b", 3), .subject = "s", .attributes = {{"n", "Binary", "\xff"}}, .group_id = "g"};
  const TopicMessage read = decode_topic_message(encode_topic_message(message));
  EXPECT_EQ(read.body, message.body);
  EXPECT_EQ(read.subject, "s");
  EXPECT_EQ(read.attributes.at(0).value, "\xff");
  EXPECT_EQ(read.group_id, "g");

  const QueueMessage queued = decode_queue_message(encode_queue_message({.body = "b", .attributes = {{"n", "String", "v"}}}));
  EXPECT_EQ(queued.body, "b");
  EXPECT_EQ(queued.attributes.at(0).name, "n");

  const QueueLetter letter{{.role_arn = "r", .session_name = "s", .service = "v", .source_arn = "a"}, {.body = "b"}};
  const QueueLetter sent = decode_queue_letter(encode_queue_letter(letter));
  EXPECT_EQ(sent.by.role_arn + sent.by.session_name + sent.by.service + sent.by.source_arn + sent.message.body, "rsvab");

  const BucketObject object = decode_bucket_object(encode_bucket_object({.key = "k", .content_type = "t", .body = "b"}));
  EXPECT_EQ(object.key + object.content_type + object.body, "ktb");
}

TEST(TargetPayloadTest, DamagedPayloadsAreNotSent) {
  EXPECT_THROW((void)decode_topic_message("\x02"), std::runtime_error);
  EXPECT_THROW((void)decode_bucket_object(""), std::runtime_error);
  EXPECT_THROW((void)decode_queue_message("\x01"), std::runtime_error);
  EXPECT_THROW((void)decode_queue_letter("\x01"), std::runtime_error);
}

}  // namespace
}  // namespace tidemill::engine
