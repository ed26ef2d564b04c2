// Timers, deliveries and leases, each as state in a store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/delivery.h"
#include "store/lease.h"
#include "store/test_backends.h"
#include "store/timer.h"

namespace tidemill::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

base::Time at(int seconds) { return base::Time(std::chrono::seconds(seconds)); }

class Primitives : public testing::Test {
 protected:
  template <class Body>
  void run(Body body) {
    backend_.run(std::move(body));
  }
  Store& store() { return backend_.store(); }
  Task<void> set(Timer timer) {
    co_await store().transact([&](Transaction& txn) -> Task<void> { co_await set_timer(txn, timer); });
  }
  Task<std::vector<std::string>> due(base::Time until, size_t limit = 100) {
    std::vector<std::string> ids;
    for (const Timer& timer : co_await due_timers(*store().snapshot(), until, limit)) {
      ids.push_back(timer.kind + ":" + timer.id);
    }
    co_return ids;
  }

  SimBackend backend_{SimFaults()};
};

// ---- timers -----------------------------------------------------------------------------------------------------

TEST_F(Primitives, timers_come_due_in_order_whatever_their_kind) {
  run([&]() -> Task<void> {
    EXPECT_EQ(co_await next_timer_due(*store().snapshot()), std::nullopt);
    co_await set({"b", "1", at(30), ""});
    co_await set({"a", "1", at(20), ""});
    co_await set({"a", "2", at(40), ""});
    co_await set({"c", "past", at(-5), ""});
    EXPECT_EQ(co_await next_timer_due(*store().snapshot()), at(-5));
    EXPECT_EQ(co_await next_timer_due(*store().snapshot(), TimerKind{"a"}), at(20));
    EXPECT_EQ(co_await next_timer_due(*store().snapshot(), TimerKind{"x"}), std::nullopt);
    EXPECT_THAT(co_await due(at(29)), ElementsAre("c:past", "a:1"));
    EXPECT_THAT(co_await due(at(30)), ElementsAre("c:past", "a:1", "b:1"));
    EXPECT_THAT(co_await due(at(99), 2), ElementsAre("c:past", "a:1"));
    const auto of_a = co_await due_timers(*store().snapshot(), TimerKind{"a"}, at(99), 10);
    EXPECT_THAT(of_a, ElementsAre(Timer{"a", "1", at(20), ""}, Timer{"a", "2", at(40), ""}));
  });
}

TEST_F(Primitives, setting_a_timer_again_replaces_it_and_cancelling_removes_it) {
  run([&]() -> Task<void> {
    co_await set({"a", "1", at(20), "first"});
    co_await set({"a", "1", at(10), "second"});
    EXPECT_THAT(co_await due_timers(*store().snapshot(), at(99), 10), ElementsAre(Timer{"a", "1", at(10), "second"}));
    co_await store().transact([](Transaction& txn) -> Task<void> {
      EXPECT_EQ(co_await timer_due(txn, {"a"}, "1"), at(10));
      co_await cancel_timer(txn, {"a"}, "1");
      co_await cancel_timer(txn, {"a"}, "none");
      EXPECT_EQ(co_await timer_due(txn, {"a"}, "1"), std::nullopt);
    });
    EXPECT_THAT(co_await due(at(99)), IsEmpty());
  });
}

TEST_F(Primitives, a_timer_that_was_set_anew_is_not_finished_by_its_old_self) {
  run([&]() -> Task<void> {
    const auto finish = [&](Timer timer) -> Task<bool> {
      co_return co_await store().transact(
          [&](Transaction& txn) -> Task<bool> { co_return co_await finish_timer(txn, timer); });
    };
    const Timer plain{"a", "1", at(20), "x"};
    co_await set(plain);
    Timer first = plain;
    EXPECT_TRUE(co_await identify_timer(*store().snapshot(), first));
    Timer elsewhere{"a", "1", at(19), "x"};
    EXPECT_FALSE(co_await identify_timer(*store().snapshot(), elsewhere));
    EXPECT_FALSE(co_await finish(elsewhere));
    EXPECT_TRUE(co_await timer_stands(*store().snapshot(), first));
    co_await set(plain);
    EXPECT_FALSE(co_await timer_stands(*store().snapshot(), first)) << "set anew, though for the same time";
    EXPECT_FALSE(co_await finish(first));
    Timer second = plain;
    EXPECT_TRUE(co_await identify_timer(*store().snapshot(), second));
    EXPECT_TRUE(co_await finish(second));
    EXPECT_FALSE(co_await finish(second));
    EXPECT_FALSE(co_await timer_stands(*store().snapshot(), second));
  });
}

