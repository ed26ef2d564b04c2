// For tests: events over the simulated store, with functions that are coroutines of the test, and queues, topics, buckets
// and functions that note what reaches them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/model_place_line.h"
#include "services/lambda/event_queue.h"
#include "services/test_world.h"
#include "wire/metrics/platform_metrics.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/s3.h"
#include "wire/shapes/sns.h"
#include "wire/shapes/sqs.h"

namespace tidemill::lambda::testing {

inline constexpr std::string_view kFunctionArn = "arn:aws:lambda:us-east-1:000000000000:function:f";
inline constexpr const char* kQueueArn = "arn:aws:sqs:us-east-1:000000000000:q";
inline constexpr const char* kTopicArn = "arn:aws:sns:us-east-1:000000000000:t";
inline constexpr const char* kBucketArn = "arn:aws:s3:::b";

// What reached a queue, a topic, a bucket or a function.
struct Sent {
  std::string to;    // "sqs q", "s3 b aws/lambda/async/…"
  std::string body;
  std::map<std::string, std::string> attributes;
  std::string trace_header;  // of a function's
};

class World : public services::testing::TestWorld {
 public:
  using Handler = std::function<Task<EventAttempt>(FunctionReference function, Event event)>;

  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none()) : TestWorld({}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  static FunctionReference function(std::string qualifier = {}) {
    return {{std::string(kAccount), std::string(kRegion), "f"}, std::move(qualifier)};
  }
  // An attempt of a function that answers, or that fails.
  static EventAttempt answers(std::string payload) { return {.executed_version = "$LATEST", .payload = std::move(payload)}; }
  static EventAttempt fails() {
    return {.status = engine::InvokeStatus::function_error,
            .executed_version = "$LATEST",
            .function_error = "Unhandled",
            .payload = R"({"errorMessage":"broken","errorType":"Exception"})"};
  }

  void configure(EventInvokeConfig config) {
    config.qualifier = kLatest;
    write([config](store::Transaction& txn) {
      txn.put(event_invoke_config_key(function().address, config.qualifier), encode_event_invoke_config(config));
    });
  }
  void create_function(std::string dead_letter_target = {}) {
    Function f;
    f.address = function().address;
    f.dead_letter_target = std::move(dead_letter_target);
    write([&](store::Transaction& txn) { save_function(txn, f, clock.now()); });
  }

  Task<int> enqueue(std::string id, std::string payload, std::string trace_header = {}) {
    Event event{.request_id = std::move(id), .trace_header = std::move(trace_header), .payload = std::move(payload)};
    co_await events->enqueue(function(), std::move(event), clock.now());
    co_return 0;
  }
  // Durable when it returns.
  void send(std::string id, std::string payload, std::string trace_header = {}) {
    (void)await(enqueue(std::move(id), std::move(payload), std::move(trace_header)));
  }

  // The sum of a metric of the function since it was last asked for.
  double metric(std::string_view name) {
    for (auto& gathered : usage.take()) counted[std::string(gathered.metric->name)] += gathered.values.sum();
    return std::exchange(counted[std::string(name)], 0);
  }

  void open_line_gate() {
    const base::Signal gate = *std::exchange(line_gate, std::nullopt);
    gate.signal();
    settle();
  }

  // Runs functions by the handler, and writes down who stands in line.
  struct Runner final : EventRunner {
    explicit Runner(World& of) : world(of) {}
    Task<EventAttempt> run_event(FunctionReference function, Event event, engine::PlaceTurnPtr turn) override {
      turn.reset();  // it has its place
      if (!world.handler) return Task<EventAttempt>::ready(answers("null"));
      return world.handler(std::move(function), std::move(event));
    }
    Task<engine::PlaceTurnPtr> line_up(FunctionReference, base::Time since, std::function<void()> called) override {
      if (world.line_gate) co_await base::Signal(*world.line_gate);
      co_return world.line.enter(since, std::move(called));
    }
    World& world;
  };

  engine::ModelPlaceLine line;  // of throttled events
  std::optional<base::Signal> line_gate;  // who is to stand in it waits for this
  Runner runner{*this};
  Handler handler;
  std::vector<Sent> sent;
  std::optional<wire::Error> refusal;  // of every target
  wire::PlatformMetrics usage{clock};
  std::map<std::string, double> counted;
  std::unique_ptr<engine::Deliveries> deliveries;
  std::unique_ptr<EventQueue> events;

 private:
  void make_services() override {
    deliveries = std::make_unique<engine::Deliveries>(*store, clock, *timers);
    events = std::make_unique<EventQueue>(*store, runner, &usage);
    events->register_with(*deliveries, *platform);
    events->start();
    registry->add<wire::sqs::ops::SendMessage>([this](wire::Context&, const wire::sqs::SendMessageInput& request) {
      Sent one{.to = "sqs " + request.queue_url.value_or(""), .body = request.message_body.value_or("")};
      if (request.message_attributes) {
        for (const auto& [name, value] : *request.message_attributes) {
          one.attributes[name] = base::cat(value.data_type.value_or(""), " ", value.string_value.value_or(""));
        }
      }
      return note<wire::sqs::SendMessageOutput>(std::move(one));
    });
    registry->add<wire::sns::ops::Publish>([this](wire::Context&, const wire::sns::PublishInput& request) {
      return note<wire::sns::PublishOutput>({.to = "sns " + request.topic_arn.value_or(""), .body = request.message});
    });
    registry->add<wire::s3::ops::PutObject>([this](wire::Context&, const wire::s3::PutObjectInput& request) {
      return note<wire::s3::PutObjectOutput>(
          {.to = "s3 " + request.bucket + " " + request.key, .body = request.body.take_whole().value_or("")});
    });
    registry->add<wire::lambda::ops::Invoke>([this](wire::Context&, const wire::lambda::InvokeInput& request) {
      return note<wire::lambda::InvokeOutput>(
          {.to = request.invocation_type.value_or("") + " " + request.function_name,
           .body = request.payload.value_or(""),
           .trace_header = request.trace_header.value_or("")});
    });
  }
  void drop_services() override {
    events.reset();
    deliveries.reset();
  }

  template <class Answer>
  Task<Answer> note(Sent one) {
    if (refusal) throw *refusal;
    sent.push_back(std::move(one));
    co_return Answer{};
  }

  void write(std::function<void(store::Transaction&)> change) {
    (void)await([](store::Store& into, std::function<void(store::Transaction&)> body) -> Task<int> {
      co_await into.transact([&](store::Transaction& txn) -> Task<void> {
        body(txn);
        co_return;
      });
      co_return 0;
    }(*store, std::move(change)));
  }
};

}  // namespace tidemill::lambda::testing
