// Operations of every protocol called by name with documents, by the test models in testdata/.
#include "wire/shape_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/processor_time.h"
#include "wire/testdata/attic.h"
#include "wire/testdata/kettle.h"
#include "wire/testdata/teahouse.h"
#include "wire/testdata/weathervane.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr base::Time kNoon{1767268800500ms};

class DocumentTest : public ::testing::Test {
 protected:
  // The document, or "Code: message".
  std::string call(std::string service, std::string name, const std::string& document) {
    Context context(platform_.platform, "000000000000", "us-east-1", "request", "tester");
    try {
      return json::write(testing::run(
          platform_.registry.call(context, std::move(service), std::move(name), json::parse(document).value())));
    } catch (const Error& error) {
      return error.code + ": " + error.message;
    }
  }

  std::string brew(const std::string& more) {
    platform_.registry.add<kettle::ops::Brew>(
        [this](Context&, const kettle::BrewInput& in) -> Task<kettle::BrewOutput> {
          brewed_ = in;
          co_return kettle::BrewOutput{.table_name = in.table_name,
                                       .hot = in.hot,
                                       .ratio = in.ratio,
                                       .bytes = in.bytes,
                                       .at = in.at,
                                       .anything = in.anything,
                                       .leaves = in.leaves};
        });
    return call("kettle", "Brew", R"({"TableName":"tea","Amount":1)" + more + "}");
  }

  testing::TestPlatform platform_;
  kettle::BrewInput brewed_;
};

TEST_F(DocumentTest, EveryTypeOfMemberHasAForm) {
  EXPECT_EQ(
      brew(
          R"(,"Hot":true,"Ratio":1.5,"Bytes":"AAEC","At":"2026-01-01T12:00:00.5Z","Anything":{"a":[1.0,null]},)"
          R"("Leaves":[{"LeafName":"fine","Children":[{"LeafName":"small"}]}],"Labels":{"k":"v"},"Big":9007199254740993)"),
      R"({"TableName":"tea","Hot":true,"Ratio":1.5,"Bytes":"AAEC","At":"2026-01-01T12:00:00.500Z",)"
      R"("Anything":{"a":[1.0,null]},"Leaves":[{"LeafName":"fine","Children":[{"LeafName":"small"}]}]})");
  EXPECT_EQ(brewed_.at, kNoon);
  EXPECT_EQ(brewed_.bytes, std::string("\0\1\2", 3));
  EXPECT_EQ(brewed_.labels->at("k"), "v");
  EXPECT_EQ(brewed_.big, 9007199254740993);
}

TEST_F(DocumentTest, AMapOfManyEntriesTakesNoMoreThanItsSize) {
  platform_.registry.add<kettle::ops::Brew>([](Context&, const kettle::BrewInput& in) -> Task<kettle::BrewOutput> {
    kettle::BrewOutput out{.table_name = in.table_name};
    out.by_name.emplace();
    for (int i = 0; i < 100'000; ++i) {
      (*out.by_name)["leaf-" + std::to_string(i)].push_back({.leaf_name = "fine"});
    }
    co_return out;
  });
  const auto began = base::processor_time();
  EXPECT_THAT(call("kettle", "Brew", R"({"TableName":"tea","Amount":1})"), HasSubstr(R"("leaf-99999":)"));
  // Looking each entry up among those before it would take the square.
  EXPECT_LT(base::processor_time() - began, 10s);
}

TEST_F(DocumentTest, NamesMayBeginWithACapitalWhateverTheApiSpells) {
  brew(R"(,"Namespace":"n")");
  EXPECT_EQ(brewed_.namespace_, "n");
}

TEST_F(DocumentTest, SecondsSince1970AreATimeToo) {
  brew(R"(,"At":1767268800.5)");
  EXPECT_EQ(brewed_.at, kNoon);
}

TEST_F(DocumentTest, NullIsAsIfTheMemberWereAbsent) {
  brew(R"(,"Hot":null)");
  EXPECT_EQ(brewed_.hot, std::nullopt);
}

TEST_F(DocumentTest, ConstraintsAreCheckedAsOverTheWire) {
  EXPECT_EQ(
      brew(R"(,"Amount":101,"Words":[])"),
      "ValidationException: 2 validation errors detected: Value '101' at 'amount' failed to satisfy constraint: Member "
      "must have value less than or equal to 100; Value '[]' at 'words' failed to satisfy constraint: Member must have "
      "length greater than or equal to 1");
}

TEST_F(DocumentTest, WrongTypesAreRefusedAsOverTheWire) {
  EXPECT_EQ(brew(R"(,"Slug":1)"), "SerializationException: NUMBER_VALUE cannot be converted to String");
}

TEST_F(DocumentTest, ElementsAreNotNull) {
  EXPECT_EQ(brew(R"(,"Words":[null])"), "SerializationException: Unexpected null in a list");
}

