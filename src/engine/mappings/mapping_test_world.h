// For tests: mappings over the simulated store, a stream modelled on its logs, and functions that are coroutines.
// Everything runs on one SimExecutor and a clock that the test turns.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ordered.h"
#include "engine/model_place_line.h"
#include "engine/mappings/mappings.h"
#include "store/delivery.h"
#include "store/failing_store.h"
#include "store/keys.h"
#include "store/position.h"
#include "store/sim_store.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::engine {

// One change of one item, numbered from 1 in the order of its item's changes.
struct Change {
  std::string item;
  uint64_t number = 0;
  auto operator<=>(const Change&) const = default;
};

// The changes in a function's event.
inline std::vector<Change> changes_in(std::string_view payload) {
  constexpr std::string_view kItem = R"({"item":")";
  constexpr std::string_view kNumber = R"(","n":)";
  std::vector<Change> changes;
  for (size_t at = payload.find(kItem); at != std::string_view::npos; at = payload.find(kItem, at + 1)) {
    const size_t item = at + kItem.size();
    const size_t number = payload.find(kNumber, item);
    changes.push_back({std::string(payload.substr(item, number - item)),
                       std::stoull(std::string(payload.substr(number + kNumber.size(), 20)))});
  }
  return changes;
}

// A stream whose shards and records are plain keys and logs, written in the transactions that change the items.
class ModelStream final : public StreamSource {
 public:
  explicit ModelStream(store::Store& store) : store_(store) {}

  static store::LogId log(std::string_view arn, std::string_view shard) {
    std::string id = "model/";
    base::append_string(id, arn);
    base::append_string(id, shard);
    return {id};
  }
  static std::string shard_prefix(std::string_view arn) {
    std::string key(1, static_cast<char>(store::KeySpace::resource));
    base::append_string(key, arn);
    return key;
  }
  static void put_shard(store::Transaction& txn, std::string_view arn, const StreamShard& shard) {
    std::string key = shard_prefix(arn);
    base::append_string(key, shard.shard_id);
    std::string value;
    base::append_u8(value, shard.closed ? 1 : 0);
    base::append_string(value, shard.incarnation);
    for (const std::string& parent : shard.parents) base::append_string(value, parent);
    txn.put(key, value);
    txn.signal("shards/" + std::string(arn));
  }
  static void erase_shard(store::Transaction& txn, std::string_view arn, std::string_view shard) {
    std::string key = shard_prefix(arn);
    base::append_string(key, shard);
    txn.erase(key);
    txn.signal("shards/" + std::string(arn));
  }
  static StreamShard shard_of(std::string_view arn, std::string_view key, std::string_view value) {
    base::OrderedReader id(key.substr(shard_prefix(arn).size()));
    base::OrderedReader reader(value);
    StreamShard shard{.shard_id = id.string()};
    shard.closed = reader.u8() != 0;
    shard.incarnation = reader.string();
    while (!reader.at_end()) shard.parents.push_back(reader.string());
    return shard;
  }
  static void append(store::Transaction& txn, std::string_view arn, std::string_view shard, const Change& change,
                     base::Time now, size_t padding = 0) {
    std::string record;
    base::append_i64(record, now.time_since_epoch().count());
    base::append_string(record, change.item);
    base::append_u64(record, change.number);
    base::append_u64(record, padding);
    txn.append(log(arn, shard), record);
  }
  static std::string event_json(const Change& change, size_t padding = 0) {
    std::string json = R"({"item":")" + change.item + R"(","n":)" + std::to_string(change.number);
    json += change.number % 2 == 0 ? R"(,"parity":"even")" : R"(,"parity":"odd")";
    if (padding > 0) json += R"(,"pad":")" + std::string(padding, 'x') + "\"";
    return json + "}";
  }

  // Its sequence numbers are names; what they stand for is known once they have been read.
  [[nodiscard]] std::optional<SequenceSpan> span_of(std::string_view sequence_number) const override {
    const auto found = spans.find(sequence_number);
    return found == spans.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] bool owns(std::string_view arn) const override { return arn.starts_with("arn:model:"); }
  Task<bool> exists(std::string_view arn) override { co_return !(co_await shards(arn)).empty(); }
  Task<std::vector<StreamShard>> shards(std::string_view arn) override {
    std::vector<StreamShard> found;
    const std::string prefix = shard_prefix(arn);
    co_await store_.snapshot()->scan(
        store::Range::prefix(prefix), store::Direction::forward, [&](std::string_view key, std::string_view value) {
          found.push_back(shard_of(arn, key, value));
          return true;
        });
    co_return found;
  }
  Task<std::vector<StreamRecord>> read(const Mapping& mapping, std::string_view shard, store::Position after,
                                       size_t count_max, size_t bytes_max) override {
    ++reads;
    const std::string& arn = mapping.event_source_arn;
    std::vector<StreamRecord> records;
    size_t bytes = 0;
    co_await store_.snapshot()->read_log(log(arn, shard), after, [&](store::Position at, std::string_view bytes_in) {
      if (records.size() >= count_max || bytes >= bytes_max) return false;
      base::OrderedReader reader(bytes_in);
      StreamRecord record{.position = at};
      record.arrival = base::Time(base::Duration(reader.i64()));
      Change change;
      change.item = reader.string();
      change.number = reader.u64();
      record.sequence_number = change.item + "/" + std::to_string(change.number);
      record.event_json = event_json(change, reader.u64());
      record.ordering_key = change.item;
      spans.insert_or_assign(record.sequence_number, SequenceSpan{store::before(at), at});
      homes.insert_or_assign(record.sequence_number, std::string(shard));
      if (!records.empty() && bytes + record.event_json.size() > bytes_max) return false;
      bytes += record.event_json.size();
      records.push_back(std::move(record));
      return true;
    });
    co_return records;
  }
  Task<store::Position> latest(std::string_view arn, std::string_view shard) override {
    co_return (co_await store_.snapshot()->last_position(log(arn, shard))).value_or(store::Position::before_all());
  }
  store::Subscription watch_shard(std::string_view arn, std::string_view shard,
                                  std::function<void()> changed) override {
    return store_.subscribe(log(arn, shard).bytes, std::move(changed));
  }
  store::Subscription watch_shards(std::string_view arn, std::function<void()> changed) override {
    return store_.subscribe("shards/" + std::string(arn), std::move(changed));
  }

  [[nodiscard]] base::Duration retention(std::string_view) const override { return std::chrono::hours(24); }

  int reads = 0;
  std::map<std::string, SequenceSpan, std::less<>> spans;  // of what has been read
  std::map<std::string, std::string, std::less<>> homes;   // and its shards

 private:
  store::Store& store_;
};

