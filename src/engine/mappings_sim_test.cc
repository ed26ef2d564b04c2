// The simulation: writers, mappings with many option sets, and functions that succeed, fail, are slow, are throttled
// or die with the process, over a store that conflicts, is slow and crashes. All of it is drawn from a seed.
//
//   TIDEMILL_SIM_SEED=17    runs that seed only
//   TIDEMILL_SIM_SEEDS=N    runs the seeds 1 to N
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/log.h"
#include "engine/delivery_history.h"
#include "engine/mapping_test_world.h"
#include "engine/starting_position.h"

namespace tidemill::engine {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

#if __has_feature(address_sanitizer)
constexpr uint64_t kSeedsByDefault = 60;
#else
constexpr uint64_t kSeedsByDefault = 300;
#endif
constexpr int kItems = 8;
constexpr int kWriters = 3;
constexpr int kWritesPerWriter = 40;
constexpr int kStepsMax = 200'000;

std::string item_key(const std::string& item) {
  std::string key(1, static_cast<char>(store::KeySpace::item));
  base::append_string(key, item);
  return key;
}

uint64_t item_value(const std::optional<std::string>& bytes) { return bytes ? base::OrderedReader(*bytes).u64() : 0; }

class Simulation {
 public:
  explicit Simulation(uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15 + 1), world_(seed, draw_faults()) {
    shards_ = 1 + static_cast<int>(pick(4));
    for (int i = 0; i < shards_; ++i) world_.put_shard({.shard_id = shard(i)});
    world_.invoker.handler = [this](const Call& call) { return handle(call); };
  }

