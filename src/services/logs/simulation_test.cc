// Seeds drive writers and readers of log streams through conflicts, slow commits and crashes. What was acknowledged is
// there, once, and in the order of its time.
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "services/logs/testing.h"

namespace tidemill::logs {
namespace {

using namespace std::chrono_literals;
using testing::World;

constexpr uint64_t kSeedsByDefault = 40;  // TIDEMILL_SIM_SEEDS=N runs more
constexpr int kStreams = 3;

class Mill {
 public:
  explicit Mill(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed) {
    world_.create_group("g");
    for (int i = 0; i < kStreams; ++i) world_.create_stream("g", stream(i));
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      write(static_cast<int>(random_() % kStreams));
      for (int i = static_cast<int>(random_() % 30); i > 0; --i) world_.executor.run_one();
      if (random_() % 10 == 0) world_.advance(1s);
      collect();
      if (random_() % 50 == 0) {
        writes_.clear();
        world_.crash();
      }
    }
    world_.settle();
    collect();
    writes_.clear();
    world_.crash();
  }

  void check() {
    std::map<std::string, int> seen;
    Milliseconds last = 0;
    std::string token;
    do {
      const auto page = world_.filter(
          "g", token.empty() ? R"("limit":7)" : base::cat(R"("limit":7,"nextToken":")", token, "\""));
      for (const json::Value& event : page.find("events")->array()) {
        const Milliseconds time = *event.find("timestamp")->to_int64();
        EXPECT_GE(time, last);
        last = time;
        ++seen[event.find("message")->string()];
      }
      token = World::text(page, "nextToken");
    } while (!token.empty());
    for (const auto& [message, count] : seen) EXPECT_EQ(count, 1) << message;
    for (const std::string& message : acknowledged_) EXPECT_TRUE(seen.contains(message)) << message << " was lost";
    EXPECT_GT(acknowledged_.size(), 50u) << "the simulation does next to nothing";
    std::set<std::string> by_stream;
    for (int i = 0; i < kStreams; ++i) {
      for (const std::string& message : world_.messages("g", stream(i))) {
        EXPECT_TRUE(message.starts_with(stream(i)));
        by_stream.insert(message);
      }
    }
    EXPECT_EQ(by_stream.size(), seen.size());
  }

 private:
  static std::string stream(int i) { return "s" + std::to_string(i); }

  void write(int i) {
    World::Events events;
    for (uint64_t n = random_() % 3 + 1; n > 0; --n) {
      events.emplace_back(world_.now() + static_cast<Milliseconds>(events.size()), base::cat(stream(i), "-", next_++));
    }
    writes_.push_back({world_.start("PutLogEvents", World::put_body("g", stream(i), events)), events});
  }

  void collect() {
    std::erase_if(writes_, [&](const auto& write) {
      if (!write.first->done) return false;
      EXPECT_THAT(write.first->answer, ::testing::HasSubstr("nextSequenceToken"));
      for (const auto& [time, message] : write.second) acknowledged_.insert(message);
      return true;
    });
  }

  World world_;
  std::mt19937_64 random_;
  int next_ = 0;
  std::vector<std::pair<World::RequestPtr, World::Events>> writes_;
  std::set<std::string> acknowledged_;
};

TEST(LogSimulation, NothingAcknowledgedIsLostOrDoubled) {
  const char* asked = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = asked ? std::strtoull(asked, nullptr, 10) : kSeedsByDefault;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mill mill(seed);
    mill.run(150);
    mill.check();
  }
}

}  // namespace
}  // namespace tidemill::logs
