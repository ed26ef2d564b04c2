// Resources, searches and bundles over the simulated store.
#include "base/processor_time.h"
#include "services/healthlake/bundle.h"
#include "services/healthlake/resource_body.h"
#include "services/healthlake/search.h"
#include "services/healthlake/store_keys.h"
#include "services/healthlake/testing.h"

namespace tidemill::healthlake {
namespace {

using namespace std::chrono_literals;
using base::cat;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::World;
namespace fhir_ops = rest::ops;

// ---- Resources ----

rest::FhirReadInput read_of(const std::string& lake, const std::string& type, const std::string& id) {
  return {.datastore_id = lake, .resource_type = type, .resource_id = id};
}

TEST(ResourceTest, IsCreatedWithAnIdAndAVersion) {
  World world;
  const std::string lake = world.create_datastore();
  const auto made = world.ask<fhir_ops::FhirCreate>(
      {.datastore_id = lake,
       .resource_type = "Patient",
       .body = R"({"resourceType":"Patient","id":"mine","meta":{"versionId":"9","tag":[{"code":"x"}]},"n":1.50})"});
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.e_tag, R"(W/"1")");
  const json::Value stored = World::parse(made.body.value());
  const std::string id = stored.find("id")->string();
  EXPECT_NE(id, "mine");
  EXPECT_EQ(made.location, cat(World::kEndpoint, "/datastore/", lake, "/r4/Patient/", id, "/_history/1"));
  EXPECT_EQ(json::write(stored),
            cat(R"({"resourceType":"Patient","id":")", id, R"(","meta":{"versionId":"1","tag":[{"code":"x"}],)",
                R"("lastUpdated":"2026-03-14T00:00:00.000Z"},"n":1.50})"));
  const auto read = world.ask<fhir_ops::FhirRead>(read_of(lake, "Patient", id));
  EXPECT_EQ(read.body, made.body);
  EXPECT_EQ(read.e_tag, made.e_tag);
  EXPECT_EQ(read.last_modified, world.clock.now());
}

TEST(ResourceTest, IsUpdatedAndKeepsItsVersions) {
  World world;
  const std::string lake = world.create_datastore();
  EXPECT_EQ(world.put(lake, R"({"resourceType":"Patient","id":"p","gender":"male"})").status, 201);
  world.advance(1h);
  const auto updated = world.put(lake, R"({"resourceType":"Patient","id":"p","gender":"female"})");
  EXPECT_EQ(updated.status, 200);
  EXPECT_EQ(updated.e_tag, R"(W/"2")");
  EXPECT_EQ(world.read(lake, "Patient", "p").find("gender")->string(), "female");
  EXPECT_EQ(world.read(lake, "Patient", "p").find("meta")->find("lastUpdated")->string(), "2026-03-14T01:00:00.000Z");
  const auto version = [&](std::string id) {
    return rest::FhirVersionReadInput{
        .datastore_id = lake, .resource_type = "Patient", .resource_id = "p", .version_id = std::move(id)};
  };
  EXPECT_THAT(world.ask<fhir_ops::FhirVersionRead>(version("1")).body.value(), HasSubstr("\"male\""));
  EXPECT_THAT(world.ask<fhir_ops::FhirVersionRead>(version("2")).body.value(), HasSubstr("\"female\""));
  EXPECT_EQ(world.refusal<fhir_ops::FhirVersionRead>(version("3")), "not-found: There is no Patient/p/_history/3");
  EXPECT_EQ(world.refusal<fhir_ops::FhirVersionRead>(version("x")), "not-found: There is no Patient/p/_history/x");
}

TEST(ResourceTest, IsGoneOnceItHasBeenDeleted) {
  World world;
  const std::string lake = world.create_datastore();
  (void)world.put(lake, R"({"resourceType":"Patient","id":"p"})");
  world.remove(lake, "Patient", "p");
  EXPECT_EQ(world.refusal<fhir_ops::FhirRead>(read_of(lake, "Patient", "p")), "deleted: Patient/p has been deleted");
  EXPECT_EQ(world.refusal<fhir_ops::FhirRead>(read_of(lake, "Patient", "q")), "not-found: There is no Patient/q");
  world.remove(lake, "Patient", "p");  // again, and what never was
  world.remove(lake, "Patient", "q");
  const auto back = world.put(lake, R"({"resourceType":"Patient","id":"p"})");
  EXPECT_EQ(back.status, 201);
  EXPECT_EQ(back.e_tag, R"(W/"3")");
}

TEST(ResourceTest, IsWrittenOnlyInTheVersionThatIfMatchNames) {
  World world;
  const std::string lake = world.create_datastore();
  auto request = World::put_of(lake, R"({"resourceType":"Patient","id":"p"})");
  (void)world.ask<fhir_ops::FhirUpdate>(request);
  request.if_match = R"(W/"1")";
  EXPECT_EQ(world.ask<fhir_ops::FhirUpdate>(request).e_tag, R"(W/"2")");
  EXPECT_EQ(world.refusal<fhir_ops::FhirUpdate>(request),
            "conflict: Patient/p has another version than If-Match asks for");
  rest::FhirDeleteInput remove{.datastore_id = lake, .resource_type = "Patient", .resource_id = "p"};
  remove.if_match = R"(W/"1")";
  EXPECT_THAT(world.refusal<fhir_ops::FhirDelete>(remove), HasSubstr("conflict: "));
  remove.if_match = "two";
  EXPECT_EQ(world.refusal<fhir_ops::FhirDelete>(remove), "invalid: If-Match names no version: two");
}

TEST(ResourceTest, ShowsItsHistoryNewestFirst) {
  World world;
  const std::string lake = world.create_datastore();
  for (int i = 0; i < 3; ++i) {
    (void)world.put(lake, cat(R"({"resourceType":"Patient","id":"p","n":)", i, "}"));
    world.advance(1min);
  }
  world.remove(lake, "Patient", "p");
  rest::FhirHistoryInput request{.datastore_id = lake, .resource_type = "Patient", .resource_id = "p"};
  request.parameters = lang::fhir::Parameters{{"_count", {"3"}}};
  json::Value page = World::parse(world.ask<fhir_ops::FhirHistory>(request).body.value());
  EXPECT_EQ(page.find("total")->to_int64(), 4);
  std::vector<std::string> seen;
  const auto see = [&] {
    for (const json::Value& entry : page.find("entry")->array()) {
      seen.push_back(entry.find("request")->find("method")->string() + entry.find("response")->find("etag")->string());
    }
  };
  see();
  request.parameters = World::next_page(page);
  page = World::parse(world.ask<fhir_ops::FhirHistory>(request).body.value());
  see();
  EXPECT_THAT(seen, ElementsAre(R"(DELETEW/"4")", R"(PUTW/"3")", R"(PUTW/"2")", R"(POSTW/"1")"));
  EXPECT_FALSE(World::next_page(page));
  request.parameters = lang::fhir::Parameters{{"_since", {"2026-03-14T00:02:00Z"}}};
  EXPECT_THAT(World::parse(world.ask<fhir_ops::FhirHistory>(request).body.value()).find("entry")->array(), SizeIs(2));
}

TEST(ResourceTest, IsCheckedAsFhirJsonOfItsType) {
  World world;
  const std::string lake = world.create_datastore();
  const auto refused = [&](std::string body, std::optional<std::string> content_type = std::nullopt) {
    return world.refusal<fhir_ops::FhirCreate>({.datastore_id = lake,
                                                .resource_type = "Patient",
                                                .content_type = std::move(content_type),
                                                .body = std::move(body)});
  };
  EXPECT_THAT(refused("{"), HasSubstr("structure: The body is no JSON"));
  EXPECT_EQ(refused(""), "invalid: The request has no body");
  EXPECT_EQ(refused("[]"), "invalid: A resource is an object");
  EXPECT_EQ(refused("{}"), "invalid: The resource has no resourceType");
  EXPECT_EQ(refused(R"({"resourceType":"Pat"})"), "invalid: FHIR R4 has no resource type Pat");
  EXPECT_EQ(refused(R"({"resourceType":"Group"})"), "invalid: The resource is of type Group instead of Patient");
  EXPECT_EQ(refused(R"({"resourceType":"Patient","id":"a b"})"),
            "invalid: The id is not 1 to 64 letters, digits, '-' and '.'");
  EXPECT_EQ(refused(R"({"resourceType":"Patient","meta":7})"), "invalid: The element meta is no object");
  EXPECT_EQ(refused(R"({"resourceType":"Patient","name":[]})"), "invalid: The list Patient.name is empty");
  EXPECT_EQ(refused(R"({"resourceType":"Patient","name":[{}]})"), "invalid: The element Patient.name is empty");
  EXPECT_EQ(refused(R"({"resourceType":"Patient","gender":""})"), "invalid: The element Patient.gender is empty");
  EXPECT_EQ(refused(R"({"resourceType":"Patient","gender":null})"), "invalid: The element Patient.gender is null");
  EXPECT_EQ(refused(R"({"resourceType":"Patient","contact":[{"name":{"text":""}}]})"),
            "invalid: The element Patient.contact.name.text is empty");
  EXPECT_EQ(refused("<Patient/>", "application/fhir+xml"),
            "not-supported: Tidemill does not support bodies of application/fhir+xml");
  EXPECT_EQ(refused(R"({"resourceType":"Patient","given":["a",null]})", "application/fhir+json; charset=utf-8"), "");
  EXPECT_EQ(world.refusal<fhir_ops::FhirUpdate>({.datastore_id = lake,
                                                 .resource_type = "Patient",
                                                 .resource_id = "p",
                                                 .body = R"({"resourceType":"Patient","id":"q"})"}),
            "invalid: The id of the resource must be p, as in the URL");
}

// 200 GB of names, were each element told apart by a text of its own.
TEST(ResourceTest, IsCheckedAsQuicklyWithinALongName) {
  const json::Value resource =
      json::Object{{"resourceType", "Patient"},
                   {std::string(1 << 20, 'a'), json::Array(200'000, json::Object{{"flag", true}})}};
  const auto began = base::processor_time();
  check_resource(resource, "Patient");
  EXPECT_LT(base::processor_time() - began, 5s);
}

TEST(ResourceTest, RefusesTypesIdsAndOperationsThatAreNone) {
  World world;
  const std::string lake = world.create_datastore();
  EXPECT_EQ(world.refusal<fhir_ops::FhirRead>(read_of(lake, "Pat", "1")),
            "not-supported: FHIR R4 has no resource type Pat");
  EXPECT_EQ(world.refusal<fhir_ops::FhirRead>(read_of(lake, "Patient", "$everything")),
            "not-supported: Tidemill does not support the operation $everything");
  auto summary = read_of(lake, "Patient", "1");
  summary.parameters = lang::fhir::Parameters{{"_summary", {"text"}}};
  EXPECT_EQ(world.refusal<fhir_ops::FhirRead>(summary),
            "not-supported: Tidemill does not support the parameter _summary of a read");
  EXPECT_EQ(world.refusal<fhir_ops::FhirRead>(read_of(std::string(32, '0'), "Patient", "1")),
            cat("not-found: There is no data store ", std::string(32, '0')));
}

TEST(ResourceTest, IsAnsweredWithoutItselfIfTheClientPrefersThat) {
  World world;
  const std::string lake = world.create_datastore();
  auto request = World::put_of(lake, R"({"resourceType":"Patient","id":"p"})");
  request.prefer = "handling=strict; return=minimal";
  EXPECT_FALSE(world.ask<fhir_ops::FhirUpdate>(request).body);
}

TEST(ResourceTest, StaysThroughACrash) {
  World world;
  const std::string lake = world.create_datastore();
  (void)world.put(lake, R"({"resourceType":"Patient","id":"p"})");
  world.crash();
  EXPECT_EQ(world.read(lake, "Patient", "p").find("id")->string(), "p");
}

// ---- Searches ----

// Patients a0 to a<count - 1>, a minute apart; every other is female.
std::string lake_of_patients(World& world, int count) {
  const std::string lake = world.create_datastore();
  for (int i = 0; i < count; ++i) {
    (void)world.put(
        lake, cat(R"({"resourceType":"Patient","id":"a)", i, R"(","gender":")", i % 2 ? "male" : "female", "\"}"));
    world.advance(1min);
  }
  return lake;
}

std::vector<std::string> all_pages(World& world, const std::string& lake, lang::fhir::Parameters parameters) {
  std::vector<std::string> all;
  std::optional<lang::fhir::Parameters> next = std::move(parameters);
  while (next) {
    const json::Value page = world.search(lake, "Patient", *next);
    for (std::string& id : World::ids(page)) all.push_back(std::move(id));
    next = World::next_page(page);
  }
  return all;
}

TEST(SearchTest, GoesFromPageToPageOnEachWay) {
  World world;
  const std::string lake = lake_of_patients(world, 7);
  EXPECT_THAT(all_pages(world, lake, {{"_count", {"3"}}}), ElementsAre("a0", "a1", "a2", "a3", "a4", "a5", "a6"));
  EXPECT_THAT(all_pages(world, lake, {{"_count", {"1"}}, {"gender", {"female"}}}), ElementsAre("a0", "a2", "a4", "a6"));
  EXPECT_THAT(all_pages(world, lake, {{"_count", {"1"}}, {"_id", {"a5,a1,zz,a2"}}}), ElementsAre("a1", "a2", "a5"));
  EXPECT_THAT(all_pages(world, lake, {{"_count", {"2"}}, {"_lastUpdated", {"ge2026-03-14T00:03:00Z"}}}),
              ElementsAre("a3", "a4", "a5", "a6"));
  EXPECT_THAT(world.search(lake, "Patient", {}).find("link")->array(), SizeIs(1));
}

TEST(SearchTest, FindsWhatWasUpdatedInASpanOfTime) {
  World world;
  const std::string lake = lake_of_patients(world, 4);
  const auto found = [&](std::vector<std::string> values) {
    return all_pages(world, lake, {{"_lastUpdated", values}});
  };
  EXPECT_THAT(found({"2026-03-14T00:01"}), ElementsAre("a1"));
  EXPECT_THAT(found({"gt2026-03-14T00:00", "lt2026-03-14T00:03"}), ElementsAre("a1", "a2"));
  EXPECT_THAT(found({"ne2026-03-14T00:01"}), ElementsAre("a0", "a2", "a3"));
  EXPECT_THAT(found({"eb2026-03-14T00:01,sa2026-03-14T00:02"}), ElementsAre("a0", "a3"));
  (void)world.put(lake, R"({"resourceType":"Patient","id":"a1"})");  // later now
  world.remove(lake, "Patient", "a2");
  EXPECT_THAT(found({"ge2026-03-14T00:01:00Z"}), ElementsAre("a3", "a1"));
  EXPECT_THAT(found({"2027"}), IsEmpty());
  EXPECT_THAT(found({"ge2027", "lt2026"}), IsEmpty());
}

TEST(SearchTest, CountsWhatMatches) {
  World world;
  const std::string lake = lake_of_patients(world, 7);
  const json::Value counted = world.search(lake, "Patient", {{"_summary", {"count"}}, {"gender", {"male"}}});
  EXPECT_EQ(counted.find("total")->to_int64(), 3);
  EXPECT_EQ(counted.find("entry"), nullptr);
  lang::fhir::Parameters parameters{{"_total", {"accurate"}}, {"_count", {"2"}}};
  const json::Value first = world.search(lake, "Patient", parameters);
  EXPECT_EQ(first.find("total")->to_int64(), 7);
  EXPECT_THAT(World::ids(first), ElementsAre("a0", "a1"));
  const json::Value second = world.search(lake, "Patient", *World::next_page(first));
  EXPECT_EQ(second.find("total")->to_int64(), 7);
  EXPECT_THAT(World::ids(second), ElementsAre("a2", "a3"));
}

TEST(SearchTest, ComesByPostToo) {
  World world;
  const std::string lake = lake_of_patients(world, 2);
  rest::FhirSearchByPostInput request{.datastore_id = lake, .resource_type = "Patient"};
  request.content_type = "application/x-www-form-urlencoded";
  request.body = "gender=male&_count=5";
  EXPECT_THAT(World::ids(World::parse(world.ask<fhir_ops::FhirSearchByPost>(request).body.value())), ElementsAre("a1"));
  request.parameters = lang::fhir::Parameters{{"gender", {"male"}}};
  EXPECT_THAT(world.refusal<fhir_ops::FhirSearchByPost>(request), HasSubstr("not in both"));
  request.parameters.reset();
  request.content_type = "application/json";
  EXPECT_THAT(world.refusal<fhir_ops::FhirSearchByPost>(request), HasSubstr("searches in application/json"));
}

TEST(SearchTest, RefusesUnknownParametersUnlessTheClientIsLenient) {
  World world;
  const std::string lake = lake_of_patients(world, 2);
  rest::FhirSearchInput request{.datastore_id = lake, .resource_type = "Patient"};
  request.parameters = lang::fhir::Parameters{{"colour", {"red"}}, {"gender", {"male"}}};
  EXPECT_EQ(world.refusal<fhir_ops::FhirSearch>(request), "invalid: Patient has no search parameter colour");
  request.prefer = "handling=lenient";
  const json::Value found = World::parse(world.ask<fhir_ops::FhirSearch>(request).body.value());
  EXPECT_THAT(World::ids(found), ElementsAre("a1"));
  // What was not used is not in the link of the page itself.
  EXPECT_EQ(found.find("link")->array()[0].find("url")->string(),
            cat(World::kEndpoint, "/datastore/", lake, "/r4/Patient?gender=male"));
  EXPECT_THAT(
      world.refusal<fhir_ops::FhirSearch>(
          {.datastore_id = lake, .resource_type = "Patient", .parameters = lang::fhir::Parameters{{"page", {"zz"}}}}),
      HasSubstr("page"));
}

// ---- Bundles ----

constexpr std::string_view kPatientAndObservation = R"({"resourceType":"Bundle","type":"transaction","entry":[
  {"fullUrl":"urn:uuid:1","resource":{"resourceType":"Patient","active":true},"request":{"method":"POST","url":"Patient"}},
  {"fullUrl":"urn:uuid:2","resource":{"resourceType":"Observation","subject":{"reference":"urn:uuid:1"},"status":"final"},
   "request":{"method":"POST","url":"Observation"}}%]})";

