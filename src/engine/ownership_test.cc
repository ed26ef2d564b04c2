#include "engine/ownership.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/log.h"
#include "base/sim_process.h"
#include "engine/leased_ownership.h"
#include "store/sim_store.h"

namespace tidemill::engine {
namespace {

using std::chrono::seconds;

// Processes over one simulated store, each of which claims what the test says.
class OwnershipTest : public ::testing::Test {
 protected:
  struct Process {
    Process(OwnershipTest& test, const std::string& name, base::Duration offset)
        : executor(test.machine_, test.clock_, offset),
          ownership(std::make_unique<LeasedOwnership>(*test.store_, executor.clock(), name)) {}

    void claim(const std::string& name) { claims[name] = ownership->claim(name, changed); }
    bool owns(const std::string& name) {
      const auto found = claims.find(name);
      return found != claims.end() && found->second->tenure() != nullptr;
    }
    // Lets go of what is asked back, as one who has nothing under way.
    void give_back() {
      for (auto& [name, claim] : claims) {
        if (const auto tenure = claim->tenure(); tenure && tenure->asked_back()) claim->let_go();
      }
    }
    void die() {
      claims.clear();
      executor.kill();
      ownership.reset();
    }

    base::SimProcess executor;
    base::Signal changed;
    std::unique_ptr<LeasedOwnership> ownership;
    std::map<std::string, std::unique_ptr<Claim>> claims;
  };

  void SetUp() override { base::set_log_level(base::Level::error); }
  void TearDown() override {
    base::set_log_level(base::Level::info);
    for (const auto& process : processes_) process->die();
    scope_.clear();
    machine_.drop_all();
  }

  Process& start(const std::string& name, base::Duration offset = {}) {
    Process& process = *processes_.emplace_back(std::make_unique<Process>(*this, name, offset));
    const base::Executor::Enter enter(process.executor);
    process.ownership->start();
    return process;
  }

  void pass(base::Duration time) {
    const base::Time end = clock_.now() + time;
    while (clock_.now() < end) {
      machine_.run_until_idle();
      clock_.advance_to(std::min(end, clock_.now() + seconds(1)), [] {});
      machine_.run_until_idle();
      for (const auto& process : processes_) {
        if (!process->executor.is_stalled()) process->give_back();
      }
    }
    machine_.run_until_idle();
  }

  std::vector<std::string> names(int count) const {
    std::vector<std::string> result;
    for (int i = 0; i < count; ++i) result.push_back("thing/" + std::to_string(i));
    return result;
  }
  int owned_by(Process& process, const std::vector<std::string>& names) const {
    return static_cast<int>(std::ranges::count_if(names, [&](const std::string& name) { return process.owns(name); }));
  }

  // What came of a transaction that writes `key` behind the fence of `tenure`.
  enum class Written { yes, not_owner, not_yet };
  struct Write {
    Written written = Written::not_yet;
  };
  std::shared_ptr<Write> write(std::shared_ptr<const Tenure> tenure, std::string key, std::string value) {
    auto result = std::make_shared<Write>();
    const base::Executor::Enter enter(machine_);
    scope_.spawn([](store::Store& store, std::shared_ptr<const Tenure> owner, std::string of, std::string what,
                    std::shared_ptr<Write> outcome) -> Task<void> {
      try {
        co_await store.transact([&](store::Transaction& txn) -> Task<void> {
          co_await owner->fence(txn);
          txn.put(of, what);
        });
        outcome->written = Written::yes;
      } catch (const NotOwner&) {
        outcome->written = Written::not_owner;
      }
    }(*store_, std::move(tenure), std::move(key), std::move(value), result));
    return result;
  }
  Written write_and_wait(std::shared_ptr<const Tenure> tenure) {
    const auto result = write(std::move(tenure), "Ikey", "value");
    machine_.run_until_idle();
    return result->written;
  }

