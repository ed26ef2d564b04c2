// Mappings of a data stream and of a consumer of it under crashes: seeds drive producers of plain and aggregated
// records through conflicts, slow commits, reshards and crashes, to functions that fail now and then. Whatever happens:
// every acknowledged record reaches each function, and those of a key for the first time in the order in which they
// were acknowledged.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "base/base64.h"
#include "base/text.h"
#include "services/kinesis/testing_aggregation.h"
#include "services/sim/platform.h"

namespace tidemill::sim {
namespace {

using base::cat;
using engine::InvokeOutcome;
using engine::InvokeStatus;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kKeys = 5;
constexpr int kSteps = 120;
constexpr uint64_t kSeedsByDefault = 40;  // TIDEMILL_SIM_SEEDS=N runs more
constexpr std::string_view kStream = "arn:aws:kinesis:us-east-1:000000000000:stream/s";

class Simulation {
 public:
  explicit Simulation(uint64_t seed)
      : random_(seed), world_(seed, {.conflict_probability = 0.1,
                                     .slow_commit_probability = 0.2,
                                     .slow_commit_max = milliseconds(200)}) {
    world_.functions.handler = [this](std::string function, std::string payload) {
      return handle(std::move(function), std::move(payload));
    };
    world_.run("kinesis", "CreateStream", R"({"StreamName":"s","ShardCount":2})");
    world_.settle();
    create_mappings();
  }

  void run() {
    for (int step = 0; step < kSteps; ++step) {
      const uint64_t what = random_() % 12;
      if (what < 6) put();
      if (what == 6) reshard();
      if (what == 7) world_.advance(seconds(random_() % 20));
      for (int i = static_cast<int>(random_() % 200); i > 0; --i) world_.executor.run_one();
      collect();
      if (random_() % 30 == 0) crash();
    }
    calm_ = true;
    for (int i = 0; i < 100; ++i) world_.advance(seconds(1));
    collect();
  }

  void check() {
    EXPECT_GT(acknowledged_.size(), 30u) << "the simulation does next to nothing";
    for (const auto& [function, seen] : seen_) {
      const std::set<std::string> delivered(seen.begin(), seen.end());
      std::map<std::string, std::string> last;
      for (const std::string& text : seen) {
        std::string& before = last[text.substr(0, text.find('-'))];
        EXPECT_LT(before, text) << function << " had the records of a key out of order";
        before = text;
      }
      for (const std::string& text : acknowledged_) EXPECT_TRUE(delivered.contains(text)) << text << " was lost";
    }
    EXPECT_EQ(seen_.size(), 2u);
  }

 private:
  struct Pending {
    sim::Platform::RequestPtr request;
    int key = 0;
    std::vector<std::string> texts;
  };

  void create_mappings() {
    const json::Value consumer = world_.ask("kinesis", "RegisterStreamConsumer",
                                            cat(R"({"StreamARN":")", kStream, R"(","ConsumerName":"c"})"));
    const std::string consumer_arn = consumer.find("Consumer")->find("ConsumerARN")->string();
    for (const auto& [function, source] :
         {std::pair<std::string, std::string>{"f", kStream}, {"g", consumer_arn}}) {
      const std::string size = std::to_string(1 + random_() % 5);
      const std::string created = world_.run(
          "lambda", "CreateEventSourceMapping",
          cat(R"({"FunctionName":")", function, R"(","EventSourceArn":")", source, R"(","BatchSize":)", size,
              R"(,"StartingPosition":"TRIM_HORIZON"})"));
      EXPECT_TRUE(created.find("Creating") != std::string::npos) << created;
    }
  }

  // What a function sees for the first time counts; what comes again must only have come before.
  Task<InvokeOutcome> handle(std::string function, std::string payload) {
    const uint64_t luck = calm_ ? 99 : random_() % 100;
    if (luck < 15) co_return InvokeOutcome{.status = InvokeStatus::throttled};
    auto& seen = seen_[function];
    for (const json::Value& record : json::parse(payload)->find("Records")->array()) {
      const std::string text = *base::base64_decode(record.find("kinesis")->find("data")->string());
      if (std::ranges::find(seen, text) == seen.end()) seen.push_back(text);
    }
    if (luck < 30) co_await world_.clock.sleep_until(world_.clock.now() + milliseconds(random_() % 3000));
    co_return InvokeOutcome{.status = luck < 40 ? InvokeStatus::function_error : InvokeStatus::ok};
  }

