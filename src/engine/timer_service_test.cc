#include "engine/timer_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/log.h"
#include "base/sim_executor.h"
#include "engine/deliveries.h"
#include "store/failing_store.h"
#include "store/test_queue_floors.h"

namespace tidemill::engine {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;
using base::Time;
using store::Timer;

constexpr Time kStart{std::chrono::hours(24)};
Time at(std::chrono::milliseconds offset) { return kStart + offset; }

// A platform in a test tube: everything in `start` is rebuilt after each crash.
class World {
 public:
  World(uint64_t seed, store::SimFaults faults, base::VirtualClock::Mode mode = base::VirtualClock::Mode::automatic)
      : clock(kStart, mode), executor(seed, clock.activity()), enter_(executor), faults_(faults) {}
  ~World() { stop(); }

  void boot(std::function<void(TimerService&, Deliveries&)> start) {
    store = std::make_unique<store::FailingStore>(store::make_sim_store(disk_, executor, clock, faults_), troubles);
    timers = std::make_unique<TimerService>(*store, clock);
    deliveries = std::make_unique<Deliveries>(*store, clock, *timers);
    start(*timers, *deliveries);
    timers->start();
  }
  void crash() {
    store->crash();
    stop();
  }
  template <class Body>
  void commit(Body body) {
    scope.spawn(store->transact(body));
  }
  [[nodiscard]] const store::SimDisk& disk() const { return disk_; }
  uint64_t random(uint64_t below) { return executor.random()() % below; }

  base::VirtualClock clock;
  base::SimExecutor executor;
  store::Troubles troubles;
  std::unique_ptr<store::SimStore> store;
  std::unique_ptr<TimerService> timers;
  std::unique_ptr<Deliveries> deliveries;
  base::Scope scope;

 private:
  void stop() {
    scope.clear();
    timers.reset();
    deliveries.reset();
    executor.drop_all();
    store.reset();
  }

  base::Executor::Enter enter_;
  store::SimFaults faults_;
  store::SimDisk disk_;
};

auto set(Timer timer) {
  return [timer](store::Transaction& txn) -> Task<void> { co_await store::set_timer(txn, timer); };
}

TEST(TimerService, runs_timers_when_they_are_due_and_not_before) {
  World world(1, store::SimFaults::none());
  std::vector<std::pair<std::string, Time>> ran;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"a"}, [&](const Timer& timer) -> Task<void> {
      ran.emplace_back(timer.id + timer.payload, world.clock.now());
      co_return;
    });
  });
  world.commit(set({"a", "2", at(20s), "x"}));
  world.commit(set({"a", "1", at(10s), "y"}));
  world.commit(set({"other", "1", at(5s), ""}));
  world.commit(set({"a", "0", at(-10s), ""}));
  world.executor.run_until_idle();
  EXPECT_THAT(ran, ElementsAre(std::pair("0", kStart), std::pair("1y", at(10s)), std::pair("2x", at(20s))));
}

// As where no file can be opened.
TEST(TimerService, a_look_that_fails_is_taken_again) {
  World world(1, store::SimFaults::none());
  std::vector<Time> ran;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"a"}, [&](const Timer&) -> Task<void> {
      ran.push_back(world.clock.now());
      co_return;
    });
  });
  world.executor.run_until_idle();
  world.troubles.snapshots.next(3, std::runtime_error("Too many open files"));
  world.commit(set({"a", "1", at(10s), ""}));
  world.executor.run_until_idle();
  EXPECT_EQ(world.troubles.snapshots.left(), 0);
  EXPECT_THAT(ran, ElementsAre(at(10s)));
}

TEST(TimerService, a_look_that_fails_is_taken_again_while_the_clock_stands) {
  World world(1, store::SimFaults::none(), base::VirtualClock::Mode::manual);
  std::vector<Time> ran;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"a"}, [&](const Timer&) -> Task<void> {
      ran.push_back(world.clock.now());
      co_return;
    });
  });
  world.executor.run_until_idle();
  world.troubles.snapshots.next(3, std::runtime_error("Too many open files"));
  world.commit(set({"a", "1", kStart, ""}));
  world.executor.run_until_idle();
  EXPECT_EQ(world.troubles.snapshots.left(), 0);
  EXPECT_THAT(ran, ElementsAre(kStart));
}

