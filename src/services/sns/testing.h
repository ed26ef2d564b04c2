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
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/deliveries.h"
#include "engine/targets/senders.h"
#include "services/sns/operations.h"
#include "services/sns/service.h"
#include "services/sqs/service.h"
#include "services/test_world.h"
#include "wire/shapes/sqs.h"

namespace tidemill::sns::testing {

namespace ops = shapes::ops;

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"sqs"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  wire::Context context(wire::Principal principal = "tester") {
    wire::Context result(*platform, std::string(kAccount), std::string(kRegion), "request", std::move(principal));
    result.endpoint = kEndpoint;
    return result;
  }

  // The answer; an error is thrown.
  template <class Op>
  typename Op::Response ask(typename Op::Request request, wire::Principal principal = "tester") {
    wire::Context caller = context(std::move(principal));
    return await(registry->call<Op>(caller, request));
  }
  // "InvalidParameterException: …", or "" if it is not refused.
  template <class Op>
  std::string refusal(typename Op::Request request, wire::Principal principal = "tester") {
    wire::Context caller = context(std::move(principal));
    return await(refusal_of<Op>(*registry, caller, request));
  }

  static std::string queue_arn(std::string_view name) {
    return base::cat("arn:aws:sqs:", kRegion, ":", kAccount, ":", name);
  }

  std::string create_topic(std::string name, AttributeMap attributes = {}) {
    if (name.ends_with(kFifoSuffix)) attributes["FifoTopic"] = "true";
    return *ask<ops::CreateTopic>({.name = std::move(name), .attributes = std::move(attributes)}).topic_arn;
  }
  void create_queue(std::string_view name) {
    const std::string_view fifo = name.ends_with(kFifoSuffix) ? R"("FifoQueue":"true")" : "";
    (void)run("CreateQueue", base::cat(R"({"QueueName":")", name, R"(","Attributes":{)", fifo, "}}"));
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

  // All that can be received now, removed from the queue.
  std::vector<std::string> bodies(std::string_view queue) {
    std::vector<std::string> result;
    for (;;) {
      const json::Value answer =
          TestWorld::ask("ReceiveMessage", base::cat(R"({"QueueUrl":")", queue, R"(","MaxNumberOfMessages":10})"));
      const json::Value* messages = answer.find("Messages");
      if (!messages) return result;
      for (const json::Value& message : messages->array()) {
        result.push_back(message.find("Body")->string());
        (void)run("DeleteMessage", base::cat(R"({"QueueUrl":")", queue, R"(","ReceiptHandle":")",
                                             message.find("ReceiptHandle")->string(), "\"}"));
      }
    }
  }

  // How many entries SNS keeps of messages and their deliveries.
  size_t entries_left() {
    size_t count = 0;
    const auto snapshot = store->snapshot();
    for (const std::string prefix : {"Nm", "Nc", "Nl", "D"}) {
      await(count_entries(*snapshot, prefix, count));
    }
    return count;
  }

  std::vector<net::HttpCall> calls;              // that were made
  // Asked at each message that is delivered to a queue.
  std::function<bool(const wire::sqs::SendMessageInput&)> queues_fail = [](const auto&) { return false; };
  std::function<int(const net::HttpCall&)> answer_with = [](const net::HttpCall&) { return 200; };
  std::unique_ptr<Service> service;
  std::unique_ptr<sqs::Service> queues;
  std::unique_ptr<engine::Deliveries> deliveries;

 private:
  template <class Op>
  static Task<std::string> refusal_of(wire::Registry& registry, wire::Context& caller,
                                      const typename Op::Request& request) {
    try {
      (void)co_await registry.call<Op>(caller, request);
    } catch (const wire::Error& error) {
      co_return error.code + ": " + error.message;
    }
    co_return "";
  }

  static Task<bool> count_entries(store::Snapshot& snapshot, std::string prefix, size_t& count) {
    const store::Range range = store::Range::prefix(prefix);
    co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view, std::string_view) {
      ++count;
      return true;
    });
    co_return true;
  }

  Task<net::HttpAnswer> answer(net::HttpCall call) {
    co_await base::yield();
    calls.push_back(call);
    co_return net::HttpAnswer{.status = answer_with(call)};
  }

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
    queues = std::make_unique<sqs::Service>(*store, clock);
    queues->register_operations(*registry);
    queues->register_timers(*timers);
    deliveries = std::make_unique<engine::Deliveries>(*store, clock, *timers);
    // SNS reaches the queues by way of this, so that they may fail it.
    delivery_registry_ = std::make_unique<wire::Registry>();
    delivery_platform_ =
        std::make_unique<wire::Platform>(wire::Platform{*store, clock, metrics, *delivery_registry_, &gathered});
    using Send = wire::sqs::ops::SendMessage;
    delivery_registry_->add<Send>([this](wire::Context& caller, const Send::Request& request) {
      if (queues_fail(request)) throw wire::Error("InternalFailure", 500, "out of order");
      return registry->call<Send>(caller, request);
    });
    const engine::HttpSend http = [this](net::HttpCall call) { return answer(std::move(call)); };
    service = std::make_unique<Service>(*delivery_platform_, http,
                                        ServiceOptions{.directory = key_directory(),
                                                       .endpoint = std::string(kEndpoint),
                                                       .signs_on_thread = false});
    service->register_operations(*registry);
    service->register_timers(*timers, *deliveries);
    engine::add_senders(*deliveries, *delivery_platform_, http);
  }
  void drop_services() override {
    service.reset();
    deliveries.reset();
    queues.reset();
    delivery_platform_.reset();
    delivery_registry_.reset();
  }

  std::unique_ptr<wire::Registry> delivery_registry_;
  std::unique_ptr<wire::Platform> delivery_platform_;
};

}  // namespace tidemill::sns::testing
