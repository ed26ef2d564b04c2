#include "store/recent_writes.h"

#include <gtest/gtest.h>

namespace tidemill::store {
namespace {

// All keys share the one slot.
class OneSlot : public testing::Test {
 protected:
  void write(uint64_t version, std::string_view key) {
    BufferedTransaction txn(nullptr);
    txn.put(key, "");
    recent_.record({version}, txn);
  }
  [[nodiscard]] bool may_be_written(std::string_view key, uint64_t since) const {
    return recent_.may_be_written_since(key, {since});
  }
  [[nodiscard]] bool conflicts(std::string_view key, uint64_t snapshot) const {
    return recent_.find_conflict({.point_hashes = {key_hash(key)}, .ranges = {}}, {snapshot}).has_value();
  }

 private:
  RecentWrites recent_{1, 1 << 20, {1}};
};

TEST_F(OneSlot, a_key_conflicts_when_it_was_written_since) {
  write(5, "a");
  EXPECT_TRUE(conflicts("a", 4));
  EXPECT_FALSE(conflicts("a", 5));
}

TEST_F(OneSlot, a_key_does_not_conflict_with_one_that_shares_its_slot) {
  write(3, "b");
  write(4, "a");
  EXPECT_FALSE(conflicts("b", 3));
  EXPECT_FALSE(conflicts("c", 3)) << "b was written before";
  write(5, "a");
  EXPECT_FALSE(conflicts("b", 3));
}

TEST_F(OneSlot, a_write_is_never_forgotten_whoever_writes_next) {
  write(5, "a");
  write(6, "b");
  EXPECT_TRUE(conflicts("a", 4));
  write(7, "b");
  EXPECT_TRUE(conflicts("a", 4));
  write(8, "c");
  EXPECT_TRUE(conflicts("a", 4));
  EXPECT_TRUE(conflicts("b", 6));
}

TEST_F(OneSlot, what_was_written_since_is_never_taken_for_unchanged) {
  write(5, "a");
  EXPECT_TRUE(may_be_written("a", 4));
  EXPECT_FALSE(may_be_written("a", 5));
  write(6, "b");
  EXPECT_TRUE(may_be_written("a", 4));
}

TEST_F(OneSlot, what_shares_a_slot_is_taken_for_written) {
  write(5, "a");
  EXPECT_TRUE(may_be_written("b", 4));
  EXPECT_FALSE(may_be_written("b", 5));
}

TEST_F(OneSlot, nothing_is_known_of_what_was_written_before_it_was_opened) {
  EXPECT_TRUE(may_be_written("a", 0));
  EXPECT_FALSE(may_be_written("a", 1));
}

}  // namespace
}  // namespace tidemill::store