std::string with_entry(std::string_view more) {
  std::string text(kPatientAndObservation);
  return text.replace(text.find('%'), 1, more);
}

TEST(BundleTest, OfATransactionResolvesReferencesToItsEntries) {
  World world;
  const std::string lake = world.create_datastore();
  const json::Value answer = world.bundle(lake, with_entry(""));
  EXPECT_EQ(answer.find("type")->string(), "transaction-response");
  const auto& entries = answer.find("entry")->array();
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].find("response")->find("status")->string(), "201 Created");
  EXPECT_EQ(entries[0].find("response")->find("etag")->string(), R"(W/"1")");
  const auto patients = World::ids(world.search(lake, "Patient", {}));
  ASSERT_THAT(patients, SizeIs(1));
  EXPECT_EQ(entries[0].find("response")->find("location")->string(), cat("Patient/", patients[0], "/_history/1"));
  EXPECT_THAT(World::ids(world.search(lake, "Observation", {{"patient", {patients[0]}}})), SizeIs(1));
}

TEST(BundleTest, OfATransactionSucceedsAsAWholeOrNotAtAll) {
  World world;
  const std::string lake = world.create_datastore();
  const auto refused = [&](std::string_view more) {
    return world.refusal<fhir_ops::FhirBundle>({.datastore_id = lake, .body = with_entry(more)});
  };
  EXPECT_EQ(refused(R"(,{"request":{"method":"GET","url":"Patient/nobody"}})"),
            "not-found: There is no Patient/nobody");
  EXPECT_EQ(refused(R"(,{"request":{"method":"DELETE","url":"Patient/x","ifMatch":"W/\"4\""}})"),
            "conflict: Patient/x has another version than If-Match asks for");
  EXPECT_EQ(refused(R"(,{"request":{"method":"PUT","url":"Patient/x"}})"),
            "invalid: An entry that creates or updates has no resource");
  EXPECT_EQ(refused(R"(,{"resource":{"resourceType":"Basic","subject":{"reference":"urn:uuid:9"}},
                       "request":{"method":"POST","url":"Basic"}})"),
            "invalid: The reference urn:uuid:9 is to none of the bundle's entries");
  EXPECT_EQ(
      refused(
          R"(,{"request":{"method":"DELETE","url":"Patient/x"}},{"request":{"method":"DELETE","url":"Patient/x"}})"),
      "invalid: A transaction writes Patient/x twice");
  EXPECT_EQ(refused(R"(,{"request":{"method":"GET","url":"Patient?name=x"}})"),
            "not-supported: Tidemill does not support searches in a transaction");
  EXPECT_THAT(World::ids(world.search(lake, "Patient", {})), IsEmpty());
  EXPECT_THAT(World::ids(world.search(lake, "Observation", {})), IsEmpty());
}

