// Seeds drive senders, receivers and deleters through conflicts, slow commits and crashes. Whatever happens: what was
// acknowledged is there, what was deleted does not come back, a FIFO group keeps its order.
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "services/sqs/testing.h"
#include "store/test_queue_floors.h"

namespace tidemill::sqs {
namespace {

using namespace std::chrono_literals;
using testing::Received;
using testing::World;

constexpr std::string_view kQueue = "q";
constexpr std::string_view kFifo = "q.fifo";
constexpr int kGroups = 3;
constexpr uint64_t kSeedsByDefault = 40;  // TIDEMILL_SIM_SEEDS=N runs more

class Mill {
 public:
  explicit Mill(uint64_t seed)
      : world_(seed, store::SimFaults{}, {.floor_pace = store::FloorPace(3, 3)}), random_(seed) {
    world_.create_queue(kQueue, R"("VisibilityTimeout":"20")");
    world_.create_queue(kFifo, R"("VisibilityTimeout":"20")");
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      const std::string_view queue = random_() % 2 == 0 ? kQueue : kFifo;
      switch (random_() % 6) {
        case 0:
        case 1:
          send(queue);
          break;
        case 2:
        case 3:
          receive(queue);
          break;
        default:
          remove(queue);
          break;
      }
      for (int i = static_cast<int>(random_() % 30); i > 0; --i) world_.executor.run_one();
      collect();
      if (random_() % 40 == 0) crash();
      if (random_() % 30 == 0) {
        world_.advance(5s);
        collect();
      }
    }
    world_.settle();
    collect();
  }

  // Receives until nothing is left.
  void drain() {
    world_.crash();
    forget_requests();
    for (int round = 0; round < 1000; ++round) {
      world_.advance(21s);
      bool is_empty = true;
      for (const std::string_view queue : {kQueue, kFifo}) {
        for (const Received& message : world_.receive(queue)) {
          is_empty = false;
          saw(queue, message, removed_);
          if (world_.remove(queue, message) == "{}") removed_.insert(message.body);
        }
      }
      if (is_empty) break;
    }
  }

  void check() {
    for (const std::string& body : acknowledged_) EXPECT_TRUE(seen_.contains(body)) << body << " was lost";
    EXPECT_EQ(world_.counts(kQueue), "0 0 0");
    EXPECT_EQ(world_.counts(kFifo), "0 0 0");
    EXPECT_EQ(store::entry_below_floor(world_.disk), "");
    EXPECT_GT(store::floors_raised(world_.disk), 2u);
    EXPECT_GT(acknowledged_.size(), 10u) << "the simulation does next to nothing";
    EXPECT_GT(removed_.size(), 10u);
  }

 private:
  struct Pending {
    World::RequestPtr request;
    std::string_view queue;
    std::string body;                    // what is sent or removed
    std::set<std::string> removed = {};  // before a receive began
  };

  void send(std::string_view queue) {
    const int group = static_cast<int>(random_() % kGroups);
    // A group's messages are numbered, and sent one after the other.
    if (queue == kFifo && is_sending_[group]) return;
    const std::string id = base::cat(queue, "-", group, "-", 1'000'000 + next_++);
    std::string body = id;
    // Large ones lie in other places.
    if (random_() % 4 == 0) body.append(MessageRecord::kMessageBytesMax, 'x');
    std::string members = base::cat(R"("MessageBody":")", body, "\"");
    if (queue == kFifo) {
      members += base::cat(R"(,"MessageGroupId":"g)", group, R"(","MessageDeduplicationId":")", id, "\"");
      is_sending_[group] = true;
    }
    sends_.push_back({world_.start("SendMessage", World::of_queue(queue, members)), queue, body});
  }

  void receive(std::string_view queue) {
    const int wait = random_() % 2 == 0 ? 0 : 3;
    receives_.push_back(
        {world_.start("ReceiveMessage",
                      World::of_queue(queue, base::cat(R"("MaxNumberOfMessages":3,"WaitTimeSeconds":)", wait))),
         queue, "", removed_});
  }

  void remove(std::string_view queue) {
    auto& held = held_[queue];
    if (held.empty()) return;
    const Received message = held.front();
    held.erase(held.begin());
    removals_.push_back(
        {world_.start("DeleteMessage", World::of_queue(queue, base::cat(R"("ReceiptHandle":")", message.handle, "\""))),
         queue, message.body});
  }

  void saw(std::string_view queue, const Received& message, const std::set<std::string>& removed) {
    EXPECT_FALSE(removed.contains(message.body)) << message.body << " came back after its deletion";
    if (queue == kFifo) {
      const std::string group = message.body.substr(0, message.body.rfind('-'));
      for (const std::string& earlier : acknowledged_) {
        if (!earlier.starts_with(group + "-") || earlier >= message.body) continue;
        EXPECT_TRUE(seen_.contains(earlier)) << message.body << " came before " << earlier;
      }
    }
    seen_.insert(message.body);
  }

  void collect() {
    std::erase_if(sends_, [&](const Pending& send) {
      if (!send.request->done) return false;
      EXPECT_THAT(send.request->answer, ::testing::HasSubstr("MessageId"));
      acknowledged_.insert(send.body);
      if (send.queue == kFifo) is_sending_[group_of(send.body)] = false;
      return true;
    });
    std::erase_if(removals_, [&](const Pending& removal) {
      if (!removal.request->done) return false;
      if (removal.request->answer == "{}") removed_.insert(removal.body);
      return true;
    });
    std::erase_if(receives_, [&](const Pending& receive) {
      if (!receive.request->done) return false;
      for (const Received& message : World::received(receive.request->answer)) {
        saw(receive.queue, message, receive.removed);
        held_[receive.queue].push_back(message);
      }
      return true;
    });
  }

  static int group_of(const std::string& body) { return body[kFifo.size() + 1] - '0'; }

  void crash() {
    collect();
    world_.crash();
    EXPECT_EQ(store::entry_below_floor(world_.disk), "");
    forget_requests();
  }

  void forget_requests() {
    sends_.clear();
    receives_.clear();
    removals_.clear();
    held_.clear();
    is_sending_.clear();
  }

  World world_;
  std::mt19937_64 random_;
  int next_ = 0;
  std::vector<Pending> sends_;
  std::vector<Pending> receives_;
  std::vector<Pending> removals_;
  std::map<std::string_view, std::vector<Received>> held_;
  std::map<int, bool> is_sending_;
  std::set<std::string> acknowledged_;
  std::set<std::string> seen_;
  std::set<std::string> removed_;
};

TEST(QueueSimulation, NothingIsLostNothingComesBackAndGroupsKeepTheirOrder) {
  const char* asked = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = asked ? std::strtoull(asked, nullptr, 10) : kSeedsByDefault;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mill mill(seed);
    mill.run(300);
    mill.drain();
    mill.check();
  }
}

}  // namespace
}  // namespace tidemill::sqs
