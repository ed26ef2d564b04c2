// For simulations: writers, mappings with many option sets, and functions that succeed, fail, are slow or are throttled,
// over a store that conflicts and is slow; and the check of what must hold at the end. All of it is drawn from a seed.
// Who runs the mappings, and what befalls them, is the part of those who derive from this.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "base/json.h"
#include "base/log.h"
#include "engine/mappings/delivery_history.h"
#include "engine/mappings/delivery_judge.h"
#include "engine/mappings/failure_destination.h"
#include "engine/mappings/mapping_test_world.h"
#include "engine/mappings/starting_position.h"

namespace tidemill::engine {

inline constexpr int kItems = 8;
inline constexpr int kWriters = 3;
inline constexpr int kWritesPerWriter = 40;
inline constexpr int kStepsMax = 200'000;
inline constexpr std::string_view kEvenOnly = R"({"parity":["even"]})";

inline std::string item_key(const std::string& item) {
  std::string key(1, static_cast<char>(store::KeySpace::item));
  base::append_string(key, item);
  return key;
}

// The shard that an item's changes go to.
inline std::string place_key(const std::string& item) { return item_key("place of " + item); }

inline uint64_t item_value(const std::optional<std::string>& bytes) {
  return bytes ? base::OrderedReader(*bytes).u64() : 0;
}

class Simulation {
 public:
  virtual ~Simulation() = default;

  void run() {
    create_mapping();
    start_users();
    trouble();
    for (int step = 0; step < kStepsMax && !users_done(); step += 1000) run_steps(1000);
    EXPECT_TRUE(users_done()) << "the writers did not come to an end";
    calm_down();
    check();
  }

  [[nodiscard]] std::string transcript() const { return history_.transcript(); }

 protected:
  Simulation(uint64_t seed, MappingWorld::Runs runs)
      : random_(seed * 0x9e3779b97f4a7c15 + 1), world_(seed, draw_faults(), runs) {
    const int shards = 1 + static_cast<int>(pick(4));
    for (int i = 0; i < shards; ++i) world_.put_shard({.shard_id = shard(i)});
    world_.transact([&](store::Transaction& txn) {
      for (int i = 0; i < kItems; ++i) txn.put(place_key("i" + std::to_string(i)), shard(i % shards));
    });
  }

  // What befalls those who run the mappings, in between or instead of run_steps().
  virtual void trouble() = 0;

  uint64_t pick(uint64_t below) { return random_() % below; }
  bool chance(double probability) { return static_cast<double>(pick(1'000'000)) < probability * 1e6; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + pick(choices.size()));
  }

  store::SimFaults draw_faults() {
    return {.conflict_probability = one_of({0.0, 0.05, 0.3}),
            .slow_commit_probability = one_of({0.0, 0.1, 0.5}),
            .slow_commit_max = std::chrono::milliseconds(200)};
  }

  // Children come behind their parents.
  static std::string shard(int number) { return (number < 10 ? "s-0" : "s-") + std::to_string(number); }

  // ---- mappings ----

  struct Behaviour {
    double error = 0;
    double not_run = 0;
    double slow = 0;
    double sleepy = 0;
    double partly = 0;
  };