TEST(BundleTest, OfABatchCarriesOutWhatItCan) {
  World world;
  const std::string lake = world.create_datastore();
  (void)world.put(lake, R"({"resourceType":"Patient","id":"p"})");
  const json::Value answer = world.bundle(lake, R"({"resourceType":"Bundle","type":"batch","entry":[
    {"resource":{"resourceType":"Patient","id":"q"},"request":{"method":"PUT","url":"Patient/q"}},
    {"request":{"method":"GET","url":"Patient/p"}},
    {"request":{"method":"GET","url":"Patient/nobody"}},
    {"request":{"method":"GET","url":"Patient?_id=p,q"}},
    {"request":{"method":"PATCH","url":"Patient/p"}},
    {"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"Patient","ifNoneExist":"name=x"}},
    {"request":{"method":"DELETE","url":"Patient/p"}}]})");
  std::vector<std::string> statuses;
  for (const json::Value& entry : answer.find("entry")->array()) {
    statuses.push_back(entry.find("response")->find("status")->string().substr(0, 3));
  }
  EXPECT_THAT(statuses, ElementsAre("201", "200", "404", "200", "400", "400", "204"));
  const auto& entries = answer.find("entry")->array();
  EXPECT_EQ(entries[1].find("resource")->find("id")->string(), "p");
  EXPECT_THAT(World::ids(*entries[3].find("resource")), ElementsAre("p", "q"));
  EXPECT_THAT(json::write(*entries[4].find("response")->find("outcome")), HasSubstr("the method PATCH in a bundle"));
  EXPECT_THAT(json::write(*entries[5].find("response")->find("outcome")), HasSubstr("ifNoneExist in a bundle"));
}

