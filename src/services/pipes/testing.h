// For tests: pipes over the simulated store, with real queues, tables and data streams. Functions are the test's;
// topics, buses and logs note what reaches them:
//
//   World world;
//   world.create_queue("in");
//   world.create_queue("out");
//   world.create("p", World::queue("in"), World::queue("out"));
//   world.send("in", "hello");
//   EXPECT_EQ(world.bodies("out").size(), 1u);
//
// The clock begins on 2026-03-14 at midnight.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "engine/deliveries.h"
#include "engine/invokers.h"
#include "engine/mappings/failure_destination.h"
#include "engine/mappings/mappings.h"
#include "engine/model_place_line.h"
#include "engine/targets/senders.h"
#include "services/dynamodb/service.h"
#include "services/dynamodb/stream_source.h"
#include "services/kinesis/service.h"
#include "services/kinesis/stream_source.h"
#include "services/pipes/service.h"
#include "services/sqs/queue_source.h"
#include "services/sqs/service.h"
#include "services/test_world.h"
#include "wire/shapes/events.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/logs.h"
#include "wire/shapes/sns.h"

namespace tidemill::pipes::testing {

// Functions that are coroutines of the test. Without one, every call succeeds.
class Functions final : public engine::Invoker {
 public:
  using Handler = std::function<Task<engine::InvokeOutcome>(std::string function, std::string payload)>;

  Task<engine::InvokeOutcome> invoke(std::string_view arn, std::string payload) override {
    std::string name(arn.substr(arn.rfind(':') + 1));
    calls.push_back({name, payload});
    if (!handler) co_return engine::InvokeOutcome{.payload = "null"};
    const Handler running = handler;
    co_return co_await running(std::move(name), std::move(payload));
  }
  Task<std::optional<std::chrono::seconds>> timeout(std::string_view) override {
    return Task<std::optional<std::chrono::seconds>>::ready(std::chrono::seconds(3));
  }
  Task<engine::PlaceTurnPtr> wait_for_place(std::string_view, base::Time since, std::function<void()> called) override {
    return Task<engine::PlaceTurnPtr>::ready(line.enter(since, std::move(called)));
  }

  struct Call {
    std::string function;
    std::string payload;
  };
  engine::ModelPlaceLine line;
  Handler handler;
  std::vector<Call> calls;
};

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"sqs", "kinesis", "dynamodb"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  static std::string arn(std::string_view service, std::string_view resource) {
    return base::cat("arn:aws:", service, ":", kRegion, ":", kAccount, ":", resource);
  }
  static std::string queue(std::string_view name) { return arn("sqs", name); }
  static std::string function(std::string_view name) { return arn("lambda", base::cat("function:", name)); }
  static std::string stream(std::string_view name) { return arn("kinesis", base::cat("stream/", name)); }

  // ---- pipes ----

