#include "rights/names.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "rights/testing.h"
#include "services/kinesis/paging_token.h"
#include "services/kinesis/shard_iterator.h"
#include "services/kinesis/shards_page.h"

namespace tidemill::rights {
namespace {

using testing::kAccount;
using testing::kRegion;
using testing::World;

std::string named(World& world, const char* naming, const std::string& value, const std::string& second = "") {
  return (*find_naming(naming))(world.context(wire::Principal::platform()), value, second).text;
}

const kinesis::StreamAddress kStream{kAccount, kRegion, "s"};

TEST(Names, APageOfShardsIsOfTheStreamInItsToken) {
  World world;
  const wire::Context context = world.context(wire::Principal::platform());
  const std::string token = kinesis::make_token(context, kinesis::kShardsToken, {"s", "shardId-000000000000", "", "0"});
  EXPECT_EQ(named(world, "shards_page", token), kStream.arn());
  EXPECT_EQ(named(world, "shards_page", kinesis::make_token(context, "ListStreamConsumers", {"s"})), "*");
  EXPECT_EQ(named(world, "shards_page", "no token"), "*");
}

TEST(Names, AnIteratorInQuotesIsOfTheSameStream) {
  World world;
  const kinesis::ShardIterator iterator{.stream = kStream,
                                        .stream_id = std::string(kinesis::kStreamIdSize, 'i'),
                                        .after = store::Position::before_all(),
                                        .made = world.now()};
  const std::string token = kinesis::encode_iterator(iterator);
  EXPECT_EQ(named(world, "stream_iterator", token), kStream.arn());
  EXPECT_EQ(named(world, "stream_iterator", base::cat("\"", token, "\"")), kStream.arn());
}

TEST(Names, AGroupThatIsTaggedIsTheSameWithAndWithoutAStar) {
  World world;
  const std::string arn = "arn:aws:logs:us-east-1:111111111111:log-group:g";
  EXPECT_EQ(named(world, "tagged_group", arn), arn);
  EXPECT_EQ(named(world, "tagged_group", arn + ":*"), arn);
}

TEST(Names, AChangeSetsNameAloneNamesNothing) {
  World world;
  EXPECT_EQ(named(world, "change_set", "one"), "");
}

}  // namespace
}  // namespace tidemill::rights
