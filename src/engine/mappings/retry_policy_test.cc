#include "engine/mappings/retry_policy.h"

#include <gtest/gtest.h>

namespace tidemill::engine {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Backoff, DoublesFromHalfASecondUpToAMinute) {
  EXPECT_EQ(backoff(1), milliseconds(500));
  EXPECT_EQ(backoff(2), seconds(1));
  EXPECT_EQ(backoff(3), seconds(2));
  EXPECT_EQ(backoff(7), seconds(32));
  EXPECT_EQ(backoff(8), seconds(60));
  EXPECT_EQ(backoff(4'000'000'000), seconds(60));
}

TEST(Attempts, AreOneMoreThanTheRetries) {
  Mapping mapping;
  mapping.retry_attempts_max = 0;
  EXPECT_FALSE(attempts_exhausted(0, mapping));
  EXPECT_TRUE(attempts_exhausted(1, mapping));
  mapping.retry_attempts_max = 3;
  EXPECT_FALSE(attempts_exhausted(3, mapping));
  EXPECT_TRUE(attempts_exhausted(4, mapping));
  mapping.retry_attempts_max = -1;
  EXPECT_FALSE(attempts_exhausted(4'000'000'000, mapping));
}

TEST(RecordAge, IsTheMappingsLimitOrTheStreamsRetentionWhicheverIsLess) {
  Mapping mapping;
  EXPECT_EQ(record_age_max(mapping, hours(24)), hours(24));
  mapping.record_age_seconds_max = 60;
  EXPECT_EQ(record_age_max(mapping, hours(24)), seconds(60));
  mapping.record_age_seconds_max = 604'800;
  EXPECT_EQ(record_age_max(mapping, hours(24)), hours(24));
}

}  // namespace
}  // namespace tidemill::engine
