// Seeds drive producers and readers through conflicts, slow commits, reshards and crashes. Whatever happens: what was
// acknowledged is in the stream, each key's records are in the order in which they were acknowledged, sequence numbers
// grow within a shard, and an iterator that was given before a crash goes on where it stood.
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "services/kinesis/testing.h"

namespace tidemill::kinesis {
namespace {

using namespace std::chrono_literals;
using testing::Page;
using testing::text_at;
using testing::World;

constexpr std::string_view kStream = "s";
constexpr int kKeys = 5;
constexpr uint64_t kSeedsByDefault = 40;  // TIDEMILL_SIM_SEEDS=N runs more

// A reader of one shard: what it has seen, and its iterator.
struct Reader {
  std::string next;
  std::vector<std::string> data;
  bool at_end = false;
};

class Mill {
 public:
  explicit Mill(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed) { world_.create_stream(kStream, 2); }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      switch (random_() % 8) {
        case 0:
        case 1:
        case 2:
          put_one();
          break;
        case 3:
        case 4:
          put_batch();
          break;
        case 5:
          read_some();
          break;
        case 6:
          if (random_() % 4 == 0) reshard();
          break;
        default:
          collect();
          break;
      }
      for (int i = static_cast<int>(random_() % 30); i > 0; --i) world_.executor.run_one();
      if (random_() % 40 == 0) crash();
    }
    world_.settle();
    collect();
  }

  void check() {
    world_.crash();
    world_.settle();
    for (int round = 0; round < 1'000 && !all_read(); ++round) read_some();
    std::map<std::string, std::vector<std::string>> by_key;
    // Parents before children: shards come in the order of their making.
    for (const auto& [shard, reader] : readers_) {
      EXPECT_EQ(reader.data, all_of(shard)) << "an iterator lost or repeated records of " << shard;
      for (const std::string& data : reader.data) by_key[data.substr(0, data.find('-'))].push_back(data);
    }
    size_t found = 0;
    for (const auto& [key, data] : by_key) {
      EXPECT_TRUE(std::ranges::is_sorted(data)) << "the records of " << key << " are out of order";
      EXPECT_EQ(std::set<std::string>(data.begin(), data.end()).size(), data.size()) << "a record is there twice";
      found += data.size();
    }
    for (const std::string& data : acknowledged_) {
      const auto& of_key = by_key[data.substr(0, data.find('-'))];
      EXPECT_TRUE(std::ranges::binary_search(of_key, data)) << data << " was lost";
    }
    EXPECT_GT(acknowledged_.size(), 20u) << "the simulation does next to nothing";
    EXPECT_GE(found, acknowledged_.size());
  }

 private:
  struct Pending {
    World::RequestPtr request;
    std::vector<int> keys;
    std::vector<std::string> data;
  };

  // A key's records are written one after the other: what is under way has no order.
  std::vector<int> free_keys(size_t count) {
    std::vector<int> keys;
    for (size_t i = 0; i < count; ++i) {
      const int key = static_cast<int>(random_() % kKeys);
      if (!busy_[key] && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    return keys;
  }

  // "k3-1000007": sorts as it was made.
  std::string new_data(int key) { return base::cat("k", key, "-", 1'000'000 + next_++); }

  void put_one() {
    for (const int key : free_keys(1)) {
      const std::string data = new_data(key);
      start("PutRecord", world_.put_members(base::cat("k", key), data), {key}, {data});
    }
  }

  void put_batch() {
    std::string records;
    std::vector<int> keys;
    std::vector<std::string> all;
    for (const int key : free_keys(3)) {
      for (int i = 0; i < 2; ++i) {
        keys.push_back(key);
        all.push_back(new_data(key));
        records += base::cat(records.empty() ? "{" : ",{", world_.put_members(base::cat("k", key), all.back()), "}");
      }
    }
    if (!all.empty()) start("PutRecords", base::cat("\"Records\":[", records, "]"), keys, all);
  }

  void start(std::string_view operation, std::string_view members, std::vector<int> keys,
             std::vector<std::string> data) {
    for (const int key : keys) busy_[key] = true;
    pending_.push_back({world_.start(operation, World::of_stream(kStream, members)), std::move(keys), std::move(data)});
  }

  void collect() {
    std::erase_if(pending_, [&](const Pending& put) {
      if (!put.request->done) return false;
      EXPECT_FALSE(put.request->refused) << put.request->answer;
      for (const int key : put.keys) busy_[key] = false;
      acknowledged_.insert(put.data.begin(), put.data.end());
      return true;
    });
  }

  void crash() {
    collect();
    world_.crash();
    pending_.clear();
    busy_.clear();
  }

  void reshard() {
    const json::Array open = world_.shards(kStream, R"("ShardFilter":{"Type":"AT_LATEST"})");
    const int now = static_cast<int>(open.size());
    const int target = std::max(1, static_cast<int>(random_() % static_cast<uint64_t>(now * 2)) + 1);
    if (target * 2 < now || target == now || target > 6) return;
    world_.start(
        "UpdateShardCount",
        World::of_stream(kStream, base::cat(R"("ScalingType":"UNIFORM_SCALING","TargetShardCount":)", target)));
  }

  void read_some() {
    for (const json::Value& shard : world_.shards(kStream)) {
      const std::string id = text_at(shard, "ShardId");
      Reader& reader = readers_[id];
      if (reader.at_end) continue;
      if (reader.next.empty()) reader.next = world_.iterator(kStream, id, "TRIM_HORIZON");
      const Page page = world_.page(reader.next, "\"Limit\":3");
      reader.data.insert(reader.data.end(), page.data.begin(), page.data.end());
      reader.next = page.next;
      reader.at_end = page.next.empty();
      EXPECT_TRUE(std::ranges::is_sorted(page.sequence_numbers));
    }
  }

  bool all_read() {
    for (const json::Value& shard : world_.shards(kStream)) {
      const auto found = readers_.find(text_at(shard, "ShardId"));
      if (found == readers_.end() || (found->second.data != all_of(found->first))) return false;
    }
    return true;
  }

  std::vector<std::string> all_of(const std::string& shard) { return world_.read(kStream, shard); }

  World world_;
  std::mt19937_64 random_;
  int next_ = 0;
  std::vector<Pending> pending_;
  std::map<int, bool> busy_;
  std::map<std::string, Reader> readers_;
  std::set<std::string> acknowledged_;
};

TEST(StreamSimulation, NothingIsLostAndEachKeyKeepsItsOrder) {
  const char* asked = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = asked ? std::strtoull(asked, nullptr, 10) : kSeedsByDefault;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(base::cat("seed ", seed));
    Mill mill(seed);
    mill.run(400);
    mill.check();
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace tidemill::kinesis
