// Seeds drive events through conflicts, slow commits and crashes, and functions that fail, are throttled and answer.
// Whatever happens: what was acknowledged runs the function at least once, what ends is told in one record, and nothing
// is left behind.
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "services/lambda/event_world.h"
#include "store/keys.h"

namespace tidemill::lambda {
namespace {

using namespace std::chrono_literals;
using testing::World;

constexpr int kSteps = 150;
constexpr uint64_t kSeedsByDefault = 40;  // TIDEMILL_SIM_SEEDS=N runs more

class Mill {
 public:
  explicit Mill(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed), crashes_(seed % 4 != 0) {
    world_.create_function(testing::kTopicArn);
    world_.configure({.retry_attempts_max = static_cast<int>(seed % 3),
                      .on_success = testing::kQueueArn,
                      .on_failure = testing::kBucketArn});
    world_.handler = [this](FunctionReference, Event event) { return run_function(std::move(event)); };
  }

  void run() {
    for (int step = 0; step < kSteps; ++step) {
      if (random_() % 2 == 0) send();
      for (int i = static_cast<int>(random_() % 40); i > 0; --i) world_.executor.run_one();
      collect();
      if (crashes_ && random_() % 20 == 0) crash();
      if (random_() % 15 == 0) world_.advance(std::chrono::seconds(random_() % 90));
    }
    world_.settle();
    collect();
    world_.advance(24h);
    if (crashes_) world_.crash();
    world_.advance(24h);
  }

  void check() {
    EXPECT_GT(acknowledged_.size(), 20U) << "the simulation does next to nothing";
    std::map<std::string, std::vector<std::string>> records;
    std::map<std::string, int> letters;
    for (const testing::Sent& one : world_.sent) {
      if (one.to.starts_with("sns ")) ++letters[one.body];
      else records[request_of(one.body)].push_back(one.body);
    }
    for (const std::string& id : acknowledged_) {
      SCOPED_TRACE(id);
      EXPECT_GT(ran_[id], 0) << "it never ran";
      check_records(id, records[id], letters['"' + id + '"']);
    }
    EXPECT_EQ(left(), 0) << "something of deliveries that have ended is left";
  }

 private:
  struct Pending {
    std::string id;
    bool done = false;
    bool acknowledged = false;
  };

  static Task<void> enqueue(World& world, std::shared_ptr<Pending> pending) {
    try {
      (void)co_await world.enqueue(pending->id, '"' + pending->id + '"');
      pending->acknowledged = true;
    } catch (const store::Overloaded&) {
    }
    pending->done = true;
  }

  void send() {
    auto pending = std::make_shared<Pending>();
    pending->id = base::cat("r", 1'000'000 + next_++);
    pending_.push_back(pending);
    const base::Executor::Enter enter(world_.executor);
    world_.tasks.spawn(enqueue(world_, pending));
  }

  void collect() {
    std::erase_if(pending_, [&](const auto& pending) {
      if (pending->done && pending->acknowledged) acknowledged_.insert(pending->id);
      return pending->done;
    });
  }

  void crash() {
    world_.crash();
    pending_.clear();
  }

  Task<EventAttempt> run_function(Event event) {
    const uint64_t dice = random_() % 10;
    if (dice == 0) co_return EventAttempt{.status = engine::InvokeStatus::throttled};
    co_await world_.clock.sleep_until(world_.clock.now() + std::chrono::milliseconds(random_() % 3000));
    ++ran_[event.request_id];
    co_return dice < 5 ? World::fails() : World::answers("true");
  }

  static std::string request_of(const std::string& record) {
    return World::parse(record).find("requestContext")->find("requestId")->string();
  }

  void check_records(const std::string& id, const std::vector<std::string>& records, int letters) {
    ASSERT_FALSE(records.empty()) << "its end was not told";
    // Sent once, or once more after a crash that came between sending and writing that down; always the same one.
    if (!crashes_) {
      EXPECT_EQ(records.size(), 1U);
    }
    EXPECT_EQ((std::set<std::string>(records.begin(), records.end()).size()), 1U) << "it ended twice";
    const json::Value record = World::parse(records.front());
    const bool succeeded = record.find("requestContext")->find("condition")->string() == "Success";
    const int count = static_cast<int>(*record.find("requestContext")->find("approximateInvokeCount")->to_double());
    EXPECT_LE(count, ran_[id]);
    EXPECT_EQ(letters > 0, !succeeded);
  }

  int left() {
    int count = 0;
    (void)world_.await([](store::Store& from, int& found) -> Task<int> {
      const auto snapshot = from.snapshot();
      const std::string prefix(1, static_cast<char>(store::KeySpace::delivery));
      co_await snapshot->scan(store::Range::prefix(prefix), store::Direction::forward,
                              [&](std::string_view, std::string_view) {
                                ++found;
                                return true;
                              });
      co_return 0;
    }(*world_.store, count));
    return count;
  }

  World world_;
  std::mt19937_64 random_;
  const bool crashes_;
  int next_ = 0;
  std::vector<std::shared_ptr<Pending>> pending_;
  std::set<std::string> acknowledged_;
  std::map<std::string, int> ran_;
};

TEST(EventQueueSimulation, WhatIsAcknowledgedRunsAndItsEndIsToldOnce) {
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
}  // namespace tidemill::lambda