TEST_F(Primitives, setting_a_timer_signals_its_kind_and_all) {
  run([&]() -> Task<void> {
    int all = 0;
    int own = 0;
    int other = 0;
    const auto one = store().subscribe(kTimersTopic, [&] { ++all; });
    const auto two = store().subscribe(timers_topic({"a"}), [&] { ++own; });
    const auto three = store().subscribe(timers_topic({"b"}), [&] { ++other; });
    co_await set({"a", "1", at(20), ""});
    EXPECT_EQ(all, 1);
    EXPECT_EQ(own, 1);
    EXPECT_EQ(other, 0);
  });
}

// ---- deliveries -------------------------------------------------------------------------------------------------

class Deliveries : public Primitives {
 protected:
  static Delivery delivery(std::string id) {
    Delivery result;
    result.id = std::move(id);
    result.target_kind = "lambda";
    result.target = "arn:f";
    result.payload = std::string("pay\0load", 8);
    result.policy = {{60s, 120s}, 4, 6h};
    result.dead_letter_kind = "queue";
    result.dead_letter_target = "arn:q";
    return result;
  }
  Task<void> enqueue(Delivery delivery, base::Time now, base::Duration delay = {}) {
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      co_await enqueue_delivery(txn, delivery, now, delay);
    });
  }
  Task<std::vector<Timer>> timers(std::string target_kind = "lambda") {
    const std::string kind = delivery_timer_kind(target_kind);
    const auto snapshot = store().snapshot();
    auto found = co_await due_timers(*snapshot, TimerKind{kind}, base::Time::max(), 100);
    for (Timer& timer : found) (void)co_await identify_timer(*snapshot, timer);
    co_return found;
  }
  Task<DeliveryFate> record(Timer timer, SendStatus status, base::Time now) {
    co_return co_await store().transact([&](Transaction& txn) -> Task<DeliveryFate> {
      const GiveUpHook hook = [&](Transaction& inner, const Delivery& lost, GiveUpReason why) -> Task<void> {
        reason = why;
        co_await forward_to_dead_letter(inner, lost, "lost " + lost.payload, now);
      };
      co_return co_await record_outcome(txn, timer, {status, "because"}, now, hook);
    });
  }
  std::optional<GiveUpReason> reason;
};

TEST_F(Deliveries, a_delivery_keeps_what_gave_rise_to_it) {
  run([&]() -> Task<void> {
    Delivery traced = delivery("1");
    traced.trace_header = "Root=1-3152b799-8954dae64eda91bc9a23a7e8";
    co_await enqueue(traced, at(100));
    co_await enqueue(delivery("2"), at(100));
    const auto loaded = co_await load_delivery(*store().snapshot(), "1");
    EXPECT_EQ(loaded->trace_header, traced.trace_header);
    EXPECT_EQ(loaded->policy.delays, traced.policy.delays);
    EXPECT_EQ(loaded->payload, traced.payload);
    EXPECT_EQ((co_await load_delivery(*store().snapshot(), "2"))->trace_header, "");
  });
}

// The timer of a delivery that has an owner stands where its owner's do, whoever looks for it.
TEST_F(Deliveries, a_delivery_stands_in_the_partition_of_its_owner) {
  run([&]() -> Task<void> {
    const std::string partition = timer_partition_of({delivery_timer_kind("lambda")}, "somebody");
    EXPECT_NE(partition, delivery_timer_kind("lambda"));
    const auto due = [&]() -> Task<std::vector<Timer>> {
      const auto snapshot = store().snapshot();
      auto found = co_await due_timers(*snapshot, TimerKind{partition}, base::Time::max(), 100);
      for (Timer& timer : found) (void)co_await identify_timer(*snapshot, timer);
      co_return found;
    };
    for (const char* id : {"1", "2"}) {
      Delivery owned = delivery(id);
      owned.trace_header = "Root=1-3152b799-8954dae64eda91bc9a23a7e8";
      owned.owner = "somebody";
      co_await enqueue(owned, at(100));
    }
    EXPECT_THAT(co_await timers(), IsEmpty());
    const auto loaded = co_await load_delivery(*store().snapshot(), "1");
    EXPECT_EQ(loaded->owner, "somebody");
    EXPECT_EQ(loaded->policy.delays, delivery("1").policy.delays);
    EXPECT_EQ(loaded->payload, delivery("1").payload);
    EXPECT_EQ(co_await record((co_await due()).at(0), SendStatus::failed, at(100)), DeliveryFate::rescheduled);
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      EXPECT_TRUE(co_await hurry_delivery(txn, "1", at(105)));
      co_await cancel_delivery(txn, "2");
    });
    const auto left = co_await due();
    EXPECT_EQ(left.size(), 1u);
    EXPECT_EQ(left.at(0).id, "1");
    EXPECT_EQ(left.at(0).due, at(105));
  });
}

