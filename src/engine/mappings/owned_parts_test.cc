// What moves by itself in several processes that share a store: the timers of a kind, and a queue's poller, are one
// process's at a time. Shards have a simulation of their own (mappings_cluster_sim_test.cc).
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "base/text.h"
#include "engine/mappings/mappings.h"
#include "engine/ownership_test_world.h"
#include "engine/timer_service.h"

namespace tidemill::engine {
namespace {

using std::chrono::seconds;

class OwnedPartsTest : public OwnershipTest {
 protected:
  // Runs to its end what a user does.
  void run(std::function<Task<void>(store::Transaction&)> body) {
    {
      const base::Executor::Enter enter(machine_);
      scope_.spawn([](store::Store& store, std::function<Task<void>(store::Transaction&)> change) -> Task<void> {
        co_await store.transact(change);
      }(*store_, std::move(body)));
    }
    machine_.run_until_idle();
  }
};

// ---- timers ----

constexpr store::TimerKind kKind{"test-kind"};

class OwnedTimersTest : public OwnedPartsTest {
 protected:
  Process& start_with_timers(const std::string& name, base::Duration takes = {}) {
    Process& process = start(name);
    auto timers = std::make_shared<TimerService>(*store_, process.executor.clock(), *process.ownership);
    base::Clock& clock = process.executor.clock();
    timers->handle(kKind, [this, name, takes, &clock, &service = *timers](const store::Timer& timer) -> Task<void> {
      const store::Timer mine = timer;
      const auto tenure = service.tenure(kKind);
      begun_.push_back(base::cat(name, " ", mine.id));
      if (takes > base::Duration(0)) co_await clock.sleep_until(clock.now() + takes);
      co_await store_->transact([&](store::Transaction& txn) -> Task<void> {
        co_await tenure->fence(txn);
        if (!co_await store::finish_timer(txn, mine)) co_return;
        txn.put(base::cat("Idone-", mine.id), name);
      });
    });
    const base::Executor::Enter enter(process.executor);
    timers->start();
    process.parts.push_back(std::move(timers));
    return process;
  }
  void set(const std::string& id) {
    run([this, id](store::Transaction& txn) -> Task<void> {
      co_await store::set_timer(txn, {.kind = std::string(kKind.name), .id = id, .due = clock_.now(), .payload = ""});
    });
  }
  [[nodiscard]] std::string done_by(const std::string& id) const {
    const auto found = disk_.data.find("Idone-" + id);
    return found == disk_.data.end() ? "nobody" : found->second;
  }
  [[nodiscard]] static std::string owner_of(const std::vector<std::string>& begun) {
    return begun.back().substr(0, begun.back().find(' '));
  }

  std::vector<std::string> begun_;
};

TEST_F(OwnedTimersTest, OneProcessRunsThemAndTheNextWhenThatDies) {
  start_with_timers("a");
  start_with_timers("b");
  pass(seconds(2));
  set("1");
  pass(seconds(1));
  ASSERT_EQ(begun_.size(), 1u);
  const std::string owner = owner_of(begun_);
  processes_[owner == "a" ? 0 : 1]->die();
  set("2");
  pass(seconds(3));
  EXPECT_EQ(begun_.size(), 1u) << "its lease is not over";
  pass(seconds(20));
  ASSERT_EQ(begun_.size(), 2u);
  EXPECT_EQ(done_by("2"), owner == "a" ? "b" : "a");
}

TEST_F(OwnedTimersTest, AStalledProcessFinishesNothingThatAnotherHasTakenOver) {
  Process& a = start_with_timers("a", seconds(4));
  pass(seconds(2));
  set("1");
  pass(seconds(1));
  ASSERT_EQ(begun_, std::vector<std::string>{"a 1"});
  a.executor.stall();
  start_with_timers("b", seconds(4));
  pass(seconds(40));
  EXPECT_EQ(done_by("1"), "b");
  a.executor.wake_up();
  pass(seconds(20));
  EXPECT_EQ(done_by("1"), "b");
  EXPECT_EQ(begun_.size(), 2u);
}

TEST_F(OwnedTimersTest, HandlersMayEndBeforeTheirKindIsHandedOn) {
  start_with_timers("a", seconds(5));
  pass(seconds(2));
  set("1");
  pass(seconds(1));
  for (const char* name : {"b", "c", "d", "e"}) start_with_timers(name, seconds(5));
  pass(seconds(2));
  set("2");
  pass(seconds(30));
  EXPECT_EQ(done_by("1"), "a");
  EXPECT_NE(done_by("2"), "nobody");
  EXPECT_EQ(begun_.size(), 2u) << "none began twice";
}

// ---- queues ----

constexpr const char* kQueue = "arn:model:queue";

// A queue that all processes share. What a reader of a dead process has taken comes back by put().
struct ModelQueue {
  std::deque<std::string> messages;
  std::set<std::string> removed;
  std::vector<base::Signal> readers;

  void put(const std::string& message) {
    messages.push_back(message);
    for (const base::Signal& reader : readers) reader.signal();
  }
};

class ModelQueueSource final : public QueueSource {
 public:
  ModelQueueSource(ModelQueue& queue, base::Clock& clock) : queue_(queue), clock_(clock) {}

