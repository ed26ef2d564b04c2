// Data stores over the simulated store.
#include "services/healthlake/store_keys.h"
#include "services/healthlake/testing.h"

namespace tidemill::healthlake {
namespace {

using namespace std::chrono_literals;
using base::cat;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::World;
namespace ops = shapes::ops;
namespace fhir_ops = rest::ops;

TEST(DatastoreTest, IsMadeActiveAndDescribed) {
  World world;
  const auto made = world.ask<ops::CreateFHIRDatastore>({.datastore_name = "clinic", .datastore_type_version = "R4"});
  EXPECT_EQ(made.datastore_status, "CREATING");
  EXPECT_THAT(made.datastore_id, SizeIs(32));
  EXPECT_EQ(made.datastore_endpoint, cat(World::kEndpoint, "/datastore/", made.datastore_id, "/r4/"));
  EXPECT_EQ(made.datastore_arn, cat("arn:aws:healthlake:us-east-1:000000000000:datastore/fhir/", made.datastore_id));
  world.settle();
  const auto described =
      world.ask<ops::DescribeFHIRDatastore>({.datastore_id = made.datastore_id}).datastore_properties;
  EXPECT_EQ(described.datastore_status, "ACTIVE");
  EXPECT_EQ(described.datastore_name, "clinic");
  EXPECT_EQ(described.datastore_type_version, "R4");
}

TEST(DatastoreTest, IsMadeOnceForAToken) {
  World world;
  const shapes::CreateFHIRDatastoreInput request{.datastore_type_version = "R4", .client_token = "t"};
  const std::string id = world.ask<ops::CreateFHIRDatastore>(request).datastore_id;
  EXPECT_EQ(world.ask<ops::CreateFHIRDatastore>(request).datastore_id, id);
  EXPECT_THAT(world.ask<ops::ListFHIRDatastores>({}).datastore_properties_list, SizeIs(1));
}

TEST(DatastoreTest, IsDeletedWithAllThatIsInItAndForgottenADayLater) {
  World world;
  const std::string lake = world.create_datastore();
  const std::string id = world.create(lake, R"({"resourceType":"Patient"})");
  EXPECT_EQ(world.ask<ops::DeleteFHIRDatastore>({.datastore_id = lake}).datastore_status, "DELETING");
  world.settle();
  EXPECT_EQ(world.ask<ops::DescribeFHIRDatastore>({.datastore_id = lake}).datastore_properties.datastore_status,
            "DELETED");
  const rest::FhirReadInput read{.datastore_id = lake, .resource_type = "Patient", .resource_id = id};
  EXPECT_EQ(world.refusal<fhir_ops::FhirRead>(read), cat("not-found: There is no data store ", lake));
  size_t left = 0;
  const auto snapshot = world.store->snapshot();
  world.await([](store::Snapshot& reader, const std::string& of, size_t& count) -> Task<bool> {
    const store::Range all = DatastoreKeys(of).all();
    co_await reader.scan(all, store::Direction::forward, [&](std::string_view, std::string_view) { return ++count; });
    co_return true;
  }(*snapshot, lake, left));
  EXPECT_EQ(left, 0);
  world.advance(25h);
  EXPECT_THAT(world.refusal<ops::DescribeFHIRDatastore>({.datastore_id = lake}),
              HasSubstr("ResourceNotFoundException"));
}

TEST(DatastoreTest, AreListedPageByPageWithFilters) {
  World world;
  std::set<std::string> made;
  for (int i = 0; i < 5; ++i) made.insert(world.create_datastore());
  std::set<std::string> found;
  shapes::ListFHIRDatastoresInput request{.max_results = 2};
  do {
    const auto page = world.ask<ops::ListFHIRDatastores>(request);
    EXPECT_LE(page.datastore_properties_list.size(), 2);
    for (const auto& each : page.datastore_properties_list) found.insert(each.datastore_id);
    request.next_token = page.next_token;
  } while (request.next_token);
  EXPECT_EQ(found, made);
  shapes::ListFHIRDatastoresInput deleted;
  deleted.filter.emplace().datastore_status = "DELETED";
  EXPECT_THAT(world.ask<ops::ListFHIRDatastores>(deleted).datastore_properties_list, IsEmpty());
  shapes::ListFHIRDatastoresInput later;
  later.filter.emplace().created_after = world.clock.now();
  EXPECT_THAT(world.ask<ops::ListFHIRDatastores>(later).datastore_properties_list, IsEmpty());
}

TEST(DatastoreTest, HasTags) {
  World world;
  const std::string lake = world.create_datastore({{"team", "a"}});
  const std::string arn = cat("arn:aws:healthlake:us-east-1:000000000000:datastore/fhir/", lake);
  (void)world.ask<ops::TagResource>({.resource_arn = arn, .tags = {{.key = "tidemill:export", .value = "queue"}}});
  (void)world.ask<ops::UntagResource>({.resource_arn = arn, .tag_keys = {"team"}});
  const auto tags = world.ask<ops::ListTagsForResource>({.resource_arn = arn}).tags.value();
  ASSERT_THAT(tags, SizeIs(1));
  EXPECT_EQ(tags[0].key, "tidemill:export");
  EXPECT_EQ(
      world.refusal<ops::TagResource>({.resource_arn = arn, .tags = {{.key = "tidemill:export", .value = "drop"}}}),
      "ValidationException: The tag tidemill:export must be refuse or queue.");
}

TEST(DatastoreTest, RefusesTagKeysOfAwsItself) {
  constexpr const char* kReserved = "ValidationException: Tag keys that begin with aws: are reserved for AWS.";
  World world;
  const std::string arn =
      cat("arn:aws:healthlake:us-east-1:000000000000:datastore/fhir/", world.create_datastore({{"team", "a"}}));
  for (const char* key : {"aws:a", "AWS:a"}) {
    const std::vector<shapes::Tag> tags{{.key = key, .value = "1"}};
    EXPECT_EQ(world.refusal<ops::CreateFHIRDatastore>({.datastore_type_version = "R4", .tags = tags}), kReserved);
    EXPECT_EQ(world.refusal<ops::TagResource>({.resource_arn = arn, .tags = tags}), kReserved);
    EXPECT_EQ(world.refusal<ops::UntagResource>({.resource_arn = arn, .tag_keys = {key}}), kReserved);
  }
  EXPECT_THAT(world.ask<ops::ListTagsForResource>({.resource_arn = arn}).tags.value(), SizeIs(1));
}

TEST(DatastoreTest, RefusesByNameWhatIsNotThere) {
  World world;
  const auto refused = [&](std::string_view more) {
    return world.run("CreateFHIRDatastore", cat(R"({"DatastoreTypeVersion":"R4",)", more, "}"));
  };
  EXPECT_THAT(refused(R"("PreloadDataConfig":{"PreloadDataType":"SYNTHEA"})"), HasSubstr("PreloadDataConfig"));
  EXPECT_THAT(refused(R"("IdentityProviderConfiguration":{"AuthorizationStrategy":"SMART_ON_FHIR_V1"})"),
              HasSubstr("IdentityProviderConfiguration"));
  EXPECT_THAT(refused(R"("SseConfiguration":{"KmsEncryptionConfig":{"CmkType":"CUSTOMER_MANAGED_KMS_KEY"}})"),
              HasSubstr("a customer's key"));
  EXPECT_THAT(world.run("CreateFHIRDatastore", R"({"DatastoreTypeVersion":"STU3"})"), HasSubstr("[R4]"));
  EXPECT_THAT(world.run("StartFHIRImportJob", "{}"), HasSubstr("StartFHIRImportJob: there are no import jobs"));
}

}  // namespace
}  // namespace tidemill::healthlake