TEST_F(Deliveries, a_delivery_is_due_after_its_delay_and_gone_once_delivered) {
  run([&]() -> Task<void> {
    co_await enqueue(delivery("1"), at(100), 5s);
    const auto due = co_await timers();
    EXPECT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].due, at(105));
    const auto loaded = co_await load_delivery(*store().snapshot(), "1");
    EXPECT_EQ(loaded->payload, delivery("1").payload);
    EXPECT_EQ(loaded->target, "arn:f");
    EXPECT_EQ(loaded->created, at(100));
    EXPECT_EQ(loaded->policy.delays, delivery("1").policy.delays);
    EXPECT_EQ(co_await record(due[0], SendStatus::delivered, at(106)), DeliveryFate::done);
    EXPECT_EQ(co_await load_delivery(*store().snapshot(), "1"), std::nullopt);
    EXPECT_THAT(co_await timers(), IsEmpty());
    EXPECT_EQ(co_await record(due[0], SendStatus::delivered, at(106)), DeliveryFate::unknown);
  });
}

TEST_F(Deliveries, failures_are_retried_after_the_policys_delays_and_then_go_to_the_dead_letter_place) {
  run([&]() -> Task<void> {
    co_await enqueue(delivery("1"), at(0));
    for (const int next : {60, 180, 300}) {
      const Timer timer = (co_await timers()).at(0);
      EXPECT_EQ(co_await record(timer, SendStatus::failed, timer.due), DeliveryFate::rescheduled);
      EXPECT_EQ((co_await timers()).at(0).due, at(next));
    }
    const auto state = co_await load_delivery(*store().snapshot(), "1");
    EXPECT_EQ(state->attempts, 3);
    EXPECT_EQ(state->last_error, "because");
    EXPECT_EQ(state->created, at(0));
    EXPECT_EQ(co_await record((co_await timers()).at(0), SendStatus::failed, at(300)), DeliveryFate::given_up);
    EXPECT_EQ(reason, GiveUpReason::attempts_exhausted);
    EXPECT_THAT(co_await timers(), IsEmpty());
    const Timer letter_timer = (co_await timers("queue")).at(0);
    const auto letter = co_await load_delivery(*store().snapshot(), letter_timer.id);
    EXPECT_EQ(letter->target, "arn:q");
    EXPECT_EQ(letter->payload, "lost " + delivery("1").payload);
    EXPECT_EQ(letter->dead_letter_kind, "");
  });
}

TEST_F(Deliveries, an_unavailable_target_costs_no_attempts_but_age) {
  run([&]() -> Task<void> {
    auto slow = delivery("1");
    slow.policy.attempts_max = 1;
    slow.policy.age_max = 10min;
    co_await enqueue(slow, at(0));
    for (const int next : {1, 3, 7, 15, 31, 63, 127, 255, 511, 600}) {  // and a last time when it is ten minutes old
      const Timer timer = (co_await timers()).at(0);
      EXPECT_EQ(co_await record(timer, SendStatus::unavailable, timer.due), DeliveryFate::rescheduled);
      EXPECT_EQ((co_await timers()).at(0).due, at(next));
    }
    EXPECT_EQ(co_await record((co_await timers()).at(0), SendStatus::unavailable, at(600)), DeliveryFate::given_up);
    EXPECT_EQ(reason, GiveUpReason::age_exceeded);
  });
}

