// The simulation of the whole platform: clients write through DynamoDB's operations, mappings are created, changed and
// deleted through Lambda's, functions succeed, fail, are slow, are throttled or die with the process, over a store that
// conflicts, is slow and crashes. All of it is drawn from a seed (README.md).
//
// Checked at the end: every acknowledged write is there; the streams hold every change of every item once, in order;
// and the mappings delivered as engine/mappings/delivery_history.h says. That a function never saw a change that was then lost
// follows: what it saw must be in the streams at the end.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/log.h"
#include "engine/mappings/delivery_history.h"
#include "engine/mappings/delivery_judge.h"
#include "engine/mappings/mapping.h"
#include "services/sim/platform.h"

namespace tidemill::sim {
namespace {

using engine::InvokeOutcome;
using engine::InvokeStatus;
using std::chrono::milliseconds;
using std::chrono::seconds;

#if __has_feature(address_sanitizer)
constexpr uint64_t kSeedsByDefault = 12;
#else
constexpr uint64_t kSeedsByDefault = 60;
#endif
constexpr int kItems = 8;
constexpr int kWriters = 3;
constexpr int kWrites = 60;
constexpr size_t kMappingsMax = 3;
constexpr int kStepsMax = 400'000;

class Simulation {
 public:
  explicit Simulation(uint64_t seed)
      : random_(seed * 0x9e3779b97f4a7c15 + 7),
        world_(seed, {.conflict_probability = one_of({0.0, 0.05, 0.3}),
                      .slow_commit_probability = one_of({0.0, 0.1, 0.5}),
                      .slow_commit_max = milliseconds(200)}) {
    world_.functions.handler = [this](std::string function, std::string payload) {
      return handle(std::move(function), std::move(payload));
    };
    stream_ = world_.create_table("items");
  }

  void run() {
    create_mapping();
    start_users();
    for (uint64_t crashes = pick(5); crashes > 0; --crashes) {
      run_steps(100 + static_cast<int>(pick(3000)));
      kill();
    }
    for (int step = 0; step < kStepsMax && !users_done(); step += 1000) run_steps(1000);
    EXPECT_TRUE(users_done()) << "the writers did not come to an end";
    calm_ = true;
    for (int i = 0; i < 200; ++i) world_.advance(seconds(1));
    check();
  }

  [[nodiscard]] std::string transcript() const { return history_.transcript(); }

 private:
  uint64_t pick(uint64_t below) { return random_() % below; }
  bool chance(double probability) { return static_cast<double>(pick(1'000'000)) < probability * 1e6; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + pick(choices.size()));
  }

  struct Behaviour {
    double error = 0;
    double not_run = 0;
    double slow = 0;
    double sleepy = 0;
  };

  // ---- mappings ----

  // A function and a mapping to it. The history begins in the step that makes the mapping durable.
  void create_mapping() {
    const std::string function = "f-" + std::to_string(uuids_.size());
    world_.function_names.insert(function);
    behaviours_[function_arn(function)] = {.error = one_of({0.0, 0.1, 0.5}),
                                           .not_run = one_of({0.0, 0.2}),
                                           .slow = one_of({0.0, 0.5}),
                                           .sleepy = one_of({0.0, 0.1})};
    std::string body = R"({"FunctionName":")" + function + R"(","EventSourceArn":")" + stream_ + "\"";
    const auto option = [&](std::string_view name, int value) {
      body += ",\"" + std::string(name) + "\":" + std::to_string(value);
    };
    option("BatchSize", one_of({1, 2, 3, 10, 100}));
    option("MaximumBatchingWindowInSeconds", one_of({0, 0, 0, 1, 7}));
    option("MaximumRetryAttempts", one_of({-1, -1, 0, 1, 3}));
    option("MaximumRecordAgeInSeconds", one_of({-1, -1, -1, 60, 120}));
    option("ParallelizationFactor", one_of({1, 1, 2, 5}));
    if (chance(0.3)) body += R"(,"BisectBatchOnFunctionError":true)";
    body += std::string(R"(,"StartingPosition":")") + one_of({"LATEST", "TRIM_HORIZON"}) + "\"}";

    const auto request = world_.start({.service = "lambda", .operation = "CreateEventSourceMapping", .body = body});
    std::optional<engine::Mapping> mapping;
    while (!request->done || !mapping) {
      if (!world_.executor.run_one()) break;
      if (mapping || !(mapping = newest_mapping())) continue;
      const std::string uuid = mapping->uuid;
      uuids_[mapping->function_arn] = uuid;
      history_.created(*mapping, world_.clock.now(), checkpoints_on_disk());
    }
    EXPECT_TRUE(mapping && !request->refused) << request->answer;
  }

  static std::string function_arn(const std::string& name) {
    return "arn:aws:lambda:us-east-1:000000000000:function:" + name;
  }

