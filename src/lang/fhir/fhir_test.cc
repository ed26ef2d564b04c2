// Dates, search parameters and what they match.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/fhir/resource_types.h"
#include "lang/fhir/search_query.h"

namespace tidemill::lang::fhir {
namespace {

using namespace std::chrono_literals;
using namespace std::chrono;

base::Time day(int y, unsigned m, unsigned d) { return base::Time(sys_days(year(y) / m / d)); }

TEST(FhirTime, IsASpanAsLongAsItsLastPart) {
  EXPECT_EQ(parse_time("2024"), (TimeRange{day(2024, 1, 1), day(2025, 1, 1)}));
  EXPECT_EQ(parse_time("2024-12"), (TimeRange{day(2024, 12, 1), day(2025, 1, 1)}));
  EXPECT_EQ(parse_time("2024-02-29"), (TimeRange{day(2024, 2, 29), day(2024, 3, 1)}));
  EXPECT_EQ(parse_time("2024-03-14T08:30"), (TimeRange{day(2024, 3, 14) + 8h + 30min, day(2024, 3, 14) + 8h + 31min}));
  EXPECT_EQ(parse_time("2024-03-14T08:30:15Z"),
            (TimeRange{day(2024, 3, 14) + 8h + 30min + 15s, day(2024, 3, 14) + 8h + 30min + 16s}));
  EXPECT_EQ(parse_time("2024-03-14T08:30:15.12Z"),
            (TimeRange{day(2024, 3, 14) + 8h + 30min + 15120ms, day(2024, 3, 14) + 8h + 30min + 15130ms}));
}

TEST(FhirTime, IsOfItsZone) {
  EXPECT_EQ(parse_time("2024-03-14T01:00:00+02:00")->begin, day(2024, 3, 13) + 23h);
  EXPECT_EQ(parse_time("2024-03-14T01:00:00 02:00")->begin, day(2024, 3, 13) + 23h);  // as a query string has it
  EXPECT_EQ(parse_time("2024-03-14T23:00:00-05:30")->begin, day(2024, 3, 15) + 4h + 30min);
}

TEST(FhirTime, IsRefusedInAnyOtherForm) {
  for (const char* text : {"", "24", "2024-", "2024-13", "2024-02-30", "2024-3-1", "2024-03-14T", "2024-03-14T24:00",
                           "2024-03-14T08", "2024-03-14T08:30:15.", "2024-03-14T08:30:15+2", "2024-03-14T08:30:15Zx",
                           "2024-03-14 08:30", "0000", "yesterday"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

// Whether what is `target` in a resource is found by `searched`.
bool finds(std::string_view searched, std::string_view target) {
  const auto prefixed = split_prefix(searched);
  return compare(prefixed->prefix, *parse_time(target), *parse_time(prefixed->value));
}

TEST(FhirTime, ComparesAsItsPrefixSays) {
  EXPECT_TRUE(finds("2024", "2024-05-05") && finds("eq2024-05", "2024-05-05"));
  EXPECT_FALSE(finds("2024-05-05", "2024"));  // not all of the year is in the day
  EXPECT_TRUE(finds("ne2024", "2023-05-05") && !finds("ne2024", "2024-05-05"));
  EXPECT_TRUE(finds("gt2024", "2025") && !finds("gt2024", "2024-12-31"));
  EXPECT_TRUE(finds("ge2024", "2024-01-01") && !finds("ge2024", "2023-12-31"));
  EXPECT_TRUE(finds("lt2024", "2023-12-31") && !finds("lt2024", "2024-01-01"));
  EXPECT_TRUE(finds("le2024", "2024-12-31") && !finds("le2024", "2025-01-01"));
  EXPECT_TRUE(finds("sa2024", "2025-01-01") && !finds("sa2024", "2024-12-31"));
  EXPECT_TRUE(finds("eb2024", "2023-12-31") && !finds("eb2024", "2024-01-01"));
  EXPECT_FALSE(split_prefix("ap2024"));
}

TEST(FhirTypes, AreThoseOfR4) {
  EXPECT_EQ(resource_types().size(), 146);
  EXPECT_TRUE(is_resource_type("Patient") && is_resource_type("ExplanationOfBenefit"));
  EXPECT_FALSE(is_resource_type("patient") || is_resource_type("Resource") || is_resource_type(""));
  EXPECT_TRUE(is_resource_id("a-B.9") && is_resource_id(std::string(64, 'x')));
  EXPECT_FALSE(is_resource_id("") || is_resource_id("a_b") || is_resource_id(std::string(65, 'x')));
}

SearchQuery query(std::string_view type, Parameters parameters, Handling handling = Handling::strict) {
  return SearchQuery::parse(type, parameters, handling);
}
bool matches(std::string_view type, Parameters parameters, std::string_view resource, base::Time updated = {}) {
  const auto parsed = json::parse(resource);
  EXPECT_TRUE(parsed) << resource;
  return query(type, std::move(parameters)).matches(*parsed, updated);
}
std::string refusal(std::string_view type, Parameters parameters) {
  try {
    (void)query(type, std::move(parameters));
  } catch (const SearchError& error) {
    return error.issue() + ": " + error.what();
  }
  return "";
}

constexpr std::string_view kPatient = R"({"resourceType":"Patient","id":"1","active":true,"gender":"female",
  "identifier":[{"system":"urn:mrn","value":"42"},{"system":"urn:ssn","value":"7"}],
  "name":[{"use":"official","family":"Doe","given":["Jane","Ann"]}],"birthDate":"1985-12-31",
  "telecom":[{"system":"phone","value":"555"},{"system":"email","value":"j@x.org"}],
  "address":[{"city":"Köln","line":["Hohe Straße 1"]}],"deceasedDateTime":"2024-01-01",
  "meta":{"tag":[{"system":"urn:t","code":"a"}],"profile":["http://p|1"]},
  "generalPractitioner":[{"reference":"Practitioner/9"}]})";

bool patient(std::string name, std::string value) { return matches("Patient", {{name, {value}}}, kPatient); }

TEST(FhirSearch, StringsMatchFromTheirBeginningWithoutCase) {
  EXPECT_TRUE(patient("name", "ann") && patient("family", "DO") && patient("address", "köln") &&
              patient("address-city", "K"));
  EXPECT_FALSE(patient("name", "oe") || patient("family", "jane") || patient("name", "official"));
  EXPECT_TRUE(patient("name:contains", "OE") && patient("name:exact", "Doe") && !patient("name:exact", "doe"));
}

TEST(FhirSearch, TokensAreCodesIdentifiersAndBooleans) {
  EXPECT_TRUE(patient("gender", "female") && patient("active", "true") && patient("deceased", "true"));
  EXPECT_TRUE(patient("identifier", "urn:mrn|42") && patient("identifier", "42") && patient("identifier", "urn:ssn|"));
  EXPECT_FALSE(patient("identifier", "urn:mrn|7") || patient("identifier", "|42") || patient("gender", "male"));
  EXPECT_TRUE(patient("email", "j@x.org") && patient("phone", "555") && !patient("email", "555"));
  EXPECT_TRUE(patient("gender:not", "male") && !patient("gender:not", "male,female"));
  EXPECT_TRUE(patient("_tag", "urn:t|a") && patient("_profile", "http://p") && !patient("_tag", "b"));
  EXPECT_TRUE(
      matches("Observation", {{"code", {"http://loinc.org|1234-5"}}},
              R"({"code":{"coding":[{"system":"x","code":"y"},{"system":"http://loinc.org","code":"1234-5"}]}})"));
}

TEST(FhirSearch, CommasAreAlternativesAndRepetitionsAllHaveToMatch) {
  EXPECT_TRUE(patient("gender", "male,female"));
  EXPECT_TRUE(matches("Patient", {{"given", {"Jane", "Ann"}}}, kPatient));
  EXPECT_FALSE(matches("Patient", {{"given", {"Jane", "Bob"}}}, kPatient));
  EXPECT_TRUE(matches("Organization", {{"name", {"A\\,B"}}}, R"({"name":"A,B"})"));
}

TEST(FhirSearch, ReferencesMatchByIdTypeAndUrl) {
  const std::string_view observation =
      R"({"subject":{"reference":"Patient/1"},"performer":[{"reference":"https://h/r4/Practitioner/1/_history/3"}],
    "device":{"identifier":{"system":"s","value":"v"}}})";
  const auto found = [&](std::string name, std::string value) {
    return matches("Observation", {{name, {value}}}, observation);
  };
  EXPECT_TRUE(found("subject", "1") && found("subject", "Patient/1") && found("patient", "1") &&
              found("subject:Patient", "1"));
  EXPECT_FALSE(found("subject", "2") || found("subject", "Group/1") || found("subject:Group", "1"));
  EXPECT_TRUE(found("performer", "Practitioner/1") && found("device:identifier", "s|v"));
  EXPECT_FALSE(matches("Observation", {{"patient", {"1"}}}, R"({"subject":{"reference":"Group/1"}})"));
}

TEST(FhirSearch, DatesAreMomentsPeriodsAndTimings) {
  EXPECT_TRUE(patient("birthdate", "1985-12") && patient("birthdate", "lt1990") &&
              !patient("birthdate", "gt1985-12-31"));
  const std::string_view encounter = R"({"period":{"start":"2024-03-01","end":"2024-03-05"}})";
  EXPECT_TRUE(matches("Encounter", {{"date", {"ge2024-03-05"}}}, encounter));
  EXPECT_TRUE(matches("Encounter", {{"date", {"2024-03"}}}, encounter));
  EXPECT_FALSE(matches("Encounter", {{"date", {"sa2024-03-02"}}}, encounter));
  EXPECT_TRUE(matches("Encounter", {{"date", {"gt2030"}}}, R"({"period":{"start":"2024-03-01"}})"));  // goes on
  EXPECT_TRUE(
      matches("Observation", {{"date", {"2024"}}}, R"({"effectiveTiming":{"event":["2023-01-01","2024-01-01"]}})"));
}

TEST(FhirSearch, QuantitiesMatchWithinTheirPrecision) {
  const std::string_view observation =
      R"({"valueQuantity":{"value":5.42,"unit":"mg","system":"http://unitsofmeasure.org","code":"mg"}})";
  const auto found = [&](std::string value) {
    return matches("Observation", {{"value-quantity", {value}}}, observation);
  };
  EXPECT_TRUE(found("5.4") && found("5.42|http://unitsofmeasure.org|mg") && found("gt5") && found("le5.42||mg"));
  EXPECT_FALSE(found("5.40") || found("5.42|http://unitsofmeasure.org|g") || found("lt5.42"));
}

TEST(FhirSearch, MissingAsksWhetherThereIsOne) {
  EXPECT_TRUE(patient("gender:missing", "false") && patient("organization:missing", "true"));
  EXPECT_FALSE(patient("gender:missing", "true"));
  EXPECT_TRUE(matches("Observation", {{"patient:missing", {"true"}}}, R"({"subject":{"reference":"Group/1"}})"));
}

TEST(FhirSearch, BoundsTheTimeOfTheLastUpdate) {
  const auto parsed = query("Patient", {{"_lastUpdated", {"ge2024-03-01", "lt2024-04-01"}}});
  EXPECT_EQ(parsed.updated.begin, day(2024, 3, 1));
  EXPECT_TRUE(matches("Patient", {{"_lastUpdated", {"ge2024-03-01"}}}, "{}", day(2024, 3, 1)));
  EXPECT_FALSE(matches("Patient", {{"_lastUpdated", {"gt2024-03-01"}}}, "{}", day(2024, 3, 1) + 23h));
  EXPECT_TRUE(matches("Patient", {{"_lastUpdated", {"gt2024-03-01T00:00:00.000Z"}}}, "{}", day(2024, 3, 1) + 1ms));
  EXPECT_EQ(query("Patient", {{"_lastUpdated", {"ne2024"}}}).updated, (TimeRange{kBeginningOfTime, kEndOfTime}));
}

TEST(FhirSearch, KnowsWhichIdsMayMatch) {
  EXPECT_THAT(*query("Patient", {{"_id", {"b,a,b"}}}).ids, ::testing::ElementsAre("a", "b"));
  EXPECT_THAT(*query("Patient", {{"_id", {"a,b", "b,c"}}}).ids, ::testing::ElementsAre("b"));
}

TEST(FhirSearch, ReadsWhatIsAboutTheAnswer) {
  EXPECT_EQ(query("Patient", {}).count, kCountDefault);
  EXPECT_EQ(query("Patient", {{"_count", {"7"}}}).count, 7);
  EXPECT_EQ(query("Patient", {{"_count", {"7000"}}}).count, kCountMax);
  EXPECT_TRUE(query("Patient", {{"_summary", {"count"}}}).only_total &&
              query("Patient", {{"_count", {"0"}}}).only_total);
  EXPECT_TRUE(query("Patient", {{"_total", {"accurate"}}}).with_total);
}

TEST(FhirSearch, RefusesByNameWhatItLacks) {
  EXPECT_EQ(refusal("Patient", {{"colour", {"red"}}}), "invalid: Patient has no search parameter colour");
  EXPECT_NO_THROW((void)query("Patient", {{"colour", {"red"}}}, Handling::lenient));
  EXPECT_EQ(refusal("Patient", {{"_include", {"Patient:link"}}}),
            "not-supported: Tidemill does not support the search parameter _include");
  EXPECT_EQ(refusal("Observation", {{"subject:Patient.name", {"x"}}}),
            "not-supported: Tidemill does not support chained search parameters, as subject:Patient.name");
  EXPECT_EQ(refusal("Patient", {{"name:above", {"x"}}}),
            "not-supported: Tidemill does not support the modifier :above of string parameters");
  EXPECT_EQ(refusal("Patient", {{"birthdate", {"ap1985"}}}),
            "invalid: The value of birthdate begins with an unknown prefix: ap1985");
  EXPECT_EQ(refusal("Patient", {{"birthdate", {"soon"}}}),
            "invalid: The value of birthdate begins with an unknown prefix: soon");
  EXPECT_EQ(refusal("Patient", {{"_count", {"many"}}}), "invalid: _count is no number from 0: many");
  EXPECT_EQ(refusal("Patient", {{"_format", {"xml"}}}), "not-supported: Tidemill does not support _format=xml");
  EXPECT_EQ(refusal("Patient", {{"gender", {"male,"}}}), "invalid: A value of gender is empty");
}

TEST(FhirSearch, ResourcesOfAnyShapeAreLookedThrough) {
  EXPECT_FALSE(matches("Patient", {{"name", {"x"}}}, R"({"name":5})"));
  EXPECT_FALSE(matches("Patient", {{"name", {"x"}}}, R"(["name"])"));
  EXPECT_FALSE(matches("Patient", {{"email", {"x"}}}, R"({"telecom":[[{"system":"email"}],null]})"));
  EXPECT_FALSE(matches("Observation", {{"subject", {"1"}}}, R"({"subject":{"reference":{"reference":"1"}}})"));
}

}  // namespace
}  // namespace tidemill::lang::fhir
