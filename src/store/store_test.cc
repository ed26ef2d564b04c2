// What every backend promises of keys, transactions and topics (store.h).
#include "store/store.h"

#include <map>
#include <random>

#include "base/text.h"
#include "store/store_conformance.h"

namespace tidemill::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using std::string_literals::operator""s;

INSTANTIATE_TEST_SUITE_P(Backends, StoreConformance, testing::Values("rocksdb", "rocksdb_in_slices", "sim"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(StoreConformance, a_commit_is_visible_to_new_snapshots_and_not_to_old_ones) {
  run([&]() -> Task<void> {
    co_await put("Ia", "1");
    co_await put("Ib", "1");
    const auto before = store().snapshot();
    co_await put("Ia", "2");
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.erase("Ib");
      txn.put("Ic", "3");
      co_return;
    });
    EXPECT_EQ(co_await before->get("Ia"), "1");
    EXPECT_THAT(co_await keys_of(*before, Range::prefix("I"), Direction::forward), ElementsAre("Ia=1", "Ib=1"));
    EXPECT_THAT(co_await keys_of(*before, Range::prefix("I"), Direction::reverse), ElementsAre("Ib=1", "Ia=1"));
    const auto after = store().snapshot();
    EXPECT_EQ(co_await after->get("Ib"), std::nullopt);
    EXPECT_THAT(co_await keys_of(*after, Range::prefix("I"), Direction::forward), ElementsAre("Ia=2", "Ic=3"));
    EXPECT_GT(after->version(), before->version());
  });
}

TEST_P(StoreConformance, a_transaction_reads_from_one_snapshot_while_others_commit) {
  run([&]() -> Task<void> {
    co_await put("Ia", "1");
    co_await put("Ib", "1");
    const auto txn = store().begin();
    EXPECT_EQ(co_await txn->get("Ia"), "1");
    co_await put("Ib", "2");
    EXPECT_EQ(co_await txn->get("Ib"), "1");
  });
}

TEST_P(StoreConformance, keys_and_values_may_hold_any_bytes) {
  run([&]() -> Task<void> {
    const std::string key = "I\0\xff\0"s;
    const std::string value = "\0\n\xff"s;
    co_await put(key, value);
    co_await put("Iempty", "");
    EXPECT_EQ(co_await get(key), value);
    EXPECT_EQ(co_await get("Iempty"), "");
  });
}

TEST_P(StoreConformance, versions_rise_and_follow_the_clock) {
  run([&]() -> Task<void> {
    const Version earliest = Version::at(backend_->clock().now());
    Version last;
    for (int n = 0; n < 20; ++n) {
      auto [unused, version] = co_await store().transact_versioned([&](Transaction& txn) -> Task<int> {
        txn.put("Ia", std::to_string(n));
        co_return n;
      });
      EXPECT_GT(version, last);
      EXPECT_GE(version, earliest);
      EXPECT_EQ(store().snapshot()->version(), version);
      last = version;
    }
    EXPECT_LE(last.time(), backend_->clock().now() + base::Duration(1));
  });
}

TEST_P(StoreConformance, a_transaction_sees_its_own_writes) {
  run([&]() -> Task<void> {
    co_await put("Ia", "old");
    co_await put("Ic", "old");
    const auto txn = store().begin();
    txn->put("Ia", "new");
    txn->put("Ib", "new");
    txn->erase("Ic");
    EXPECT_EQ(co_await txn->get("Ia"), "new");
    EXPECT_EQ(co_await txn->get("Ib"), "new");
    EXPECT_EQ(co_await txn->get("Ic"), std::nullopt);
    EXPECT_EQ(co_await txn->get_untracked("Ib"), "new");
    txn->erase("Ib");
    EXPECT_EQ(co_await txn->get("Ib"), std::nullopt);
    EXPECT_EQ(co_await get("Ia"), "old");
  });
}