TEST_F(DocumentTest, ANameThatTheOperationLacksIsRefused) { EXPECT_THAT(brew(R"(,"Milky":1)"), HasSubstr("Milky")); }

TEST_F(DocumentTest, AnUnsupportedMemberMayAskForNothing) {
  EXPECT_THAT(brew(R"(,"Sugars":1,"Milk":[])"), HasSubstr("tea"));
}

TEST_F(DocumentTest, AnUnsupportedMemberIsRefusedByName) { EXPECT_THAT(brew(R"(,"Sugars":2)"), HasSubstr("Sugars")); }

TEST_F(DocumentTest, OperationsWithoutShapesTakeAndGiveEmptyDocuments) {
  platform_.registry.add<kettle::ops::Rinse>(
      [](Context&, const kettle::RinseInput&) { return Task<kettle::RinseOutput>::ready(); });
  EXPECT_EQ(call("kettle", "Rinse", "{}"), "{}");
}

TEST_F(DocumentTest, HeadersPathAndStatusStandAmongTheOthersAndABodyIsText) {
  platform_.registry.add<teahouse::ops::ServeTea>(
      [](Context&, const teahouse::ServeTeaInput& in) -> Task<teahouse::ServeTeaOutput> {
        co_return teahouse::ServeTeaOutput{.status_code = 202, .cup = in.guest_name, .degrees = 90, .tea = in.tea};
      });
  EXPECT_EQ(call("teahouse", "ServeTea", R"({"GuestName":"alice","Course":"FIRST","Tea":{"green":true}})"),
            R"({"StatusCode":202,"Cup":"alice","Degrees":90,"Tea":"{\"green\":true}"})");
  EXPECT_THAT(call("teahouse", "ServeTea", R"({"Course":"THIRD"})"), HasSubstr("Value null at 'guestName'"));
}

TEST_F(DocumentTest, ABodyThatStreamsIsText) {
  platform_.registry.add<attic::ops::PutThing>(
      [](Context&, const attic::PutThingInput& in) -> Task<attic::PutThingOutput> {
        co_return attic::PutThingOutput{.e_tag = *co_await in.content.read() + "/" + in.notes->at("k")};
      });
  EXPECT_EQ(call("attic", "PutThing", R"({"Box":"b","Thing":"t","Content":"text","Notes":{"k":"v"}})"),
            R"({"ETag":"text/v"})");
}

TEST_F(DocumentTest, AnswersThatStreamAreReadToTheirEnd) {
  platform_.registry.add<attic::ops::GetThing>(
      [](Context&, const attic::GetThingInput& in) -> Task<attic::GetThingOutput> {
        attic::GetThingOutput out{.content_type = "text/plain", .last_modified = kNoon};
        if (in.thing == "huge")
          out.content = std::string(shapes::kDocumentBodyBytesMax + 1, 'x');
        else
          out.content = in.thing == "binary" ? "\xFF" : "text";
        co_return out;
      });
  const auto get = [&](const std::string& thing) {
    return call("attic", "GetThing", R"({"Box":"b","Thing":")" + thing + "\"}");
  };
  EXPECT_EQ(get("t"), R"({"ContentType":"text/plain","LastModified":"2026-01-01T12:00:00.500Z","Content":"text"})");
  EXPECT_EQ(get("binary"), "NotImplemented: The body of the answer of GetThing is not text");
  EXPECT_EQ(get("huge"), "NotImplemented: The body of the answer of GetThing is longer than a document may be");
}

TEST_F(DocumentTest, ErrorsHaveTheCodesThatTheServicesCallersKnow) {
  platform_.registry.add<attic::ops::DeleteThings>(
      [](Context&, const attic::DeleteThingsInput&) { return Task<attic::DeleteThingsOutput>::ready(); });
  EXPECT_EQ(call("attic", "DeleteThings", R"({"Box":1})"),
            "InvalidArgument: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(call("attic", "DeleteThings", R"({"Box":"b"})"), "MissingRequestBodyError: Request Body is empty");
}

TEST_F(DocumentTest, EventsAreRefused) {
  platform_.registry.add<weathervane::ops::Watch>(
      [](Context&, const weathervane::WatchInput&) { return Task<weathervane::WatchOutput>::ready(); });
  EXPECT_THAT(call("weathervane", "Watch", R"({"Station":"north"})"), HasSubstr("stream of events"));
}

TEST_F(DocumentTest, OperationsThatNobodyHasAndThoseThatAreRefusedSaySo) {
  platform_.registry.refuse(kettle::refused_operations());
  EXPECT_THAT(call("kettle", "Descale", "{}"), HasSubstr("there is no vinegar"));
  EXPECT_EQ(call("kettle", "Whistle", "{}"), "UnknownOperationException: Tidemill does not support kettle.Whistle");
}

}  // namespace
}  // namespace tidemill::wire