TEST(TimerService, a_timer_set_while_it_sleeps_wakes_it) {
  World world(1, store::SimFaults::none(), base::VirtualClock::Mode::manual);
  std::vector<std::string> ran;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"a"}, [&](const Timer& timer) -> Task<void> {
      ran.push_back(timer.id);
      co_return;
    });
  });
  world.commit(set({"a", "far", at(1000s), ""}));
  world.executor.run_until_idle();
  world.commit(set({"a", "now", kStart, ""}));
  world.executor.run_until_idle();
  EXPECT_THAT(ran, ElementsAre("now"));
  world.clock.advance_to(at(1000s), {});
  world.executor.run_until_idle();
  EXPECT_THAT(ran, ElementsAre("now", "far"));
}

TEST(TimerService, a_handler_may_set_its_own_timer_for_the_same_time_again) {
  World world(1, store::SimFaults::none());
  int runs = 0;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"a"}, [&](const Timer& timer) -> Task<void> {
      if (++runs == 3) co_return;
      co_await world.store->transact([&](store::Transaction& txn) -> Task<void> { co_await store::set_timer(txn, timer); });
    });
  });
  world.commit(set({"a", "1", at(10s), "x"}));
  world.executor.run_until_idle();
  EXPECT_EQ(runs, 3);
}

TEST(TimerService, a_cancelled_timer_does_not_run_and_one_set_anew_runs_at_its_new_time) {
  World world(1, store::SimFaults::none());
  std::vector<std::pair<std::string, Time>> ran;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"a"}, [&](const Timer& timer) -> Task<void> {
      ran.emplace_back(timer.id, world.clock.now());
      co_return;
    });
  });
  world.commit([](store::Transaction& txn) -> Task<void> {
    co_await store::set_timer(txn, {"a", "1", at(10s), ""});
    co_await store::set_timer(txn, {"a", "2", at(10s), ""});
    co_await store::cancel_timer(txn, {"a"}, "1");
    co_await store::set_timer(txn, {"a", "2", at(30s), ""});
  });
  world.executor.run_until_idle();
  EXPECT_THAT(ran, ElementsAre(std::pair("2", at(30s))));
}

TEST(TimerService, a_failing_handler_is_called_again_with_growing_back_off_and_delays_no_other) {
  World world(1, store::SimFaults::none());
  std::vector<Time> tries;
  std::optional<Time> other;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"a"}, [&](const Timer& timer) -> Task<void> {
      if (timer.id == "other") {
        other = world.clock.now();
        co_return;
      }
      tries.push_back(world.clock.now());
      if (tries.size() < 5) throw std::runtime_error("not yet");
    });
  });
  world.commit(set({"a", "bad", at(1s), ""}));
  world.commit(set({"a", "other", at(1200ms), ""}));
  world.executor.run_until_idle();
  EXPECT_THAT(tries, ElementsAre(at(1s), at(1100ms), at(1300ms), at(1700ms), at(2500ms)));
  EXPECT_EQ(other, at(1200ms));
}

TEST(TimerService, a_failing_handler_is_called_again_while_the_clock_stands) {
  World world(1, store::SimFaults::none(), base::VirtualClock::Mode::manual);
  std::vector<Time> tries;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"a"}, [&](const Timer&) -> Task<void> {
      tries.push_back(world.clock.now());
      if (tries.size() < 3) throw std::runtime_error("not yet");
      co_return;
    });
  });
  world.commit(set({"a", "1", kStart, ""}));
  world.executor.run_until_idle();
  EXPECT_THAT(tries, ElementsAre(kStart, kStart, kStart));
}