  std::optional<engine::Mapping> newest_mapping() {
    for (const auto& [key, value] : entries(engine::all_mappings())) {
      auto mapping = engine::decode_mapping(value);
      if (mapping && !uuids_.contains(mapping->function_arn)) return mapping;
    }
    return std::nullopt;
  }

  std::vector<std::pair<std::string, std::string>> entries(const store::Range& range) const {
    return {world_.disk.data.lower_bound(range.begin), world_.disk.data.lower_bound(range.end)};
  }

  engine::DeliveryHistory::Checkpoints checkpoints_on_disk() const {
    engine::DeliveryHistory::Checkpoints found;
    for (const auto& [function, uuid] : uuids_) {
      for (const auto& [key, value] : entries(engine::all_checkpoints(uuid))) {
        found[{uuid, engine::checkpoint_shard(key)}] = *engine::decode_checkpoint(value);
      }
    }
    return found;
  }

  // What a user does to mappings while they run.
  Task<void> meddle() {
    while (meddling_ > 0) {
      --meddling_;
      co_await idle(300);
      const auto chosen = std::next(uuids_.begin(), static_cast<ptrdiff_t>(pick(uuids_.size())));
      co_await update(chosen->second, one_of<std::string>({R"({"Enabled":false})", R"({"Enabled":true})",
                                                           R"({"MaximumBatchingWindowInSeconds":2})",
                                                           R"({"BatchSize":1})"}));
    }
    const auto all = uuids_;
    for (const auto& [function, uuid] : all) co_await update(uuid, R"({"Enabled":true})");
    meddled_ = true;
  }

  Task<void> update(std::string uuid, std::string body) {
    const auto request = std::make_shared<Platform::Request>(
        Platform::Request{.service = "lambda", .operation = "UpdateEventSourceMapping", .body = body});
    request->labels = {{"UUID", uuid}};
    co_await world_.carry_out(request);
    EXPECT_FALSE(request->refused) << request->answer;
  }

  // ---- functions ----

  Task<InvokeOutcome> handle(std::string function, std::string payload) {
    std::vector<std::string> sequence_numbers;
    const auto event = json::parse(payload);
    for (const json::Value& record : event->find("Records")->array()) {
      sequence_numbers.push_back(record.find("dynamodb")->find("SequenceNumber")->string());
    }
    const size_t call = history_.called(uuids_.at(function), world_.clock.now(), std::move(sequence_numbers));
    const Behaviour behaviour = calm_ ? Behaviour{} : behaviours_.at(function);
    if (chance(behaviour.slow)) {
      const auto busy = world_.clock.activity().hold();
      for (uint64_t left = pick(30); left > 0; --left) co_await base::yield();
    }
    if (chance(behaviour.sleepy)) {
      co_await world_.clock.sleep_until(world_.clock.now() + milliseconds(pick(5000)));
    }
    InvokeStatus status = InvokeStatus::ok;
    if (chance(behaviour.error)) {
      status = InvokeStatus::function_error;
    } else if (chance(behaviour.not_run)) {
      status = one_of({InvokeStatus::throttled, InvokeStatus::no_function, InvokeStatus::failed});
    }
    history_.ended(call, world_.clock.now(), status);
    co_return InvokeOutcome{.status = status};
  }

  // ---- writers ----

