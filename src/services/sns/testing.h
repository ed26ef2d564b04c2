// For tests: topics over the simulated store, with queues to deliver to and an HTTP that the test answers:
//
//   World world;
//   const std::string topic = world.create_topic("t");
//   world.create_queue("q");
//   world.subscribe_queue(topic, "q");
//   world.publish(topic, "hello");
//   world.settle();
//   EXPECT_EQ(world.bodies("q"), std::vector<std::string>{"hello"});
//
// Subscriptions are raw unless they are told otherwise.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/sns/operations.h"
#include "services/sns/service.h"
#include "services/sqs/queue_world.h"

namespace tidemill::sns::testing {

namespace ops = shapes::ops;

class World : public services::testing::DeliveryWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : DeliveryWorld({"sqs"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  std::string create_topic(std::string name, AttributeMap attributes = {}) {
    if (name.ends_with(kFifoSuffix)) attributes["FifoTopic"] = "true";
    return *ask<ops::CreateTopic>({.name = std::move(name), .attributes = std::move(attributes)}).topic_arn;
  }
  void create_queue(std::string_view name) {
    QueueWorld::create_queue(name, name.ends_with(kFifoSuffix) ? R"({"FifoQueue":"true"})" : "{}");
  }
  std::string subscribe(const std::string& topic, std::string protocol, std::string endpoint,
                        AttributeMap attributes = {}) {
    return *ask<ops::Subscribe>({.topic_arn = topic,
                                 .protocol = std::move(protocol),
                                 .endpoint = std::move(endpoint),
                                 .attributes = std::move(attributes),
                                 .return_subscription_arn = true})
                .subscription_arn;
  }
  std::string subscribe_queue(const std::string& topic, std::string_view queue, AttributeMap attributes = {}) {
    attributes.emplace("RawMessageDelivery", "true");
    return subscribe(topic, "sqs", queue_arn(queue), std::move(attributes));
  }
  // A URL, which confirms at once.
  std::string subscribe_url(const std::string& topic, std::string url, AttributeMap attributes = {}) {
    attributes.emplace("RawMessageDelivery", "true");
    const size_t before = calls.size();
    std::string arn = subscribe(topic, "http", std::move(url), std::move(attributes));
    settle();
    EXPECT_EQ(calls.size(), before + 1);
    const json::Value letter = parse(calls.back().body);
    (void)ask<ops::ConfirmSubscription>({.topic_arn = topic, .token = letter.find("Token")->string()});
    return arn;
  }
  shapes::PublishOutput publish(const std::string& topic, std::string message, std::string group = "") {
    return ask<ops::Publish>(publish_request(topic, std::move(message), std::move(group)));
  }
  // With a group, the message is its own deduplication id.
  static shapes::PublishInput publish_request(const std::string& topic, std::string message, std::string group) {
    shapes::PublishInput request{.topic_arn = topic, .message = std::move(message)};
    if (group.empty()) return request;
    request.message_deduplication_id = request.message;
    request.message_group_id = std::move(group);
    return request;
  }

  // How many entries SNS keeps of messages and their deliveries.
  size_t entries_left() {
    size_t count = 0;
    for (const std::string prefix : {"Nm", "Nc", "Nl", "D"}) count += entries_below(prefix);
    return count;
  }

  std::unique_ptr<Service> service;

 private:
  // One key for all worlds: making one takes a while.
  static std::filesystem::path key_directory() {
    static const struct Directory {
      std::filesystem::path path =
          std::filesystem::temp_directory_path() / base::cat("tidemill-sns-test-", ::getpid());
      ~Directory() { std::filesystem::remove_all(path); }
    } directory;
    return directory.path;
  }

  void make_services() override {
    make_deliveries();
    service = std::make_unique<Service>(*delivery_platform, http(),
                                        ServiceOptions{.directory = key_directory(),
                                                       .endpoint = std::string(kEndpoint),
                                                       .signs_on_thread = false});
    service->register_operations(*registry);
    service->register_timers(*timers, *deliveries);
  }
  void drop_services() override {
    service.reset();
    drop_deliveries();
  }
};

}  // namespace tidemill::sns::testing
