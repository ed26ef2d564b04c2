// What lies beneath objects: small and large bodies, versions, copies that share their bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "services/s3/body_intake.h"
#include "services/s3/body_output.h"
#include "services/s3/reading.h"
#include "services/s3/testing.h"

namespace tidemill::s3 {
namespace {

using testing::World;
namespace ops = shapes::ops;

const std::string kLarge(kStoredBodyBytesMax + 1, 'x');

Task<void> keep(Task<std::string> task, std::optional<std::string>& result) { result = co_await task; }

TEST(S3Objects, SmallBodiesLieInTheStoreAndLargeOnesInBlobs) {
  World world;
  world.create_bucket("bucket");
  world.put("bucket", "small", std::string(kStoredBodyBytesMax, 's'));
  EXPECT_TRUE(world.blob_disk.files.empty());
  world.put("bucket", "large", kLarge);
  EXPECT_EQ(world.blob_disk.files.size(), 1u);
  EXPECT_EQ(world.get("bucket", "small"), std::string(kStoredBodyBytesMax, 's'));
  EXPECT_EQ(world.get("bucket", "large"), kLarge);
}

// What is small and last of an object in parts lies in the store.
Task<std::string> read_both(World& world, std::string bucket, std::string large, std::string small) {
  const OpenObject file = co_await open_object(*world.store, *world.blobs, {bucket, large});
  OpenObject stored = co_await open_object(*world.store, *world.blobs, {bucket, small});
  std::vector<Piece> pieces = file.list.pieces;
  pieces.insert(pieces.end(), stored.list.pieces.begin(), stored.list.pieces.end());
  const std::weak_ptr<store::Snapshot> snapshot = stored.snapshot;
  const auto source = read_pieces(*world.blobs, std::exchange(stored.snapshot, nullptr), stored.bucket.id,
                                  std::move(pieces), file.pins);
  std::string all;
  while (const auto piece = co_await source->next()) {
    EXPECT_TRUE(snapshot.expired()) << "whoever takes this may take hours";
    all += *piece;
  }
  co_return all;
}

TEST(S3Objects, ABodyOnItsWayKeepsNothingElseInTheStore) {
  const std::string large(2 * kReadBytes + 1, 'x');
  World world;
  world.create_bucket("bucket");
  world.put("bucket", "large", large);
  world.put("bucket", "small", "small");
  EXPECT_EQ(world.await(read_both(world, "bucket", "large", "small")), large + "small");
}

TEST(S3Objects, AReplacedOrDeletedBodyIsGone) {
  World world;
  world.create_bucket("bucket");
  world.put("bucket", "key", kLarge);
  world.put("bucket", "key", kLarge + "2");
  world.settle();
  EXPECT_EQ(world.blob_disk.files.size(), 1u);
  world.remove("bucket", "key");
  world.settle();
  EXPECT_TRUE(world.blob_disk.files.empty());
  EXPECT_EQ(world.get("bucket", "key"), "NoSuchKey");
  EXPECT_EQ(world.strays(), std::pair(0, 0));
}

TEST(S3Objects, CopiesShareTheirBytes) {
  World world;
  world.create_bucket("bucket");
  world.put("bucket", "from", kLarge);
  EXPECT_EQ(world.await(world.copying("bucket", "from", "to")), "");
  EXPECT_EQ(world.blob_disk.files.size(), 1u);
  world.remove("bucket", "from");
  world.settle();
  EXPECT_EQ(world.get("bucket", "to"), kLarge);
  world.remove("bucket", "to");
  world.settle();
  EXPECT_TRUE(world.blob_disk.files.empty());
}

TEST(S3Objects, ABodyThatIsNotWhatItsSenderSaidLeavesNothing) {
  World world;
  world.create_bucket("bucket");
  ops::PutObject::Request request;
  request.bucket = "bucket";
  request.key = "key";
  request.body = wire::BodyStream(kLarge);
  request.content_md5 = "1B2M2Y8AsgTpgAmY7PhCfg==";  // of nothing
  const auto nothing = [](const auto&) -> Task<std::string> { co_return ""; };
  EXPECT_EQ(world.await(world.told<ops::PutObject>(request, nothing)), "BadDigest");
  world.settle();
  EXPECT_TRUE(world.blob_disk.files.empty());
}

Task<bool> fails_in_its_transaction(World& world, std::string body) {
  const TakenBody taken =
      co_await take_body(*world.blobs, wire::BodyStream(std::move(body)), BodyClaims{}, kAlgorithmDefault);
  const auto fail = [](store::Transaction&, Removals&) -> Task<void> {
    throw std::runtime_error("what was to be replaced is damaged");
    co_return;
  };
  try {
    co_await commit_body(*world.store, *world.blobs, taken, fail);
  } catch (const std::runtime_error&) {
    co_return true;
  }
  co_return false;
}

TEST(S3Objects, ABodyWhoseTransactionFailsLeavesNothing) {
  World world;
  EXPECT_TRUE(world.await(fails_in_its_transaction(world, kLarge)));
  world.settle();
  EXPECT_TRUE(world.blob_disk.files.empty());
}

TEST(S3Objects, VersionsKeepTheirBodiesUntilTheyGo) {
  World world;
  world.create_bucket("bucket", true);
  const std::string first = world.put("bucket", "key", kLarge + "1");
  const std::string second = world.put("bucket", "key", kLarge + "2");
  EXPECT_EQ(world.get("bucket", "key"), kLarge + "2");
  EXPECT_EQ(world.get("bucket", "key", first), kLarge + "1");
  const std::string marker = world.remove("bucket", "key");
  EXPECT_EQ(world.get("bucket", "key"), "NoSuchKey");
  EXPECT_EQ(world.get("bucket", "key", marker), "MethodNotAllowed");
  world.remove("bucket", "key", marker);
  EXPECT_EQ(world.get("bucket", "key"), kLarge + "2");
  world.remove("bucket", "key", second);
  EXPECT_EQ(world.get("bucket", "key"), kLarge + "1");
  world.remove("bucket", "key", first);
  EXPECT_EQ(world.get("bucket", "key"), "NoSuchKey");
  world.settle();
  EXPECT_EQ(world.strays(), std::pair(0, 0));
  EXPECT_TRUE(world.blob_disk.files.empty());
}

TEST(S3Objects, ABucketIsNotDeletedWithAnObjectThatIsPutMeanwhile) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    World world(seed);
    world.create_bucket("bucket");
    std::optional<std::string> put;
    std::optional<std::string> deleted;
    {
      const base::Executor::Enter enter(world.executor);
      world.tasks.spawn(keep(world.putting("bucket", "key", kLarge), put));
      world.tasks.spawn(keep(world.deleting_bucket("bucket"), deleted));
    }
    world.settle();
    outcomes.insert(base::cat("put: ", *put, ", deleted: ", *deleted));
    if (put->empty()) {
      EXPECT_EQ(world.get("bucket", "key"), kLarge) << seed;
    }
    EXPECT_EQ(world.strays(), std::pair(0, 0)) << seed;
  }
  EXPECT_THAT(outcomes, ::testing::UnorderedElementsAre("put: , deleted: BucketNotEmpty", "put: NoSuchBucket, deleted: "));
}

TEST(S3Objects, EveryNumberedVersionIsFoundByItsIdAndNoOther) {
  World world;
  world.create_bucket("bucket", true);
  const std::string version = world.put("bucket", "key", "1");
  std::string other = version;
  other.back() = other.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(world.get("bucket", "key", other), "NoSuchVersion");
  EXPECT_EQ(world.get("bucket", "key", "x"), "InvalidArgument");
  EXPECT_EQ(world.get("bucket", "key", "null"), "NoSuchVersion");
}

TEST(S3Objects, WhatWasAcknowledgedIsThereAfterACrash) {
  World world;
  world.create_bucket("bucket");
  world.put("bucket", "small", "1");
  world.put("bucket", "large", kLarge);
  world.put("bucket", "gone", kLarge);
  world.remove("bucket", "gone");
  world.crash();
  EXPECT_EQ(world.get("bucket", "small"), "1");
  EXPECT_EQ(world.get("bucket", "large"), kLarge);
  EXPECT_EQ(world.get("bucket", "gone"), "NoSuchKey");
  world.settle();
  EXPECT_EQ(world.strays(), std::pair(0, 0));
}

}  // namespace
}  // namespace tidemill::s3