TEST_F(Deliveries, one_whose_target_is_unavailable_can_be_hurried) {
  run([&]() -> Task<void> {
    co_await enqueue(delivery("1"), at(0));
    co_await enqueue(delivery("2"), at(0));
    for (const Timer& timer : co_await timers()) {
      if (timer.id == "2") continue;
      EXPECT_EQ(co_await record(timer, SendStatus::unavailable, at(0)), DeliveryFate::rescheduled);
    }
    const auto waiting = co_await unavailable_deliveries(*store().snapshot(), "", 10);
    EXPECT_EQ(waiting.size(), 1u);
    if (waiting.size() == 1u) EXPECT_EQ(waiting[0].id, "1");
    const auto hurry = [](store::Store& in, std::string id) -> Task<bool> {
      co_return co_await in.transact(
          [&](Transaction& txn) -> Task<bool> { co_return co_await hurry_delivery(txn, id, at(0)); });
    };
    for (const char* id : {"1", "2"}) EXPECT_TRUE(co_await hurry(store(), id));
    EXPECT_FALSE(co_await hurry(store(), "none"));
    EXPECT_TRUE(co_await delivery_stands(*store().snapshot(), "1"));
    EXPECT_FALSE(co_await delivery_stands(*store().snapshot(), "none"));
    for (const Timer& timer : co_await timers()) EXPECT_EQ(timer.due, at(0));
  });
}

TEST_F(Deliveries, what_is_rejected_is_not_tried_again) {
  run([&]() -> Task<void> {
    co_await enqueue(delivery("1"), at(0));
    EXPECT_EQ(co_await record((co_await timers()).at(0), SendStatus::rejected, at(1)), DeliveryFate::given_up);
    EXPECT_EQ(reason, GiveUpReason::rejected);
  });
}

// The old timer is removed when its handler returns, and with it would go the retry if the two were the same.
TEST_F(Deliveries, a_retry_at_the_same_moment_has_a_timer_of_its_own) {
  run([&]() -> Task<void> {
    auto eager = delivery("1");
    eager.policy.delays = {base::Duration(0)};
    co_await enqueue(eager, at(0));
    const Timer first = (co_await timers()).at(0);
    EXPECT_EQ(co_await record(first, SendStatus::failed, at(0)), DeliveryFate::rescheduled);
    const Timer second = (co_await timers()).at(0);
    EXPECT_EQ(second.due, first.due);
    EXPECT_FALSE(second == first);
    EXPECT_EQ(co_await record(first, SendStatus::delivered, at(0)), DeliveryFate::unknown);
    EXPECT_EQ(co_await record(second, SendStatus::delivered, at(0)), DeliveryFate::done);
  });
}

TEST_F(Deliveries, a_cancelled_delivery_leaves_nothing) {
  run([&]() -> Task<void> {
    co_await enqueue(delivery("1"), at(0));
    const Timer timer = (co_await timers()).at(0);
    co_await store().transact([](Transaction& txn) -> Task<void> { co_await cancel_delivery(txn, "1"); });
    EXPECT_THAT(co_await timers(), IsEmpty());
    EXPECT_EQ(co_await record(timer, SendStatus::failed, at(1)), DeliveryFate::unknown);
  });
}

// ---- leases -----------------------------------------------------------------------------------------------------

class Leases : public Primitives {
 protected:
  static Lease shard(const Member& member, uint64_t term = 1) {
    return {.name = "shard", .process = member.process, .life = member.life, .term = term};
  }
  Task<void> begin(Member member) {
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      join(txn, member);
      co_return;
    });
  }
  // In a transaction of its own.
  template <class Ask>
  Task<bool> ask(Ask body) {
    co_return co_await store().transact([&](Transaction& txn) -> Task<bool> { co_return co_await body(txn); });
  }
  Task<bool> take(Lease lease) {
    return ask([lease](Transaction& txn) { return take_lease(txn, lease); });
  }
  Task<bool> holds(Lease lease) {
    return ask([lease](Transaction& txn) { return holds_lease(txn, lease); });
  }
  Task<bool> beat_of(Member member) {
    return ask([member](Transaction& txn) { return beat(txn, member); });
  }
  Task<bool> buried(Member member) {
    return ask([member](Transaction& txn) { return bury(txn, member); });
  }
  Task<void> release(Lease lease) {
    co_await store().transact([&](Transaction& txn) -> Task<void> { co_await release_lease(txn, lease); });
  }
  Task<bool> leased(std::string prefix) {
    return ask([prefix](Transaction& txn) { return is_leased(txn, prefix); });
  }

  const Member a{.process = "a", .life = 1};
  const Member b{.process = "b", .life = 1};
};

