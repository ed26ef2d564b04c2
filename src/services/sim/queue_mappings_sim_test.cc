// Seeds drive senders, functions, users and the store against a mapping of each kind of queue, and kill the process in
// between. Whatever happens:
// - what was sent and acknowledged reaches the function, or the dead-letter queue after as many receives as that asks;
// - what was removed and acknowledged never reaches the function again;
// - a FIFO group is delivered in order, and has one batch in flight.
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "services/sim/queue_platform.h"

namespace tidemill::sim {
namespace {

using engine::InvokeOutcome;
using engine::InvokeStatus;
using engine::MappingState;
using namespace std::chrono_literals;

constexpr int kGroups = 3;
constexpr int kReceivesMax = 4;
constexpr uint64_t kSeedsByDefault = 60;  // TIDEMILL_SIM_SEEDS=N runs more

class Mill {
 public:
  Mill(uint64_t seed, std::string queue) : queue_(std::move(queue)), platform_(seed, store::SimFaults{}), random_(seed) {
    const std::string dead = is_fifo() ? "dead.fifo" : "dead";
    platform_.create_queue(dead);
    platform_.create_queue(
        queue_, base::cat(R"("VisibilityTimeout":"20","RedrivePolicy":"{\"deadLetterTargetArn\":\")",
                          QueuePlatform::arn(dead), R"(\",\"maxReceiveCount\":)", kReceivesMax, R"(}")"));
    platform_.functions.function_timeout = 6s;
    platform_.functions.handler = [this](QueueCall call) { return handle(std::move(call)); };
    engine::Mapping mapping = QueuePlatform::mapping(queue_);
    mapping.report_item_failures = true;
    mapping.batch_size = 3;
    mapping.filters = {R"({"body":[{"anything-but":{"prefix":"unwanted"}}]})"};
    platform_.put_mapping(mapping);
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      switch (random_() % 8) {
        case 0: change(); break;
        case 1: platform_.advance(std::chrono::seconds(random_() % 8)); break;
        default: send(); break;
      }
      for (int i = static_cast<int>(random_() % 40); i > 0; --i) platform_.executor.run_one();
      collect();
      if (random_() % 30 == 0) crash();
    }
  }

  // Everything goes well from now on, until nothing is left.
  void drain() {
    crash();
    is_kind_ = true;
    for (int round = 0; round < 100 && !platform_.load_mapping(); ++round) platform_.settle();
    platform_.change_mapping(MappingState::enabling);
    for (int round = 0; round < 60; ++round) {
      platform_.advance(21s);
      if (platform_.counts(queue_) == "0 0 0") return;
    }
  }

  void check() {
    EXPECT_EQ(platform_.counts(queue_), "0 0 0");
    std::set<std::string> dead;
    for (;;) {
      const auto letters = platform_.receive(is_fifo() ? "dead.fifo" : "dead");
      if (letters.empty()) break;
      for (const auto& letter : letters) {
        dead.insert(letter.body);
        platform_.remove(is_fifo() ? "dead.fifo" : "dead", letter);
      }
    }
    for (const std::string& body : acknowledged_) {
      if (body.starts_with("unwanted")) {
        EXPECT_FALSE(receives_.contains(body)) << body << " was delivered";
        continue;
      }
      EXPECT_TRUE(succeeded_.contains(body) || dead.contains(body)) << body << " was lost";
      // A kill may come between the function's success and the removal, and again each time after.
      EXPECT_FALSE(dead.contains(body) && removed_bodies().contains(body)) << body << " is removed and dead";
    }
    EXPECT_GT(acknowledged_.size(), 10u) << "the simulation does next to nothing";
    EXPECT_GT(succeeded_.size(), 10u);
  }

 private:
  struct Pending {
    QueuePlatform::RequestPtr request;
    std::string body;
  };

  [[nodiscard]] bool is_fifo() const { return queue_.ends_with(".fifo"); }
  static int group_of(const std::string& body) { return body.at(body.find('-') + 1) - '0'; }

  void send() {
    const int group = static_cast<int>(random_() % kGroups);
    // A group's messages are numbered, and sent one after the other.
    if (is_fifo() && is_sending_[group]) return;
    const std::string body = base::cat(random_() % 6 == 0 ? "unwanted-" : "m-", group, "-", 1'000'000 + next_++);
    std::string members = base::cat(R"("MessageBody":")", body, "\"");
    if (is_fifo()) {
      members += base::cat(R"(,"MessageGroupId":"g)", group, R"(","MessageDeduplicationId":")", body, "\"");
      is_sending_[group] = true;
    }
    sends_.push_back({platform_.start("SendMessage", QueuePlatform::of_queue(queue_, members)), body});
  }

  void collect() {
    std::erase_if(sends_, [&](const Pending& send) {
      if (!send.request->done) return false;
      EXPECT_THAT(send.request->answer, ::testing::HasSubstr("MessageId"));
      acknowledged_.insert(send.body);
      is_sending_[group_of(send.body)] = false;
      return true;
    });
  }

