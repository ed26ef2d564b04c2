// AWS's messages about violated constraints, by the test model in testdata/kettle.smithy.
#include "wire/shape_check.h"

#include <gtest/gtest.h>

#include "wire/testdata/kettle.h"

namespace tidemill::wire::kettle {
namespace {

// `members` beside a valid TableName and Amount.
std::string message_of(const std::string& members, const std::string& required = R"("TableName":"tea","Amount":1)") {
  const std::string body = "{" + required + (members.empty() || required.empty() ? "" : ",") + members + "}";
  try {
    ops::Brew::validate(ops::Brew::parse(WireRequest{.body = body}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code, "ValidationException");
    EXPECT_EQ(error.type_namespace, "com.amazon.coral.validate");
    EXPECT_EQ(error.http_status, 400);
    return error.message;
  }
  return "";
}

constexpr std::string_view kOne = "1 validation error detected: ";
std::string one(std::string_view text) { return std::string(kOne) + std::string(text); }

TEST(Validation, AcceptsWhatKeepsTheConstraints) {
  EXPECT_EQ(message_of(R"("Kind":"BLACK","Slug":"a-b","Words":["a"],"Amounts":[100],"Labels":{"k":"v"},"Bytes":"AAEC",)"
                       R"("Leaves":[{"LeafName":"abc","Children":[{"LeafName":"abc"}]}],"Ratio":0,"Secret":"1234")"),
            "");
}

TEST(Validation, ReportsAMissingMember) {
  EXPECT_EQ(message_of("", R"("TableName":"tea")"),
            one("Value null at 'amount' failed to satisfy constraint: Member must not be null"));
}

TEST(Validation, ReportsAllViolationsTogether) {
  EXPECT_EQ(message_of("", ""),
            "2 validation errors detected: Value null at 'tableName' failed to satisfy constraint: Member must not be "
            "null; Value null at 'amount' failed to satisfy constraint: Member must not be null");
}

TEST(Validation, ReportsTextThatIsTooShortOrTooLong) {
  EXPECT_EQ(message_of("", R"("TableName":"ab","Amount":1)"),
            one("Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal "
                "to 3"));
  EXPECT_EQ(message_of("", R"("TableName":"abcdefghi","Amount":1)"),
            one("Value 'abcdefghi' at 'tableName' failed to satisfy constraint: Member must have length less than or "
                "equal to 8"));
}

TEST(Validation, ReportsPatternAndLengthOfOneValue) {
  EXPECT_EQ(message_of("", R"("TableName":"","Amount":1)"),
            "2 validation errors detected: Value '' at 'tableName' failed to satisfy constraint: Member must satisfy "
            "regular expression pattern: [a-zA-Z0-9_.-]+; Value '' at 'tableName' failed to satisfy constraint: Member "
            "must have length greater than or equal to 3");
}

TEST(Validation, MatchesPatternsAgainstTheWholeText) {
  EXPECT_EQ(message_of(R"("Slug":"a-b-")"),
            one("Value 'a-b-' at 'slug' failed to satisfy constraint: Member must satisfy regular expression pattern: "
                "[a-z]+(-[a-z]+)?"));
}

TEST(Validation, ReportsValuesOutsideAnEnum) {
  EXPECT_EQ(message_of(R"("Kind":"red")"),
            one("Value 'red' at 'kind' failed to satisfy constraint: Member must satisfy enum value set: [GREEN, BLACK, "
                "NULL]"));
}

TEST(Validation, ReportsNumbersOutOfRange) {
  EXPECT_EQ(message_of("", R"("TableName":"tea","Amount":0)"),
            one("Value '0' at 'amount' failed to satisfy constraint: Member must have value greater than or equal to 1"));
  EXPECT_EQ(message_of("", R"("TableName":"tea","Amount":101)"),
            one("Value '101' at 'amount' failed to satisfy constraint: Member must have value less than or equal to 100"));
  EXPECT_EQ(message_of(R"("Ratio":-0.5)"),
            one("Value '-0.5' at 'ratio' failed to satisfy constraint: Member must have value greater than or equal to 0"));
}

TEST(Validation, CountsElements) {
  EXPECT_EQ(message_of(R"("Words":[])"),
            one("Value '[]' at 'words' failed to satisfy constraint: Member must have length greater than or equal to 1"));
  EXPECT_EQ(message_of(R"("Words":["a","b","c"])"),
            one("Value '[a, b, c]' at 'words' failed to satisfy constraint: Member must have length less than or equal "
                "to 2"));
  EXPECT_EQ(message_of(R"("Labels":{"a":"1","b":"2","c":"3"})"),
            one("Value '{a=1, b=2, c=3}' at 'labels' failed to satisfy constraint: Member must have length less than or "
                "equal to 2"));
}

TEST(Validation, LeavesOutTheValueOfACollectionOfStructures) {
  EXPECT_EQ(message_of(R"("Leaves":[{"LeafName":"abc"},{"LeafName":"abc"},{"LeafName":"abc"},{"LeafName":"abc"}])"),
            one("Value at 'leaves' failed to satisfy constraint: Member must have length less than or equal to 3"));
}

TEST(Validation, NamesThePathOfANestedMember) {
  EXPECT_EQ(message_of(R"("Leaves":[{"LeafName":"abc"},{"LeafName":"abc","Kind":"SORT"}])"),
            one("Value 'SORT' at 'leaves.2.member.kind' failed to satisfy constraint: Member must satisfy enum value "
                "set: [GREEN, BLACK, NULL]"));
  EXPECT_EQ(message_of(R"("Leaf":{"LeafName":"abc","Children":[{}]})"),
            one("Value null at 'leaf.children.1.member.leafName' failed to satisfy constraint: Member must not be null"));
  EXPECT_EQ(message_of(R"("Cups":{"one":{}})"),
            one("Value null at 'cups.one.member.leaves' failed to satisfy constraint: Member must not be null"));
  EXPECT_EQ(message_of(R"("Cups":{"one":{"Leaves":[]}})"),
            one("Value '[]' at 'cups.one.member.leaves' failed to satisfy constraint: Member must have length greater "
                "than or equal to 1"));
  EXPECT_EQ(message_of(R"("ByName":{"x":[{}]})"),
            one("Value null at 'byName.x.member.1.member.leafName' failed to satisfy constraint: Member must not be null"));
}

TEST(Validation, ReportsScalarElementsAtTheirCollection) {
  EXPECT_EQ(message_of(R"("Words":["a","toolong"])"),
            one("Value '[a, toolong]' at 'words' failed to satisfy constraint: Member must satisfy constraint: [Member "
                "must have length less than or equal to 4, Member must have length greater than or equal to 1, Member "
                "must not be null]"));
  EXPECT_EQ(message_of(R"("Amounts":[0])"),
            one("Value '[0]' at 'amounts' failed to satisfy constraint: Member must satisfy constraint: [Member must have "
                "value less than or equal to 100, Member must have value greater than or equal to 1, Member must not be "
                "null]"));
  EXPECT_EQ(message_of(R"("Labels":{"toolong":"v"})"),
            one("Value '{toolong=v}' at 'labels' failed to satisfy constraint: Map keys must satisfy constraint: [Member "
                "must have length less than or equal to 4, Member must have length greater than or equal to 1, Member "
                "must not be null]"));
  EXPECT_EQ(message_of(R"("Labels":{"k":""})"),
            one("Value '{k=}' at 'labels' failed to satisfy constraint: Map value must satisfy constraint: [Member must "
                "have length less than or equal to 4, Member must have length greater than or equal to 1, Member must "
                "not be null]"));
}

TEST(Validation, ShowsBlobsAsJavaDoesAndSecretsNever) {
  EXPECT_EQ(message_of(R"("Bytes":"AA==")"),
            one("Value 'java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]' at 'bytes' failed to satisfy constraint: Member must "
                "have length greater than or equal to 2"));
  EXPECT_EQ(message_of(R"("Secret":"12345")"),
            one("Value at 'secret' failed to satisfy constraint: Member must have length less than or equal to 4"));
}

TEST(Validation, CountsCharactersNotBytes) {
  EXPECT_EQ(message_of("\"Secret\":\"\xc3\xa4\xc3\xb6\xc3\xbc\xe2\x82\xac\""), "");
  EXPECT_EQ(message_of("\"Words\":[\"\xf0\x9f\x8d\xb5\xf0\x9f\x8d\xb5\xf0\x9f\x8d\xb5\xf0\x9f\x8d\xb5\"]"), "");
}

TEST(Validation, ListsNoMoreThanTen) {
  std::string leaves;
  for (int i = 0; i < 12; ++i) leaves += std::string(i ? "," : "") + "{}";
  const std::string message = message_of(R"("Leaf":{"LeafName":"abc","Children":[)" + leaves + "]}");
  EXPECT_TRUE(message.starts_with("10 validation errors detected: ")) << message;
  EXPECT_NE(message.find("'leaf.children.9.member.leafName'"), std::string::npos);
  EXPECT_EQ(message.find("'leaf.children.10.member"), std::string::npos);
}

TEST(Validation, TakesRequestsMadeInCodeForComplete) {
  EXPECT_NO_THROW(ops::Brew::validate({.table_name = "tea", .amount = 1}));
  EXPECT_THROW(ops::Brew::validate({.table_name = "tea"}), Error);
}

// What a service that hides collections says of these words.
std::string hidden_message(std::vector<std::string> words) {
  const BrewInput request{.table_name = "tea", .amount = 1, .words = std::move(words)};
  Violations violations(true);
  shapes::check_structure(*ops::Brew::info.input, &request, nullptr, violations);
  try {
    violations.raise();
  } catch (const Error& error) {
    return error.message;
  }
  return "";
}

TEST(Validation, HidesCollectionsWhereTheServiceDoes) {
  EXPECT_EQ(hidden_message({"a", "b", "c"}),
            one("Value at 'words' failed to satisfy constraint: Member must have length less than or equal to 2"));
}

TEST(Validation, ShowsThatACollectionIsEmptyEvenWhereTheServiceHidesThem) {
  EXPECT_EQ(hidden_message({}), one("Value '[]' at 'words' failed to satisfy constraint: Member must have length greater "
                                    "than or equal to 1"));
}

// What `report` says of a member of Brew.
template <class... Arguments>
std::string reported(Arguments... arguments) {
  Violations out(true);
  shapes::report(arguments..., Path(nullptr, ops::Brew::info.input->members[0]), out);
  try {
    out.raise();
  } catch (const Error& error) {
    return error.message;
  }
  return "";
}

TEST(Validation, TerseMessagesShowNoNumbersAndSpellMembersAsTheModelDoes) {
  constexpr std::string_view kFailed =
      "failed to satisfy constraint: Member must have value greater than or equal to 1";
  const auto number = [](bool terse) { return reported(0.0, std::string("0"), NumberRule{.min = 1, .terse = terse}); };
  EXPECT_EQ(number(false), one("Value '0' at 'tableName' " + std::string(kFailed)));
  EXPECT_EQ(number(true), one("Value at 'TableName' " + std::string(kFailed)));
}

TEST(Validation, ATextThatMayBeAnArnIsMeasuredAsOneIfItIsOne) {
  const TextRule rule{.min = 3, .max = 8, .arn_max = 12};
  EXPECT_TRUE(shapes::satisfies("arn:aws:1234", rule));
  EXPECT_FALSE(shapes::satisfies("arn:aws:12345", rule));
  EXPECT_FALSE(shapes::satisfies("not an arn", rule));
  EXPECT_EQ(
      reported(std::string_view("arn:aws:12345"), rule),
      one("Value 'arn:aws:12345' at 'tableName' failed to satisfy constraint: Member must have length less than or "
          "equal to 12"));
  EXPECT_EQ(
      reported(std::string_view(), rule),
      one("Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to "
          "1"));
}

}  // namespace
}  // namespace tidemill::wire::kettle
