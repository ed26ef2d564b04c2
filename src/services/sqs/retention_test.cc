// What queues forget, and what that makes available.
#include "services/sqs/retention.h"

#include "base/ordered.h"
#include "services/sqs/testing.h"

namespace tidemill::sqs {
namespace {

using namespace std::chrono_literals;
using testing::World;

// Notes what receivers are told of while commits are under way: what is not announced then, they may miss.
class WatchedStore final : public store::Store {
 public:
  WatchedStore(store::Store& other, const Arrivals& arrivals) : other_(other), arrivals_(arrivals) {}
  std::vector<base::Time> announced;  // at each commit: Time::max() if nothing was

  std::shared_ptr<store::Snapshot> snapshot() override { return other_.snapshot(); }
  std::shared_ptr<store::Transaction> begin() override { return other_.begin(); }
  Task<store::CommitResult> commit(std::shared_ptr<store::Transaction> txn) override {
    announced.push_back(arrivals_.horizon(base::Time::max()));
    return other_.commit(std::move(txn));
  }
  store::Subscription subscribe(std::string_view topic, std::function<void()> callback) override {
    return other_.subscribe(topic, std::move(callback));
  }
  [[nodiscard]] store::StoreMetrics metrics() const override { return other_.metrics(); }

 private:
  store::Store& other_;
  const Arrivals& arrivals_;
};

// The group is available at the time of the look: a receiver whose own look is later and comes first must know that.
TEST(RetentionTest, WhatBecomesAvailableIsAnnouncedBeforeItIsThere) {
  World world;
  world.create_queue("q.fifo", R"("MessageRetentionPeriod":"60")");
  world.send_fifo("q.fifo", "1", "g", "1");
  world.advance(30s);
  world.send_fifo("q.fifo", "2", "g", "2");

  Arrivals arrivals;
  QueueCache queues;
  WatchedStore store(*world.store, arrivals);
  base::VirtualClock clock(world.clock.now() + 30s, base::VirtualClock::Mode::manual);
  const QueueAddress address{std::string(World::kAccount), std::string(World::kRegion), "q.fifo"};
  const auto forget = [&]() -> Task<bool> {
    const auto snapshot = world.store->snapshot();
    const QueuePtr queue = co_await queues.get(*snapshot, address);
    store::Timer timer{.kind = std::string(kExpiryTimer.name), .id = queue->id, .due = clock.now()};
    base::append_string(timer.payload, address.account);
    base::append_string(timer.payload, address.region);
    base::append_string(timer.payload, address.name);
    co_await forget_expired(store, clock, queues, arrivals, timer);
    co_return true;
  };
  (void)world.await(forget());
  EXPECT_EQ(store.announced, std::vector{clock.now()});
  EXPECT_EQ(arrivals.horizon(base::Time::max()), base::Time::max()) << "it has ended";
  world.advance(30s);
  EXPECT_EQ(World::bodies(world.receive("q.fifo")), std::vector<std::string>{"2"});
}

}  // namespace
}  // namespace tidemill::sqs