  void change() {
    const auto mapping = platform_.load_mapping();
    if (!mapping) return;
    switch (random_() % 3) {
      case 0: platform_.change_mapping(MappingState::disabling); break;
      case 1: platform_.change_mapping(MappingState::enabling); break;
      default:
        if (!engine::wants_polling(mapping->state)) break;
        platform_.change_mapping(MappingState::updating, [&](engine::Mapping& changed) {
          changed.batch_size = static_cast<int>(1 + random_() % 4);
          if (!is_fifo()) changed.batching_window_seconds = static_cast<int>(random_() % 3);
          changed.concurrency_max = 2 + static_cast<int>(random_() % 4);
        });
    }
  }

  void crash() {
    platform_.crash();
    sends_.clear();
    is_sending_.clear();
    running_.clear();
  }

  std::set<std::string> removed_bodies() {
    std::set<std::string> bodies;
    for (const std::string& receipt : platform_.removed) {
      if (const auto found = body_of_.find(receipt); found != body_of_.end()) bodies.insert(found->second);
    }
    return bodies;
  }

  // What is wrong with a call, whatever it then comes to.
  void judge(const QueueCall& call) {
    const std::set<std::string> removed = removed_bodies();
    std::string group;
    for (const QueueRecord& record : call.records) {
      body_of_[record.receipt] = record.body;
      EXPECT_FALSE(removed.contains(record.body)) << record.body << " came back after its removal";
      EXPECT_FALSE(record.body.starts_with("unwanted")) << record.body;
      EXPECT_LE(record.receives, kReceivesMax) << record.body;
      EXPECT_GE(record.receives, receives_[record.body]) << record.body;
      receives_[record.body] = record.receives;
      if (!is_fifo()) continue;
      if (group.empty()) group = record.group;
      EXPECT_EQ(record.group, group) << "a batch mixes groups";
    }
    if (is_fifo()) judge_order(call, group);
  }

  void judge_order(const QueueCall& call, const std::string& group) {
    EXPECT_FALSE(running_.contains(group)) << group << " has two batches in flight";
    std::string last;
    for (const QueueRecord& record : call.records) {
      EXPECT_LT(last, record.body) << "out of order";
      last = record.body;
    }
    // Whatever was delivered of the group before is either done with, or here again from there on.
    const std::string& first = call.records.front().body;
    for (const std::string& body : acknowledged_) {
      if (!body.starts_with(base::cat("m-", group.substr(1), "-")) || body >= first) continue;
      EXPECT_TRUE(receives_.contains(body)) << first << " came before " << body;
    }
  }

  Task<InvokeOutcome> handle(QueueCall call) {
    judge(call);
    const std::string group = is_fifo() ? call.records.front().group : "";
    if (is_fifo()) running_.insert(group);
    const auto end = [this](const std::string* which) { running_.erase(*which); };
    const std::unique_ptr<const std::string, decltype(end)> ended(&group, end);
    if (!is_kind_ && random_() % 3 == 0) {
      co_await platform_.clock.sleep_until(platform_.clock.now() + std::chrono::seconds(1 + random_() % 5));
    } else {
      for (int i = static_cast<int>(random_() % 5); i > 0; --i) co_await base::yield();
    }
    switch (is_kind_ ? 9 : random_() % 10) {
      case 0: co_return failing();
      case 1: co_return failing(InvokeStatus::throttled);
      case 2: co_return answering(R"({"batchItemFailures":[{"itemIdentifier":""}]})");
      case 3:
      case 4: co_return fail_from(call, random_() % call.records.size());
      default:
        for (const QueueRecord& record : call.records) succeeded_.insert(record.body);
        co_return InvokeOutcome{};
    }
  }

  // As functions of FIFO queues do: the first failure and all behind it.
  InvokeOutcome fail_from(const QueueCall& call, size_t first) {
    std::string failures;
    for (size_t i = 0; i < call.records.size(); ++i) {
      if (i < first) {
        succeeded_.insert(call.records[i].body);
      } else {
        failures += base::cat(failures.empty() ? "" : ",", R"({"itemIdentifier":")", call.records[i].id, "\"}");
      }
    }
    return answering(base::cat(R"({"batchItemFailures":[)", failures, "]}"));
  }

  const std::string queue_;
  QueuePlatform platform_;
  std::mt19937_64 random_;
  bool is_kind_ = false;
  int next_ = 0;
  std::vector<Pending> sends_;
  std::map<int, bool> is_sending_;
  std::set<std::string> acknowledged_;
  std::set<std::string> succeeded_;              // the function said so; removed or about to be
  std::map<std::string, int> receives_;          // by body: the last count that the function was told
  std::map<std::string, std::string> body_of_;   // by receipt
  std::set<std::string> running_;                // groups
};

void run_seed(uint64_t seed) {
  for (const char* queue : {"q", "q.fifo"}) {
    SCOPED_TRACE(base::cat("TIDEMILL_SIM_SEED=", seed, " ", queue));
    Mill mill(seed, queue);
    mill.run(250);
    mill.drain();
    mill.check();
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(QueueMappingsSimulation, NothingIsLostOrOutOfOrderAndWhatWasRemovedStaysAway) {
  if (const char* one = std::getenv("TIDEMILL_SIM_SEED")) {
    run_seed(std::stoull(one));
    return;
  }
  const char* asked = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = asked ? std::stoull(asked) : kSeedsByDefault;
  for (uint64_t seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) run_seed(seed);
}

}  // namespace
}  // namespace tidemill::sim