  // `more`: further members, beginning with a comma.
  std::string create(std::string_view name, std::string_view source, std::string_view target,
                     std::string_view more = "") {
    std::string answer = call("CreatePipe", name,
                              base::cat(R"({"Source":")", source, R"(","Target":")", target,
                                        R"(","RoleArn":"arn:aws:iam::000000000000:role/r")", more, "}"));
    settle();
    return answer;
  }
  std::string update(std::string_view name, std::string_view more) {
    std::string answer =
        call("UpdatePipe", name, base::cat(R"({"RoleArn":"arn:aws:iam::000000000000:role/r")", more, "}"));
    settle();
    return answer;
  }
  std::string call(std::string_view operation, std::string_view name, std::string_view body = "") {
    return run({.service = "pipes",
                .operation = std::string(operation),
                .body = std::string(body),
                .labels = {{"Name", std::string(name)}}});
  }
  json::Value describe(std::string_view name) { return parse(call("DescribePipe", name)); }
  // "RUNNING", or the refusal.
  std::string state(std::string_view name) {
    const std::string answer = call("DescribePipe", name);
    const auto document = json::parse(answer);
    return document ? document->find("CurrentState")->string() : answer;
  }

  // ---- sources and targets ----

  void create_queue(std::string_view name, std::string_view attributes = "{}") {
    (void)TestWorld::ask("CreateQueue", base::cat(R"({"QueueName":")", name, R"(","Attributes":)", attributes, "}"));
  }
  void create_fifo_queue(std::string_view name) {
    create_queue(name, R"({"FifoQueue":"true","ContentBasedDeduplication":"true"})");
  }
  void send(std::string_view queue, std::string_view body, std::string_view group = "") {
    std::string request = base::cat(R"({"QueueUrl":")", queue, R"(","MessageBody":)");
    json::append_string(request, body);
    if (!group.empty()) request += base::cat(R"(,"MessageGroupId":")", group, "\"");
    (void)TestWorld::ask("SendMessage", request + "}");
  }
  // All that can be received now, removed from the queue.
  std::vector<json::Value> messages(std::string_view queue) {
    std::vector<json::Value> result;
    for (;;) {
      const json::Value answer = TestWorld::ask(
          "ReceiveMessage",
          base::cat(R"({"QueueUrl":")", queue, R"(","MaxNumberOfMessages":10,"AttributeNames":["All"]})"));
      const json::Value* found = answer.find("Messages");
      if (!found) return result;
      for (const json::Value& message : found->array()) {
        result.push_back(message);
        (void)run("DeleteMessage", base::cat(R"({"QueueUrl":")", queue, R"(","ReceiptHandle":")",
                                             message.find("ReceiptHandle")->string(), "\"}"));
      }
    }
  }
  std::vector<std::string> bodies(std::string_view queue) {
    std::vector<std::string> result;
    for (const json::Value& message : messages(queue)) result.push_back(message.find("Body")->string());
    return result;
  }
  void create_stream(std::string_view name, int shards = 1) {
    (void)run("CreateStream", base::cat(R"({"StreamName":")", name, R"(","ShardCount":)", shards, "}"));
    settle();
  }
  void put(std::string_view stream, std::string_view key, std::string_view data) {
    (void)run("kinesis", "PutRecord",
              base::cat(R"({"StreamName":")", stream, R"(","PartitionKey":")", key, R"(","Data":")",
                        base::base64_encode(data), "\"}"));
  }
  // A table with partition key id; the ARN of its stream.
  std::string create_table(std::string_view name) {
    const json::Value created = TestWorld::ask(
        "CreateTable",
        base::cat(
            R"({"TableName":")", name,
            R"(","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],)",
            R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],)",
            R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})"));
    settle();
    return created.find("TableDescription")->find("LatestStreamArn")->string();
  }

  // ---- what the test plays ----

  Functions functions;
  std::vector<std::string> started;  // payloads of asynchronous invocations
  std::vector<std::string> published;
  std::vector<wire::events::PutEventsRequestEntry> events;
  std::vector<wire::logs::PutLogEventsInput> logged;
  // Of a message to a topic: an error's code; empty: it is taken.
  std::function<std::string(const std::string&)> refuse = [](const std::string&) { return std::string(); };

  // Of a request to a group of logs: throws what it is refused with.
  std::function<void(const wire::logs::PutLogEventsInput&)> check_logged = [](const auto&) {};

  // Of API destinations.
  using HttpCall = wire::events::InvokeApiDestinationInput;
  struct HttpCaller {
    std::string account;
    wire::Principal principal;
  };
  std::vector<HttpCall> calls;
  std::vector<HttpCaller> callers;  // of each call
  std::function<wire::events::InvokeApiDestinationOutput(const HttpCall&)> answer_call;

  std::unique_ptr<Service> service;
  std::unique_ptr<sqs::Service> queues;

 private:
  void make_services() override {
    queues = std::make_unique<sqs::Service>(*store, clock);
    kinesis_ = std::make_unique<kinesis::Service>(*store, clock);
    dynamodb_ = std::make_unique<dynamodb::Service>(*store, clock);
    const auto register_service = [this](auto& each) {
      each.register_operations(*registry);
      each.register_timers(*timers);
    };
    register_service(*queues);
    register_service(*kinesis_);
    register_service(*dynamodb_);
    register_models();
    queue_source_ = std::make_unique<sqs::SqsQueueSource>(*queues);
    table_streams_ = std::make_unique<dynamodb::DynamodbStreamSource>(*store, clock);
    data_streams_ = std::make_unique<kinesis::KinesisStreamSource>(
        *kinesis_, metrics, [](const std::string&) { return Task<std::string>::ready(""); });
    logs_ = std::make_unique<engine::FunctionLogs>(executor, *platform);
    const std::vector<engine::StreamSource*> streams{table_streams_.get(), data_streams_.get()};
    const std::vector<engine::QueueSource*> queue_sources{queue_source_.get()};
    service = std::make_unique<Service>(*platform, streams, queue_sources, functions, logs_.get());
    service->register_operations(*registry);
    invokers_ = std::make_unique<engine::Invokers>(
        std::map<std::string, engine::Invoker*, std::less<>>{{"lambda", &functions}, {"pipes", &service->invoker()}});
    deliveries_ = std::make_unique<engine::Deliveries>(*store, clock, *timers);
    engine::add_failure_sender(*deliveries_, *platform, nullptr);
    engine::add_senders(*deliveries_, *platform, {});
    mappings_ = std::make_unique<engine::Mappings>(executor, *store, clock, ownership_, metrics, streams, *invokers_,
                                                   nullptr, queue_sources);
  }
  void start_services() override { mappings_->start(); }
  void drop_services() override {
    mappings_.reset();
    deliveries_.reset();
    invokers_.reset();
    service.reset();
    logs_.reset();
    data_streams_.reset();
    table_streams_.reset();
    queue_source_.reset();
    dynamodb_.reset();
    kinesis_.reset();
    queues.reset();
  }

  // As PutEvents counts.
  static size_t size_of(const wire::events::PutEventsInput& request) {
    size_t size = 0;
    for (const auto& entry : request.entries) {
      size += entry.source->size() + entry.detail_type->size() + entry.detail->size() + (entry.time ? 14 : 0);
      for (const std::string& resource : *entry.resources) size += resource.size();
    }
    return size;
  }

  void register_models() {
    using Invoke = wire::lambda::ops::Invoke;
    registry->add<Invoke>([this](wire::Context&, const Invoke::Request& request) -> Task<Invoke::Response> {
      started.push_back(request.payload.value_or(""));
      co_return Invoke::Response{};
    });
    using Publish = wire::sns::ops::PublishBatch;
    registry->add<Publish>([this](wire::Context&, const Publish::Request& request) -> Task<Publish::Response> {
      Publish::Response response;
      response.failed.emplace();
      for (const auto& entry : request.publish_batch_request_entries) {
        if (const std::string code = refuse(entry.message); !code.empty()) {
          response.failed->push_back({.id = entry.id, .code = code, .message = "no"});
        } else {
          published.push_back(entry.message);
        }
      }
      co_return response;
    });
    using PutEvents = wire::events::ops::PutEvents;
    registry->add<PutEvents>([this](wire::Context&, const PutEvents::Request& request) -> Task<PutEvents::Response> {
      if (size_of(request) >= 256 * 1024) {
        throw wire::Error("ValidationException", 400, "Total size of the entries in the request is over the limit.");
      }
      PutEvents::Response response;
      response.entries.emplace();
      for (const auto& entry : request.entries) {
        const auto detail = json::parse(entry.detail.value_or(""));
        if (detail && detail->is_object()) {
          events.push_back(entry);
          response.entries->push_back({.event_id = "e"});
        } else {
          response.entries->push_back({.error_code = "MalformedDetail", .error_message = "Detail is malformed."});
        }
      }
      co_return response;
    });
    using Call = wire::events::ops::InvokeApiDestination;
    registry->add<Call>([this](wire::Context& context, const Call::Request& request) -> Task<Call::Response> {
      calls.push_back(request);
      callers.push_back({context.account, context.principal});
      co_return answer_call(request);
    });
    using PutLogEvents = wire::logs::ops::PutLogEvents;
    registry->add<PutLogEvents>(
        [this](wire::Context&, const PutLogEvents::Request& request) -> Task<PutLogEvents::Response> {
          if (!log_streams_.contains(request.log_stream_name)) {
            throw wire::Error("ResourceNotFoundException", 400, "The specified log stream does not exist.");
          }
          const auto& events = request.log_events;
          if (events.back().timestamp - events.front().timestamp > std::chrono::milliseconds(std::chrono::hours(24)).count()) {
            throw wire::Error("InvalidParameterException", 400, "The batch cannot span more than 24 hours.");
          }
          check_logged(request);
          logged.push_back(request);
          co_return PutLogEvents::Response{};
        });
    using CreateLogStream = wire::logs::ops::CreateLogStream;
    registry->add<CreateLogStream>(
        [this](wire::Context&, const CreateLogStream::Request& request) -> Task<CreateLogStream::Response> {
          log_streams_.insert(request.log_stream_name);
          co_return CreateLogStream::Response{};
        });
    using CreateLogGroup = wire::logs::ops::CreateLogGroup;
    registry->add<CreateLogGroup>([](wire::Context&, const CreateLogGroup::Request&) -> Task<CreateLogGroup::Response> {
      co_return CreateLogGroup::Response{};
    });
  }

  std::set<std::string> log_streams_;
  engine::SoleOwnership ownership_;
  std::unique_ptr<kinesis::Service> kinesis_;
  std::unique_ptr<dynamodb::Service> dynamodb_;
  std::unique_ptr<sqs::SqsQueueSource> queue_source_;
  std::unique_ptr<dynamodb::DynamodbStreamSource> table_streams_;
  std::unique_ptr<kinesis::KinesisStreamSource> data_streams_;
  std::unique_ptr<engine::FunctionLogs> logs_;
  std::unique_ptr<engine::Invokers> invokers_;
  std::unique_ptr<engine::Deliveries> deliveries_;
  std::unique_ptr<engine::Mappings> mappings_;
};

}  // namespace tidemill::pipes::testing
