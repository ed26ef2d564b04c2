#include "base/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tidemill::base {
namespace {

TEST(Distribution, FewValuesAreKeptExactly) {
  Distribution numbers;
  for (const double value : {5.0, 1.0, 3.0, 1.0}) numbers.add(value);
  EXPECT_EQ(numbers.count(), 4);
  EXPECT_EQ(numbers.sum(), 10);
  EXPECT_EQ(numbers.min(), 1);
  EXPECT_EQ(numbers.max(), 5);
  EXPECT_EQ(numbers.percentile(50), 1);
  EXPECT_EQ(numbers.percentile(75), 3);
  EXPECT_EQ(numbers.percentile(75.1), 5);
  EXPECT_EQ(numbers.percentile(0), 1);
  EXPECT_EQ(numbers.percentile(100), 5);
}

TEST(Distribution, ManyValuesAreRightToOnePercent) {
  Distribution numbers;
  std::vector<double> all;
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    all.push_back(std::exp(std::uniform_real_distribution(-5.0, 12.0)(random)));
    numbers.add(all.back());
  }
  std::ranges::sort(all);
  for (const double percent : {1.0, 10.0, 50.0, 90.0, 99.0, 99.9}) {
    const double exact = all[static_cast<size_t>(std::ceil(percent / 100 * 20'000)) - 1];
    EXPECT_NEAR(*numbers.percentile(percent) / exact, 1, 0.0101) << percent;
  }
  EXPECT_EQ(numbers.percentile(100), all.back());
}

TEST(Distribution, PartsMergeIntoTheWhole) {
  Distribution whole;
  Distribution parts[3];
  for (int i = 1; i <= 300; ++i) {
    whole.add(i);
    parts[i % 3].add(i);
  }
  Distribution merged;
  for (const Distribution& part : parts) merged.merge(part);
  EXPECT_EQ(merged.count(), whole.count());
  EXPECT_EQ(merged.sum(), whole.sum());
  EXPECT_EQ(merged.encode(), whole.encode());
}

TEST(Distribution, OfSummariesAndNegativeNumbersItIsNotKnownWhereTheyLie) {
  Distribution summary;
  summary.add(1);
  summary.add_summary(3, 6, 1, 3);
  EXPECT_FALSE(summary.has_values());
  EXPECT_EQ(summary.percentile(50), std::nullopt);
  EXPECT_EQ(summary.average(), 7.0 / 4);
  Distribution same;
  same.add_summary(3, 6, 2, 2);
  EXPECT_EQ(same.percentile(50), 2);
  Distribution negative;
  negative.add(-1);
  EXPECT_FALSE(negative.has_values());
}

TEST(Distribution, IsReadBackAsItWasWritten) {
  Distribution numbers;
  for (int i = 0; i < 5; ++i) numbers.add(i, 0.5);
  EXPECT_EQ(Distribution::decode(numbers.encode())->encode(), numbers.encode());
  for (int i = 0; i < 500; ++i) numbers.add(i);
  EXPECT_EQ(Distribution::decode(numbers.encode())->encode(), numbers.encode());
  EXPECT_FALSE(Distribution::decode("no"));
}

}  // namespace
}  // namespace tidemill::base
