#include "base/work_lane.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

namespace tidemill::base {
namespace {

TEST(WorkLane, WorkGoesOneAfterTheOtherInOrder) {
  constexpr int kWork = 10'000;
  std::vector<int> seen;  // without a lock: only one is at it at a time
  {
    BlockingWork threads(4);
    WorkLane lane(threads);
    for (int i = 0; i < kWork; ++i) lane.post([&seen, i] { seen.push_back(i); });
  }
  ASSERT_EQ(seen.size(), static_cast<size_t>(kWork));
  for (int i = 0; i < kWork; ++i) ASSERT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST(WorkLane, TwoLanesGoBesideEachOther) {
  std::promise<void> met;
  BlockingWork threads(2);
  WorkLane first(threads), second(threads);
  first.post([&] { met.get_future().wait(); });  // ends only if the second begins
  second.post([&] { met.set_value(); });
}

TEST(WorkLane, OneThreadIsSharedFairly) {
  std::string order;
  std::promise<void> begin;
  {
    BlockingWork threads(1);
    WorkLane first(threads), second(threads);
    first.post([&] { begin.get_future().wait(); });
    for (int i = 0; i < 3; ++i) first.post([&] { order += 'a'; });
    for (int i = 0; i < 3; ++i) second.post([&] { order += 'b'; });
    begin.set_value();
  }
  EXPECT_EQ(order, "bababa");
}

TEST(WorkLane, WhatWasGivenRunsWhenTheLaneIsGone) {
  std::atomic<int> done = 0;
  {
    BlockingWork threads(2);
    WorkLane lane(threads);
    for (int i = 0; i < 100; ++i) lane.post([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace tidemill::base