// What a function got.
struct Call {
  std::string function_arn;
  std::vector<Change> changes;
  size_t payload_bytes = 0;
  base::Time time;
  std::string payload;
};

// Functions that are coroutines of the test. Without one, every call succeeds.
class ModelInvoker final : public Invoker {
 public:
  using Handler = std::function<Task<InvokeOutcome>(const Call&)>;

  explicit ModelInvoker(base::Clock& clock) : clock_(clock) {}

  Task<InvokeOutcome> invoke(std::string_view function_arn, std::string payload) override {
    Call call{std::string(function_arn), changes_in(payload), payload.size(), clock_.now(), std::move(payload)};
    calls.push_back(call);
    if (!handler) co_return InvokeOutcome{};
    const Handler running = handler;
    co_return co_await running(call);
  }

  Task<PlaceTurnPtr> wait_for_place(std::string_view, base::Time since, std::function<void()> called) override {
    return Task<PlaceTurnPtr>::ready(line.enter(since, std::move(called)));
  }

  ModelPlaceLine line;
  Handler handler;
  std::vector<Call> calls;

 private:
  base::Clock& clock_;
};

inline InvokeOutcome outcome(InvokeStatus status) { return {.status = status, .detail = "as the test wants it"}; }

class MappingWorld {
 public:
  static constexpr const char* kArn = "arn:model:stream";
  static constexpr const char* kFunction = "arn:aws:lambda:us-east-1:000000000000:function:f";

  // Whether the world itself runs the mappings, or the test does.
  enum class Runs { mappings, nothing };

  explicit MappingWorld(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none(),
                        Runs runs = Runs::mappings)
      : clock(base::Time(std::chrono::hours(24 * 365 * 50)), base::VirtualClock::Mode::manual),
        executor(seed, clock.activity()),
        invoker(clock),
        faults_(faults),
        runs_(runs) {
    boot();
  }
  ~MappingWorld() {
    const auto hold = clock.activity().hold();
    mappings.reset();
    tasks.clear();
    executor.drop_all();
    store.reset();
  }

  // Kills the process and starts it again on what is durable.
  void crash() {
    {
      const auto hold = clock.activity().hold();  // nothing due may run between the pieces
      mappings.reset();
      tasks.clear();
      store->crash();
      stream.reset();
      store.reset();
      executor.drop_all();
    }
    boot();
  }

  void settle() { executor.run_until_idle(); }

  void advance(base::Duration by) {
    settle();
    bool done = false;
    clock.advance_to(clock.now() + by, [&] { done = true; });
    settle();
    EXPECT_TRUE(done) << "the platform did not fall quiet";
  }

  template <class Body>
  void run(Body body) {
    bool done = false;
    const auto wrapper = [&]() -> Task<void> {
      co_await body();
      done = true;
    };
    {
      const base::Executor::Enter enter(executor);
      tasks.spawn(wrapper());
      while (!done && executor.run_one()) {
      }
    }
    EXPECT_TRUE(done) << "nothing is left to run and the step is not done";
  }

  void transact(std::function<void(store::Transaction&)> body) {
    run([&]() -> Task<void> {
      co_await store->transact([&](store::Transaction& txn) -> Task<void> {
        body(txn);
        co_return;
      });
    });
  }