  [[nodiscard]] bool owns(std::string_view arn) const override { return arn == kQueue; }
  Task<std::optional<QueueProperties>> describe(std::string) override { co_return QueueProperties{}; }
  std::unique_ptr<QueueReader> read(std::string) override { return std::make_unique<Reader>(queue_, clock_); }
  Task<size_t> remove(std::string, std::vector<std::string> receipts) override {
    for (const std::string& receipt : receipts) queue_.removed.insert(receipt);
    co_return receipts.size();
  }
  Task<void> hide(std::string, std::vector<std::string>, std::chrono::seconds) override { co_return; }
  store::Subscription watch(std::string_view, std::function<void()>) override { return {}; }

 private:
  class Reader final : public QueueReader {
   public:
    Reader(ModelQueue& queue, base::Clock& clock) : queue_(queue), clock_(clock) { queue_.readers.push_back(news_); }
    Task<std::optional<std::vector<ReceivedMessage>>> receive(QueueWish) override {
      if (queue_.messages.empty()) co_await news_;
      std::vector<ReceivedMessage> received;
      if (!queue_.messages.empty()) {
        const std::string id = queue_.messages.front();
        queue_.messages.pop_front();
        received.push_back({.message_id = id,
                            .receipt = id,
                            .event_json = base::cat(R"({"id":")", id, R"("})"),
                            .received = clock_.now(),
                            .visible_again = clock_.now() + seconds(60)});
      }
      co_return received;
    }
    void interrupt() override { news_.signal(); }

   private:
    ModelQueue& queue_;
    base::Clock& clock_;
    base::Signal news_;
  };

  ModelQueue& queue_;
  base::Clock& clock_;
};

class OwnedQueueTest : public OwnedPartsTest {
 protected:
  void SetUp() override {
    OwnedPartsTest::SetUp();
    put_mapping(MappingState::enabling);
  }

  void put_mapping(MappingState state) {
    Mapping mapping;
    mapping.uuid = "u-1";
    mapping.event_source_arn = kQueue;
    mapping.function_arn = "f";
    mapping.batch_size = 1;
    mapping.state = state;
    run([mapping](store::Transaction& txn) -> Task<void> {
      txn.put(mapping_key(mapping.uuid), encode_mapping(mapping));
      txn.signal(kMappingsTopic);
      co_return;
    });
  }
  [[nodiscard]] std::optional<MappingState> state() const {
    const auto found = disk_.data.find(mapping_key("u-1"));
    return found == disk_.data.end() ? std::nullopt : std::optional(decode_mapping(found->second)->state);
  }

  Process& start_with_queue(const std::string& name) {
    struct Parts {
      Parts(OwnedQueueTest& test, Process& process)
          : source(test.queue_, process.executor.clock()),
            invoker(test, process),
            mappings(process.executor, *test.store_, process.executor.clock(), *process.ownership, metrics, {}, invoker,
                     nullptr, {&source}) {}
      struct Named final : Invoker {
        Named(OwnedQueueTest& of_test, Process& of_process) : test(of_test), process(of_process) {}
        Task<InvokeOutcome> invoke(std::string_view, std::string) override { return test.invoked(process); }
        OwnedQueueTest& test;
        Process& process;
      };
      base::Metrics metrics;
      ModelQueueSource source;
      Named invoker;
      Mappings mappings;
    };
    Process& process = start(name);
    auto parts = std::make_shared<Parts>(*this, process);
    const base::Executor::Enter enter(process.executor);
    parts->mappings.start();
    process.parts.push_back(std::move(parts));
    return process;
  }

  Task<InvokeOutcome> invoked(Process& process) {
    calls_.push_back(process.name);
    base::Clock& clock = process.executor.clock();
    if (takes_ > base::Duration(0)) co_await clock.sleep_until(clock.now() + takes_);
    co_return InvokeOutcome{.payload = "{}"};
  }

  ModelQueue queue_;
  std::vector<std::string> calls_;
  base::Duration takes_{};
};

TEST_F(OwnedQueueTest, OneProcessReceivesAndTheNextWhenThatDies) {
  start_with_queue("a");
  start_with_queue("b");
  pass(seconds(3));
  EXPECT_EQ(queue_.readers.size(), 1u) << "one poller in all";
  queue_.put("1");
  pass(seconds(1));
  ASSERT_EQ(calls_.size(), 1u);
  EXPECT_TRUE(queue_.removed.contains("1"));
  const std::string owner = calls_.front();
  processes_[owner == "a" ? 0 : 1]->die();
  pass(seconds(20));
  queue_.put("2");
  pass(seconds(1));
  EXPECT_EQ(calls_, (std::vector<std::string>{owner, owner == "a" ? "b" : "a"}));
  EXPECT_TRUE(queue_.removed.contains("2"));
}

TEST_F(OwnedQueueTest, AMappingIsDisabledOnceNoProcessIsAtIt) {
  takes_ = seconds(5);
  start_with_queue("a");
  start_with_queue("b");
  start_with_queue("c");
  pass(seconds(3));
  EXPECT_EQ(state(), MappingState::enabled);
  queue_.put("1");
  pass(seconds(1));
  ASSERT_EQ(calls_.size(), 1u);
  put_mapping(MappingState::disabling);
  pass(seconds(2));
  EXPECT_EQ(state(), MappingState::disabling) << "an invocation is under way";
  pass(seconds(10));
  EXPECT_EQ(state(), MappingState::disabled);
  EXPECT_TRUE(queue_.removed.contains("1"));
  put_mapping(MappingState::deleting);
  pass(seconds(5));
  EXPECT_EQ(state(), std::nullopt);
}

}  // namespace
}  // namespace tidemill::engine