TEST_P(StoreConformance, a_scan_merges_own_writes_in_both_directions) {
  run([&]() -> Task<void> {
    for (const char* key : {"Ib", "Id", "If", "Ih"}) co_await put(key, "s");
    const auto txn = store().begin();
    txn->put("Ia", "t");   // before all
    txn->put("Id", "t");   // hides one
    txn->put("Ie", "t");   // between
    txn->erase("If");      // hides one
    txn->erase("Ig");      // hides nothing
    txn->put("Ii", "t");   // after all
    txn->put("Jz", "t");   // outside
    const Strings all = {"Ia=t", "Ib=s", "Id=t", "Ie=t", "Ih=s", "Ii=t"};
    EXPECT_EQ(co_await keys_of(*txn, Range::prefix("I"), Direction::forward), all);
    EXPECT_EQ(co_await keys_of(*txn, Range::prefix("I"), Direction::reverse), Strings(all.rbegin(), all.rend()));
    EXPECT_THAT(co_await keys_of(*txn, {"Ib", "Ie"}, Direction::forward), ElementsAre("Ib=s", "Id=t"));
    EXPECT_THAT(co_await keys_of(*txn, {"Ib", "Ie"}, Direction::reverse), ElementsAre("Id=t", "Ib=s"));
    for (size_t limit = 1; limit <= all.size(); ++limit) {
      EXPECT_EQ(co_await keys_of(*txn, Range::prefix("I"), Direction::forward, limit),
                Strings(all.begin(), all.begin() + static_cast<long>(limit)));
      EXPECT_EQ(co_await keys_of(*txn, Range::prefix("I"), Direction::reverse, limit),
                Strings(all.rbegin(), all.rbegin() + static_cast<long>(limit)));
    }
    EXPECT_THAT(co_await keys_of(*txn, {"Ix", "Ia"}, Direction::forward), IsEmpty());
  });
}

TEST_P(StoreConformance, erase_range_removes_what_is_there_and_keeps_what_is_put_later) {
  run([&]() -> Task<void> {
    for (const char* key : {"Ia", "Ib", "Ic", "Id"}) co_await put(key, "s");
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.put("Ib2", "dropped");
      txn.erase_range({"Ib", "Id"});
      txn.put("Ic", "t");
      EXPECT_EQ(co_await txn.get("Ib"), std::nullopt);
      EXPECT_EQ(co_await txn.get("Ib2"), std::nullopt);
      EXPECT_EQ(co_await txn.get("Ic"), "t");
      EXPECT_THAT(co_await keys_of(txn, Range::prefix("I"), Direction::reverse), ElementsAre("Id=s", "Ic=t", "Ia=s"));
    });
    EXPECT_THAT(co_await keys_of(*store().snapshot(), Range::prefix("I"), Direction::forward),
                ElementsAre("Ia=s", "Ic=t", "Id=s"));
  });
}

// Begins a transaction, lets `read` read, commits `write` from elsewhere, and reports how the first one ends.
struct Race {
  std::function<Task<void>(Transaction&)> read;
  std::function<void(Transaction&)> write;
};
Task<CommitStatus> outcome(Store& store, Race race) {
  const auto txn = store.begin();
  co_await race.read(*txn);
  txn->put("Imine", "x");
  co_await store.transact([&](Transaction& other) -> Task<void> {
    race.write(other);
    co_return;
  });
  co_return (co_await store.commit(txn)).status;
}

