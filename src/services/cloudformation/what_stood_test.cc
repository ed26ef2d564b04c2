// What stood before a change that failed, or may stand after it: where a change starts from, what a removal looks
// after, and what types note for the way back.
#include <utility>

#include "services/cloudformation/resource.h"
#include "services/cloudformation/types_testing.h"

namespace tidemill::cloudformation {
namespace {

using testing::TestStep;
using testing::World;

json::Object object(std::string_view text) { return json::parse(std::string(text))->object(); }

std::string between_of(std::string_view base, std::string_view attempted, std::string_view after) {
  return json::write(json::Value(between(object(base), object(attempted), object(after))));
}

TEST(WhatStood, IsAllThatAResourceMayDifferIn) {
  // What does not come one by one: as it was attempted, or as it was where that is what is wanted.
  EXPECT_EQ(between_of(R"({"A":1,"B":1})", R"({"A":2,"B":2})", R"({"A":1,"B":2})"), R"({"A":2,"B":1})");
  EXPECT_EQ(between_of(R"({"A":1})", R"({})", R"({"A":1})"), "{}");
  // Elements of lists that are to go are all that may be there; those that are to stay are there for sure.
  EXPECT_EQ(between_of(R"({"L":["a"]})", R"({"L":["b"]})", R"({"L":["c"]})"), R"({"L":["b","a"]})");
  EXPECT_EQ(between_of(R"({"L":["a"]})", R"({"L":["b"]})", R"({"L":["a"]})"), R"({"L":["b"]})");
  EXPECT_EQ(between_of(R"({"L":["a","b"]})", R"({"L":["b","c"]})", R"({"L":["b"]})"), R"({"L":["b","c","a"]})");
  EXPECT_EQ(between_of(R"({"L":["a"]})", R"({})", R"({"L":["a"]})"), "{}");
  EXPECT_EQ(between_of("{}", R"({"L":["a"]})", R"({"L":["a","b"]})"), "{}");
  EXPECT_EQ(between_of("{}", R"({"L":["a"]})", "{}"), R"({"L":["a"]})");
  // The order may have changed, and nothing else.
  EXPECT_EQ(between_of(R"({"L":["a","b"]})", R"({"L":["b","a"]})", R"({"L":["a","b"]})"), R"({"L":["b","a"]})");
}

TEST(WhatStood, IsRemovedWithAllThatFailedChangesMayHaveAdded) {
  Resource resource;
  resource.now = {.physical_id = "id", .properties = object(R"({"Name":"n","L":["a"]})")};
  const auto all = [&](const Made& made) {
    std::string result;
    for (const json::Object& one : what_may_stand(resource, made)) result += json::write(json::Value(one));
    return result;
  };
  EXPECT_EQ(all(resource.now), R"({"Name":"n","L":["a"]})");
  resource.before = resource.now;
  resource.attempted = object(R"({"Name":"n","L":["b"],"M":["c"]})");
  EXPECT_EQ(all(resource.now), R"({"Name":"n","L":["a","b"],"M":["c"]})");
  resource.attempted->set("Name", "m");
  const std::string both = R"({"Name":"n","L":["a","b"],"M":["c"]})"
                           R"({"Name":"m","L":["a","b"],"M":["c"]})";
  EXPECT_EQ(all(resource.now), both);
  // Another takes its place.
  resource.now.attempted = std::exchange(resource.attempted, object(R"({"Name":"new","L":["d"]})"));
  resource.replacing = true;
  EXPECT_EQ(all(resource.now), both);
}

// ---- Buckets --------------------------------------------------------------------------------------------------------

class Bucket {
 public:
  explicit Bucket(World& world) : world_(world), id_(world.create(type_.name, R"({"BucketName":"bucket"})")) {}

