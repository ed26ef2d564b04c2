#include "store/remembered.h"

#include "store/store_conformance.h"

namespace tidemill::store {
namespace {

class RememberedValues : public StoreConformance {
 protected:
  Task<Remembered> read(std::string key) {
    const auto snapshot = store().snapshot();
    co_return (co_await Remembered::read(*snapshot, key)).value();
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, RememberedValues, testing::Values("rocksdb", "rocksdb_in_slices", "sim"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(RememberedValues, are_current_without_a_read_until_somebody_writes_them) {
  run([&]() -> Task<void> {
    co_await put("k", "1");
    const Remembered kept = co_await read("k");
    const Version then = store().snapshot()->version();
    co_await put("other", "x");
    const auto before = store().snapshot();
    EXPECT_TRUE(co_await before->unchanged_since("k", then));
    EXPECT_TRUE(co_await kept.is_current(*before));

    co_await put("k", "2");
    EXPECT_FALSE(co_await kept.is_current(*store().snapshot()));
    EXPECT_FALSE(co_await store().snapshot()->unchanged_since("k", then));
  });
}

TEST_P(RememberedValues, are_not_what_a_snapshot_from_before_they_were_written_reads) {
  run([&]() -> Task<void> {
    co_await put("k", "1");
    const auto old = store().snapshot();
    co_await put("k", "2");
    const Remembered kept = co_await read("k");
    EXPECT_FALSE(co_await kept.is_current(*old));
    EXPECT_TRUE(co_await kept.is_current(*store().snapshot()));
  });
}

TEST_P(RememberedValues, are_no_longer_current_once_they_are_erased) {
  run([&]() -> Task<void> {
    co_await put("k", "1");
    const Remembered kept = co_await read("k");
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.erase("k");
      co_return;
    });
    EXPECT_FALSE(co_await kept.is_current(*store().snapshot()));
  });
}

TEST_P(RememberedValues, that_a_transaction_relies_on_make_it_conflict_with_a_change) {
  run([&]() -> Task<void> {
    co_await put("k", "1");
    const Remembered kept = co_await read("k");
    const auto txn = store().begin();
    EXPECT_TRUE(co_await kept.is_current(*txn));
    txn->put("result", "made of k");
    co_await put("k", "2");
    EXPECT_EQ((co_await store().commit(txn)).status, CommitStatus::conflict);
  });
}

TEST_P(RememberedValues, that_a_transaction_wrote_and_never_committed_are_not_taken_for_what_stands_there) {
  run([&]() -> Task<void> {
    co_await put("k", "1");
    std::optional<Remembered> kept;
    {
      const auto given_up = store().begin();
      given_up->put("k", "never");
      kept = co_await Remembered::read(*given_up, "k");
      EXPECT_TRUE(co_await kept->is_current(*given_up));
    }
    EXPECT_FALSE(co_await kept->is_current(*store().snapshot()));
  });
}

TEST_P(RememberedValues, that_stand_nowhere_since_nobody_committed_them_are_not_current) {
  run([&]() -> Task<void> {
    std::optional<Remembered> kept;
    {
      const auto given_up = store().begin();
      given_up->put("never", "1");
      kept = co_await Remembered::read(*given_up, "never");
    }
    EXPECT_FALSE(co_await kept->is_current(*store().snapshot()));
    EXPECT_FALSE(co_await Remembered("never", "1").is_current(*store().snapshot()));
  });
}

TEST_P(RememberedValues, from_before_a_restart_are_compared) {
  run([&]() -> Task<void> { co_await put("k", "1"); });
  const Version then = store().snapshot()->version();
  run([&]() -> Task<void> { co_await put("k", "2"); });
  backend_->reopen();
  run([&]() -> Task<void> { EXPECT_FALSE(co_await store().snapshot()->unchanged_since("k", then)); });
}

struct Described {
  std::string text;
  Remembered stored;
};

TEST_P(RememberedValues, in_a_map_are_made_once_for_each_value_that_is_read) {
  RememberedMap<Described> map(10);
  int made = 0;
  const auto make = [&](const Remembered& stored) {
    ++made;
    return std::make_shared<const Described>(Described{stored.value(), stored});
  };
  run([&]() -> Task<void> {
    EXPECT_EQ(co_await map.find(*store().snapshot(), "k", make), nullptr);
    co_await put("k", "1");
    const auto old = store().snapshot();
    const auto first = co_await map.find(*old, "k", make);
    EXPECT_EQ(first->text, "1");
    EXPECT_EQ(co_await map.find(*store().snapshot(), "k", make), first);
    EXPECT_EQ(made, 1);
    co_await put("k", "2");
    EXPECT_EQ((co_await map.find(*store().snapshot(), "k", make))->text, "2");
    EXPECT_EQ((co_await map.find(*old, "k", make))->text, "1") << "as its reader has it";
    EXPECT_EQ(made, 3);
  });
}

TEST_P(RememberedValues, in_a_map_beyond_its_size_are_forgotten) {
  RememberedMap<Described> map(1);
  const auto make = [](const Remembered& stored) {
    return std::make_shared<const Described>(Described{stored.value(), stored});
  };
  run([&]() -> Task<void> {
    co_await put("a", "1");
    co_await put("b", "2");
    (void)co_await map.find(*store().snapshot(), "a", make);
    (void)co_await map.find(*store().snapshot(), "b", make);
    EXPECT_EQ(map.kept("a"), nullptr);
    EXPECT_NE(map.kept("b"), nullptr);
  });
}

}  // namespace
}  // namespace tidemill::store
