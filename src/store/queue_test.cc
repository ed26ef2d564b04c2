// Queues and the two writes they rest on, against every backend; and a simulation in which floors go up and down while
// others put, take and crash.
#include "store/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/ordered.h"
#include "store/test_backends.h"

namespace tidemill::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kSeedsByDefault = 50;  // of the simulation; TIDEMILL_SIM_SEEDS=N runs more

std::string number(int64_t value) {
  std::string bytes;
  base::append_i64(bytes, value);
  return bytes;
}

template <class B>
class QueueTest : public testing::Test {
 public:
  template <class Body>
  void run(Body body) {
    backend_.run(std::move(body));
  }
  Store& store() { return backend_.store(); }

  Task<std::optional<std::string>> read(std::string key) {
    const auto snapshot = store().snapshot();
    co_return co_await snapshot->get(key);
  }
  Task<void> add(std::string key, int64_t delta) {
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.add(key, delta);
      co_return;
    });
  }
  Task<void> put(std::string name) {
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      queue_.put(txn, queue_.prefix() + name, "");
      co_return;
    });
  }
  Task<void> erase(std::string name) {
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.erase(queue_.prefix() + name);
      co_return;
    });
  }
  // From the front to the end.
  Task<std::vector<std::string>> look() {
    const auto snapshot = store().snapshot();
    std::vector<std::string> names;
    const Range range{co_await queue_.front(*snapshot), base::prefix_end(queue_.prefix())};
    co_await snapshot->scan(range, Direction::forward, [&](std::string_view key, std::string_view) {
      names.emplace_back(key.substr(queue_.prefix().size()));
      return true;
    });
    co_return names;
  }
  Task<std::string> front() {
    const auto snapshot = store().snapshot();
    co_return (co_await queue_.front(*snapshot)).substr(queue_.prefix().size());
  }

  B backend_;
  const Queue queue_{"Tqueue/"};
};

using Backends = testing::Types<RocksdbBackend, SimBackend>;
TYPED_TEST_SUITE(QueueTest, Backends);

TYPED_TEST(QueueTest, numbers_are_added_up_and_leave_nothing_behind_at_zero) {
  this->run([&]() -> Task<void> {
    co_await this->add("#n", 5);
    co_await this->add("#n", -7);
    EXPECT_EQ(co_await this->read("#n"), number(-2));
    co_await this->add("#n", 2);
    EXPECT_EQ(co_await this->read("#n"), std::nullopt);
  });
}

TYPED_TEST(QueueTest, adding_conflicts_with_nobody) {
  this->run([&]() -> Task<void> {
    const auto one = this->store().begin();
    const auto other = this->store().begin();
    (void)co_await one->get("#n");
    (void)co_await other->get("#n");
    one->add("#n", 1);
    other->add("#n", 1);
    other->add("#n", 1);
    EXPECT_EQ((co_await this->store().commit(one)).status, CommitStatus::committed);
    EXPECT_EQ((co_await this->store().commit(other)).status, CommitStatus::committed);
    EXPECT_EQ(co_await this->read("#n"), number(3));
  });
}

TYPED_TEST(QueueTest, many_add_at_once_and_a_restart_goes_on_from_there) {
  constexpr int kAdders = 40;
  int done = 0;
  for (int adder = 0; adder < kAdders; ++adder) {
    this->backend_.start([](QueueTest<TypeParam>& test, int& ended) -> Task<void> {
      for (int n = 0; n < 10; ++n) co_await test.add("#n", 1);
      ++ended;
    }(*this, done));
  }
  this->backend_.drive([&] { return done == kAdders; });
  EXPECT_EQ(this->store().metrics().conflicts, 0U);
  this->backend_.reopen();
  this->run([&]() -> Task<void> {
    EXPECT_EQ(co_await this->read("#n"), number(400));
    co_await this->add("#n", 1);
    EXPECT_EQ(co_await this->read("#n"), number(401));
  });
}

