// For tests: the whole service over the simulated store, asked as clients ask it, one line per request:
//
//   World world;
//   world.create_queue("q");
//   world.send("q", R"("MessageBody":"hello")");
//   EXPECT_EQ(world.receive("q").size(), 1u);
//
// A refusal reads "QueueDoesNotExist: The specified queue does not exist."
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/sqs/service.h"
#include "services/test_world.h"

namespace tidemill::sqs::testing {

struct Received {
  std::string body;
  std::string handle;
  json::Value message;

  // Of the message's system attributes; empty: not there.
  [[nodiscard]] std::string attribute(std::string_view name) const {
    const json::Value* attributes = message.find("Attributes");
    const json::Value* found = attributes ? attributes->find(name) : nullptr;
    return found ? found->string() : "";
  }
};

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none(), ServiceOptions options = {})
      : TestWorld({"sqs"}, seed, faults), options_(options) {
    boot();
  }
  ~World() { shut_down(); }

  // `more`: further members of a request, "\"DelaySeconds\":1".
  static std::string of_queue(std::string_view queue, std::string_view more = "") {
    return base::cat(R"({"QueueUrl":"http://127.0.0.1:4566/)", kAccount, "/", queue, "\"", more.empty() ? "" : ",",
                     more, "}");
  }
  static std::string arn(std::string_view queue) {
    return base::cat("arn:aws:sqs:", kRegion, ":", kAccount, ":", queue);
  }

  void create_queue(std::string_view name, std::string attributes = "") {
    if (name.ends_with(".fifo")) attributes += base::cat(attributes.empty() ? "" : ",", R"("FifoQueue":"true")");
    EXPECT_THAT(run("CreateQueue", base::cat(R"({"QueueName":")", name, R"(","Attributes":{)", attributes, "}}")),
                ::testing::HasSubstr("QueueUrl"));
  }
  // A queue that gives its messages up to `target` after `receives`.
  void create_queue_with_target(std::string_view name, std::string_view target, int receives) {
    create_queue(name, base::cat(R"("RedrivePolicy":"{\"deadLetterTargetArn\":\")", arn(target),
                                 R"(\",\"maxReceiveCount\":)", receives, "}\""));
  }
  json::Value send(std::string_view queue, std::string_view members) {
    return ask("SendMessage", of_queue(queue, members));
  }
  json::Value send_fifo(std::string_view queue, std::string_view body, std::string_view group, std::string_view id) {
    return send(queue, base::cat(R"("MessageBody":")", body, R"(","MessageGroupId":")", group,
                                 R"(","MessageDeduplicationId":")", id, "\""));
  }
  std::vector<Received> receive(std::string_view queue, std::string_view members = R"("MaxNumberOfMessages":10)") {
    return received(
        run("ReceiveMessage",
            of_queue(queue, base::cat(R"("AttributeNames":["All"],"MessageAttributeNames":["All"],)", members))));
  }
  static std::vector<Received> received(const std::string& answer) {
    std::vector<Received> result;
    const json::Value document = parse(answer);
    const json::Value* messages = document.find("Messages");
    if (!messages) return result;
    for (const json::Value& message : messages->array()) {
      result.push_back({message.find("Body")->string(), message.find("ReceiptHandle")->string(), message});
    }
    return result;
  }
  static std::vector<std::string> bodies(const std::vector<Received>& messages) {
    std::vector<std::string> result;
    for (const Received& message : messages) result.push_back(message.body);
    return result;
  }
  std::string remove(std::string_view queue, const Received& message) {
    return run("DeleteMessage", of_queue(queue, base::cat(R"("ReceiptHandle":")", message.handle, "\"")));
  }
  std::string hide(std::string_view queue, const Received& message, int seconds) {
    return run("ChangeMessageVisibility", of_queue(queue, base::cat(R"("ReceiptHandle":")", message.handle,
                                                                    R"(","VisibilityTimeout":)", seconds)));
  }
  // An attribute of the queue; empty: not there.
  std::string attribute(std::string_view queue, std::string_view name) {
    const json::Value answer =
        ask("GetQueueAttributes", of_queue(queue, base::cat(R"("AttributeNames":[")", name, "\"]")));
    const json::Value* attributes = answer.find("Attributes");
    const json::Value* found = attributes ? attributes->find(name) : nullptr;
    return found ? found->string() : "";
  }
  // "visible in-flight delayed"
  std::string counts(std::string_view queue) {
    return base::cat(attribute(queue, "ApproximateNumberOfMessages"), " ",
                     attribute(queue, "ApproximateNumberOfMessagesNotVisible"), " ",
                     attribute(queue, "ApproximateNumberOfMessagesDelayed"));
  }

  std::unique_ptr<Service> service;

 protected:
  void make_services() override {
    service = std::make_unique<Service>(*store, clock, options_);
    service->register_operations(*registry);
    service->register_timers(*timers);
    service->measure_with(gathered);
  }
  void drop_services() override { service.reset(); }

 private:
  const ServiceOptions options_;
};

}  // namespace tidemill::sqs::testing