  base::VirtualClock clock_{base::Time(std::chrono::hours(24 * 365 * 50)), base::VirtualClock::Mode::manual};
  base::SimExecutor machine_{7, clock_.activity()};
  store::SimDisk disk_;
  std::unique_ptr<store::SimStore> store_ = store::make_sim_store(disk_, machine_, clock_, store::SimFaults());
  std::vector<std::unique_ptr<Process>> processes_;
  base::Scope scope_;
};

TEST_F(OwnershipTest, AProcessThatIsAloneOwnsWhatItClaims) {
  Process& a = start("a");
  const auto things = names(200);
  for (const std::string& name : things) a.claim(name);
  pass(seconds(1));
  EXPECT_EQ(owned_by(a, things), 200);
  pass(seconds(100));
  EXPECT_EQ(owned_by(a, things), 200) << "its beats go on";
}

TEST_F(OwnershipTest, ProcessesShareWhatTheyClaimAndNothingHasTwoOwners) {
  Process& a = start("a");
  Process& b = start("b", seconds(7));
  Process& c = start("c", -seconds(9));
  const auto things = names(300);
  for (const auto& process : processes_) {
    for (const std::string& name : things) process->claim(name);
  }
  pass(seconds(5));
  for (Process* process : {&a, &b, &c}) {
    EXPECT_GT(owned_by(*process, things), 60);
    EXPECT_LT(owned_by(*process, things), 140);
  }
  for (const std::string& name : things) EXPECT_EQ(a.owns(name) + b.owns(name) + c.owns(name), 1) << name;
}

TEST_F(OwnershipTest, WhatFallsToANewcomerIsAskedBackAndHandedOn) {
  Process& a = start("a");
  const auto things = names(100);
  for (const std::string& name : things) a.claim(name);
  pass(seconds(2));
  Process& b = start("b");
  for (const std::string& name : things) b.claim(name);
  pass(seconds(2));
  EXPECT_GT(owned_by(b, things), 20);
  EXPECT_EQ(owned_by(a, things) + owned_by(b, things), 100);
}

TEST_F(OwnershipTest, WhatADeadProcessOwnedIsTakenOverOnceItsLeaseIsOver) {
  Process& a = start("a", seconds(20));
  Process& b = start("b");
  const auto things = names(20);
  for (const std::string& name : things) a.claim(name), b.claim(name);
  pass(seconds(5));
  const int of_b = owned_by(b, things);
  ASSERT_LT(of_b, 20);
  a.die();
  pass(seconds(6));
  EXPECT_EQ(owned_by(b, things), of_b);
  pass(seconds(12));
  EXPECT_EQ(owned_by(b, things), 20);
}

TEST_F(OwnershipTest, AProcessThatLeavesIsNotWaitedFor) {
  Process& a = start("a");
  Process& b = start("b");
  const auto things = names(20);
  for (const std::string& name : things) a.claim(name), b.claim(name);
  pass(seconds(3));
  {
    const base::Executor::Enter enter(a.executor);
    scope_.spawn(a.ownership->leave());
  }
  pass(seconds(1));
  EXPECT_EQ(owned_by(a, things), 0);
  EXPECT_EQ(owned_by(b, things), 20);
}

TEST_F(OwnershipTest, AProcessThatStallsHasStoppedBeforeAnotherTakesOver) {
  Process& a = start("a", seconds(3));
  a.claim("thing");
  pass(seconds(1));
  const auto tenure = a.claims.at("thing")->tenure();
  ASSERT_TRUE(tenure);
  Process& b = start("b");
  a.executor.stall();
  b.claim("thing");
  for (int second = 0; second < 30; ++second) {
    pass(seconds(1));
    EXPECT_FALSE(b.owns("thing") && !tenure->ended()) << "second " << second;
  }
  EXPECT_TRUE(b.owns("thing"));
  EXPECT_EQ(write_and_wait(tenure), Written::not_owner);
  EXPECT_EQ(write_and_wait(b.claims.at("thing")->tenure()), Written::yes);
  a.executor.wake_up();
  pass(seconds(30));
  EXPECT_EQ(a.owns("thing") + b.owns("thing"), 1) << "it has joined again";
  EXPECT_TRUE(tenure->ended());
  EXPECT_EQ(write_and_wait(tenure), Written::not_owner);
}

TEST_F(OwnershipTest, ATenureEndsWhenItsClaimGoesAndAnotherMayBegin) {
  Process& a = start("a");
  a.claim("thing");
  pass(seconds(1));
  const auto first = a.claims.at("thing")->tenure();
  a.claims.at("thing")->let_go();
  EXPECT_TRUE(first->ended());
  pass(seconds(1));
  const auto second = a.claims.at("thing")->tenure();
  ASSERT_TRUE(second);
  EXPECT_EQ(write_and_wait(first), Written::not_owner) << "of an earlier term";
  EXPECT_EQ(write_and_wait(second), Written::yes);
  a.claims.clear();
  pass(seconds(1));
  EXPECT_EQ(write_and_wait(second), Written::not_owner);
}

TEST_F(OwnershipTest, TellsWhetherAnybodyOwnsWhatAPrefixNames) {
  Process& a = start("a");
  Process& b = start("b");
  a.claim("mapping/u-1/s-1");
  b.claim("mapping/u-1/s-1");
  pass(seconds(1));
  const auto owned = [&](std::string prefix) {
    bool result = false;
    const base::Executor::Enter enter(machine_);
    scope_.spawn([](store::Store& store, Ownership& ownership, std::string of, bool& is) -> Task<void> {
      is = co_await store.transact([&](store::Transaction& txn) -> Task<bool> {
        co_return co_await ownership.is_owned(txn, of);
      });
    }(*store_, *b.ownership, std::move(prefix), result));
    machine_.run_until_idle();
    return result;
  };
  EXPECT_TRUE(owned("mapping/u-1/"));
  EXPECT_FALSE(owned("mapping/u-2/"));
  a.claims.clear();
  b.claims.clear();
  pass(seconds(1));
  EXPECT_FALSE(owned("mapping/u-1/"));
}

TEST(SoleOwnership, OwnsEverythingAndHasNoFence) {
  SoleOwnership ownership;
  const auto claim = ownership.claim("thing", base::Signal());
  ASSERT_TRUE(claim->tenure());
  EXPECT_FALSE(claim->tenure()->ended());
  EXPECT_FALSE(claim->tenure()->asked_back());
  EXPECT_NO_THROW(claim->tenure()->require());
  EXPECT_FALSE(ownership.is_shared());
}

}  // namespace
}  // namespace tidemill::engine
