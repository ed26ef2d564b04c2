// What buckets hold, as CloudWatch is told.
#include "services/s3/testing.h"

namespace tidemill::s3 {
namespace {

using namespace std::chrono_literals;
using testing::World;
using Metrics = std::map<std::string, std::string>;

TEST(S3StorageMetrics, WhatBucketsHoldIsToldOnceADay) {
  World world;
  world.create_bucket("one", true);
  world.create_bucket("two");
  world.create_bucket("empty");
  (void)world.put("one", "a", "12345");
  (void)world.put("one", "a", "123");
  (void)world.remove("one", "a");
  (void)world.put("two", "b", std::string(100'000, 'x'));
  world.advance(23h);
  EXPECT_TRUE(world.measured("AWS/S3").empty());
  world.advance(1h);
  const Metrics expected{{"BucketSizeBytes one/StandardStorage", "8 of 1"},
                         {"NumberOfObjects one/AllStorageTypes", "3 of 1"},
                         {"BucketSizeBytes two/StandardStorage", "100000 of 1"},
                         {"NumberOfObjects two/AllStorageTypes", "1 of 1"}};
  EXPECT_EQ(world.measured("AWS/S3"), expected);
  world.advance(48h);
  EXPECT_EQ(world.measured("AWS/S3")["NumberOfObjects two/AllStorageTypes"], "2 of 2");
}

}  // namespace
}  // namespace tidemill::s3