// Whoever turns the clock does not wait for the executor's time, and what never succeeds keeps nobody busy for ever.
TEST(TimerService, a_clock_is_turned_past_a_handler_that_always_fails_and_that_rests_while_it_stands) {
  World world(1, store::SimFaults::none(), base::VirtualClock::Mode::manual);
  std::vector<std::string> notes;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"a"}, [&](const Timer&) -> Task<void> {
      notes.push_back(std::to_string((world.clock.now() - kStart) / 1ms));
      throw std::runtime_error("never");
      co_return;
    });
  });
  world.commit(set({"a", "1", at(1s), ""}));
  world.executor.run_until_idle();
  world.clock.advance_to(at(1700ms), [&] { notes.push_back("turned"); });
  world.executor.run_until_idle();
  std::vector<std::string> expected{"1000", "1100", "1300", "1700", "turned"};
  expected.insert(expected.end(), kTimerTriesMeanwhileMax, "1700");
  EXPECT_EQ(notes, expected);

  notes.clear();
  world.clock.advance_to(at(121'700ms), [&] { notes.push_back("turned"); });
  world.executor.run_until_idle();
  expected = {"61700", "121700", "turned"};
  expected.insert(expected.end(), kTimerTriesMeanwhileMax, "121700");
  EXPECT_EQ(notes, expected);
}

TEST(TimerService, a_handler_may_set_its_own_timer_anew) {
  World world(1, store::SimFaults::none());
  std::vector<Time> runs;
  world.boot([&](TimerService& timers, Deliveries&) {
    timers.handle({"tick"}, [&](const Timer& timer) -> Task<void> {
      runs.push_back(world.clock.now());
      if (runs.size() == 3) co_return;
      co_await world.store->transact([&](store::Transaction& txn) -> Task<void> {
        Timer next = timer;
        next.due += 60s;
        co_await store::set_timer(txn, next);
      });
    });
  });
  world.commit(set({"tick", "1", at(60s), ""}));
  world.executor.run_until_idle();
  EXPECT_THAT(runs, ElementsAre(at(60s), at(120s), at(180s)));
}

TEST(TimerService, handlers_of_one_kind_run_side_by_side_up_to_the_limit) {
  World world(1, store::SimFaults::none());
  size_t running = 0;
  size_t most = 0;
  int done = 0;
  world.boot([&](TimerService& timers, Deliveries&) {
    const auto work = [&](const Timer&) -> Task<void> {
      most = std::max(most, ++running);
      co_await world.clock.sleep_until(world.clock.now() + 10s);
      --running;
      ++done;
    };
    timers.handle({"a"}, work, {.concurrent_max = 3});
  });
  for (int n = 0; n < 10; ++n) world.commit(set({"a", std::to_string(n), kStart, ""}));
  world.executor.run_until_idle();
  EXPECT_EQ(most, 3u);
  EXPECT_EQ(done, 10);
}

// Of a kind that is shared out: timers of `hog`, more than may run and due at once, and of `other`.
struct Sharing {
  static constexpr size_t kMax = 2 * store::kTimerPartitions;  // of which each may have 2

  explicit Sharing(size_t others) {
    world.boot([this](TimerService& timers, Deliveries&) {
      const auto work = [this](const Timer& timer) -> Task<void> {
        const std::string owner = timer.payload;
        most[owner] = std::max(most[owner], ++running[owner]);
        if (!first.contains(owner)) first[owner] = world.clock.now();
        co_await world.clock.sleep_until(world.clock.now() + 10s + base::Duration(world.random(10'000'000)));
        --running[owner];
        ++done[owner];
      };
      timers.handle({"a"}, work, {.concurrent_max = kMax, .is_shared_out = true, .floor_pace = store::FloorPace(8, 8)});
    });
    EXPECT_NE(store::timer_partition_of({"a"}, "hog"), store::timer_partition_of({"a"}, "other"));
    begin("hog", 5 * kMax, kStart);
    begin("other", others, at(1s));
  }
  void begin(const std::string& owner, size_t count, Time due) {
    world.commit([=](store::Transaction& txn) -> Task<void> {
      for (size_t n = 0; n < count; ++n) {
        co_await store::set_timer(txn, {store::timer_partition_of({"a"}, owner), std::to_string(n), due, owner});
      }
    });
  }

  World world{1, store::SimFaults::none()};
  std::map<std::string, size_t> running;
  std::map<std::string, size_t> most;
  std::map<std::string, size_t> done;
  std::map<std::string, Time> first;
};

TEST(TimerService, the_timers_of_one_owner_do_not_keep_those_of_another_waiting) {
  Sharing sharing(1);
  sharing.world.executor.run_until_idle();
  EXPECT_EQ(sharing.most["hog"], Sharing::kMax);  // as long as it is alone
  EXPECT_EQ(sharing.first["other"], at(1s));
  EXPECT_EQ(sharing.done["hog"], 5 * Sharing::kMax);
  EXPECT_EQ(sharing.done["other"], 1u);
}

TEST(TimerService, what_becomes_free_is_shared_by_those_who_lack_room) {
  Sharing sharing(3 * Sharing::kMax);
  size_t most = 0;
  while (sharing.running["other"] < Sharing::kMax / 2 && sharing.world.executor.run_one()) {
    most = std::max(most, sharing.running["hog"] + sharing.running["other"]);
  }
  EXPECT_EQ(sharing.running["other"], Sharing::kMax / 2);
  EXPECT_LT(sharing.done["other"], Sharing::kMax) << "as places of the other became free";
  EXPECT_EQ(most, Sharing::kMax + 2);
  sharing.world.executor.run_until_idle();
  EXPECT_EQ(sharing.done["hog"], 5 * Sharing::kMax);
  EXPECT_EQ(sharing.done["other"], 3 * Sharing::kMax);
}

TEST(TimerService, those_that_were_set_before_a_kind_had_partitions_run) {
  Sharing sharing(0);
  sharing.world.commit(set({"a", "before", at(1s), "before"}));
  sharing.world.executor.run_until_idle();
  EXPECT_EQ(sharing.done["before"], 1u);
}

TEST(TimerService, housekeeping_does_not_make_the_automatic_clock_jump) {
  World world(1, store::SimFaults::none());
  std::vector<std::string> ran;
  world.boot([&](TimerService& timers, Deliveries&) {
    const auto note = [&](const Timer& timer) -> Task<void> {
      ran.push_back(timer.kind + timer.id);
      co_return;
    };
    timers.handle({"trim"}, note, {.purpose = base::Purpose::housekeeping});
    timers.handle({"work"}, note);
  });
  world.commit(set({"trim", "1", at(10s), ""}));
  world.commit(set({"trim", "2", at(30s), ""}));
  world.commit(set({"work", "1", at(20s), ""}));
  world.executor.run_until_idle();
  EXPECT_THAT(ran, ElementsAre("trim1", "work1"));
  EXPECT_EQ(world.clock.now(), at(20s));
}

// Random timers, some cancelled, set anew or failing, with slow commits, conflicts and crashes in between: each that
// was acknowledged and not cancelled runs at least once, none before it is due, and in the end none is left.
void run_timers(uint64_t seed) {
  World world(seed, store::SimFaults());
  std::set<std::string> acknowledged;
  std::map<std::string, Time> due;
  std::set<std::string> ran;
  const auto start = [&](TimerService& timers, Deliveries&) {
    timers.handle({"a"},
                  [&](const Timer& timer) -> Task<void> {
                    EXPECT_GE(world.clock.now(), due[timer.id]) << "early, seed " << seed;
                    if (world.random(4) == 0) throw std::runtime_error("fault");
                    if (world.random(3) == 0)
                      co_await world.clock.sleep_until(world.clock.now() + base::Duration(world.random(5000)));
                    const bool mine = co_await world.store->transact([&](store::Transaction& txn) -> Task<bool> {
                      const bool mine = co_await store::finish_timer(txn, timer);
                      if (mine) txn.put("Iran" + timer.id, "yes");
                      co_return mine;
                    });
                    if (mine) ran.insert(timer.id);
                  },
                  {.floor_pace = store::FloorPace(2, 2)});
  };
  const auto set_one = [&](std::string id) -> Task<void> {
    const Timer timer{"a", id, due[id], "p"};
    co_await world.store->transact(set(timer));
    acknowledged.insert(id);
  };
  base::set_log_level(base::Level::error);
  int next_id = 0;
  for (int life = 0; life < 4; ++life) {
    world.boot(start);
    for (int n = 0; n < 8; ++n) {
      const std::string id = std::to_string(next_id++);
      due[id] = world.clock.now() + base::Duration(world.random(20000));
      world.scope.spawn(set_one(id));
    }
    const uint64_t steps = world.random(400);
    for (uint64_t step = 0; step < steps; ++step) world.executor.run_one();
    world.crash();
    EXPECT_EQ(store::entry_below_floor(world.disk()), "") << "seed " << seed;
  }
  world.boot(start);
  world.executor.run_until_idle();
  base::set_log_level(base::Level::info);
  EXPECT_FALSE(ran.empty());
  bool checked = false;
  const auto check = [&]() -> Task<void> {
    const auto snapshot = world.store->snapshot();
    for (const std::string& id : acknowledged) {
      EXPECT_EQ(co_await snapshot->get("Iran" + id), "yes") << "timer " << id << " never ran, seed " << seed;
    }
    EXPECT_EQ(co_await store::next_timer_due(*snapshot), std::nullopt) << "a timer is left, seed " << seed;
    checked = true;
  };
  world.scope.spawn(check());
  world.executor.run_until_idle();
  EXPECT_TRUE(checked);
}

TEST(TimerSimulation, every_timer_runs_at_least_once_and_never_early_through_crashes) {
  for (uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) run_timers(seed);
}

// The look gives way in its middle, and sees what stood when it began.
TEST(TimerService, one_that_ends_during_a_look_does_not_run_again_as_it_was) {
  for (uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    World world(seed, store::SimFaults::none());
    std::map<std::pair<std::string, Time>, int> runs;
    world.boot([&](TimerService& timers, Deliveries&) {
      timers.handle({"a"}, [&](const Timer& timer) -> Task<void> {
        ++runs[{timer.id, timer.due}];
        if (timer.due > at(60s)) co_return;  // it is removed
        co_await world.store->transact([&](store::Transaction& txn) -> Task<void> {
          Timer next = timer;
          next.due += 60s;
          co_await store::set_timer(txn, next);
        });
      }, {.concurrent_max = 8});
    });
    for (int n = 0; n < 20; ++n) world.commit(set({"a", std::to_string(n), kStart, ""}));
    world.executor.run_until_idle();
    EXPECT_EQ(runs.size(), 60u);  // at the start, after one minute and after two
    for (const auto& [run, times] : runs) EXPECT_EQ(times, 1) << "timer " << run.first << ", seed " << seed;
  }
}

// ---- deliveries -------------------------------------------------------------------------------------------------

store::Delivery delivery(std::string id) {
  store::Delivery result;
  result.id = std::move(id);
  result.target_kind = "lambda";
  result.target = "arn:f";
  result.payload = "payload";
  result.policy = {{60s, 120s}, 3, 6h};
  result.dead_letter_kind = "queue";
  result.dead_letter_target = "arn:q";
  return result;
}

auto enqueue(store::Delivery delivery, Time now) {
  return [delivery, now](store::Transaction& txn) -> Task<void> {
    co_await store::enqueue_delivery(txn, delivery, now);
  };
}

TEST(Deliveries, a_failing_target_is_tried_as_the_policy_says_and_then_the_dead_letter_place) {
  World world(1, store::SimFaults::none());
  std::vector<Time> tries;
  std::vector<std::string> letters;
  world.boot([&](TimerService&, Deliveries& deliveries) {
    deliveries.send_with(
        "lambda",
        [&](const store::Delivery&) -> Task<store::SendOutcome> {
          tries.push_back(world.clock.now());
          throw std::runtime_error("unhandled");
          co_return store::SendOutcome{};
        },
        [](const store::Delivery& lost, store::GiveUpReason reason) {
          EXPECT_EQ(reason, store::GiveUpReason::attempts_exhausted);
          return "failed: " + lost.payload + ": " + lost.last_error;
        });
    deliveries.send_with("queue", [&](const store::Delivery& letter) -> Task<store::SendOutcome> {
      letters.push_back(letter.target + " " + letter.payload);
      co_return store::SendOutcome{};
    });
  });
  world.commit(enqueue(delivery("1"), kStart));
  world.executor.run_until_idle();
  EXPECT_THAT(tries, ElementsAre(kStart, at(60s), at(180s)));
  EXPECT_THAT(letters, ElementsAre("arn:q failed: payload: unhandled"));
}

TEST(Deliveries, one_that_is_too_old_when_the_platform_comes_back_is_not_sent) {
  World world(1, store::SimFaults::none(), base::VirtualClock::Mode::manual);
  int sent = 0;
  std::vector<store::GiveUpReason> reasons;
  const auto start = [&](TimerService&, Deliveries& deliveries) {
    deliveries.send_with(
        "lambda",
        [&](const store::Delivery&) -> Task<store::SendOutcome> {
          ++sent;
          co_return store::SendOutcome{};
        },
        [&](const store::Delivery&, store::GiveUpReason reason) {
          reasons.push_back(reason);
          return "";
        });
  };
  world.boot([](TimerService&, Deliveries&) {});  // nobody sends
  world.commit(enqueue(delivery("1"), kStart));
  world.executor.run_until_idle();
  world.crash();
  world.clock.advance_to(kStart + 7h, {});
  world.boot(start);
  world.executor.run_until_idle();
  EXPECT_EQ(sent, 0);
  EXPECT_THAT(reasons, ElementsAre(store::GiveUpReason::age_exceeded));
}

// As where the disk is full once the target has taken it.
TEST(Deliveries, one_whose_outcome_cannot_be_recorded_is_not_sent_again_for_that) {
  World world(1, store::SimFaults::none(), base::VirtualClock::Mode::manual);
  constexpr int kRefused = 10;
  std::vector<std::string> sent;
  const auto sender = [&](store::SendStatus status) {
    return [&, status](const store::Delivery& delivery) -> Task<store::SendOutcome> {
      if (sent.empty()) world.troubles.commits.next(kRefused, store::Overloaded("the disk is full"));
      sent.push_back(delivery.id);
      co_return store::SendOutcome{status, "no"};
    };
  };
  world.boot([&](TimerService&, Deliveries& deliveries) {
    deliveries.send_with("takes", sender(store::SendStatus::delivered));
    deliveries.send_with("lambda", sender(store::SendStatus::failed));
  });
  const auto refuse = [&](store::Delivery of) {
    sent.clear();
    world.commit(enqueue(std::move(of), world.clock.now()));
    world.executor.run_until_idle();
    for (int wait = 0; world.troubles.commits.left() > 0 && wait < 100; ++wait) {
      world.clock.advance_to(world.clock.now() + kTimerBackOffMax, {});
      world.executor.run_until_idle();
    }
    EXPECT_EQ(world.troubles.commits.left(), 0);
    world.clock.advance_to(world.clock.now() + kTimerBackOffMax, {});
    world.executor.run_until_idle();
  };
  store::Delivery taken = delivery("taken");
  taken.target_kind = "takes";
  refuse(std::move(taken));
  EXPECT_THAT(sent, ElementsAre("taken"));

  // One that failed is tried again as its policy says, and no attempt is lost count of.
  refuse(delivery("failed"));
  for (int minutes = 0; minutes < 10; ++minutes) {
    world.clock.advance_to(world.clock.now() + 1min, {});
    world.executor.run_until_idle();
  }
  EXPECT_THAT(sent, ElementsAre("failed", "failed", "failed"));
}

TEST(Deliveries, once_the_store_has_failed_nothing_is_sent_any_more) {
  World world(1, store::SimFaults::none(), base::VirtualClock::Mode::manual);
  std::vector<std::string> sent;
  world.boot([&](TimerService&, Deliveries& deliveries) {
    deliveries.send_with("lambda", [&](const store::Delivery& delivery) -> Task<store::SendOutcome> {
      if (sent.empty()) world.troubles.commits.next(1'000'000, store::StoreFailed("a sync failed"));
      sent.push_back(delivery.id);
      co_return store::SendOutcome{};
    });
  });
  world.commit([&](store::Transaction& txn) -> Task<void> {
    co_await store::enqueue_delivery(txn, delivery("1"), kStart);
    co_await store::enqueue_delivery(txn, delivery("2"), kStart, 1min);
  });
  world.executor.run_until_idle();
  world.clock.advance_to(kStart + 1h, {});
  world.executor.run_until_idle();
  EXPECT_THAT(sent, ElementsAre("1"));
}

// Random outcomes and crashes: each acknowledged delivery reaches its target or, after all its attempts, the
// dead-letter place; an acknowledged one is never forgotten.
void run_deliveries(uint64_t seed) {
  World world(seed, store::SimFaults());
  std::set<std::string> acknowledged;
  std::set<std::string> delivered;
  std::set<std::string> dead;
  std::map<std::string, int> failures;
  const auto start = [&](TimerService&, Deliveries& deliveries) {
    deliveries.send_with("lambda", [&](const store::Delivery& delivery) -> Task<store::SendOutcome> {
      if (world.random(3) == 0) co_await world.clock.sleep_until(world.clock.now() + base::Duration(world.random(9000)));
      switch (world.random(4)) {
        case 0: delivered.insert(delivery.id); co_return store::SendOutcome{};
        case 1: co_return store::SendOutcome{store::SendStatus::unavailable, "throttled"};
        default: ++failures[delivery.id]; co_return store::SendOutcome{store::SendStatus::failed, "no"};
      }
    });
    deliveries.send_with("queue", [&](const store::Delivery& letter) -> Task<store::SendOutcome> {
      const std::string id = letter.id.substr(0, letter.id.find('/'));
      EXPECT_GE(failures[id], 3) << "given up too soon, seed " << seed;
      if (world.random(2) == 0) co_return store::SendOutcome{store::SendStatus::failed, "no"};
      dead.insert(id);
      co_return store::SendOutcome{};
    });
  };
  const auto enqueue_one = [&](std::string id) -> Task<void> {
    co_await world.store->transact(enqueue(delivery(id), world.clock.now()));
    acknowledged.insert(id);
  };
  base::set_log_level(base::Level::error);
  int next_id = 0;
  for (int life = 0; life < 4; ++life) {
    world.boot(start);
    for (int n = 0; n < 6; ++n) world.scope.spawn(enqueue_one(std::to_string(next_id++)));
    const uint64_t steps = world.random(500);
    for (uint64_t step = 0; step < steps; ++step) world.executor.run_one();
    world.crash();
  }
  world.boot(start);
  world.executor.run_until_idle();
  base::set_log_level(base::Level::info);
  for (const std::string& id : acknowledged) {
    EXPECT_TRUE(delivered.contains(id) || dead.contains(id)) << "delivery " << id << " is lost, seed " << seed;
  }
  EXPECT_FALSE(delivered.empty() && dead.empty());
}

TEST(DeliverySimulation, every_delivery_arrives_or_goes_to_the_dead_letter_place_through_crashes) {
  for (uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) run_deliveries(seed);
}

TEST(Deliveries, a_target_that_hangs_keeps_nobody_else_waiting) {
  World world(1, store::SimFaults::none(), base::VirtualClock::Mode::manual);
  base::Signal never;
  size_t hanging = 0;
  std::set<std::string> sent;
  world.boot([&](TimerService&, Deliveries& deliveries) {
    deliveries.send_with(
        "url",
        [&](const store::Delivery& delivery) -> Task<store::SendOutcome> {
          if (delivery.target == "hangs") {
            ++hanging;
            (void)co_await never;
          }
          sent.insert(delivery.id);
          co_return store::SendOutcome{};
        },
        {}, {}, {.targets = Targets::may_hang});
  });
  const auto enqueue = [&](std::string id, std::string target) {
    world.commit([id, target](store::Transaction& txn) -> Task<void> {
      store::Delivery delivery;
      delivery.id = id;
      delivery.target_kind = "url";
      delivery.target = target;
      co_await store::enqueue_delivery(txn, std::move(delivery), kStart);
    });
  };
  for (size_t i = 0; i < 2 * kConcurrentSendsToTargetsMax; ++i) enqueue("h" + std::to_string(i), "hangs");
  world.executor.run_until_idle();
  EXPECT_EQ(hanging, kSendsPerTargetMax);
  enqueue("other", "answers");
  world.executor.run_until_idle();
  EXPECT_TRUE(sent.contains("other"));
}

}  // namespace
}  // namespace tidemill::engine