TEST_F(Leases, a_lease_has_one_owner_until_that_member_is_buried) {
  run([&]() -> Task<void> {
    co_await begin(a);
    co_await begin(b);
    EXPECT_TRUE(co_await take(shard(a)));
    EXPECT_FALSE(co_await take(shard(b)));
    EXPECT_TRUE(co_await buried(a));
    EXPECT_FALSE(co_await holds(shard(a)));
    EXPECT_TRUE(co_await take(shard(b)));
    EXPECT_TRUE(co_await holds(shard(b)));
  });
}

TEST_F(Leases, a_member_that_shows_life_is_not_buried) {
  run([&]() -> Task<void> {
    co_await begin(a);
    EXPECT_TRUE(co_await beat_of({.process = "a", .life = 1, .beats = 1}));
    EXPECT_FALSE(co_await buried(a)) << "its beats have gone on";
    EXPECT_EQ(co_await members(*store().snapshot()), (std::vector<Member>{{"a", 1, 1}}));
    EXPECT_TRUE(co_await buried({.process = "a", .life = 1, .beats = 1}));
    EXPECT_FALSE(co_await beat_of({.process = "a", .life = 1, .beats = 2}));
    EXPECT_TRUE((co_await members(*store().snapshot())).empty());
  });
}

TEST_F(Leases, a_former_life_takes_nothing) {
  run([&]() -> Task<void> {
    co_await begin(a);
    co_await begin({.process = "a", .life = 2});
    EXPECT_FALSE(co_await take(shard(a)));
    EXPECT_FALSE(co_await beat_of(a));
    EXPECT_TRUE(co_await take(shard({.process = "a", .life = 2})));
  });
}

TEST_F(Leases, a_lease_of_a_former_life_is_free) {
  run([&]() -> Task<void> {
    co_await begin(a);
    co_await begin(b);
    EXPECT_TRUE(co_await take(shard(a)));
    co_await begin({.process = "a", .life = 2});
    EXPECT_FALSE(co_await leased("sh"));
    EXPECT_TRUE(co_await take(shard(b)));
    EXPECT_FALSE(co_await holds(shard(a)));
  });
}

TEST_F(Leases, a_lease_that_was_given_back_can_be_taken_at_once_under_another_term) {
  run([&]() -> Task<void> {
    co_await begin(a);
    EXPECT_TRUE(co_await take(shard(a, 1)));
    EXPECT_TRUE(co_await leased("shard"));
    EXPECT_FALSE(co_await leased("shards"));
    co_await release(shard(a, 1));
    EXPECT_FALSE(co_await leased("shard"));
    EXPECT_TRUE(co_await take(shard(a, 2)));
    EXPECT_FALSE(co_await holds(shard(a, 1)));
    co_await release(shard(a, 1));
    EXPECT_TRUE(co_await holds(shard(a, 2)));
  });
}

TEST_F(Leases, a_former_owners_transaction_conflicts_instead_of_writing) {
  run([&]() -> Task<void> {
    co_await begin(a);
    co_await begin(b);
    EXPECT_TRUE(co_await take(shard(a)));
    bool still_mine = true;
    int runs = 0;
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      still_mine = co_await holds_lease(txn, shard(a));
      if (still_mine) {
        if (runs++ == 0) {
          (void)co_await buried(a);
          (void)co_await take(shard(b));
        }
        txn.put("Iwork", "of a");
      }
    });
    EXPECT_FALSE(still_mine);
    EXPECT_EQ(co_await store().snapshot()->get("Iwork"), std::nullopt);
  });
}

TEST_F(Leases, a_take_conflicts_with_the_burial_of_who_takes) {
  run([&]() -> Task<void> {
    co_await begin(a);
    int runs = 0;
    const bool taken = co_await store().transact([&](Transaction& txn) -> Task<bool> {
      const bool took = co_await take_lease(txn, shard(a));
      if (runs++ == 0) (void)co_await buried(a);
      co_return took;
    });
    EXPECT_FALSE(taken);
    EXPECT_GE(runs, 2);
    EXPECT_FALSE(co_await holds(shard(a)));
  });
}

}  // namespace
}  // namespace tidemill::store
