// Topics over the simulated store: what unit tests tell faster or more exactly than clients of a server can.
#include "services/sns/testing.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/base64.h"
#include "services/sns/delivery_policy.h"
#include "services/sns/envelope.h"
#include "services/sns/filtering.h"
#include "services/sns/subscription_attributes.h"
#include "store/test_executor.h"

namespace tidemill::sns {
namespace {

using namespace std::chrono_literals;
using testing::World;
namespace ops = shapes::ops;
using Texts = std::vector<std::string>;

TEST(TopicsTest, AMessageReachesItsQueuesWithoutTimePassingAndLeavesNothing) {
  World world;
  const std::string topic = world.create_topic("t");
  for (const char* queue : {"a", "b", "c"}) {
    world.create_queue(queue);
    world.subscribe_queue(topic, queue);
  }
  const base::Time before = world.clock.now();
  world.publish(topic, "hello");
  world.settle();
  EXPECT_EQ(world.clock.now(), before);
  for (const char* queue : {"a", "b", "c"}) EXPECT_EQ(world.bodies(queue), Texts{"hello"});
  EXPECT_EQ(world.entries_left(), 0u);
}

TEST(TopicsTest, AcknowledgedMessagesSurviveACrash) {
  World world;
  const std::string topic = world.create_topic("t");
  world.create_queue("q");
  world.subscribe_queue(topic, "q");
  world.publish(topic, "hello");
  world.crash();
  world.settle();
  EXPECT_EQ(world.bodies("q"), Texts{"hello"});
}

TEST(TopicsTest, AFailedMessageOfAGroupHoldsBackThoseBehindIt) {
  World world;
  const std::string topic = world.create_topic("t.fifo");
  world.create_queue("q.fifo");
  world.subscribe_queue(topic, "q.fifo");
  int failures = 6;  // the first attempt, three at once, one after a second, one after another
  world.queues_fail = [&](const auto& request) {
    return request.message_group_id == "g" && failures > 0 && failures-- > 0;
  };
  for (const char* text : {"1", "2", "3"}) world.publish(topic, text, "g");
  world.publish(topic, "other", "h");
  world.advance(1500ms);
  EXPECT_EQ(world.bodies("q.fifo"), Texts{"other"});
  world.advance(2s);
  EXPECT_EQ(world.bodies("q.fifo"), (Texts{"1", "2", "3"}));
  EXPECT_EQ(world.entries_left(), 0u);
}

TEST(TopicsTest, AQueueThatFailsDelaysNoOther) {
  World world;
  const std::string topic = world.create_topic("t");
  for (const char* queue : {"a", "b"}) {
    world.create_queue(queue);
    world.subscribe_queue(topic, queue);
  }
  int sends = 0;
  world.queues_fail = [&](const auto&) { return sends++ < 1; };
  world.publish(topic, "x");
  world.settle();
  EXPECT_EQ(world.bodies("a").size() + world.bodies("b").size(), 2u) << "the first retry comes without delay";
  EXPECT_EQ(sends, 3);
  EXPECT_EQ(world.entries_left(), 0u);
}

TEST(TopicsTest, WhoLeavesGetsNoMoreAndHoldsUpNothing) {
  World world;
  const std::string topic = world.create_topic("t.fifo");
  world.create_queue("q.fifo");
  const std::string subscription = world.subscribe_queue(topic, "q.fifo");
  for (const char* text : {"1", "2", "3"}) world.publish(topic, text, "g");
  (void)world.ask<ops::Unsubscribe>({.subscription_arn = subscription});
  world.settle();
  EXPECT_EQ(world.entries_left(), 0u);
}

TEST(TopicsTest, ADeletedTopicLeavesNothing) {
  World world;
  const std::string topic = world.create_topic("t.fifo");
  world.create_queue("q.fifo");
  world.subscribe_queue(topic, "q.fifo");
  world.publish(topic, "1", "g");
  world.publish(topic, "2", "g");
  (void)world.ask<ops::DeleteTopic>({.topic_arn = topic});
  world.settle();
  EXPECT_EQ(world.entries_left(), 0u);
  EXPECT_EQ(world.refusal<ops::Publish>(World::publish_request(topic, "x", "g")),
            "NotFoundException: Topic does not exist");
}

TEST(TopicsTest, AUrlIsTriedAgainByItsPolicyAndThenTheDeadLetterQueueGetsTheMessageOnce) {
  World world;
  const std::string topic = world.create_topic("t");
  world.create_queue("dead");
  world.subscribe_url(topic, "http://127.0.0.1:1/x",
                      {{"RedrivePolicy", base::cat(R"({"deadLetterTargetArn":")", World::queue_arn("dead"), "\"}")},
                       {"DeliveryPolicy", R"({"healthyRetryPolicy":{"numRetries":4,"numNoDelayRetries":2,
                          "minDelayTarget":10,"maxDelayTarget":10}})"}});
  world.answer_with = [](const net::HttpCall&) { return 500; };
  const size_t before = world.calls.size();
  world.publish(topic, "x");
  world.settle();
  EXPECT_EQ(world.calls.size(), before + 3) << "the first attempt and two at once";
  world.advance(10s);
  EXPECT_EQ(world.calls.size(), before + 4);
  EXPECT_EQ(world.bodies("dead"), Texts{});
  world.advance(10s);
  EXPECT_EQ(world.calls.size(), before + 5);
  EXPECT_EQ(world.bodies("dead"), Texts{"x"});
  world.advance(1h);
  EXPECT_EQ(world.calls.size(), before + 5);
  EXPECT_EQ(world.bodies("dead"), Texts{});
  EXPECT_EQ(world.entries_left(), 0u);
}

TEST(TopicsTest, ATokenIsASecretAndOnlyItsSubscriptionsOwn) {
  World world;
  const std::string topic = world.create_topic("t");
  world.subscribe(topic, "http", "http://127.0.0.1:1/a");
  world.subscribe(topic, "http", "http://127.0.0.1:1/b");
  world.settle();
  const std::string a = World::parse(world.calls[0].body).find("Token")->string();
  const std::string b = World::parse(world.calls[1].body).find("Token")->string();
  const std::string mixed = a.substr(0, 32) + b.substr(32);
  for (const std::string& token : {mixed, a.substr(0, a.size() - 1), std::string("x"), a + "0"}) {
    EXPECT_EQ(world.refusal<ops::ConfirmSubscription>({.topic_arn = topic, .token = token}, wire::Principal()),
              "InvalidParameterException: Invalid token");
  }
  EXPECT_EQ(world.refusal<ops::ConfirmSubscription>({.topic_arn = topic, .token = a}, wire::Principal()), "");
}

TEST(TopicsTest, SignaturesAreThoseOfTheCertificate) {
  World world;
  const std::string topic = world.create_topic("t", {{"SignatureVersion", "2"}});
  world.create_queue("q");
  world.subscribe_queue(topic, "q", {{"RawMessageDelivery", "false"}});
  world.publish(topic, "text");
  world.settle();
  const json::Value message = World::parse(world.bodies("q").at(0));
  const auto text = [&](std::string_view name) { return message.find(name)->string(); };
  const std::string to_sign = base::cat("Message\ntext\nMessageId\n", text("MessageId"), "\nTimestamp\n",
                                        text("Timestamp"), "\nTopicArn\n", topic, "\nType\nNotification\n");
  const std::string path = text("SigningCertURL").substr(World::kEndpoint.size());
  const auto pem = world.await(world.service->certificate(path));
  ASSERT_TRUE(pem);
  BIO* bio = BIO_new_mem_buf(pem->data(), static_cast<int>(pem->size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  ASSERT_TRUE(certificate);
  const std::string signature = base::base64_decode(text("Signature")).value_or("");
  EVP_MD_CTX* check = EVP_MD_CTX_new();
  EXPECT_EQ(EVP_DigestVerifyInit(check, nullptr, EVP_sha256(), nullptr, X509_get0_pubkey(certificate)), 1);
  EXPECT_EQ(EVP_DigestVerify(check, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                             reinterpret_cast<const unsigned char*>(to_sign.data()), to_sign.size()),
            1);
  EVP_MD_CTX_free(check);
  X509_free(certificate);
  BIO_free(bio);
}

TEST(TopicsTest, ArnsOfQueuesNameAQueueThatCanBe) {
  const std::string start = "arn:aws:sqs:us-east-1:000000000000:";
  EXPECT_TRUE(is_queue_arn(start + "q"));
  EXPECT_TRUE(is_queue_arn(start + "a_b-C.fifo"));
  EXPECT_TRUE(is_queue_arn(start + std::string(80, 'q')));
  for (const std::string& arn : {start, start + "a:b", start + "a b", start + std::string(81, 'q'), start + ".fifo",
                                 std::string("arn:aws:sqs:us-east-1::q"), std::string("arn:aws:sqs:q"), std::string()}) {
    EXPECT_FALSE(is_queue_arn(arn)) << arn;
  }
}

TEST(DeliveryPolicyTest, ManagedEndpointsHaveFourPhases) {
  const store::RetryPolicy policy = managed_retries();
  EXPECT_EQ(policy.attempts_max, 100'015);
  ASSERT_EQ(policy.delays.size(), 3u + 2u + 10u + 1u);
  EXPECT_EQ(policy.delays[2], base::Duration(0));
  EXPECT_EQ(policy.delays[3], 1s);
  EXPECT_EQ(policy.delays[5], 1s);
  EXPECT_EQ(policy.delays[14], 20s);
  EXPECT_EQ(policy.delays[15], 20s);
  EXPECT_TRUE(std::is_sorted(policy.delays.begin(), policy.delays.end()));
}

TEST(DeliveryPolicyTest, EveryBackoffGrowsFromTheLeastDelayToTheGreatest) {
  for (const std::string function : {"linear", "arithmetic", "geometric", "exponential"}) {
    const auto policy = parse_subscription_delivery_policy(
        base::cat(R"({"healthyRetryPolicy":{"numRetries":12,"numNoDelayRetries":1,"numMinDelayRetries":1,)",
                  R"("numMaxDelayRetries":2,"minDelayTarget":2,"maxDelayTarget":100,"backoffFunction":")", function,
                  "\"}}"));
    const store::RetryPolicy retries = retries_of(policy.healthy);
    EXPECT_EQ(retries.attempts_max, 13);
    ASSERT_EQ(retries.delays.size(), 12u) << function;
    EXPECT_EQ(retries.delays[0], base::Duration(0));
    EXPECT_EQ(retries.delays[2], 2s) << function;
    EXPECT_EQ(retries.delays[9], 100s) << function;
    EXPECT_TRUE(std::is_sorted(retries.delays.begin(), retries.delays.end())) << function;
  }
}

TEST(DeliveryPolicyTest, PoliciesThatMakeNoSenseAreRefused) {
  for (const char* policy : {
           R"({"numRetries":101})", R"({"numRetries":-1})", R"({"minDelayTarget":0})", R"({"maxDelayTarget":3601})",
           R"({"minDelayTarget":30,"maxDelayTarget":20})", R"({"numRetries":1,"numNoDelayRetries":2})",
           R"({"backoffFunction":"random"})", R"({"colour":1})",
           R"({"numRetries":100,"minDelayTarget":3000,"maxDelayTarget":3600})"}) {
    EXPECT_THROW((void)parse_subscription_delivery_policy(base::cat(R"({"healthyRetryPolicy":)", policy, "}")),
                 wire::Error)
        << policy;
  }
  EXPECT_THROW((void)parse_subscription_delivery_policy(R"({"throttlePolicy":{"maxReceivesPerSecond":5}})"), wire::Error);
  EXPECT_THROW((void)parse_subscription_delivery_policy(R"({"requestPolicy":{"headerContentType":"x/y"}})"), wire::Error);
  EXPECT_THROW((void)parse_topic_delivery_policy(R"({"sqs":{}})"), wire::Error);
}

TEST(FifoTopics, PublishersOfOneTopicShareCommits) {
  World world;
  const std::string topic = world.create_topic("t.fifo");
  world.settle();
  // Nobody is subscribed, so all that commits is the publishing.
  const auto commits = [&] { return world.store->snapshot()->version().value; };  // the clock stands
  const uint64_t before = commits();
  int answered = 0;
  for (int i = 0; i < 50; ++i) {
    const base::Executor::Enter enter(world.executor);
    world.tasks.spawn([](World& all, std::string arn, int number, int& done) -> Task<void> {
      wire::Context caller = all.context();
      (void)co_await all.registry->call<testing::ops::Publish>(
          caller, World::publish_request(arn, std::to_string(number), "g" + std::to_string(number)));
      ++done;
    }(world, topic, i, answered));
  }
  while (answered < 50 && world.executor.run_one()) {
  }
  EXPECT_EQ(answered, 50);
  EXPECT_LT(commits() - before, 25u);
}

TEST(FilteringTest, OthersHaveTheirTurnBetweenTheFiltersOfManySubscribers) {
  Subscription wants_b;
  wants_b.filter = lang::patterns::Pattern::parse(R"({"a":["b"]})", lang::patterns::event_bridge());
  Subscription wants_c;
  wants_c.filter = lang::patterns::Pattern::parse(R"({"a":["c"]})", lang::patterns::event_bridge());
  std::vector<SubscriptionPtr> all(500, std::make_shared<const Subscription>(std::move(wants_b)));
  all.resize(1000, std::make_shared<const Subscription>(std::move(wants_c)));
  const Message message{.attributes = {{"a", "String", "c"}}};

  store::TestExecutor executor(nullptr, store::TestExecutor::Slices::none);
  base::Scope scope;
  std::optional<Receivers> result;
  {
    const base::Executor::Enter enter(executor);
    scope.spawn([](const Message& what, const std::vector<SubscriptionPtr>& whom,
                   std::optional<Receivers>& out) -> Task<void> {
      out = co_await receivers_of(what, whom);
    }(message, all, result));
  }
  size_t turns = 0;
  executor.run_until([&] { return result || ++turns > 2 * all.size(); });
  ASSERT_TRUE(result);
  EXPECT_GE(turns, all.size());
  EXPECT_EQ(result->subscriptions.size(), 500u);
  EXPECT_EQ(result->filtered_by_attributes, 500u);
}

TEST(TopicTags, ThatCannotBeAreRefusedAtTheCreationAndLater) {
  constexpr const char* kReserved =
      "InvalidParameterException: Invalid parameter: Tags Reason: Tag keys that begin with aws: are reserved for AWS.";
  constexpr const char* kNoTag = "InvalidParameterException: Invalid parameter: Tags";
  World world;
  const std::string topic = world.create_topic("t");
  const auto refused = [&](const std::string& key, const std::string& value, const char* words) {
    const std::vector<shapes::Tag> tags{{.key = key, .value = value}};
    EXPECT_EQ(world.refusal<ops::CreateTopic>({.name = "other", .tags = tags}), words) << key;
    EXPECT_EQ(world.refusal<ops::TagResource>({.resource_arn = topic, .tags = tags}), words) << key;
  };
  for (const char* key : {"aws:a", "AWS:a"}) {
    refused(key, "1", kReserved);
    EXPECT_EQ(world.refusal<ops::UntagResource>({.resource_arn = topic, .tag_keys = {"a", key}}), kReserved);
  }
  refused("", "1", kNoTag);
  refused(std::string(129, 'k'), "1", kNoTag);
  refused("k", std::string(257, 'v'), kNoTag);
  refused("a!", "1", kNoTag);
  refused("a", "{1}", kNoTag);
  EXPECT_TRUE(world.ask<ops::ListTagsForResource>({.resource_arn = topic}).tags->empty());
  EXPECT_EQ(world.ask<ops::ListTopics>({}).topics->size(), 1u);
}

}  // namespace
}  // namespace tidemill::sns
