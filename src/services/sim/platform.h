// For tests: the whole platform on one simulated executor, asked as clients ask it. Tables, streams and mappings are the
// real ones; only functions are coroutines of the test.
//
//   Platform platform;
//   platform.ask("dynamodb", "CreateTable", R"({"TableName":"items", …})");
//   platform.run({.service = "lambda", .operation = "GetEventSourceMapping", .labels = {{"UUID", uuid}}});
//
// A refusal reads "ResourceNotFoundException: The resource you requested does not exist."
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/mappings/mappings.h"
#include "services/dynamodb/service.h"
#include "services/dynamodb/stream_source.h"
#include "services/kinesis/service.h"
#include "services/kinesis/stream_source.h"
#include "services/lambda/event_source_mapping_not_yet.h"
#include "services/lambda/event_source_mappings.h"
#include "services/sqs/service.h"
#include "services/test_world.h"
#include "wire/shapes/lambda.h"

namespace tidemill::sim {

// Functions that are coroutines of the test. Without one, every call succeeds.
class Functions final : public engine::Invoker {
 public:
  using Handler = std::function<Task<engine::InvokeOutcome>(std::string function_arn, std::string payload)>;

  Task<engine::InvokeOutcome> invoke(std::string_view function_arn, std::string payload) override {
    if (!handler) co_return engine::InvokeOutcome{};
    const Handler running = handler;
    co_return co_await running(std::string(function_arn), std::move(payload));
  }

  Handler handler;
};

class Platform : public services::testing::TestWorld {
 public:
  explicit Platform(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({}, seed, faults) {
    boot();
  }
  ~Platform() { shut_down(); }

  // A table with partition key id of type S and a stream of both images; its stream's ARN.
  std::string create_table(std::string_view name) {
    const json::Value created = ask(
        "dynamodb", "CreateTable",
        R"({"TableName":")" + std::string(name) +
            R"(","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],)"
            R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],)"
            R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})");
    settle();
    return created.find("TableDescription")->find("LatestStreamArn")->string();
  }

  Functions functions;
  std::set<std::string> function_names{"f", "g"};
  // Emptied and followed by crash(): options are kept that nothing runs yet.
  std::span<const lambda::NotYetRun> not_yet_run = lambda::not_yet_run();
  int function_timeout_seconds = 3;
  uint64_t last_uuid = 0;

  std::unique_ptr<dynamodb::Service> dynamodb;
  std::unique_ptr<kinesis::Service> kinesis;
  std::unique_ptr<sqs::Service> sqs;
  std::unique_ptr<dynamodb::DynamodbStreamSource> table_streams;
  std::unique_ptr<kinesis::KinesisStreamSource> data_streams;
  std::unique_ptr<lambda::EventSourceMappings> event_source_mappings;
  engine::SoleOwnership ownership;
  std::unique_ptr<engine::Mappings> mappings;

 private:
  void make_services() override {
    dynamodb = std::make_unique<dynamodb::Service>(*store, clock);
    kinesis = std::make_unique<kinesis::Service>(*store, clock);
    sqs = std::make_unique<sqs::Service>(*store, clock);
    table_streams = std::make_unique<dynamodb::DynamodbStreamSource>(*store, clock);
    data_streams = std::make_unique<kinesis::KinesisStreamSource>(
        *kinesis, metrics, [](const std::string&) { return Task<std::string>::ready("arn:aws:iam::000000000000:role/r"); });
    const std::vector<engine::StreamSource*> sources{table_streams.get(), data_streams.get()};
    const auto exists = [this](const lambda::FunctionReference& function) {
      return Task<bool>::ready(function.is_latest() && function_names.contains(function.address.name));
    };
    // UUIDs in the order of creation: random ones would change the order of things from run to run.
    const auto new_uuid = [this] {
      std::string number = std::to_string(++last_uuid);
      return "00000000-0000-4000-8000-" + std::string(12 - number.size(), '0') + number;
    };
    event_source_mappings = std::make_unique<lambda::EventSourceMappings>(
        exists, new_uuid, sources, not_yet_run);
    const auto register_service = [this](auto& service) {
      service.register_operations(*registry);
      service.register_timers(*timers);
    };
    register_service(*dynamodb);
    register_service(*kinesis);
    register_service(*sqs);
    event_source_mappings->register_operations(*registry);
    registry->add<wire::lambda::ops::GetFunctionConfiguration>(
        [this](wire::Context&, const wire::lambda::GetFunctionConfigurationInput&)
            -> Task<wire::lambda::FunctionConfiguration> {
          co_return wire::lambda::FunctionConfiguration{.timeout = function_timeout_seconds};
        });
    mappings = std::make_unique<engine::Mappings>(
        executor, *store, clock, ownership, metrics, sources, functions);
  }
  void start_services() override { mappings->start(); }
  void drop_services() override {
    mappings.reset();
    event_source_mappings.reset();
    data_streams.reset();
    table_streams.reset();
    sqs.reset();
    kinesis.reset();
    dynamodb.reset();
  }
};

}  // namespace tidemill::sim