  Task<void> write() {
    while (writes_left_ > 0) {
      --writes_left_;
      co_await idle(20);
      const std::string item = "i" + std::to_string(pick(kItems));
      const auto request = std::make_shared<Platform::Request>(Platform::Request{
          .service = "dynamodb",
          .operation = "UpdateItem",
          .body = R"({"TableName":"items","Key":{"id":{"S":")" + item +
                  R"("}},"UpdateExpression":"ADD turn :one","ExpressionAttributeValues":{":one":{"N":"1"}},)"
                  R"("ReturnValues":"UPDATED_NEW"})"});
      co_await world_.carry_out(request);
      if (request->refused) {
        ADD_FAILURE() << request->answer;
        continue;
      }
      const auto answer = json::parse(request->answer);
      const int turn = std::stoi(answer->find("Attributes")->find("turn")->find("N")->string());
      acknowledged_[item] = std::max(acknowledged_[item], turn);
    }
    ++writers_done_;
  }

  // Reads what others write: never a turn that is not durable.
  Task<void> read() {
    while (writes_left_ > 0) {
      co_await idle(20);
      const std::string item = "i" + std::to_string(pick(kItems));
      const auto request = std::make_shared<Platform::Request>(Platform::Request{
          .service = "dynamodb",
          .operation = "GetItem",
          .body = R"({"TableName":"items","Key":{"id":{"S":")" + item + R"("}}})"});
      co_await world_.carry_out(request);
      seen_[item] = std::max(seen_[item], turn_in(request->answer, "Item"));
    }
  }

  static int turn_in(const std::string& answer, std::string_view member) {
    const auto document = json::parse(answer);
    const json::Value* image = document ? document->find(member) : nullptr;
    const json::Value* turn = image != nullptr ? image->find("turn") : nullptr;
    return turn != nullptr ? std::stoi(turn->find("N")->string()) : 0;
  }

  Task<void> idle(uint64_t most) {
    if (chance(0.2)) {
      co_await world_.clock.sleep_until(world_.clock.now() + milliseconds(pick(4000)));
    } else {
      for (uint64_t left = pick(most); left > 0; --left) co_await base::yield();
    }
  }

  // ---- the course of a run ----

  void start_users() {
    const base::Executor::Enter enter(world_.executor);
    writers_done_ = 0;
    for (int i = 0; i < kWriters; ++i) world_.tasks.spawn(write());
    world_.tasks.spawn(read());
    world_.tasks.spawn(meddle());
  }
  [[nodiscard]] bool users_done() const { return writers_done_ == kWriters && meddled_; }

  void run_steps(int steps) {
    for (; steps > 0; --steps) {
      if (world_.executor.run_one()) continue;
      world_.clock.advance_to(world_.clock.now() + milliseconds(1 + pick(3000)), [] {});
      if (uuids_.size() < kMappingsMax && chance(0.1)) create_mapping();
    }
  }

  void kill() {
    world_.crash();
    history_.crashed(world_.clock.now(), checkpoints_on_disk());
    start_users();
  }

  // ---- what must hold ----

  void check() {
    engine::DeliveryHistory::Logs logs;
    std::map<std::string, int> turns;
    const engine::Mapping mapping{.event_source_arn = stream_};
    for (const engine::StreamShard& shard : world_.await(world_.table_streams->shards(stream_))) {
      auto& log = logs[shard.shard_id];
      for (const engine::StreamRecord& record : world_.await(world_.table_streams->read(
               mapping, shard.shard_id, store::Position::before_all(), 1'000'000, 1'000'000'000))) {
        log.push_back({record.sequence_number, record.position, record.arrival, record.ordering_key});
        const auto event = json::parse(record.event_json);
        const json::Value& change = *event->find("dynamodb");
        const std::string item = change.find("Keys")->find("id")->find("S")->string();
        EXPECT_EQ(change.find("NewImage")->find("turn")->find("N")->string(), std::to_string(++turns[item]))
            << "the stream lacks a change of " << item;
      }
    }
    for (int i = 0; i < kItems; ++i) {
      const std::string item = "i" + std::to_string(i);
      const int turn = turn_in(world_.run("dynamodb", "GetItem",
                                          R"({"TableName":"items","Key":{"id":{"S":")" + item + R"("}}})"),
                               "Item");
      EXPECT_EQ(turn, turns[item]) << "table and stream differ about " << item;
      EXPECT_GE(turn, acknowledged_[item]) << "an acknowledged write is gone";
      EXPECT_GE(turn, seen_[item]) << "a reader saw a write that was then lost";
    }
    for (const std::string& violation : engine::judge(history_, logs, world_.clock.now())) ADD_FAILURE() << violation;
  }

  std::mt19937_64 random_;
  Platform world_;
  std::string stream_;
  std::map<std::string, Behaviour> behaviours_;      // by function ARN
  std::map<std::string, std::string> uuids_;         // of mappings, by function ARN
  bool calm_ = false;
  int writes_left_ = kWriters * kWrites;
  int writers_done_ = 0;
  int meddling_ = 6;
  bool meddled_ = false;
  std::map<std::string, int> acknowledged_;  // by item
  std::map<std::string, int> seen_;
  engine::DeliveryHistory history_;
};

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

class PlatformSimulation : public ::testing::Test {
 protected:
  void SetUp() override { base::set_log_level(base::Level::error); }
  void TearDown() override { base::set_log_level(base::Level::info); }
};

TEST_F(PlatformSimulation, KeepsItsPromisesUnderEverySeed) {
  const uint64_t only = from_environment("TIDEMILL_SIM_SEED", 0);
  const uint64_t first = only != 0 ? only : 1;
  const uint64_t last = only != 0 ? only : from_environment("TIDEMILL_SIM_SEEDS", kSeedsByDefault);
  for (uint64_t seed = first; seed <= last; ++seed) {
    Simulation(seed).run();
    if (HasFailure()) FAIL() << "replay with TIDEMILL_SIM_SEED=" << seed;
  }
}

TEST_F(PlatformSimulation, ReplaysASeedExactly) {
  for (const uint64_t seed : {2, 71}) {
    Simulation once(seed);
    once.run();
    Simulation again(seed);
    again.run();
    EXPECT_EQ(once.transcript(), again.transcript());
    EXPECT_GT(once.transcript().size(), 1000u);
  }
}

}  // namespace
}  // namespace tidemill::sim
