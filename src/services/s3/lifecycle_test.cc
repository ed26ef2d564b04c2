// Lifecycle rules over the simulated store: what happens beside a run of theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/s3/bucket_keys.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/lifecycle.h"
#include "services/s3/settings_document.h"
#include "services/s3/testing.h"

namespace tidemill::s3 {
namespace {

using namespace std::chrono_literals;
using testing::World;
namespace ops = shapes::ops;

// The rule is there, and no timer: the test says when it is carried out.
Task<Bucket> keep_three_old_versions(World& world, std::string name) {
  shapes::LifecycleRule rule{.id = "three", .filter = shapes::LifecycleRuleFilter{.prefix = ""}, .status = "Enabled"};
  rule.noncurrent_version_expiration =
      shapes::NoncurrentVersionExpiration{.noncurrent_days = 1, .newer_noncurrent_versions = 3};
  co_return co_await world.store->transact([&](store::Transaction& txn) -> Task<Bucket> {
    auto bucket = co_await find_bucket(txn, name);
    bucket->settings[kLifecycle] = write_document<ops::GetBucketLifecycleConfiguration>({.rules = {{rule}}});
    save_bucket(txn, *bucket);
    co_return *bucket;
  });
}

bool has_version(World& world, const Bucket& bucket, const std::string& key, const std::string& version) {
  return world.disk.data.contains(version_key(bucket.id, key, sequence_of_version(version).value()));
}

// The rule keeps three that are not current. One of these goes while the rule's run is under way: then the fourth is
// one of the three.
TEST(S3Lifecycle, AVersionThatTheRuleHasComeToKeepMeanwhileStays) {
  int removed_before = 0;
  for (int steps = 0; steps < 60; ++steps) {
    World world(static_cast<uint64_t>(steps) + 1);
    world.create_bucket("bucket", true);
    const Bucket bucket = world.await(keep_three_old_versions(world, "bucket"));
    const std::string fourth = world.put("bucket", "key", "fourth");
    const std::string third = world.put("bucket", "key", "third");
    for (const char* body : {"second", "first", "current"}) world.put("bucket", "key", body);
    world.advance(49h);
    {
      const base::Executor::Enter enter(world.executor);
      world.tasks.spawn(run_lifecycle(*world.service, {.kind = std::string(kLifecycleTimer.name),
                                                       .id = bucket.id,
                                                       .due = world.clock.now(),
                                                       .payload = bucket.name}));
    }
    for (int step = 0; step < steps && world.executor.run_one(); ++step) {
    }
    world.remove("bucket", "key", third);
    const bool is_there = has_version(world, bucket, "key", fourth);
    world.settle();
    EXPECT_EQ(has_version(world, bucket, "key", fourth), is_there) << "steps: " << steps;
    removed_before += is_there ? 1 : 0;
  }
  EXPECT_GT(removed_before, 0);
  EXPECT_LT(removed_before, 60) << "the rule is carried out";
}

}  // namespace
}  // namespace tidemill::s3
