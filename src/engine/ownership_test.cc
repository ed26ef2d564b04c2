#include "engine/ownership.h"

#include <gtest/gtest.h>

#include "engine/ownership_test_world.h"

namespace tidemill::engine {
namespace {

using std::chrono::seconds;

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

TEST_F(OwnershipTest, AProcessThatWasTakenForDeadTellsOfItsNextLife) {
  Process& a = start("a");
  std::vector<uint64_t> lives;
  a.ownership->on_life([&](const store::Member& member) { lives.push_back(member.life); });
  pass(seconds(1));
  EXPECT_EQ(lives, std::vector<uint64_t>{1});
  start("b");
  a.executor.stall();
  pass(seconds(30));
  a.executor.wake_up();
  pass(seconds(5));
  EXPECT_EQ(lives, (std::vector<uint64_t>{1, 2}));
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
