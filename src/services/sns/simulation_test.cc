// Seeds drive publishers through conflicts, slow commits and crashes. Whatever happens: what was acknowledged reaches every
// subscriber at least once, the groups of a FIFO topic keep their order, and what cannot be delivered ends in the
// dead-letter queue, exactly once and in order where that queue is a FIFO queue.
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "services/sns/testing.h"

namespace tidemill::sns {
namespace {

using namespace std::chrono_literals;
using testing::World;
namespace ops = shapes::ops;

constexpr int kGroups = 3;
constexpr int kSteps = 120;
constexpr uint64_t kSeedsByDefault = 20;  // TIDEMILL_SIM_SEEDS=N runs more

class Mill {
 public:
  explicit Mill(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed) {
    standard_ = world_.create_topic("t");
    fifo_ = world_.create_topic("t.fifo");
    for (const char* queue : {"q1", "q2", "dead", "q1.fifo", "q2.fifo", "dead.fifo"}) world_.create_queue(queue);
    (void)world_.subscribe_queue(standard_, "q1");
    (void)world_.subscribe_queue(standard_, "q2");
    (void)world_.subscribe_url(standard_, "http://127.0.0.1:1/", {{"RedrivePolicy", to("dead")}, {"DeliveryPolicy",
        R"({"healthyRetryPolicy":{"numRetries":2,"numNoDelayRetries":1,"minDelayTarget":1,"maxDelayTarget":1}})"}});
    (void)world_.subscribe_queue(fifo_, "q1.fifo");
    (void)world_.subscribe_queue(fifo_, "q2.fifo");
    (void)world_.subscribe_queue(fifo_, "none.fifo", {{"RedrivePolicy", to("dead.fifo")}});
    world_.answer_with = [](const net::HttpCall&) { return 503; };
    world_.queues_fail = [this](const auto&) { return random_() % 6 == 0; };
  }

  void run() {
    for (int step = 0; step < kSteps; ++step) {
      if (random_() % 2 == 0) publish(standard_, "");
      else publish(fifo_, base::cat("g", random_() % kGroups));
      for (int i = static_cast<int>(random_() % 60); i > 0; --i) world_.executor.run_one();
      collect();
      if (random_() % 25 == 0) crash();
      if (random_() % 30 == 0) world_.advance(2s);
    }
    world_.settle();
    collect();
    world_.queues_fail = [](const auto&) { return false; };
    world_.advance(10min);
    world_.crash();  // what is not durable is not there
    for (const char* queue : {"q1", "q2", "dead", "q1.fifo", "q2.fifo", "dead.fifo"}) drain(queue);
  }

  void check() {
    EXPECT_GT(acknowledged_.size(), 20u) << "the simulation does next to nothing";
    for (const auto& [text, is_fifo] : acknowledged_) {
      for (const std::string queue : {"q1", "q2", "dead"}) {
        const std::string name = is_fifo ? queue + ".fifo" : queue;
        EXPECT_TRUE(seen_[name].contains(text)) << text << " did not reach " << name;
      }
    }
    for (const std::string queue : {"q1.fifo", "q2.fifo", "dead.fifo"}) check_order(queue);
    EXPECT_EQ(world_.entries_left(), 0u) << "something of delivered messages is left";
  }

 private:
  struct Pending {
    std::string text;
    std::string group;
    bool done = false;
    bool acknowledged = false;
  };

  static std::string to(std::string_view queue) {
    return base::cat(R"({"deadLetterTargetArn":")", World::queue_arn(queue), "\"}");
  }

  static Task<void> carry_out(World& world, shapes::PublishInput request, std::shared_ptr<Pending> pending) {
    wire::Context context = world.context();
    try {
      (void)co_await world.registry->call<ops::Publish>(context, request);
      pending->acknowledged = true;
    } catch (const store::Overloaded&) {
    }
    pending->done = true;
  }

  void publish(const std::string& topic, std::string group) {
    // A group's messages are numbered, and published one after the other.
    if (!group.empty() && !busy_.insert(group).second) return;
    auto pending = std::make_shared<Pending>();
    pending->group = group;
    pending->text = base::cat(group.empty() ? "m" : group, "-", 1'000'000 + next_++);
    pending_.push_back(pending);
    const base::Executor::Enter enter(world_.executor);
    world_.tasks.spawn(carry_out(world_, World::publish_request(topic, pending->text, std::move(group)), pending));
  }

  void collect() {
    std::erase_if(pending_, [&](const auto& pending) {
      if (!pending->done) return false;
      if (pending->acknowledged) acknowledged_.emplace(pending->text, !pending->group.empty());
      busy_.erase(pending->group);
      return true;
    });
  }

  void crash() {
    world_.crash();
    pending_.clear();
    busy_.clear();
  }

  void drain(const std::string& queue) {
    for (std::string& text : world_.bodies(queue)) {
      seen_[queue].insert(text);
      order_[queue].push_back(std::move(text));
    }
  }

  void check_order(const std::string& queue) {
    std::map<std::string, std::string> last;  // of a group
    for (const std::string& text : order_[queue]) {
      std::string& before = last[text.substr(0, text.find('-'))];
      EXPECT_LT(before, text) << "in " << queue;  // neither earlier nor the same once more
      before = text;
    }
  }

  World world_;
  std::mt19937_64 random_;
  std::string standard_;
  std::string fifo_;
  int next_ = 0;
  std::vector<std::shared_ptr<Pending>> pending_;
  std::set<std::string> busy_;                          // groups
  std::map<std::string, bool> acknowledged_;            // texts, and whether the topic was the FIFO one
  std::map<std::string, std::set<std::string>> seen_;   // by queue
  std::map<std::string, std::vector<std::string>> order_;
};

TEST(TopicSimulation, WhatIsAcknowledgedReachesEveryoneInOrderOrTheDeadLetterQueue) {
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
}  // namespace tidemill::sns