  void run() {
    create_mapping();
    start_users();
    const int crashes = static_cast<int>(pick(5));
    for (int crash = 0; crash < crashes; ++crash) {
      run_steps(50 + static_cast<int>(pick(1500)));
      kill();
    }
    for (int step = 0; step < kStepsMax && !users_done(); step += 1000) run_steps(1000);
    EXPECT_TRUE(users_done()) << "the writers did not come to an end";
    calm_down();
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

  store::SimFaults draw_faults() {
    return {.conflict_probability = one_of({0.0, 0.05, 0.3}),
            .slow_commit_probability = one_of({0.0, 0.1, 0.5}),
            .slow_commit_max = milliseconds(200)};
  }

  static std::string shard(int number) { return "s-" + std::to_string(number); }
  [[nodiscard]] std::string shard_of(const std::string& item) const { return shard(std::stoi(item.substr(1)) % shards_); }

  // ---- mappings ----

  struct Behaviour {
    double error = 0;
    double not_run = 0;
    double slow = 0;
    double sleepy = 0;
  };

  void create_mapping() {
    const std::string uuid = "u-" + std::to_string(behaviours_.size());
    Mapping mapping = MappingWorld::mapping(uuid);
    mapping.function_arn = uuid;
    mapping.batch_size = one_of({1, 2, 3, 10, 100});
    mapping.batching_window_seconds = one_of({0, 0, 0, 1, 7});
    mapping.retry_attempts_max = one_of({-1, -1, 0, 1, 3});
    mapping.record_age_seconds_max = one_of({-1, -1, -1, 60, 120});
    mapping.starting_position = one_of({StartingPosition::latest, StartingPosition::trim_horizon});
    behaviours_[uuid] = {.error = one_of({0.0, 0.1, 0.5}),
                         .not_run = one_of({0.0, 0.2}),
                         .slow = one_of({0.0, 0.5}),
                         .sleepy = one_of({0.0, 0.1})};
    world_.run([&]() -> Task<void> {
      const auto start = co_await starting_checkpoints(*world_.stream, mapping);
      DeliveryHistory::Checkpoints checkpoints;
      for (const auto& [id, checkpoint] : start) checkpoints[{uuid, id}] = checkpoint;
      history_.created(mapping, world_.clock.now(), std::move(checkpoints));
      co_await world_.store->transact([&](store::Transaction& txn) -> Task<void> {
        for (const auto& [id, checkpoint] : start) txn.put(checkpoint_key(uuid, id), encode_checkpoint(checkpoint));
        txn.put(mapping_key(uuid), encode_mapping(mapping));
        txn.signal(kMappingsTopic);
        co_return;
      });
    });
  }

  // What a user does to mappings while they run.
  Task<void> meddle() {
    while (meddling_ > 0) {
      --meddling_;
      co_await idle(200);
      const std::string uuid = "u-" + std::to_string(pick(behaviours_.size()));
      const MappingState state =
          one_of({MappingState::updating, MappingState::disabling, MappingState::enabling, MappingState::enabling});
      co_await set_state(uuid, state);
    }
    for (const auto& [uuid, behaviour] : behaviours_) co_await set_state(uuid, MappingState::enabling);
    meddled_ = true;
  }

  Task<void> set_state(std::string uuid, MappingState state) {
    co_await world_.store->transact([uuid, state](store::Transaction& txn) -> Task<void> {
      const auto bytes = co_await txn.get(mapping_key(uuid));
      if (!bytes) co_return;  // its creation is under way
      auto mapping = decode_mapping(*bytes);
      const bool polls = wants_polling(mapping->state);
      if (state == MappingState::enabling && polls) co_return;
      if (state != MappingState::enabling && !polls) co_return;
      mapping->state = state;
      if (state == MappingState::updating) {
        mapping->batching_window_seconds ^= 1;
        mapping->batch_size = 1 + mapping->batch_size / 2;
      }
      txn.put(mapping_key(uuid), encode_mapping(*mapping));
      txn.signal(kMappingsTopic);
    });
  }

  // ---- functions ----

  Task<InvokeOutcome> handle(Call call) {
    std::vector<std::string> ids;
    for (const Change& change : call.changes) {
      ids.push_back(change.item + "/" + std::to_string(change.number));
      // What a function sees is durable: it is on the disk that a crash would leave.
      EXPECT_LE(change.number, item_value(world_.value(item_key(change.item)))) << "saw a change that is not durable";
    }
    const std::string uuid = call.function_arn;
    const size_t number = history_.called(uuid, world_.clock.now(), std::move(ids));
    const Behaviour behaviour = calm_ ? Behaviour{} : behaviours_.at(uuid);
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
    history_.ended(number, world_.clock.now(), status);
    co_return outcome(status);
  }

  // ---- writers ----

  Task<void> write() {
    while (writes_left_ > 0) {
      --writes_left_;
      co_await idle(20);
      std::set<std::string> items;
      for (uint64_t count = 1 + pick(3); count > 0; --count) items.insert("i" + std::to_string(pick(kItems)));
      const auto written = co_await world_.store->transact(
          [this, items](store::Transaction& txn) -> Task<std::map<std::string, uint64_t>> {
            std::map<std::string, uint64_t> numbers;
            for (const std::string& item : items) {
              const uint64_t number = item_value(co_await txn.get(item_key(item))) + 1;
              std::string value;
              base::append_u64(value, number);
              txn.put(item_key(item), value);
              ModelStream::append(txn, MappingWorld::kArn, shard_of(item), {item, number}, world_.clock.now());
              numbers[item] = number;
            }
            co_return numbers;
          });
      for (const auto& [item, number] : written) {
        acknowledged_[item] = std::max(acknowledged_[item], number);
      }
    }
    ++writers_done_;
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
    world_.tasks.spawn(meddle());
  }
  bool users_done() const { return writers_done_ == kWriters && meddled_; }

  void run_steps(int steps) {
    for (; steps > 0; --steps) {
      if (world_.executor.run_one()) continue;
      world_.clock.advance_to(world_.clock.now() + milliseconds(1 + pick(3000)), [] {});
      if (behaviours_.size() < 3 && chance(0.1)) create_mapping();
    }
  }

  void kill() {
    world_.crash();
    DeliveryHistory::Checkpoints checkpoints;
    for (const auto& [uuid, behaviour] : behaviours_) {
      for (int i = 0; i < shards_; ++i) {
        if (const auto checkpoint = world_.checkpoint(shard(i), uuid)) checkpoints[{uuid, shard(i)}] = *checkpoint;
      }
    }
    history_.crashed(world_.clock.now(), checkpoints);
    start_users();
  }

  void calm_down() {
    calm_ = true;
    for (int i = 0; i < 200; ++i) world_.advance(seconds(1));
  }

  // ---- what must hold ----

  void check() {
    for (const auto& [item, number] : acknowledged_) {
      EXPECT_GE(item_value(world_.value(item_key(item))), number) << "an acknowledged write is gone";
    }
    DeliveryHistory::Logs logs;
    world_.run([&]() -> Task<void> {
      const Mapping mapping{.event_source_arn = MappingWorld::kArn};
      for (int i = 0; i < shards_; ++i) {
        auto& log = logs[shard(i)];
        for (const StreamRecord& record : co_await world_.stream->read(
                 mapping, shard(i), store::Position::before_all(), 1'000'000, 1'000'000'000)) {
          log.push_back({record.sequence_number, record.position, record.arrival});
        }
      }
    });
    std::map<std::string, uint64_t> numbers;
    for (const auto& [id, log] : logs) {
      for (const auto& record : log) {
        const std::string item = record.id.substr(0, record.id.find('/'));
        EXPECT_EQ(record.id, item + "/" + std::to_string(++numbers[item])) << "the log lacks a change";
      }
    }
    for (const auto& [item, number] : numbers) EXPECT_EQ(item_value(world_.value(item_key(item))), number);
    for (const std::string& violation : history_.judge(logs, world_.clock.now())) ADD_FAILURE() << violation;
    for (const auto& [uuid, behaviour] : behaviours_) EXPECT_EQ(world_.load(uuid)->state, MappingState::enabled);
  }

  std::mt19937_64 random_;
  MappingWorld world_;
  int shards_ = 1;
  std::map<std::string, Behaviour> behaviours_;  // by mapping
  bool calm_ = false;
  int writes_left_ = kWriters * kWritesPerWriter;
  int writers_done_ = 0;
  int meddling_ = 6;
  bool meddled_ = false;
  std::map<std::string, uint64_t> acknowledged_;
  DeliveryHistory history_;
};

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

class MappingsSimulation : public ::testing::Test {
 protected:
  void SetUp() override { base::set_log_level(base::Level::error); }
  void TearDown() override { base::set_log_level(base::Level::info); }
};

TEST_F(MappingsSimulation, KeepsItsPromisesUnderEverySeed) {
  const uint64_t only = from_environment("TIDEMILL_SIM_SEED", 0);
  const uint64_t first = only != 0 ? only : 1;
  const uint64_t last = only != 0 ? only : from_environment("TIDEMILL_SIM_SEEDS", kSeedsByDefault);
  for (uint64_t seed = first; seed <= last; ++seed) {
    Simulation(seed).run();
    if (HasFailure()) {
      FAIL() << "replay with TIDEMILL_SIM_SEED=" << seed;
    }
  }
}

TEST_F(MappingsSimulation, ReplaysASeedExactly) {
  for (const uint64_t seed : {3, 14, 159}) {
    Simulation once(seed);
    once.run();
    Simulation again(seed);
    again.run();
    EXPECT_EQ(once.transcript(), again.transcript());
    EXPECT_GT(once.transcript().size(), 1000u);
  }
}

}  // namespace
}  // namespace tidemill::engine
