// What every backend promises of logs (store.h).
#include "store/store_conformance.h"

namespace tidemill::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using std::string_literals::operator""s;

TEST_P(StoreConformance, records_stand_in_a_log_in_the_order_of_their_commits) {
  run([&]() -> Task<void> {
    const LogId log{"a\0\x01"s};
    const LogId other{"b\0\x01"s};
    EXPECT_EQ(co_await store().snapshot()->last_position(log), std::nullopt);
    const auto first = co_await append(log, {"1", "2"});
    (void)co_await append(other, {"other"});
    const auto second = co_await append(log, {"3"});
    EXPECT_EQ(first[0].version, first[1].version);
    EXPECT_LT(first[0], first[1]);
    EXPECT_LT(first[1], second[0]);
    const auto snapshot = store().snapshot();
    EXPECT_THAT(co_await records_of(*snapshot, log), ElementsAre("1", "2", "3"));
    EXPECT_THAT(co_await records_of(*snapshot, log, first[0]), ElementsAre("2", "3"));
    EXPECT_THAT(co_await records_of(*snapshot, log, second[0]), IsEmpty());
    EXPECT_EQ(co_await snapshot->last_position(log), second[0]);
    std::vector<Position> seen;
    co_await snapshot->read_log(log, Position::before_all(), [&](Position position, std::string_view) {
      seen.push_back(position);
      return seen.size() < 2;
    });
    EXPECT_EQ(seen, first);
  });
}

TEST_P(StoreConformance, trimming_a_log_drops_its_oldest_records_only) {
  run([&]() -> Task<void> {
    const LogId log{"a\0\x01"s};
    const LogId other{"b\0\x01"s};
    const auto first = co_await append(log, {"1", "2"});
    const auto second = co_await append(log, {"3", "4"});
    (void)co_await append(other, {"other"});
    const auto before = store().snapshot();
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.trim_log(log, second[0]);
      (void)txn.append(log, "5");
      co_return;
    });
    EXPECT_THAT(co_await records_of(*store().snapshot(), log), ElementsAre("4", "5"));
    EXPECT_THAT(co_await records_of(*store().snapshot(), log, first[0]), ElementsAre("4", "5"));
    EXPECT_THAT(co_await records_of(*store().snapshot(), other), ElementsAre("other"));
    EXPECT_THAT(co_await records_of(*before, log), ElementsAre("1", "2", "3", "4"));
  });
}

TEST_P(StoreConformance, erasing_a_log_leaves_it_empty_and_usable) {
  run([&]() -> Task<void> {
    const LogId log{"a\0\x01"s};
    const LogId other{"b\0\x01"s};
    (void)co_await append(log, {"1"});
    (void)co_await append(other, {"other"});
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      (void)txn.append(log, "dropped");
      txn.erase_log(log);
      (void)txn.append(log, "kept");
      co_return;
    });
    EXPECT_THAT(co_await records_of(*store().snapshot(), log), ElementsAre("kept"));
    co_await store().transact([&](Transaction& txn) -> Task<void> {
      txn.erase_log(log);
      co_return;
    });
    EXPECT_EQ(co_await store().snapshot()->last_position(log), std::nullopt);
    EXPECT_THAT(co_await records_of(*store().snapshot(), other), ElementsAre("other"));
  });
}

}  // namespace
}  // namespace tidemill::store