TEST_P(StoreConformance, a_commit_conflicts_when_what_it_read_was_written_since) {
  const auto get_a = [](Transaction& txn) -> Task<void> { (void)co_await txn.get("Ia"); };
  const auto get_a_untracked = [](Transaction& txn) -> Task<void> { (void)co_await txn.get_untracked("Ia"); };
  const auto track_a = [](Transaction& txn) -> Task<void> {
    txn.track("Ia");
    co_return;
  };
  const auto scan = [](Range range, Direction direction, size_t limit) {
    return [=](Transaction& txn) -> Task<void> { (void)co_await keys_of(txn, range, direction, limit); };
  };
  const auto put_key = [](std::string key) { return [=](Transaction& txn) { txn.put(key, "other"); }; };
  const auto erase_key = [](std::string key) { return [=](Transaction& txn) { txn.erase(key); }; };
  const auto conflict = CommitStatus::conflict;
  const auto committed = CommitStatus::committed;
  run([&]() -> Task<void> {
    for (const char* key : {"Ia", "Ic", "Ie"}) co_await put(key, "s");
    EXPECT_EQ(co_await outcome(store(), {get_a, put_key("Ia")}), conflict);
    EXPECT_EQ(co_await outcome(store(), {get_a, erase_key("Ia")}), conflict);
    EXPECT_EQ(co_await outcome(store(), {get_a, put_key("Ia")}), conflict) << "also where nothing was";
    EXPECT_EQ(co_await outcome(store(), {get_a, put_key("Ib")}), committed);
    EXPECT_EQ(co_await outcome(store(), {track_a, put_key("Ia")}), conflict);
    EXPECT_EQ(co_await outcome(store(), {get_a_untracked, put_key("Ia")}), committed);
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.erase_range(Range::prefix("I"));
      for (const char* key : {"Ia", "Ic", "Ie"}) txn.put(key, "s");
      co_return;
    });
    const auto forward = Direction::forward;
    const auto reverse = Direction::reverse;
    const Range b_to_e{"Ib", "Ie"};
    EXPECT_EQ(co_await outcome(store(), {scan(b_to_e, forward, 9), put_key("Id")}), conflict);
    EXPECT_EQ(co_await outcome(store(), {scan(b_to_e, forward, 9), erase_key("Id")}), conflict);
    EXPECT_EQ(co_await outcome(store(), {scan(b_to_e, forward, 9), put_key("Ie")}), committed);
    EXPECT_EQ(co_await outcome(store(), {scan(b_to_e, forward, 9), put_key("Ia")}), committed);
    EXPECT_EQ(co_await outcome(store(), {scan({"Ia", "Iz"}, forward, 2), put_key("Id")}), committed)
        << "a scan that stopped has not seen what comes after";
    EXPECT_EQ(co_await outcome(store(), {scan({"Ia", "Iz"}, forward, 2), put_key("Ic")}), conflict);
    EXPECT_EQ(co_await outcome(store(), {scan({"Ia", "Id"}, reverse, 1), put_key("Ib")}), committed);
    EXPECT_EQ(co_await outcome(store(), {scan({"Ia", "Id"}, reverse, 1), put_key("Ic2")}), conflict);
    EXPECT_EQ(co_await outcome(store(), {scan({"Ix", "Iy"}, forward, 1), put_key("Ix")}), conflict)
        << "an empty range was read too";
    const auto scan_untracked = [](Transaction& txn) -> Task<void> {
      co_await txn.scan_untracked(Range::prefix("I"), Direction::forward, [](auto, auto) { return true; });
    };
    EXPECT_EQ(co_await outcome(store(), {scan_untracked, put_key("Ia")}), committed);
  });
}

TEST_P(StoreConformance, a_scan_shows_as_many_entries_as_its_limit_says_from_either_end) {
  run([&]() -> Task<void> {
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      for (const char* key : {"Ia", "Ib", "Ic", "Id"}) txn.put(key, "s");
      for (const char* record : {"1", "2", "3"}) (void)txn.append(LogId{"log"}, record);
      co_return;
    });
    const auto seen_by = [](Snapshot& reader, ScanOptions options) -> Task<std::string> {
      std::string seen;
      co_await reader.scan(Range::prefix("I"), options, [&](std::string_view key, std::string_view) {
        seen.append(key.substr(1));
        return true;
      });
      co_return seen;
    };
    const auto snapshot = store().snapshot();
    EXPECT_EQ(co_await seen_by(*snapshot, first(2)), "ab");
    EXPECT_EQ(co_await seen_by(*snapshot, last(3)), "dcb");
    EXPECT_EQ(co_await seen_by(*snapshot, first(9)), "abcd");
    EXPECT_EQ(co_await seen_by(*snapshot, first(0)), "");
    const auto txn = store().begin();
    txn->erase("Ia");
    txn->put("Icc", "own");
    EXPECT_EQ(co_await seen_by(*txn, first(3)), "bccc");
    EXPECT_EQ(co_await seen_by(*txn, last(2)), "dcc");
    EXPECT_EQ(co_await seen_by(*txn, last(0)), "");
    std::string records;
    co_await snapshot->read_log(LogId{"log"}, {Position::before_all(), 2}, [&](Position, std::string_view record) {
      records.append(record);
      return true;
    });
    EXPECT_EQ(records, "12");
  });
}

