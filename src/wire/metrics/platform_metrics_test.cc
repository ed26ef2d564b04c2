#include "wire/metrics/platform_metrics.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

using namespace std::chrono_literals;

constexpr PlatformMetric kSent{"AWS/SQS", "NumberOfMessagesSent", "Count", "QueueName"};

struct PlatformMetricsTest : testing::Test {
  base::VirtualClock clock{base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14)),
                           base::VirtualClock::Mode::manual};
  PlatformMetrics metrics{clock};
};

TEST_F(PlatformMetricsTest, AreGatheredByResourceAndMinute) {
  const base::Time begin = clock.now();
  metrics.add(kSent, "1", "r", "a", 1, 2);
  clock.advance_to(begin + 59s, [] {});
  metrics.add(kSent, "1", "r", "a");
  metrics.add(kSent, "1", "r", "b");
  clock.advance_to(begin + 60s, [] {});
  metrics.add(kSent, "1", "r", "a", 5);
  auto taken = metrics.take();
  ASSERT_EQ(taken.size(), 3u);
  double sum = 0;
  for (const auto& one : taken) {
    EXPECT_EQ(one.metric, &kSent);
    if (one.resource == "a" && one.minute == begin) sum = one.values.sum();
  }
  EXPECT_EQ(sum, 3);
  EXPECT_TRUE(metrics.take().empty());
}

TEST_F(PlatformMetricsTest, WakeWhoWritesThemOnceUntilTheyAreTaken) {
  int wakes = 0;
  metrics.on_first([&] { ++wakes; });
  metrics.add(kSent, "1", "r", "a");
  metrics.add(kSent, "1", "r", "a");
  EXPECT_EQ(wakes, 1);
  (void)metrics.take();
  metrics.add(kSent, "1", "r", "a");
  EXPECT_EQ(wakes, 2);
}

}  // namespace
}  // namespace tidemill::wire