  // A key's records are written one after the other: what is under way has no order.
  void put() {
    const int key = static_cast<int>(random_() % kKeys);
    if (busy_.contains(key)) return;
    busy_.insert(key);
    Pending pending{.key = key};
    const size_t count = random_() % 3 == 0 ? 1 + random_() % 6 : 1;
    std::vector<std::pair<std::string, std::string>> records;
    for (size_t i = 0; i < count; ++i) {
      pending.texts.push_back(cat("k", key, "-", 1'000'000 + next_++));
      records.emplace_back(cat("k", key), pending.texts.back());
    }
    const std::string data = count > 1 ? kinesis::testing::aggregated(records) : pending.texts.front();
    pending.request = world_.start({.service = "kinesis",
                                    .operation = "PutRecord",
                                    .body = cat(R"({"StreamName":"s","PartitionKey":"k)", key, R"(","Data":")",
                                                base::base64_encode(data), "\"}")});
    pending_.push_back(std::move(pending));
  }

  void reshard() {
    const int count = 1 + static_cast<int>(random_() % 4);
    (void)world_.start({.service = "kinesis",
                        .operation = "UpdateShardCount",
                        .body = cat(R"({"StreamName":"s","ScalingType":"UNIFORM_SCALING","TargetShardCount":)", count,
                                    "}")});
  }

  void collect() {
    std::erase_if(pending_, [&](const Pending& pending) {
      if (!pending.request->done) return false;
      if (!pending.request->refused) {
        acknowledged_.insert(acknowledged_.end(), pending.texts.begin(), pending.texts.end());
      }
      busy_.erase(pending.key);
      return true;
    });
  }

  void crash() {
    pending_.clear();  // nobody will know what became of these
    busy_.clear();
    world_.crash();
  }

  std::mt19937_64 random_;
  std::map<std::string, std::vector<std::string>> seen_;  // by function: texts in the order of first delivery
  bool calm_ = false;
  sim::Platform world_;
  std::vector<Pending> pending_;
  std::set<int> busy_;
  std::vector<std::string> acknowledged_;
  int next_ = 0;
};

TEST(DataStreamMappingSimulation, NothingIsLostAndEachKeyKeepsItsOrder) {
  const char* asked = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = asked != nullptr ? std::stoull(asked) : kSeedsByDefault;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Simulation simulation(seed);
    simulation.run();
    simulation.check();
    if (::testing::Test::HasFailure()) return;
  }
}

// Its shards have the names of those before, and their mapping may see nothing of its being gone.
TEST(DataStreamMappings, AStreamThatIsMadeAgainIsReadOn) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    std::vector<std::string> seen;
    Platform world(seed);
    world.functions.handler = [&](const std::string&, std::string payload) -> Task<InvokeOutcome> {
      for (const json::Value& record : json::parse(payload)->find("Records")->array()) {
        seen.push_back(*base::base64_decode(record.find("kinesis")->find("data")->string()));
      }
      if (seed % 2 == 0) co_await world.clock.sleep_until(world.clock.now() + seconds(1));
      co_return InvokeOutcome{};
    };
    const auto create = [&] {
      return !world.run("kinesis", "CreateStream", R"({"StreamName":"s","ShardCount":1})").contains("InUse");
    };
    const auto put = [&](std::string_view text) {
      world.run("kinesis", "PutRecord",
                cat(R"({"StreamName":"s","PartitionKey":"k","Data":")", base::base64_encode(text), "\"}"));
      world.settle();
    };
    ASSERT_TRUE(create());
    world.settle();
    world.run("lambda", "CreateEventSourceMapping",
              cat(R"({"FunctionName":"f","EventSourceArn":")", kStream, R"(","StartingPosition":"TRIM_HORIZON"})"));
    world.settle();
    put("a");
    world.run("kinesis", "DeleteStream", R"({"StreamName":"s"})");
    while (!create()) ASSERT_TRUE(world.executor.run_one());  // the moment that it is gone
    world.settle();
    put("b");
    world.advance(seconds(5));
    put("c");
    world.advance(seconds(5));
    EXPECT_EQ(seen, (std::vector<std::string>{"a", "b", "c"}));
  }
}

}  // namespace
}  // namespace tidemill::sim