TYPED_TEST(QueueTest, what_is_added_comes_after_what_is_written_and_erased) {
  this->run([&]() -> Task<void> {
    co_await this->add("#a/n", 5);
    co_await this->store().transact([&](Transaction& txn) -> Task<void> {
      txn.put("#a/n", number(100));
      txn.add("#a/n", 1);
      co_return;
    });
    EXPECT_EQ(co_await this->read("#a/n"), number(101));
    co_await this->store().transact([&](Transaction& txn) -> Task<void> {
      txn.erase_range(Range::prefix("#a/"));
      txn.add("#a/n", 1);
      co_return;
    });
    EXPECT_EQ(co_await this->read("#a/n"), number(1));
    co_await this->store().transact([&](Transaction& txn) -> Task<void> {
      txn.erase("#a/n");
      co_return;
    });
    co_await this->add("#a/n", 7);
    EXPECT_EQ(co_await this->read("#a/n"), number(7));
  });
}

// As above, but in commits that may share a batch.
TYPED_TEST(QueueTest, an_erased_range_is_empty_for_those_who_add_right_after_it) {
  this->run([&]() -> Task<void> { co_await this->add("#a/n", 5); });
  int done = 0;
  const auto spawn = [&](auto body) {
    this->backend_.start([](Store& store, auto write, int& ended) -> Task<void> {
      co_await store.transact([&](Transaction& txn) -> Task<void> {
        write(txn);
        co_return;
      });
      ++ended;
    }(this->store(), body, done));
  };
  spawn([](Transaction& txn) { txn.add("#a/n", 1); });
  spawn([](Transaction& txn) { txn.erase_range(Range::prefix("#a/")); });
  spawn([](Transaction& txn) { txn.add("#a/n", 3); });
  spawn([](Transaction& txn) { txn.add("#a/m", 4); });
  this->backend_.drive([&] { return done == 4; });
  this->run([&]() -> Task<void> {
    EXPECT_EQ(co_await this->read("#a/n"), number(3));
    EXPECT_EQ(co_await this->read("#a/m"), number(4));
  });
}

TYPED_TEST(QueueTest, a_bound_is_only_ever_lowered_and_conflicts_only_then) {
  this->run([&]() -> Task<void> {
    const auto lower = [&](std::string bound) -> Task<void> {
      co_await this->store().transact([&](Transaction& txn) -> Task<void> {
        txn.lower("#b", bound);
        co_return;
      });
    };
    co_await lower("m");
    EXPECT_EQ(co_await this->read("#b"), std::nullopt) << "nothing is below nothing";
    co_await this->store().transact([&](Transaction& txn) -> Task<void> {
      txn.put("#b", "m");
      co_return;
    });
    const auto reader = this->store().begin();
    (void)co_await reader->get("#b");
    reader->put("Tx", "");
    co_await lower("z");
    EXPECT_EQ((co_await this->store().commit(reader)).status, CommitStatus::committed);
    EXPECT_EQ(co_await this->read("#b"), "m");

    const auto loser = this->store().begin();
    (void)co_await loser->get("#b");
    loser->put("Tx", "");
    co_await lower("c");
    EXPECT_EQ((co_await this->store().commit(loser)).status, CommitStatus::conflict);
    EXPECT_EQ(co_await this->read("#b"), "c");
  });
}

TYPED_TEST(QueueTest, a_floor_goes_up_to_the_first_entry_and_no_further_than_asked) {
  this->run([&]() -> Task<void> {
    for (const char* name : {"1", "2", "3", "4"}) co_await this->put(name);
    co_await this->erase("1");
    co_await this->erase("2");
    EXPECT_EQ(co_await this->front(), "");
    co_await this->queue_.raise(this->store(), this->queue_.prefix() + "9");
    EXPECT_EQ(co_await this->front(), "3");
    EXPECT_THAT(co_await this->look(), ElementsAre("3", "4"));
    co_await this->erase("3");
    co_await this->erase("4");
    co_await this->queue_.raise(this->store(), this->queue_.prefix() + "5");
    EXPECT_EQ(co_await this->front(), "5");
    EXPECT_THAT(co_await this->look(), IsEmpty());
    co_await this->queue_.raise(this->store(), this->queue_.prefix() + "4");
    EXPECT_EQ(co_await this->front(), "5") << "it does not go down";
  });
}

