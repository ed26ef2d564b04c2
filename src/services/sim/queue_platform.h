// For tests: queues and the mappings that read them on one simulated executor; functions are coroutines of the test.
//
//   QueuePlatform platform;
//   platform.create_queue("q");
//   platform.put_mapping(QueuePlatform::mapping("q"));
//   platform.send("q", R"("MessageBody":"hello")");
//   platform.settle();
//   EXPECT_EQ(platform.delivered(), "hello");
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/model_place_line.h"
#include "engine/mappings/mappings.h"
#include "services/sqs/queue_source.h"
#include "services/sqs/testing.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::sim {

// A message as a function got it.
struct QueueRecord {
  std::string id;
  std::string receipt;
  std::string body;
  std::string group;  // empty: none
  int receives = 0;
};

struct QueueCall {
  std::string function_arn;
  std::string payload;
  std::vector<QueueRecord> records;
  base::Time time;
};

// Functions that are coroutines of the test. Without one, every call succeeds.
class QueueFunctions final : public engine::Invoker {
 public:
  using Handler = std::function<Task<engine::InvokeOutcome>(QueueCall call)>;

  explicit QueueFunctions(base::Clock& clock) : clock_(clock) {}

  Task<engine::InvokeOutcome> invoke(std::string_view function_arn, std::string payload) override {
    QueueCall call{std::string(function_arn), std::move(payload), {}, clock_.now()};
    const auto event = json::parse(call.payload);
    EXPECT_TRUE(event) << call.payload;
    for (const json::Value& record : event->find("Records")->array()) {
      const json::Value& attributes = *record.find("attributes");
      const json::Value* group = attributes.find("MessageGroupId");
      call.records.push_back({record.find("messageId")->string(), record.find("receiptHandle")->string(),
                              record.find("body")->string(), group ? group->string() : "",
                              std::stoi(attributes.find("ApproximateReceiveCount")->string())});
    }
    calls.push_back(call);
    if (!handler) co_return engine::InvokeOutcome{};
    const Handler running = handler;
    co_return co_await running(std::move(call));
  }
  Task<std::optional<std::chrono::seconds>> timeout(std::string_view) override {
    return Task<std::optional<std::chrono::seconds>>::ready(function_timeout);
  }

  Task<engine::PlaceTurnPtr> wait_for_place(std::string_view, base::Time since, std::function<void()> called) override {
    return Task<engine::PlaceTurnPtr>::ready(line.enter(since, std::move(called)));
  }

  engine::ModelPlaceLine line;
  Handler handler;
  std::vector<QueueCall> calls;
  std::chrono::seconds function_timeout{3};

 private:
  base::Clock& clock_;
};

// The real queues, and which removals have been acknowledged.
class WatchedQueues final : public engine::QueueSource {
 public:
  WatchedQueues(sqs::Service& service, wire::PlatformMetrics& usage, std::set<std::string>& removed)
      : queues_(service, &usage), removed_(removed) {}

  [[nodiscard]] bool owns(std::string_view arn) const override { return queues_.owns(arn); }
  Task<std::optional<engine::QueueProperties>> describe(std::string arn) override {
    return queues_.describe(std::move(arn));
  }
  std::unique_ptr<engine::QueueReader> read(std::string arn) override { return queues_.read(std::move(arn)); }
  Task<size_t> remove(std::string arn, std::vector<std::string> receipts) override {
    const size_t removed = co_await queues_.remove(std::move(arn), receipts);
    if (removed == receipts.size()) removed_.insert(receipts.begin(), receipts.end());
    co_return removed;
  }
  Task<void> hide(std::string arn, std::vector<std::string> receipts, std::chrono::seconds timeout) override {
    return queues_.hide(std::move(arn), std::move(receipts), timeout);
  }
  store::Subscription watch(std::string_view arn, std::function<void()> made) override {
    return queues_.watch(arn, std::move(made));
  }