  // Changes it in the same operation as the last time, as a stack would that keeps failures.
  void update(std::string_view before, std::string_view after, bool brings_back = false) {
    TestStep step = world_.step(type_.name, 2, false, brings_back, 2);
    step.set_noted(noted_);
    EXPECT_EQ(world_.finish(type_.update(step, id_, object(before), object(after))), id_);
    noted_ = step.noted();
  }
  void tell(std::string_view operation, std::string_view more = "") {
    world_.tell("s3", std::string(operation), base::cat(R"({"Bucket":"bucket")", more, "}"));
  }
  void expect(const std::string& block, const std::string& ownership) {
    world_.expect({"s3", "GetPublicAccessBlock", R"({"Bucket":"{ID}"})", block}, id_);
    world_.expect({"s3", "GetBucketOwnershipControls", R"({"Bucket":"{ID}"})", ownership}, id_);
  }

 private:
  World& world_;
  const ResourceType& type_ = *find_type("AWS::S3::Bucket");
  const std::string id_;
  json::Value noted_;
};

const std::string kNoBlock = "NoSuchPublicAccessBlockConfiguration", kNoOwnership = "OwnershipControlsNotFoundError";
constexpr std::string_view kOpen = R"({"OwnershipControls":{"Rules":[{"ObjectOwnership":"ObjectWriter"}]},)"
                                   R"("PublicAccessBlockConfiguration":{"BlockPublicAcls":false}})";
constexpr std::string_view kShut = R"({"OwnershipControls":{"Rules":[{"ObjectOwnership":"BucketOwnerEnforced"}]},)"
                                   R"("PublicAccessBlockConfiguration":{"BlockPublicAcls":true}})";

TEST(WhatStood, OfABucketThatHadNeitherIsNothing) {
  World world;
  Bucket bucket(world);
  bucket.tell("DeletePublicAccessBlock");
  bucket.tell("DeleteBucketOwnershipControls");
  bucket.update("{}", kOpen);
  bucket.update(kOpen, "{}", true);
  bucket.expect(kNoBlock, kNoOwnership);
}

TEST(WhatStood, OfABucketIsWhatItWasWhoeverHasMadeItSo) {
  World world;
  Bucket bucket(world);
  bucket.tell("PutPublicAccessBlock", R"(,"PublicAccessBlockConfiguration":{"RestrictPublicBuckets":true})");
  bucket.tell("PutBucketOwnershipControls",
              R"(,"OwnershipControls":{"Rules":[{"ObjectOwnership":"BucketOwnerPreferred"}]})");
  bucket.update("{}", kOpen);
  bucket.update(kOpen, kShut);  // by another update, once this had failed
  bucket.update(kShut, "{}", true);
  const std::string block =
      R"({"PublicAccessBlockConfiguration":{"BlockPublicAcls":false,"RestrictPublicBuckets":true}})";
  const std::string ownership = R"({"OwnershipControls":{"Rules":[{"ObjectOwnership":"BucketOwnerPreferred"}]}})";
  bucket.expect(block, ownership);
  // The second has given them up: what it has deleted comes back all the same.
  bucket.update("{}", kOpen);
  bucket.update(kOpen, "{}");
  bucket.expect(kNoBlock, kNoOwnership);
  bucket.update("{}", "{}", true);
  bucket.expect(block, ownership);
}

// ---- Policies of several --------------------------------------------------------------------------------------------

class TopicPolicies : public ::testing::Test {
 protected:
  TopicPolicies() {
    for (const std::string_view name : {"own", "other"}) {
      world.tell("sns", "CreateTopic", base::cat(R"({"Name":")", name, "\"}"));
    }
    world.tell("sns", "SetTopicAttributes",
               json::write(json::Value(json::Object{{"TopicArn", kOther},
                                                    {"AttributeName", "Policy"},
                                                    {"AttributeValue", json::write(policy_of("theirs"))}})));
  }

