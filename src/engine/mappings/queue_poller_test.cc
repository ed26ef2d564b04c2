// How the messages of a queue go from a receive to their batches.
#include "engine/mappings/queue_poller.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "engine/mappings/mapping_test_world.h"

namespace tidemill::engine {
namespace {

constexpr const char* kQueue = "arn:model:queue";

// A queue that brings all its messages with one receive, and then nothing more.
class FullQueue final : public QueueSource {
 public:
  FullQueue(size_t count, base::Clock& clock) : count_(count), clock_(clock) {}

  [[nodiscard]] bool owns(std::string_view arn) const override { return arn == kQueue; }
  Task<std::optional<QueueProperties>> describe(std::string) override { co_return QueueProperties{}; }
  std::unique_ptr<QueueReader> read(std::string) override { return std::make_unique<Reader>(*this); }
  Task<size_t> remove(std::string, std::vector<std::string> receipts) override {
    if (refusals > 0) {
      --refusals;
      throw store::Overloaded("the disk is full");
    }
    removed += receipts.size();
    co_return receipts.size();
  }
  Task<void> hide(std::string, std::vector<std::string>, std::chrono::seconds) override { co_return; }
  store::Subscription watch(std::string_view, std::function<void()>) override { return {}; }

  std::function<void()> received = [] {};
  int refusals = 0;  // of removals
  size_t removed = 0;

 private:
  class Reader final : public QueueReader {
   public:
    explicit Reader(FullQueue& queue) : queue_(queue) {}
    Task<std::optional<std::vector<ReceivedMessage>>> receive(QueueWish) override {
      if (queue_.count_ == 0) co_await interrupted_;
      std::vector<ReceivedMessage> messages;
      const base::Time now = queue_.clock_.now();
      for (size_t n = std::exchange(queue_.count_, 0); n > 0; --n) {
        const std::string id = std::to_string(n);
        messages.push_back({.message_id = id,
                            .receipt = id,
                            .event_json = R"({"body":"{\"kind\":\"order\"}"})",
                            .received = now,
                            .visible_again = now + std::chrono::seconds(60)});
      }
      if (!messages.empty()) queue_.received();
      co_return messages;
    }
    void interrupt() override { interrupted_.signal(); }

   private:
    FullQueue& queue_;
    base::Signal interrupted_;
  };

  size_t count_;
  base::Clock& clock_;
};

Mapping mapping_of_queue() {
  Mapping mapping = MappingWorld::mapping();
  mapping.event_source_arn = kQueue;
  return mapping;
}

void start_with(MappingWorld& world, FullQueue& queue) {
  world.mappings = std::make_unique<Mappings>(world.executor, *world.store, world.clock, world.ownership, world.metrics,
                                              std::vector<StreamSource*>{}, world.invoker, nullptr,
                                              std::vector<QueueSource*>{&queue});
  world.mappings->start();
}

// The clock stands meanwhile.
TEST(QueuePoller, WhatIsFinishedIsRemovedOnceTheStoreTakesItAgain) {
  MappingWorld world(1, store::SimFaults::none(), MappingWorld::Runs::nothing);
  FullQueue queue(3, world.clock);
  queue.refusals = 3;
  world.invoker.handler = [](const Call&) -> Task<InvokeOutcome> { co_return InvokeOutcome{.payload = "{}"}; };
  world.put_mapping(mapping_of_queue());
  start_with(world, queue);
  world.executor.run_until_idle();
  EXPECT_EQ(queue.refusals, 0);
  EXPECT_EQ(queue.removed, 3u);
  world.mappings.reset();
}

TEST(QueuePoller, OthersRunWhileManyMessagesAreCompared) {
  constexpr size_t kMessages = 1'000;
  MappingWorld world(1, store::SimFaults::none(), MappingWorld::Runs::nothing);
  FullQueue queue(kMessages, world.clock);
  int others = 0;
  int before = 0;
  std::optional<int> meanwhile;
  queue.received = [&] { before = others; };
  world.invoker.handler = [&](const Call&) -> Task<InvokeOutcome> {
    meanwhile = others - before;
    co_return InvokeOutcome{.payload = "{}"};
  };
  Mapping mapping = mapping_of_queue();
  mapping.batch_size = kMessages;
  mapping.filters = {R"({"body":{"kind":["order"]}})"};
  world.put_mapping(mapping);
  start_with(world, queue);
  const auto run_on = [&]() -> Task<void> {
    for (; !meanwhile; ++others) co_await base::yield();
  };
  {
    const base::Executor::Enter enter(world.executor);
    world.tasks.spawn(run_on());
  }
  for (int step = 0; step < 1'000'000 && !meanwhile; ++step) world.executor.run_one();
  ASSERT_TRUE(meanwhile);
  EXPECT_GT(*meanwhile, 50);  // a slice is eight looks on average
  world.mappings.reset();
}

}  // namespace
}  // namespace tidemill::engine