 private:
  sqs::SqsQueueSource queues_;
  std::set<std::string>& removed_;
};

class QueuePlatform : public sqs::testing::World {
 public:
  static constexpr const char* kFunction = "arn:aws:lambda:us-east-1:000000000000:function:f";
  static constexpr const char* kUuid = "u-1";

  explicit QueuePlatform(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : World(seed, faults), functions(clock), usage(clock) {
    const base::Executor::Enter enter(executor);
    make_mappings();
    start_services();
  }
  ~QueuePlatform() {
    const auto hold = clock.activity().hold();
    const base::Executor::Enter enter(executor);
    tasks.clear();
    mappings.reset();
    queues.reset();
  }

  static engine::Mapping mapping(std::string_view queue, std::string uuid = kUuid) {
    engine::Mapping mapping;
    mapping.uuid = std::move(uuid);
    mapping.account = kAccount;
    mapping.region = kRegion;
    mapping.event_source_arn = arn(queue);
    mapping.function_arn = kFunction;
    mapping.batch_size = 10;
    return mapping;
  }
  void put_mapping(const engine::Mapping& mapping) {
    const auto put = [&]() -> Task<bool> {
      co_await store->transact([&](store::Transaction& txn) -> Task<void> {
        txn.put(engine::mapping_key(mapping.uuid), engine::encode_mapping(mapping));
        txn.signal(engine::kMappingsTopic);
        co_return;
      });
      co_return true;
    };
    await(put());
    settle();
  }
  // Changes what is stored by `change`, as the API does; the state asks for what is to be taken up.
  void change_mapping(engine::MappingState state, const std::function<void(engine::Mapping&)>& change = {}) {
    auto mapping = load_mapping();
    ASSERT_TRUE(mapping);
    mapping->state = state;
    if (change) change(*mapping);
    put_mapping(*mapping);
  }
  std::optional<engine::Mapping> load_mapping() {
    const auto found = disk.data.find(engine::mapping_key(kUuid));
    return found == disk.data.end() ? std::nullopt : engine::decode_mapping(found->second);
  }
  // Nothing: the mapping is not there.
  std::optional<engine::MappingState> mapping_state() {
    const auto mapping = load_mapping();
    return mapping ? std::optional(mapping->state) : std::nullopt;
  }

  // "a b | c": the bodies of each call.
  [[nodiscard]] std::string delivered() const {
    std::string text;
    for (const QueueCall& call : functions.calls) {
      if (!text.empty()) text += " | ";
      for (size_t i = 0; i < call.records.size(); ++i) text += base::cat(i > 0 ? " " : "", call.records[i].body);
    }
    return text;
  }

  QueueFunctions functions;
  wire::PlatformMetrics usage;
  std::set<std::string> removed;  // the receipts whose messages are gone for good
  std::unique_ptr<WatchedQueues> queues;
  engine::SoleOwnership ownership;
  std::unique_ptr<engine::Mappings> mappings;

 protected:
  void make_services() override {
    World::make_services();
    make_mappings();
  }
  void start_services() override { mappings->start(); }
  void drop_services() override {
    mappings.reset();
    queues.reset();
    World::drop_services();
  }

 private:
  void make_mappings() {
    queues = std::make_unique<WatchedQueues>(*service, usage, removed);
    mappings = std::make_unique<engine::Mappings>(executor, *store, clock, ownership, metrics,
                                                  std::vector<engine::StreamSource*>{}, functions, &usage,
                                                  std::vector<engine::QueueSource*>{queues.get()});
  }
};

inline engine::InvokeOutcome failing(engine::InvokeStatus status = engine::InvokeStatus::function_error) {
  return {.status = status, .payload = R"({"errorMessage":"as the test wants it"})", .detail = "as the test wants it"};
}
inline engine::InvokeOutcome answering(std::string answer) { return {.payload = std::move(answer)}; }

}  // namespace tidemill::sim
