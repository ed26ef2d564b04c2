#include "store/resources.h"

#include <gtest/gtest.h>

#include "base/ordered.h"

namespace tidemill::store {
namespace {

constexpr ResourceType kQueues{"sqs", "queue"};
constexpr ResourceType kTopics{"sns", "topic"};

bool contains(const Range& range, const std::string& key) { return range.begin <= key && key < range.end; }

TEST(Resources, AKeyTellsItsResource) {
  const auto address = resource_of_key(kQueues, resource_key(kQueues, "123456789012", "eu-west-1", "jobs"));
  ASSERT_TRUE(address);
  EXPECT_EQ(address->account, "123456789012");
  EXPECT_EQ(address->region, "eu-west-1");
  EXPECT_EQ(address->name, "jobs");
}

TEST(Resources, AKeyIsNoneOfAnotherTypeNorOfWhatBelongsToAResource) {
  std::string key = resource_key(kQueues, "1", "r", "jobs");
  EXPECT_FALSE(resource_of_key(kTopics, key));
  EXPECT_FALSE(resource_of_key(kQueues, key.substr(0, key.size() - 1)));
  EXPECT_FALSE(resource_of_key(kQueues, ""));
  base::append_string(key, "part");
  EXPECT_FALSE(resource_of_key(kQueues, key));
}

TEST(Resources, ARangeHoldsOneTypeOfOneRegionOfOneAccount) {
  const Range range = resources_range(kQueues, "1", "r");
  EXPECT_TRUE(contains(range, resource_key(kQueues, "1", "r", "")));
  EXPECT_TRUE(contains(range, resource_key(kQueues, "1", "r", "\xff")));
  EXPECT_FALSE(contains(range, resource_key(kQueues, "1", "r2", "a")));
  EXPECT_FALSE(contains(range, resource_key(kQueues, "12", "r", "a")));
  EXPECT_FALSE(contains(range, resource_key(kTopics, "1", "r", "a")));
  EXPECT_TRUE(contains(all_resources_range(), resource_key(kTopics, "1", "r", "a")));
}

}  // namespace
}  // namespace tidemill::store