TYPED_TEST(QueueTest, an_entry_before_the_floor_is_found) {
  this->run([&]() -> Task<void> {
    co_await this->put("5");
    co_await this->queue_.raise(this->store(), this->queue_.prefix() + "5");
    co_await this->put("2");
    EXPECT_THAT(co_await this->look(), ElementsAre("2", "5"));
    co_await this->put("3");
    co_await this->put("7");
    EXPECT_EQ(co_await this->front(), "2");
    EXPECT_THAT(co_await this->look(), ElementsAre("2", "3", "5", "7"));
  });
}

TYPED_TEST(QueueTest, a_floor_outlives_a_restart) {
  this->run([&]() -> Task<void> {
    co_await this->put("5");
    co_await this->queue_.raise(this->store(), this->queue_.prefix() + "5");
  });
  this->backend_.reopen();
  this->run([&]() -> Task<void> {
    EXPECT_EQ(co_await this->front(), "5");
    co_await this->put("4");
    EXPECT_THAT(co_await this->look(), ElementsAre("4", "5"));
  });
}

TYPED_TEST(QueueTest, an_entry_that_comes_while_the_floor_goes_up_is_not_left_below) {
  this->run([&]() -> Task<void> {
    co_await this->put("5");
    co_await this->queue_.raise(this->store(), this->queue_.prefix() + "3");
    // One that began before the entry and ends after it.
    const auto raiser = this->store().begin();
    const Range range{co_await this->queue_.front(*raiser), this->queue_.prefix() + "5"};
    co_await raiser->scan(range, Direction::forward, [](std::string_view, std::string_view) { return true; });
    this->queue_.set_floor(*raiser, range.end);
    co_await this->put("4");
    EXPECT_EQ((co_await this->store().commit(raiser)).status, CommitStatus::conflict);
    // The other way round: the entry's transaction began before the floor went over it.
    const auto late = this->store().begin();
    this->queue_.put(*late, this->queue_.prefix() + "39", "");
    co_await this->erase("4");
    co_await this->queue_.raise(this->store(), this->queue_.prefix() + "5");
    EXPECT_EQ(co_await this->front(), "5");
    EXPECT_EQ((co_await this->store().commit(late)).status, CommitStatus::committed);
    EXPECT_THAT(co_await this->look(), ElementsAre("39", "5"));
  });
}

TYPED_TEST(QueueTest, whoever_looks_through_a_queue_conflicts_with_an_entry_before_its_floor) {
  this->run([&]() -> Task<void> {
    co_await this->put("5");
    co_await this->queue_.raise(this->store(), this->queue_.prefix() + "5");
    const auto looker = this->store().begin();
    const Range range{co_await this->queue_.front(*looker), base::prefix_end(this->queue_.prefix())};
    co_await looker->scan(range, Direction::forward, [](std::string_view, std::string_view) { return true; });
    looker->put("Tx", "");
    co_await this->put("2");
    EXPECT_EQ((co_await this->store().commit(looker)).status, CommitStatus::conflict);
  });
}

TEST(FloorPace, asks_for_a_raise_after_some_takes_or_some_more_looks) {
  FloorPace pace;
  EXPECT_FALSE(pace.looked(FloorPace::kTakesMax - 1));
  EXPECT_TRUE(pace.looked(1));
  for (size_t look = 1; look < FloorPace::kLooksMax; ++look) EXPECT_FALSE(pace.looked(0));
  EXPECT_TRUE(pace.looked(0));
}

// ---- simulation -----------------------------------------------------------------------------------------------------

// Putters, takers and raisers on one queue, conflicts, slow commits and crashes. What must hold, whatever snapshot is
// looked at: everything that stands is found from the front on, and the count is what stands.
class QueueSimulation {
 public:
  explicit QueueSimulation(uint64_t seed)
      : seed_(seed),
        clock_(base::Time(std::chrono::hours(24)), base::VirtualClock::Mode::manual),
        executor_(seed, clock_.activity()) {}
  ~QueueSimulation() {
    scope_.clear();
    executor_.drop_all();
  }

  void run() {
    for (int life = 0; life < kLives; ++life) {
      store_ = make_sim_store(disk_, executor_, clock_, SimFaults());
      start();
      const uint64_t steps = 200 + executor_.random()() % 600;
      for (uint64_t step = 0; step < steps; ++step) {
        executor_.run_one();
        if (step % kStepsPerCheck == 0) check();
      }
      store_->crash();
      scope_.clear();
      executor_.drop_all();
      store_.reset();
    }
    store_ = make_sim_store(disk_, executor_, clock_, SimFaults::none());
    check();
    EXPECT_GT(raised_, 0) << "seed " << seed_;
    EXPECT_GT(taken_, 0) << "seed " << seed_;
  }