  static json::Value policy_of(std::string_view sid) {
    const json::Object statement{{"Sid", sid},
                                 {"Effect", "Allow"},
                                 {"Principal", json::Object{{"Service", "events.amazonaws.com"}}},
                                 {"Action", "sns:Publish"},
                                 {"Resource", "*"}};
    return json::Object{{"Version", "2012-10-17"}, {"Statement", json::Array{statement}}};
  }
  static json::Object properties(std::vector<std::string_view> topics) {
    json::Array list;
    for (const std::string_view topic : topics) list.emplace_back(topic);
    return {{"Topics", std::move(list)}, {"PolicyDocument", policy_of("ours")}};
  }

  std::string sid_of(std::string_view topic) {
    const json::Value found = world.tell("sns", "GetTopicAttributes", base::cat(R"({"TopicArn":")", topic, "\"}"));
    const auto policy = json::parse(found.find("Attributes")->find("Policy")->string());
    return policy->find("Statement")->array().at(0).find("Sid")->string();
  }
  void expect_refused(Task<std::string> task) {
    try {
      (void)world.finish(std::move(task));
      ADD_FAILURE() << "it is not refused";
    } catch (const wire::Error& error) {
      EXPECT_EQ(error.code, "AuthorizationErrorException");
    }
  }

  static constexpr std::string_view kOwn = "arn:aws:sns:us-east-1:000000000000:own";
  static constexpr std::string_view kOther = "arn:aws:sns:us-east-1:000000000000:other";
  static constexpr std::string_view kForeign = "arn:aws:sns:us-east-1:111111111111:foreign";
  static constexpr std::string_view kFirst = "__default_statement_ID";
  World world;
  const ResourceType& type = *find_type("AWS::SNS::TopicPolicy");
};

TEST_F(TopicPolicies, ThatWereNeverMadeAreNotTakenAway) {
  const json::Object all = properties({kOwn, kForeign, kOther});
  TestStep making = world.step(type.name, 1, false);
  expect_refused(type.create(making, all));
  EXPECT_EQ(sid_of(kOwn), "ours");
  TestStep removing = world.step(type.name, 1, false);
  removing.set_noted(making.noted());
  world.finish(World::done(type.remove(removing, making.made_id, all)));
  EXPECT_EQ(sid_of(kOwn), kFirst);
  EXPECT_EQ(sid_of(kOther), "theirs");
}

TEST_F(TopicPolicies, ThatAnUpdateNeverCameToAreLeftByTheWayBack) {
  const json::Object before = properties({kOwn}), after = properties({kOwn, kForeign, kOther});
  TestStep making = world.step(type.name, 1, false);
  const std::string id = world.finish(type.create(making, before));
  TestStep changing = world.step(type.name, 2, false);
  expect_refused(type.update(changing, id, before, after));
  TestStep returning = world.step(type.name, 2, false, true);
  returning.set_noted(changing.noted());
  EXPECT_EQ(world.finish(type.update(returning, id, after, before)), id);
  EXPECT_EQ(sid_of(kOther), "theirs");
  // Or a later update has it put there: then it is taken away again.
  TestStep again = world.step(type.name, 3, false);
  again.set_noted(changing.noted());
  const json::Object both = properties({kOwn, kOther});
  world.finish(type.update(again, id, before, both));
  EXPECT_EQ(sid_of(kOther), "ours");
  world.finish(World::done(type.remove(again, id, both)));
  EXPECT_EQ(sid_of(kOther), kFirst);
}

// Each of these takes minutes where every element is compared with every other.
TEST(Lists, LongOnesAreJoinedInTheTimeOfTheirLength) {
  constexpr int kElements = 100'000;
  json::Array one, other;
  for (int n = 0; n < kElements; ++n) {
    one.push_back(base::cat("a", n));
    other.push_back(base::cat("a", n + kElements / 2));
  }
  const json::Object first{{"List", std::move(one)}}, more{{"List", std::move(other)}};
  EXPECT_EQ(with_lists_of(first, more).find("List")->array().size(), kElements * 3 / 2);
  EXPECT_EQ(with_lists_of(first, first).find("List")->array().size(), kElements);
  EXPECT_TRUE(json::equal(json::Value(between(first, more, first)), json::Value(more)));
}

}  // namespace
}  // namespace tidemill::cloudformation
