// Reading requests of the json protocols by the test model in testdata/kettle.smithy.
#include "wire/testdata/kettle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemill::wire::kettle {
namespace {

using ::testing::ElementsAre;

BrewInput parse(std::string_view body) { return ops::Brew::parse(WireRequest{.body = body}); }

Error error_of(std::string_view body) {
  try {
    parse(body);
  } catch (const Error& error) {
    return error;
  }
  return {"none", 0, "the request was accepted"};
}

std::string serialization_message(std::string_view member) {
  const Error error = error_of("{" + std::string(member) + "}");
  EXPECT_EQ(error.code, "SerializationException") << member;
  EXPECT_EQ(error.type_namespace, "com.amazon.coral.service");
  EXPECT_EQ(error.message_member, "Message");
  return error.message;
}

TEST(ShapeReader, ReadsEveryTypeOfMember) {
  const BrewInput input = parse(R"({"TableName":"tea\u0021","Amount":3,"Kind":"GREEN","Words":["a","b"],"Amounts":[1,2],
    "Labels":{"k":"v"},"Leaf":{"LeafName":"fine","Children":[{"LeafName":"small"}]},"ByName":{"x":[{"LeafName":"deep"}]},
    "Cups":{"one":{"Leaves":[]}},"Big":9007199254740993,"Ratio":1.5,"Hot":true,"Bytes":"AAEC","At":1560209851.963,
    "Until":"2019-06-10T23:37:31.963Z","Anything":{"a":[1.0,null]},"odd-name":"odd","namespace":"n"})");
  EXPECT_EQ(input.table_name, "tea!");
  EXPECT_EQ(input.amount, 3);
  EXPECT_EQ(input.kind, Kind::kGreen);
  EXPECT_THAT(*input.words, ElementsAre("a", "b"));
  EXPECT_THAT(*input.amounts, ElementsAre(1, 2));
  EXPECT_EQ(input.labels->at("k"), "v");
  EXPECT_EQ(input.leaf->children->at(0).leaf_name, "small");
  EXPECT_EQ(input.by_name->at("x").at(0).leaf_name, "deep");
  EXPECT_TRUE(input.cups->at("one").leaves.empty());
  EXPECT_EQ(input.big, 9007199254740993);
  EXPECT_EQ(input.ratio, 1.5);
  EXPECT_EQ(input.hot, true);
  EXPECT_EQ(input.bytes, std::string("\0\1\2", 3));
  EXPECT_EQ(input.at, base::Time(base::Duration(1560209851963000)));
  EXPECT_EQ(input.until, input.at);
  EXPECT_EQ(json::write(*input.anything), R"({"a":[1.0,null]})");
  EXPECT_EQ(input.odd, "odd");
  EXPECT_EQ(input.namespace_, "n");
  EXPECT_EQ(input.missing_required, 0u);
}

TEST(ShapeReader, TakesAnEmptyBodyForAnEmptyObject) {
  EXPECT_EQ(parse("").missing_required, 3u);
  EXPECT_EQ(parse("{}").missing_required, 3u);
  EXPECT_EQ(parse(" {\n} ").missing_required, 3u);
}

TEST(ShapeReader, SkipsUnknownMembersWhateverTheyHold) {
  EXPECT_EQ(parse(R"({"Unknown":{"a":[{"b":1}]},"TableName":"tea","Other":[[]]})").table_name, "tea");
}

TEST(ShapeReader, TakesTheLastOfMembersWithOneName) {
  EXPECT_EQ(parse(R"({"Kind":"GREEN","Kind":"BLACK"})").kind, "BLACK");
  EXPECT_THAT(*parse(R"({"Words":["a"],"Words":["b"]})").words, ElementsAre("b"));
  const BrewInput input = parse(R"({"Leaf":{"LeafName":"one","Kind":"GREEN"},"Leaf":{"LeafName":"two"}})");
  EXPECT_EQ(input.leaf->leaf_name, "two");
  EXPECT_FALSE(input.leaf->kind);
}

TEST(ShapeReader, TakesNullForAbsent) {
  const BrewInput input = parse(R"({"TableName":null,"Kind":null,"Labels":{"a":null},"Milk":null})");
  EXPECT_EQ(input.missing_required, 3u);
  EXPECT_FALSE(input.kind);
  EXPECT_TRUE(input.labels->empty());
}

