// Two who commit as one, over every backend.
#include "store/joint.h"

#include "store/store_conformance.h"

namespace tidemill::store {
namespace {

// What a guest does: an operation that puts a key by whatever store it is given.
Task<int> put_by(Store& store, std::string key, std::vector<std::string>* steps = nullptr) {
  co_await store.transact([&](Transaction& txn) -> Task<void> {
    if (steps) steps->push_back("writes");
    txn.put(key, "guest");
    co_return;
  });
  if (steps) steps->push_back("is told");
  co_return 7;
}

class JointTest : public StoreConformance {};
INSTANTIATE_TEST_SUITE_P(Backends, JointTest, testing::Values("rocksdb", "rocksdb_in_slices", "sim"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(JointTest, a_guest_and_its_host_commit_as_one) {
  run([&]() -> Task<void> {
    std::vector<std::string> steps;
    const auto txn = store().begin();
    txn->put("Ihost", "host");
    const auto joint =
        co_await commit_jointly<int>(store(), txn, [&](Store& shared) { return put_by(shared, "Iguest", &steps); });
    EXPECT_EQ(joint.end, JointEnd::committed);
    EXPECT_EQ(joint.value, 7);
    EXPECT_EQ(steps, (std::vector<std::string>{"writes", "is told"}));
    EXPECT_EQ(co_await get("Ihost"), "host");
    EXPECT_EQ(co_await get("Iguest"), "guest");
  });
}

TEST_P(JointTest, of_a_guest_and_its_host_neither_has_written_after_a_lost_race) {
  run([&]() -> Task<void> {
    const auto txn = store().begin();
    (void)co_await txn->get("Iraced");
    txn->put("Ihost", "host");
    co_await store().transact([&](Transaction& other) -> Task<void> {
      other.put("Iraced", "x");
      co_return;
    });
    const auto joint =
        co_await commit_jointly<int>(store(), txn, [&](Store& shared) { return put_by(shared, "Iguest"); });
    EXPECT_EQ(joint.end, JointEnd::conflict);
    EXPECT_FALSE(joint.value);
    EXPECT_EQ(co_await get("Ihost"), "-");
    EXPECT_EQ(co_await get("Iguest"), "-");
  });
}

TEST_P(JointTest, a_guest_that_refuses_leaves_nothing_of_its_host) {
  run([&]() -> Task<void> {
    const auto txn = store().begin();
    txn->put("Ihost", "host");
    const auto joint = co_await commit_jointly<int>(store(), txn, [](Store&) -> Task<int> { co_return 3; });
    EXPECT_EQ(joint.end, JointEnd::refused);
    EXPECT_EQ(joint.value, 3);
    bool has_thrown = false;
    try {
      (void)co_await commit_jointly<int>(store(), store().begin(),
                                         [](Store&) -> Task<int> { throw std::runtime_error("no"); });
    } catch (const std::runtime_error&) {
      has_thrown = true;
    }
    EXPECT_TRUE(has_thrown);
    EXPECT_EQ(co_await get("Ihost"), "-");
  });
}

TEST_P(JointTest, what_a_guest_writes_after_the_joint_commit_is_its_own) {
  run([&]() -> Task<void> {
    const auto txn = store().begin();
    txn->put("Ihost", "host");
    const auto twice = [](Store& shared) -> Task<int> {
      (void)co_await put_by(shared, "Ifirst");
      co_return co_await put_by(shared, "Isecond");
    };
    const auto joint = co_await commit_jointly<int>(store(), txn, twice);
    EXPECT_EQ(joint.end, JointEnd::committed);
    EXPECT_EQ(co_await get("Ifirst"), "guest");
    EXPECT_EQ(co_await get("Isecond"), "guest");
  });
}

}  // namespace
}  // namespace tidemill::store