TEST_P(StoreConformance, a_scan_is_tracked_as_far_as_its_limit) {
  run([&]() -> Task<void> {
    for (const char* key : {"Ia", "Ic", "Ie"}) co_await put(key, "s");
    const auto status_of = [&](ScanOptions options, std::string written) -> Task<CommitStatus> {
      const auto txn = store().begin();
      co_await txn->scan(Range::prefix("I"), options, [](auto, auto) { return true; });
      txn->put("Jmine", "s");
      co_await put(written, "s");
      co_return (co_await store().commit(txn)).status;
    };
    EXPECT_EQ(co_await status_of(first(2), "Ib"), CommitStatus::conflict);
    EXPECT_EQ(co_await status_of(first(2), "Id"), CommitStatus::committed);
    EXPECT_EQ(co_await status_of(last(1), "Id"), CommitStatus::committed);
    EXPECT_EQ(co_await status_of(last(1), "If"), CommitStatus::conflict);
    EXPECT_EQ(co_await status_of(first(0), "Ia"), CommitStatus::committed) << "it has looked at nothing";
  });
}

TEST_P(StoreConformance, a_scan_passes_thousands_of_erased_entries_in_both_directions) {
  constexpr int kErased = 3000;
  run([&]() -> Task<void> {
    const auto key_of = [](int number) { return "I" + std::to_string(10'000 + number); };
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      for (int i = 0; i <= kErased + 1; ++i) txn.put(key_of(i), "s");
      co_return;
    });
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      for (int i = 1; i <= kErased; ++i) txn.erase(key_of(i));
      co_return;
    });
    const Strings ends{key_of(0) + "=s", key_of(kErased + 1) + "=s"};
    const auto snapshot = store().snapshot();
    EXPECT_EQ(co_await keys_of(*snapshot, Range::prefix("I"), Direction::forward), ends);
    EXPECT_EQ(co_await keys_of(*snapshot, Range::prefix("I"), Direction::reverse), (Strings{ends[1], ends[0]}));
    EXPECT_THAT(co_await keys_of(*snapshot, {key_of(1), key_of(kErased + 1)}, Direction::forward), IsEmpty());
    EXPECT_THAT(co_await keys_of(*snapshot, {key_of(1), key_of(kErased + 1)}, Direction::reverse), IsEmpty());
    const auto txn = store().begin();
    txn->put(key_of(kErased / 2), "own");
    EXPECT_THAT(co_await keys_of(*txn, {key_of(1), key_of(kErased + 1)}, Direction::reverse),
                ElementsAre(key_of(kErased / 2) + "=own"));
  });
}

TEST_P(StoreConformance, an_old_snapshot_scans_past_what_was_overwritten_many_times_since) {
  constexpr int kWrites = 1000;
  run([&]() -> Task<void> {
    for (const char* key : {"Ia", "Ib", "Ic"}) co_await put(key, "old");
    const auto before = store().snapshot();
    for (int i = 0; i < kWrites; ++i) co_await put("Ib", std::to_string(i));
    const auto range = Range::prefix("I");
    EXPECT_THAT(co_await keys_of(*before, range, Direction::forward), ElementsAre("Ia=old", "Ib=old", "Ic=old"));
    EXPECT_THAT(co_await keys_of(*before, range, Direction::reverse), ElementsAre("Ic=old", "Ib=old", "Ia=old"));
  });
}

TEST_P(StoreConformance, blind_writes_never_conflict_and_the_later_commit_wins) {
  run([&]() -> Task<void> {
    const auto first = store().begin();
    const auto second = store().begin();
    first->put("Ia", "first");
    second->put("Ia", "second");
    EXPECT_EQ((co_await store().commit(first)).status, CommitStatus::committed);
    EXPECT_EQ((co_await store().commit(second)).status, CommitStatus::committed);
    EXPECT_EQ(co_await get("Ia"), "second");
  });
}

