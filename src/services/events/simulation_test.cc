// Seeds drive those who put events, and those who change rules, through conflicts, slow commits and crashes. Whatever
// happens: what was acknowledged reaches every target that had asked for it before and asks for it still, or the
// dead-letter queue of one that is not there.
#include <cstdlib>
#include <random>
#include <set>

#include "services/events/testing.h"

namespace tidemill::events {
namespace {

using namespace std::chrono_literals;
using testing::World;
namespace ops = shapes::ops;

constexpr int kSteps = 120;
constexpr uint64_t kSeedsByDefault = 20;  // TIDEMILL_SIM_SEEDS=N runs more

class Mill {
 public:
  explicit Mill(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed) {
    for (const char* queue : {"q1", "q2", "dead"}) world_.create_queue(queue);
    world_.put_rule("one", R"({"source":["shop"]})", {{"q1"}});
    shapes::Target lost;
    lost.dead_letter_config = {.arn = World::queue_arn("dead")};
    world_.put_rule("two", R"({"detail":{"n":[{"exists":true}]}})", {{"q2"}, {"none", lost}});
    world_.queues_fail = [this](const auto&) { return random_() % 6 == 0; };
  }

  void run() {
    for (int step = 0; step < kSteps; ++step) {
      put();
      if (random_() % 10 == 0) change_a_rule();
      for (int i = static_cast<int>(random_() % 60); i > 0; --i) world_.executor.run_one();
      collect();
      if (random_() % 25 == 0) crash();
      if (random_() % 30 == 0) world_.advance(2s);
    }
    world_.settle();
    collect();
    world_.queues_fail = [](const auto&) { return false; };
    world_.advance(20min);
    world_.crash();  // what is not durable is not there
  }

  void check() {
    EXPECT_GT(acknowledged_.size(), 20u) << "the simulation does next to nothing";
    for (const char* queue : {"q1", "q2", "dead"}) {
      const auto all = world_.details(queue);
      const std::set<std::string> seen(all.begin(), all.end());
      for (const std::string& detail : acknowledged_) {
        EXPECT_TRUE(seen.contains(detail)) << detail << " did not reach " << queue;
      }
    }
    EXPECT_EQ(world_.deliveries_left(), 0u);
  }

 private:
  struct Pending {
    std::string detail;
    bool done = false;
    bool acknowledged = false;
  };

  static Task<void> carry_out(World& world, std::shared_ptr<Pending> pending) {
    wire::Context context = world.context();
    const auto request = World::event(pending->detail);
    try {
      (void)co_await world.registry->call<ops::PutEvents>(context, request);
      pending->acknowledged = true;
    } catch (const store::Overloaded&) {
    }
    pending->done = true;
  }

  void put() {
    auto pending = std::make_shared<Pending>();
    pending->detail = base::cat(R"({"n":)", next_++, "}");
    pending_.push_back(pending);
    const base::Executor::Enter enter(world_.executor);
    world_.tasks.spawn(carry_out(world_, pending));
  }

  // One that nobody's events depend on: it makes the compiled rules out of date.
  void change_a_rule() {
    world_.start("PutRule",
                 base::cat(R"({"Name":"other","EventPattern":"{\"source\":[\"x)", random_() % 9, R"(\"]}"})"));
  }

  void collect() {
    std::erase_if(pending_, [&](const auto& pending) {
      if (pending->done && pending->acknowledged) acknowledged_.push_back(pending->detail);
      return pending->done;
    });
  }

  void crash() {
    world_.crash();
    pending_.clear();
  }

  World world_;
  std::mt19937_64 random_;
  int next_ = 0;
  std::vector<std::shared_ptr<Pending>> pending_;
  std::vector<std::string> acknowledged_;
};

TEST(EventSimulation, WhatIsAcknowledgedReachesEveryTargetOrTheDeadLetterQueue) {
  const char* more = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = more ? std::strtoull(more, nullptr, 10) : kSeedsByDefault;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(base::cat("seed ", seed));
    Mill mill(seed);
    mill.run();
    mill.check();
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace tidemill::events