 private:
  static constexpr int kLives = 4;
  static constexpr uint64_t kStepsPerCheck = 5;
  static constexpr const char* kCount = "#count";

  void start() {
    const base::Executor::Enter enter(executor_);
    for (int n = 0; n < 4; ++n) scope_.spawn(put_some());
    for (int n = 0; n < 3; ++n) scope_.spawn(take_some());
    for (int n = 0; n < 2; ++n) scope_.spawn(raise_some());
  }

  // Mostly at the end, now and then anywhere before.
  std::string next_key() {
    const uint64_t random = executor_.random()();
    end_ += random % 3;
    const uint64_t place = random % 5 == 0 ? executor_.random()() % (end_ + 1) : end_;
    std::string key = queue_.prefix();
    base::append_u64(key, place);
    base::append_u64(key, ++last_id_);
    return key;
  }

  Task<void> put_some() {
    for (;;) {
      const std::string key = next_key();
      co_await store_->transact([&](Transaction& txn) -> Task<void> {
        queue_.put(txn, key, "");
        txn.add(kCount, 1);
        co_return;
      });
    }
  }

  Task<void> take_some() {
    for (;;) {
      const bool found = co_await store_->transact([&](Transaction& txn) -> Task<bool> {
        std::string first;
        const Range range{co_await queue_.front_untracked(txn), base::prefix_end(queue_.prefix())};
        co_await txn.scan_untracked(range, store::first(1), [&](std::string_view key, std::string_view) {
          first = key;
          return true;
        });
        if (first.empty()) co_return false;
        txn.track(first);  // two takers never take the same
        txn.erase(first);
        txn.add(kCount, -1);
        co_return true;
      });
      if (found) ++taken_;
      co_await base::yield();
    }
  }

  Task<void> raise_some() {
    for (;;) {
      std::string upto = queue_.prefix();
      base::append_u64(upto, end_ - executor_.random()() % (end_ + 1) / 4);
      co_await queue_.raise(*store_, upto);
      const auto snapshot = store_->snapshot();
      if (co_await queue_.front(*snapshot) > queue_.prefix()) ++raised_;
      co_await base::yield();
    }
  }

  // Between two steps: what no executor runs never has to give way, so these reads are done when they return.
  void check() {
    const auto snapshot = store_->snapshot();
    std::vector<std::string> all;
    std::vector<std::string> found;
    const std::string front = queue_.prefix() + snapshot->get(queue_.floor_key()).await_resume().value_or("");
    const auto into = [](std::vector<std::string>& keys) {
      return [&keys](std::string_view key, std::string_view) {
        keys.emplace_back(key);
        return true;
      };
    };
    snapshot->scan(Range::prefix(queue_.prefix()), Direction::forward, into(all)).await_resume();
    snapshot->scan({front, base::prefix_end(queue_.prefix())}, Direction::forward, into(found)).await_resume();
    ASSERT_EQ(found, all) << "an entry is below the floor, seed " << seed_;
    const auto count = snapshot->get(kCount).await_resume();
    ASSERT_EQ(count.value_or(number(0)), number(static_cast<int64_t>(all.size()))) << "seed " << seed_;
  }

  const uint64_t seed_;
  const Queue queue_{"Tqueue/"};
  base::VirtualClock clock_;
  base::SimExecutor executor_;
  SimDisk disk_;
  std::unique_ptr<SimStore> store_;
  uint64_t end_ = 0;
  uint64_t last_id_ = 0;
  int raised_ = 0;
  int taken_ = 0;
  base::Scope scope_;
};

TEST(QueueSim, nothing_is_ever_below_a_floor_and_the_count_is_what_stands) {
  const char* asked = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = asked ? std::strtoull(asked, nullptr, 10) : kSeedsByDefault;
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFatalFailure(); ++seed) QueueSimulation(seed).run();
}

}  // namespace
}  // namespace tidemill::store