TEST_P(StoreConformance, what_is_committed_at_once_holds_in_the_order_of_its_versions) {
  constexpr int kWriters = 300;
  constexpr int kKeys = 12;
  std::mt19937 random(11);
  const auto any_key = [&random] { return base::cat("I", random() % kKeys + 10); };
  struct Change {
    std::string key;
    std::string end;                   // a range is erased
    std::optional<std::string> value;  // otherwise this is put, or the key erased
  };
  std::map<Version, std::vector<Change>> history;
  int running = kWriters;
  const auto write = [&](std::vector<Change> changes) -> Task<void> {
    const auto txn = store().begin();
    for (const Change& change : changes) {
      if (!change.end.empty()) txn->erase_range({change.key, change.end});
      else if (change.value) txn->put(change.key, *change.value);
      else txn->erase(change.key);
    }
    history[(co_await store().commit(txn)).version] = changes;
    --running;
  };
  for (int n = 0; n < kWriters; ++n) {
    std::vector<Change> changes;
    for (int i = 0; i < 3; ++i) {
      Change& change = changes.emplace_back(any_key());
      const auto kind = random() % 10;
      if (kind == 0) change.end = any_key();
      else if (kind < 7) change.value = std::to_string(n * 10 + i);
    }
    backend_->start(write(std::move(changes)));
  }
  backend_->drive([&] { return running == 0; });
  EXPECT_EQ(history.size(), kWriters);

  std::map<std::string, std::string> expected;
  for (const auto& [version, changes] : history) {
    for (const Change& change : changes) {
      if (!change.end.empty()) {
        if (change.key < change.end) expected.erase(expected.lower_bound(change.key), expected.lower_bound(change.end));
      } else if (change.value) {
        expected[change.key] = *change.value;
      } else {
        expected.erase(change.key);
      }
    }
  }
  Strings entries;
  for (const auto& [key, value] : expected) entries.push_back(base::cat(key, "=", value));
  const auto check = [&]() -> Task<void> {
    EXPECT_EQ(co_await keys_of(*store().snapshot(), Range::prefix("I"), Direction::forward), entries);
    for (int n = 10; n < 10 + kKeys; ++n) {
      const std::string key = base::cat("I", n);
      EXPECT_EQ(co_await get(key), expected.contains(key) ? expected[key] : "-");
    }
  };
  run(check);
  backend_->reopen();
  run(check);
}

TEST_P(StoreConformance, a_transaction_that_only_reads_commits_at_its_snapshot) {
  run([&]() -> Task<void> {
    co_await put("Ia", "1");
    const auto txn = store().begin();
    EXPECT_EQ(co_await txn->get("Ia"), "1");
    co_await put("Ia", "2");
    const CommitResult result = co_await store().commit(txn);
    EXPECT_EQ(result.status, CommitStatus::committed);
    EXPECT_EQ(result.version, txn->version());
  });
}

TEST_P(StoreConformance, racing_increments_lose_nothing) {
  constexpr int kWriters = 40;
  constexpr int kIncrements = 10;
  int running = kWriters;
  const auto increment = [&]() -> Task<void> {
    for (int n = 0; n < kIncrements; ++n) {
      co_await store().transact([](Transaction& txn) -> Task<void> {
        const auto old = co_await txn.get("Icounter");
        txn.put("Icounter", std::to_string(std::stoi(old.value_or("0")) + 1));
      });
    }
    --running;
  };
  for (int n = 0; n < kWriters; ++n) backend_->start(increment());
  backend_->drive([&] { return running == 0; });
  run([&]() -> Task<void> { EXPECT_EQ(co_await get("Icounter"), std::to_string(kWriters * kIncrements)); });
  EXPECT_GT(store().metrics().conflicts, 0u);
}