  void create_mapping() {
    const std::string uuid = "u-" + std::to_string(behaviours_.size());
    Mapping mapping = MappingWorld::mapping(uuid);
    mapping.function_arn = uuid;
    mapping.batch_size = one_of({1, 2, 3, 10, 100});
    mapping.batching_window_seconds = one_of({0, 0, 0, 1, 7});
    mapping.retry_attempts_max = one_of({-1, -1, 0, 1, 3});
    if (ages_) mapping.record_age_seconds_max = one_of({-1, -1, -1, 60, 120});
    mapping.parallelization_factor = one_of({1, 1, 2, 3, 10});
    mapping.bisect_on_error = chance(0.4);
    mapping.report_item_failures = chance(0.4);
    if (chance(0.3)) mapping.filters = {std::string(kEvenOnly)};
    if (chance(0.6)) mapping.failure_destination = "arn:aws:s3:::failures";
    mapping.starting_position = one_of({StartingPosition::latest, StartingPosition::trim_horizon});
    if (windowed_ && chance(0.3)) {
      mapping.tumbling_window_seconds = one_of({5, 20});
      mapping.parallelization_factor = 1;
      windows_[uuid] = {};
    }
    filtered_[uuid] = !mapping.filters.empty();
    behaviours_[uuid] = {.error = one_of({0.0, 0.1, 0.5}),
                         .not_run = one_of({0.0, 0.2}),
                         .slow = one_of({0.0, 0.5}),
                         .sleepy = one_of({0.0, 0.1}),
                         .partly = mapping.report_item_failures ? one_of({0.0, 0.2, 0.5}) : 0.0};
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
    co_await world_.store->transact([this, uuid, state](store::Transaction& txn) -> Task<void> {
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
        if (pick(2) == 0 && mapping->tumbling_window_seconds == 0) {
          mapping->parallelization_factor = 1 + static_cast<int>(pick(5));
        }
        history_.updated(*mapping);
      }
      txn.put(mapping_key(uuid), encode_mapping(*mapping));
      txn.signal(kMappingsTopic);
    });
  }

  // ---- functions ----

  // `clock`: of the process in which it runs.
  Task<InvokeOutcome> handle(base::Clock& clock, Call call) {
    const std::string uuid = call.function_arn;
    std::vector<std::string> ids;
    for (const Change& change : call.changes) {
      ids.push_back(change.item + "/" + std::to_string(change.number));
      // What a function sees is durable: it is on the disk that a crash would leave.
      EXPECT_LE(change.number, item_value(world_.value(item_key(change.item)))) << "saw a change that is not durable";
    }
    const bool ends_window = ids.empty() && windows_.contains(uuid);
    const size_t number = ends_window ? 0 : history_.called(uuid, world_.clock.now(), ids);
    const Behaviour behaviour = calm_ ? Behaviour{} : behaviours_.at(uuid);
    if (chance(behaviour.slow)) {
      const auto busy = clock.activity().hold();
      for (uint64_t left = pick(30); left > 0; --left) co_await base::yield();
    }
    if (chance(behaviour.sleepy)) {
      co_await clock.sleep_until(clock.now() + std::chrono::milliseconds(pick(5000)));
    }
    InvokeStatus status = InvokeStatus::ok;
    size_t finished = ids.size();
    if (chance(behaviour.partly) && !ends_window) {
      finished = pick(ids.size());
    } else if (chance(behaviour.error)) {
      status = InvokeStatus::function_error;
    } else if (chance(behaviour.not_run)) {
      status = one_of({InvokeStatus::throttled, InvokeStatus::no_function, InvokeStatus::failed});
    }
    if (!ends_window) history_.ended(number, world_.clock.now(), status, finished);
    InvokeOutcome result = outcome(status);
    if (status == InvokeStatus::ok) result.payload = answer(uuid, call, ids, finished);
    co_return result;
  }

  // What the function returns that has taken the first `finished` of the records.
  std::string answer(const std::string& uuid, const Call& call, const std::vector<std::string>& ids, size_t finished) {
    std::string text = "{";
    if (finished < ids.size()) text += R"("batchItemFailures":[{"itemIdentifier":")" + ids[finished] + R"("}],)";
    const auto windows = windows_.find(uuid);
    if (windows == windows_.end()) return text + R"("x":0})";
    const json::Value event = *json::parse(call.payload);
    const json::Value* seen = event.find("state")->find("seen");
    std::string state = seen != nullptr ? seen->string() : "";
    windows->second.take(event, state);
    for (size_t i = 0; i < finished; ++i) state += ids[i] + " ";
    windows->second.last[event.find("shardId")->string()] = ids.empty() ? "" : state;
    return text + R"("state":{"seen":")" + state + R"("}})";
  }

  // What a mapping's function was told of windows.
  struct Windows {
    std::map<std::string, std::string> last;  // what was returned last, by shard; forgotten by a crash
    std::map<std::string, int> closed;        // in how many final invocations a record was
    void take(const json::Value& event, const std::string& state) {
      const std::string shard = event.find("shardId")->string();
      const auto known = last.find(shard);
      if (known != last.end() && !state.empty()) EXPECT_EQ(state, known->second) << "a state of another invocation";
      std::set<std::string> once;
      std::istringstream ids(state);
      for (std::string id; ids >> id;) {
        EXPECT_TRUE(once.insert(id).second) << id << " is twice in a window's state";
        if (event.find("isFinalInvokeForWindow")->boolean()) ++closed[id];
      }
    }
  };

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
              const std::string place = *co_await txn.get(place_key(item));
              ModelStream::append(txn, MappingWorld::kArn, place, {item, number}, world_.clock.now(), padding_);
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

  // Now and then a shard is closed, and its items' changes go to two others.
  Task<void> reshard() {
    while (reshardings_left_ > 0) {
      --reshardings_left_;
      co_await idle(400);
      const std::string item = "i" + std::to_string(pick(kItems));
      co_await world_.store->transact([&](store::Transaction& txn) -> Task<void> {
        int shards = 0;
        co_await txn.scan(store::Range::prefix(ModelStream::shard_prefix(MappingWorld::kArn)),
                          store::Direction::forward, [&](std::string_view, std::string_view) { return ++shards > 0; });
        const std::string parent = *co_await txn.get(place_key(item));
        ModelStream::put_shard(txn, MappingWorld::kArn,
                               {.shard_id = parent, .parents = parents_of(parent), .closed = true});
        for (const int child : {shards, shards + 1}) {
          ModelStream::put_shard(txn, MappingWorld::kArn, {.shard_id = shard(child), .parents = {parent}});
        }
        for (int i = 0; i < kItems; ++i) {
          const std::string place = place_key("i" + std::to_string(i));
          if (*co_await txn.get(place) == parent) txn.put(place, shard(shards + i % 2));
        }
      });
    }
    resharded_ = true;
  }

  // As they are on the disk.
  std::vector<StreamShard> shards() const {
    std::vector<StreamShard> all;
    const store::Range range = store::Range::prefix(ModelStream::shard_prefix(MappingWorld::kArn));
    for (auto entry = world_.disk.data.lower_bound(range.begin); entry != world_.disk.data.lower_bound(range.end);
         ++entry) {
      all.push_back(ModelStream::shard_of(MappingWorld::kArn, entry->first, entry->second));
    }
    return all;
  }
  std::vector<std::string> parents_of(const std::string& id) const {
    const std::vector<StreamShard> all = shards();
    return std::ranges::find(all, id, &StreamShard::shard_id)->parents;
  }

  Task<void> idle(uint64_t most) {
    if (chance(0.2)) {
      co_await world_.clock.sleep_until(world_.clock.now() + std::chrono::milliseconds(pick(4000)));
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
    world_.tasks.spawn(reshard());
  }
  bool users_done() const { return writers_done_ == kWriters && meddled_ && resharded_; }

  void run_steps(int steps) {
    for (; steps > 0; --steps) {
      if (world_.executor.run_one()) continue;
      world_.clock.advance_to(world_.clock.now() + std::chrono::milliseconds(1 + pick(3000)), [] {});
      if (behaviours_.size() < 3 && chance(0.1)) create_mapping();
    }
  }

  virtual void calm_down() {
    calm_ = true;
    for (int i = 0; i < 300; ++i) world_.advance(std::chrono::seconds(1));
  }

  // ---- what must hold ----

  void check() {
    for (const auto& [item, number] : acknowledged_) {
      EXPECT_GE(item_value(world_.value(item_key(item))), number) << "an acknowledged write is gone";
    }
    DeliveryHistory::Logs logs;
    DeliveryJudge::Parents parents;
    const std::vector<StreamShard> all = shards();
    for (const StreamShard& shard : all) parents[shard.shard_id] = shard.parents;
    world_.run([&]() -> Task<void> {
      const Mapping mapping{.event_source_arn = MappingWorld::kArn};
      for (const StreamShard& shard : all) {
        auto& log = logs[shard.shard_id];
        for (const StreamRecord& record : co_await world_.stream->read(
                 mapping, shard.shard_id, store::Position::before_all(), 1'000'000, 1'000'000'000)) {
          log.push_back({record.sequence_number, record.position, record.arrival, record.ordering_key});
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
    const auto wants = [this](const std::string& uuid, const std::string& record) {
      return !filtered_.at(uuid) || std::stoi(record.substr(record.find('/') + 1)) % 2 == 0;
    };
    const auto documents = read_documents();
    for (const std::string& violation : judge(history_, logs, world_.clock.now(), documents, wants, parents)) {
      ADD_FAILURE() << violation;
    }
    for (const auto& [uuid, behaviour] : behaviours_) EXPECT_EQ(world_.load(uuid)->state, MappingState::enabled);
    for (const auto& [uuid, windows] : windows_) check_windows(uuid, windows, logs, wants);
  }

  // Where nothing is given up every record ends up in its window's final invocation, and in no other.
  void check_windows(const std::string& uuid, const Windows& windows, const DeliveryHistory::Logs& logs,
                     const DeliveryJudge::Wants& wants) {
    const Mapping mapping = *world_.load(uuid);
    if (mapping.retry_attempts_max >= 0 || mapping.record_age_seconds_max >= 0 ||
        mapping.starting_position == StartingPosition::latest) {
      return;
    }
    for (const auto& [shard, log] : logs) {
      for (const auto& record : log) {
        if (!wants(uuid, record.id)) continue;
        const auto found = windows.closed.find(record.id);
        const int times = found == windows.closed.end() ? 0 : found->second;
        EXPECT_GE(times, 1) << record.id << " was in no final invocation of " << uuid;
        if (crashes_ == 0) EXPECT_LE(times, 1) << record.id << " was in several final invocations of " << uuid;
      }
    }
  }

  std::vector<DeliveryJudge::Document> read_documents() {
    std::vector<DeliveryJudge::Document> documents;
    for (const store::Delivery& delivery : world_.documents()) {
      const auto text = json::parse(document_in(delivery));
      const json::Value& request = *text->find("requestContext");
      DeliveryJudge::Document document{.mapping = request.find("functionArn")->string(),
                                         .condition = request.find("condition")->string(),
                                         .invocations = *request.find("approximateInvokeCount")->to_int64()};
      for (const Change& change : changes_in(json::write(*text->find("payload")))) {
        document.records.push_back(change.item + "/" + std::to_string(change.number));
      }
      documents.push_back(std::move(document));
    }
    return documents;
  }

  std::mt19937_64 random_;
  MappingWorld world_;
  bool ages_ = true;      // mappings may give records up by their age
  bool windowed_ = true;  // and may have tumbling windows
  // So much that a lane cannot keep in memory what another's reading brings.
  size_t padding_ = chance(0.1) ? 60'000 : 0;
  int reshardings_left_ = static_cast<int>(pick(3));
  bool resharded_ = false;
  std::map<std::string, Behaviour> behaviours_;  // by mapping
  std::map<std::string, Windows> windows_;       // of mappings that have them
  int crashes_ = 0;
  std::map<std::string, bool> filtered_;         // whether the mapping wants even changes only
  bool calm_ = false;
  int writes_left_ = kWriters * kWritesPerWriter;
  int writers_done_ = 0;
  int meddling_ = 6;
  bool meddled_ = false;
  std::map<std::string, uint64_t> acknowledged_;
  DeliveryHistory history_;
};

inline uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

}  // namespace tidemill::engine