TEST(BundleTest, OfABatchTellsWhatWasWrittenBehindTooManyReads) {
  World world;
  const std::string lake = world.create_datastore();
  (void)world.put(lake, cat(R"({"resourceType":"Patient","id":"large","text":{"div":")",
                            std::string(kSearchPageBytesMax / 2, 'x'), R"("}})"));
  const std::string read = R"({"request":{"method":"GET","url":"Patient/large"}},)";
  const json::Value answer =
      world.bundle(lake, cat(R"({"resourceType":"Bundle","type":"batch","entry":[)", read, read,
                             R"({"request":{"method":"PUT","url":"Patient/late"},
                                 "resource":{"resourceType":"Patient","id":"late"}}]})"));
  const auto& entries = answer.find("entry")->array();
  EXPECT_EQ(entries[0].find("response")->find("status")->string(), "200 OK");
  EXPECT_THAT(json::write(entries[1]), HasSubstr("too-costly"));
  EXPECT_EQ(entries[2].find("response")->find("status")->string(), "201 Created");
  EXPECT_EQ(world.read(lake, "Patient", "late").find("id")->string(), "late");
}

TEST(BundleTest, RefusesWhatIsNone) {
  World world;
  const std::string lake = world.create_datastore();
  const auto refused = [&](std::string body) {
    return world.refusal<fhir_ops::FhirBundle>({.datastore_id = lake, .body = std::move(body)});
  };
  EXPECT_EQ(refused(R"({"resourceType":"Patient"})"), "invalid: The body is no Bundle");
  EXPECT_EQ(refused(R"({"resourceType":"Bundle","type":"message"})"),
            "invalid: The Bundle is of type message instead of batch or transaction");
  std::string many = R"({"resourceType":"Bundle","type":"batch","entry":[1)";
  for (size_t i = 0; i < kBundleEntriesMax; ++i) many += ",1";
  EXPECT_EQ(refused(many + "]}"), "invalid: A Bundle has at most 500 entries");
}

TEST(CapabilityTest, TellsTypesInteractionsAndSearchParameters) {
  World world;
  const std::string lake = world.create_datastore();
  const json::Value statement =
      World::parse(world.ask<fhir_ops::FhirCapabilities>({.datastore_id = lake}).body.value());
  EXPECT_EQ(statement.find("resourceType")->string(), "CapabilityStatement");
  EXPECT_EQ(statement.find("fhirVersion")->string(), "4.0.1");
  const auto& resources = statement.find("rest")->array()[0].find("resource")->array();
  EXPECT_THAT(resources, SizeIs(146));
  EXPECT_THAT(json::write(statement), HasSubstr(R"({"name":"birthdate","type":"date"})"));
}

}  // namespace
}  // namespace tidemill::healthlake