  void put_shard(StreamShard shard) {
    transact([&](store::Transaction& txn) { ModelStream::put_shard(txn, kArn, shard); });
  }

  void delete_shard(std::string shard) {
    transact([&](store::Transaction& txn) { ModelStream::erase_shard(txn, kArn, shard); });
  }

  // One transaction with one record per item named, each the item's next change.
  void write(std::string_view shard, const std::vector<std::string>& items, size_t padding = 0) {
    std::vector<Change> changes;
    for (const std::string& item : items) changes.push_back({item, ++last_change[item]});
    transact([&](store::Transaction& txn) {
      for (const Change& change : changes) ModelStream::append(txn, kArn, shard, change, clock.now(), padding);
    });
  }

  static Mapping mapping(std::string uuid = "u-1") {
    Mapping mapping;
    mapping.uuid = std::move(uuid);
    mapping.event_source_arn = kArn;
    mapping.function_arn = kFunction;
    mapping.starting_position = StartingPosition::trim_horizon;
    return mapping;
  }

  void put_mapping(const Mapping& mapping) {
    transact([&](store::Transaction& txn) {
      txn.put(mapping_key(mapping.uuid), encode_mapping(mapping));
      txn.signal(kMappingsTopic);
    });
  }

  std::optional<Mapping> load(std::string_view uuid = "u-1") {
    const auto bytes = value(mapping_key(uuid));
    return bytes ? decode_mapping(*bytes) : std::nullopt;
  }
  std::optional<Checkpoint> checkpoint(std::string_view shard = "s-1", std::string_view uuid = "u-1") {
    const auto bytes = value(checkpoint_key(uuid, shard));
    return bytes ? decode_checkpoint(*bytes) : std::nullopt;
  }
  std::optional<OpenWindow> window(std::string_view shard = "s-1", std::string_view uuid = "u-1") {
    const auto bytes = value(window_key(uuid, shard));
    return bytes ? decode_window(*bytes) : std::nullopt;
  }
  // The failure documents that are on their way, as they stand in the store.
  std::vector<store::Delivery> documents() {
    std::vector<store::Delivery> found;
    run([&]() -> Task<void> {
      const auto snapshot = store->snapshot();
      std::vector<std::string> ids;
      const std::string prefix = {static_cast<char>(store::KeySpace::delivery), 'p'};
      co_await snapshot->scan(store::Range::prefix(prefix), store::Direction::forward,
                              [&](std::string_view key, std::string_view) {
                                base::OrderedReader reader(key.substr(prefix.size()));
                                ids.push_back(reader.string());
                                return true;
                              });
      for (const std::string& id : ids) found.push_back(*co_await store::load_delivery(*snapshot, id));
    });
    return found;
  }
  std::string result(std::string_view uuid = "u-1") {
    return value(result_key(uuid)).value_or(std::string(kNothingProcessed));
  }
  std::optional<std::string> value(const std::string& key) {
    const auto found = disk.data.find(key);
    if (found == disk.data.end()) return std::nullopt;
    return found->second;
  }

  // "a1 a2 | b1": the changes of each call.
  std::string delivered() const {
    std::string text;
    for (const Call& call : invoker.calls) {
      if (!text.empty()) text += " | ";
      for (size_t i = 0; i < call.changes.size(); ++i) {
        if (i > 0) text += " ";
        text += call.changes[i].item + std::to_string(call.changes[i].number);
      }
    }
    return text;
  }

  base::VirtualClock clock;
  base::SimExecutor executor;
  base::Metrics metrics;
  wire::PlatformMetrics usage{clock};
  ModelInvoker invoker;
  SoleOwnership ownership;
  store::SimDisk disk;
  store::Troubles troubles;
  std::unique_ptr<store::SimStore> store;
  std::unique_ptr<ModelStream> stream;
  std::unique_ptr<Mappings> mappings;
  base::Scope tasks;
  std::map<std::string, uint64_t> last_change;
  size_t batch_bytes_max = kBatchBytesInAllMax;  // from the next start on

 private:
  void boot() {
    store = std::make_unique<store::FailingStore>(store::make_sim_store(disk, executor, clock, faults_), troubles);
    stream = std::make_unique<ModelStream>(*store);
    if (runs_ == Runs::nothing) return;
    mappings = std::make_unique<Mappings>(executor, *store, clock, ownership, metrics,
                                          std::vector<StreamSource*>{stream.get()}, invoker, &usage,
                                          std::vector<QueueSource*>{}, kWindowIdleWait, batch_bytes_max);
    mappings->start();
  }

  store::SimFaults faults_;
  Runs runs_;
};

// A stream of one shard, s-1, and one mapping.
class OneShardTest : public ::testing::Test {
 protected:
  void SetUp() override { world.put_shard({.shard_id = "s-1"}); }

  void start(const Mapping& mapping = MappingWorld::mapping()) {
    world.put_mapping(mapping);
    world.settle();
  }
  void write(const std::vector<std::string>& items) {
    world.write("s-1", items);
    world.settle();
  }

  MappingWorld world;
};

}  // namespace tidemill::engine