TEST_P(StoreConformance, of_many_that_claim_a_key_one_wins_and_the_others_see_it) {
  constexpr int kClaimants = 100;
  int running = kClaimants;
  int won = 0;
  const auto claim = [&]() -> Task<void> {
    won += co_await store().transact([](Transaction& txn) -> Task<int> {
      if (co_await txn.get("Iclaim")) co_return 0;
      txn.put("Iclaim", "taken");
      co_return 1;
    });
    --running;
  };
  for (int n = 0; n < kClaimants; ++n) backend_->start(claim());
  backend_->drive([&] { return running == 0; });
  EXPECT_EQ(won, 1);
}

TEST_P(StoreConformance, a_body_that_throws_leaves_no_trace) {
  run([&]() -> Task<void> {
    bool caught = false;
    try {
      co_await store().transact([](Transaction& txn) -> Task<void> {
        txn.put("Ia", "x");
        throw std::logic_error("no");
        co_return;
      });
    } catch (const std::logic_error&) {
      caught = true;
    }
    EXPECT_TRUE(caught);
    EXPECT_EQ(co_await get("Ia"), "-");
  });
}

TEST_P(StoreConformance, subscribers_are_called_after_the_commit_is_visible_and_before_it_returns) {
  run([&]() -> Task<void> {
    std::atomic<int> signals = 0;
    std::atomic<int> appends = 0;
    std::atomic<bool> visible = false;
    auto subscription = store().subscribe("topic", [&] {
      ++signals;
      visible = store().snapshot()->version() > Version();
    });
    const auto to_log = store().subscribe("a\0\x01"s, [&] { ++appends; });
    co_await put("Ia", "1");
    EXPECT_EQ(signals, 0);
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.put("Ia", "2");
      txn.signal("topic");
      co_return;
    });
    EXPECT_EQ(signals, 1);
    EXPECT_TRUE(visible);
    (void)co_await append(LogId{"a\0\x01"s}, {"1", "2"});
    EXPECT_EQ(appends, 1);
    subscription.reset();
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.signal("topic");
      co_return;
    });
    EXPECT_EQ(signals, 1);
  });
}

TEST_P(StoreConformance, what_was_acknowledged_is_there_after_a_restart) {
  Version last;
  run([&]() -> Task<void> {
    co_await put("Ia", "1");
    (void)co_await append(LogId{"a\0\x01"s}, {"1", "2"});
    co_await put("Ib", "2");
    last = store().snapshot()->version();
  });
  backend_->reopen();
  run([&]() -> Task<void> {
    EXPECT_EQ(store().snapshot()->version(), last);
    EXPECT_EQ(co_await get("Ia"), "1");
    EXPECT_EQ(co_await get("Ib"), "2");
    EXPECT_THAT(co_await records_of(*store().snapshot(), LogId{"a\0\x01"s}), ElementsAre("1", "2"));
    const auto next = co_await append(LogId{"a\0\x01"s}, {"3"});
    EXPECT_GT(next[0].version, last);
  });
}

TEST_P(StoreConformance, a_waiter_that_goes_away_does_not_stop_its_commit) {
  bool returned = false;
  {
    base::Scope scope;
    const auto leave = [&]() -> Task<void> {
      co_await put("Ia", "left");
      returned = true;
    };
    backend_->run([&]() -> Task<void> {
      scope.spawn(leave());
      scope.clear();
      co_await put("Ib", "after");
    });
  }
  run([&]() -> Task<void> { EXPECT_EQ(co_await get("Ia"), "left"); });
  EXPECT_FALSE(returned);
}

TEST_P(StoreConformance, the_platform_is_quiet_when_nothing_is_being_committed) {
  std::atomic<bool> quiet_inside = true;
  const auto subscription =
      store().subscribe("topic", [&] { quiet_inside = backend_->clock().activity().is_quiet(); });
  run([&]() -> Task<void> {
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.signal("topic");
      co_return;
    });
  });
  EXPECT_FALSE(quiet_inside);
  for (int n = 0; n < 60'000 && !backend_->clock().activity().is_quiet(); ++n) ::usleep(1000);
  EXPECT_TRUE(backend_->clock().activity().is_quiet());
}

}  // namespace
}  // namespace tidemill::store
