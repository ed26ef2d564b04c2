// The lanes of FIFO topics, and those that versions before the marks left.
#include "services/sns/fifo.h"

#include <gtest/gtest.h>

#include "base/ordered.h"
#include "store/keys.h"
#include "store/test_backends.h"

namespace tidemill::sns {
namespace {

const std::string kSubscription = "subscription";

class LaneTest : public ::testing::Test {
 protected:
  // The message that is published next joins. True: it is the first of its lane.
  bool join(Message& message) {
    bool is_first = false;
    commit([&](store::Transaction& txn) -> Task<void> {
      message.sequence = co_await next_sequence(txn, topic_);
      is_first = co_await join_lane(txn, topic_, kSubscription, message);
    });
    return is_first;
  }
  // The id of the next; "": there is none.
  std::string leave(const Message& message) {
    std::string next;
    commit([&](store::Transaction& txn) -> Task<void> {
      next = (co_await leave_lane(txn, kSubscription, message)).value_or("");
    });
    return next;
  }
  template <class Body>
  void commit(Body body) {
    backend_.run([&]() -> Task<void> { co_await backend_.store().transact(body); });
  }
  static Message message(std::string id, uint64_t sequence = 0) {
    return {.id = std::move(id), .group = "g", .sequence = sequence};
  }
  // As before there were marks: the topic's number, and a message that waits in the lane.
  void write_without_marks(uint64_t last, const Message& waiting) {
    commit([&](store::Transaction& txn) -> Task<void> {
      std::string number;
      base::append_u64(number, last);
      txn.put(std::string{static_cast<char>(store::KeySpace::notification), 'n'} + topic_.id, number);
      std::string lane{static_cast<char>(store::KeySpace::notification), 'l'};
      base::append_string(lane, kSubscription);
      base::append_string(lane, waiting.group);
      base::append_u64(lane, waiting.sequence);
      txn.put(lane, waiting.id);
      co_return;
    });
  }

  const Topic topic_{.id = std::string(16, 't')};
  store::SimBackend backend_;
};

TEST_F(LaneTest, messages_of_a_group_go_one_after_the_other) {
  Message a = message("a");
  Message b = message("b");
  Message c = message("c");
  EXPECT_TRUE(join(a));
  EXPECT_FALSE(join(b));
  EXPECT_EQ(leave(a), "b");
  EXPECT_FALSE(join(c));
  EXPECT_EQ(leave(b), "c");
  EXPECT_EQ(leave(c), "");
  Message d = message("d");
  EXPECT_TRUE(join(d)) << "the lane is empty";
}

TEST_F(LaneTest, a_lane_of_an_earlier_version_goes_on_in_order) {
  const Message old = message("old", 5);
  write_without_marks(5, old);
  Message next = message("next");
  EXPECT_FALSE(join(next));
  EXPECT_EQ(next.sequence, 6u);
  EXPECT_EQ(leave(old), "next");
  EXPECT_EQ(leave(next), "");
  Message last = message("last");
  EXPECT_TRUE(join(last));
}

TEST_F(LaneTest, a_lane_of_an_earlier_version_that_runs_empty_begins_anew) {
  const Message old = message("old", 5);
  write_without_marks(5, old);
  EXPECT_EQ(leave(old), "");
  Message next = message("next");
  EXPECT_TRUE(join(next));
}

}  // namespace
}  // namespace tidemill::sns