TEST(ShapeReader, FindsMembersByEscapedNames) { EXPECT_EQ(parse(R"({"Table\u004eame":"tea"})").table_name, "tea"); }

TEST(ShapeReader, RefusesWhatIsNoJsonObject) {
  for (const char* body : {"{", "{\"a\"}", "[]", "1", "\"x\"", "null", "{} {}", "{}x", "{\"TableName\":\"a\"}}",
                           "{\"TableName\":\"\xff\"}", "{'TableName':1}", "{\"TableName\":tru}", "{\"Amount\":01}"}) {
    EXPECT_EQ(error_of(body).code, "SerializationException") << body;
  }
}

TEST(ShapeReader, WordsAWrongScalarAsAwsDoes) {
  EXPECT_EQ(serialization_message(R"("TableName":23)"), "NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(serialization_message(R"("TableName":34.56)"), "DECIMAL_VALUE cannot be converted to String");
  EXPECT_EQ(serialization_message(R"("TableName":true)"), "TRUE_VALUE cannot be converted to String");
  EXPECT_EQ(serialization_message(R"("Kind":false)"), "FALSE_VALUE cannot be converted to String");
  EXPECT_EQ(serialization_message(R"("TableName":[])"), "Unrecognized collection type class java.lang.String");
  EXPECT_EQ(serialization_message(R"("TableName":{})"), "Start of structure or map found where not expected");
  EXPECT_EQ(serialization_message(R"("Amount":"23")"), "STRING_VALUE cannot be converted to Integer");
  EXPECT_EQ(serialization_message(R"("Amount":true)"), "TRUE_VALUE cannot be converted to Integer");
  EXPECT_EQ(serialization_message(R"("Amount":[])"), "Unrecognized collection type class java.lang.Integer");
  EXPECT_EQ(serialization_message(R"("Big":"1")"), "STRING_VALUE cannot be converted to Long");
  EXPECT_EQ(serialization_message(R"("Hot":"true")"), "Unexpected token received from parser");
  EXPECT_EQ(serialization_message(R"("Hot":1)"), "NUMBER_VALUE cannot be converted to Boolean");
  EXPECT_EQ(serialization_message(R"("Hot":[])"), "Unrecognized collection type class java.lang.Boolean");
  EXPECT_EQ(serialization_message(R"("Bytes":1)"), "only base-64-encoded strings are convertible to bytes");
  EXPECT_EQ(serialization_message(R"("Bytes":[])"), "Unrecognized collection type class java.nio.ByteBuffer");
  EXPECT_EQ(serialization_message(R"("Bytes":"23456")"),
            "Base64 encoded length is expected a multiple of 4 bytes but found: 5");
  EXPECT_EQ(serialization_message(R"("Bytes":"=+/=")"), "Invalid last non-pad Base64 character dectected");
}

TEST(ShapeReader, WordsAWrongCollectionAsAwsDoes) {
  EXPECT_EQ(serialization_message(R"("Words":"a")"), "Unexpected field type");
  EXPECT_EQ(serialization_message(R"("Words":{})"), "Start of structure or map found where not expected");
  EXPECT_EQ(serialization_message(R"("Labels":1)"), "Unexpected field type");
  EXPECT_EQ(serialization_message(R"("Labels":[])"),
            "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>");
  EXPECT_EQ(serialization_message(R"("Leaf":[])"),
            "Unrecognized collection type class com.amazonaws.kettle.v20260101.Leaf");
  EXPECT_EQ(serialization_message(R"("Leaf":"a")"), "Unexpected field type");
  EXPECT_EQ(serialization_message(R"("Leaves":["a"])"), "Unexpected value type in payload");
  EXPECT_EQ(serialization_message(R"("Leaves":[[]])"),
            "Unrecognized collection type class com.amazonaws.kettle.v20260101.Leaf");
  EXPECT_THAT(serialization_message(R"("ByName":{"a":1})"), ::testing::HasSubstr("ParameterizedTypeImpl cannot be cast"));
}

TEST(ShapeReader, CutsNumbersToTheirType) {
  EXPECT_EQ(parse(R"({"Amount":3.9})").amount, 3);
  EXPECT_EQ(parse(R"({"Amount":3e0})").amount, 3);
  EXPECT_EQ(parse(R"({"Amount":99999999999})").amount, 2147483647);
  EXPECT_EQ(parse(R"({"Big":-99999999999999999999})").big, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(parse(R"({"Big":1e999})").big, std::numeric_limits<int64_t>::max());
}

TEST(ShapeReader, RefusesUnsupportedMembersByName) {
  const Error error = error_of(R"({"Milk":"yes"})");
  EXPECT_EQ(error.code, "ValidationException");
  EXPECT_EQ(error.message, "Tidemill does not support the parameter Milk of Brew");
}

TEST(ShapeReader, AcceptsUnsupportedMembersThatAskForNothing) {
  EXPECT_NO_THROW(parse(R"({"Milk":[],"Sugars":1})"));
  EXPECT_NO_THROW(parse(R"({"Milk":{},"Sugars":1.0})"));
  EXPECT_EQ(error_of(R"({"Sugars":2})").message, "Tidemill does not support the parameter Sugars of Brew");
}

TEST(ShapeReader, ReadsBodiesTooLargeToShareMemory) {
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(parse(R"({"namespace":")" + large + "\"}").namespace_, large);
  EXPECT_EQ(parse(R"({"namespace":"y"})").namespace_, "y");
}

TEST(ShapeReader, SurvivesDeepNesting) {
  const std::string deep = std::string(2000, '[') + std::string(2000, ']');
  EXPECT_EQ(error_of(R"({"Anything":)" + deep + "}").code, "SerializationException");
}

TEST(ShapeWriter, WritesEveryTypeOfMemberInTheModelsOrder) {
  const BrewInput input = parse(R"({"Big":9007199254740993,"Ratio":1.5,"Hot":false,"Bytes":"AAEC","At":1560209851.963,
    "Until":"2019-06-10T23:37:31Z","Anything":[1.0],"Leaves":[{"LeafName":"a"}],"ByName":{"x":[]},"odd-name":"\n"})");
  WireResponse out;
  ops::Brew::serialize({.table_name = "tea",
                        .hot = input.hot,
                        .big = input.big,
                        .ratio = input.ratio,
                        .bytes = input.bytes,
                        .at = input.at,
                        .until = input.until,
                        .anything = input.anything,
                        .leaves = input.leaves,
                        .by_name = input.by_name,
                        .odd = input.odd},
                       out);
  EXPECT_EQ(out.body, R"({"TableName":"tea","Hot":false,"Big":9007199254740993,"Ratio":1.5,"Bytes":"AAEC",)"
                      R"("At":1560209851.963,"Until":"2019-06-10T23:37:31Z","Anything":[1.0],)"
                      R"("Leaves":[{"LeafName":"a"}],"ByName":{"x":[]},"odd-name":"\n"})");
  EXPECT_EQ(out.content_type, "application/x-amz-json-1.0");
}

TEST(ShapeWriter, LeavesOutWhatIsAbsent) {
  WireResponse out;
  ops::Brew::serialize({.table_name = "tea"}, out);
  EXPECT_EQ(out.body, R"({"TableName":"tea"})");
}

TEST(ErrorFactory, CarriesStatusMessageMemberAndFurtherMembers) {
  const Error plain = errors::boiled_over_exception("hot");
  EXPECT_EQ(plain.code, "BoiledOverException");
  EXPECT_EQ(plain.http_status, 500);
  EXPECT_EQ(plain.message_member, "Message");
  const Error rich = errors::no_water_exception("dry", {.leaf = Leaf{.leaf_name = "a"}});
  EXPECT_EQ(rich.more_members, R"("Leaf":{"LeafName":"a"})");
}

TEST(Operations, ListsEveryOperationOfTheModel) {
  EXPECT_EQ(operations().size(), 3u);
  EXPECT_EQ(operations()[0]->name, "Brew");
  ASSERT_EQ(refused_operations().size(), 1u);
  EXPECT_EQ(refused_operations()[0].name, "Descale");
}

}  // namespace
}  // namespace tidemill::wire::kettle
