#include "lang/dynamodb/ion_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemill::lang::dynamodb {
namespace {

std::string ion(std::string_view json) {
  std::string out;
  append_ion(out, item_from_json(json).view());
  return out;
}

std::string read(std::string_view text) {
  try {
    return to_json(item_from_ion(text).view());
  } catch (const ValueError& error) {
    return error.what();
  }
}

TEST(IonCodec, EveryTypeIsWrittenAsAwsWritesIt) {
  EXPECT_EQ(ion(R"({"a":{"S":"x"}})"), R"({a:"x"})");
  EXPECT_EQ(ion(R"({"a":{"BOOL":true},"b":{"NULL":true},"c":{"B":"AAH+/w=="}})"), "{a:true,b:null,c:{{AAH+/w==}}}");
  EXPECT_EQ(ion(R"({"a":{"SS":["y","x"]},"b":{"NS":["2","10"]},"c":{"BS":["AA=="]}})"),
            R"({a:$dynamodb_SS::["x","y"],b:$dynamodb_NS::[2.,1d1],c:$dynamodb_BS::[{{AA==}}]})");
  EXPECT_EQ(ion(R"({"a":{"L":[{"S":"s"},{"L":[]},{"M":{}}]},"b":{"M":{"x":{"N":"1"}}}})"),
            R"({a:["s",[],{}],b:{x:1.}})");
}

TEST(IonCodec, NumbersAreDecimals) {
  EXPECT_EQ(
      ion(R"({"a":{"N":"103"},"b":{"N":"600"},"c":{"N":"-2000"},"d":{"N":"0"},"e":{"N":"-1.5"},"f":{"N":"0.05"}})"),
      "{a:103.,b:6d2,c:-2d3,d:0.,e:-1.5,f:0.05}");
}

TEST(IonCodec, NamesAndStringsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(ion(R"({"a.b":{"S":"1"},"null":{"S":"2"},"$1":{"S":"3"},"it's":{"S":"4"},"9":{"S":"5"}})"),
            R"({'$1':"3",'9':"5",'a.b':"1",'it\'s':"4",'null':"2"})");
  EXPECT_EQ(ion("{\"a\":{\"S\":\"q\\\" b\\\\ n\\n t\\t \\u0001 ż\"}}"), "{a:\"q\\\" b\\\\ n\\n t\\t \\x01 ż\"}");
}

TEST(IonCodec, WhatIsWrittenIsReadBack) {
  for (
      const std::string_view item : {
          R"({"a":{"S":""},"b":{"N":"0.000001"},"c":{"B":""},"d":{"BOOL":false},"e":{"NULL":true}})",
          R"({"a":{"L":[{"S":"s"},{"N":"-1"},{"BOOL":true},{"NULL":true},{"B":"YQ=="},{"L":[]},{"M":{}}]}})",
          R"({"a":{"SS":["a","b"]},"b":{"NS":["-2","1","3.5"]},"c":{"BS":["AA==","AQ=="]}})",
          R"({"a":{"N":"11111111111111111111111111111111111111"},"b":{"N":"-99999000000000000000000000000000000000"}})",
          R"({"a'b":{"M":{"nan":{"S":"quote\" backslash\\ newline\n tab\t \u0001"}}},"żółć":{"S":"🦑"}})",
      }) {
    EXPECT_EQ(read(ion(item)), to_json(item_from_json(item).view()));
  }
}

TEST(IonCodec, OtherSpellingsAreReadToo) {
  EXPECT_EQ(read("$ion_1_0 {Item:{a:1}}"), R"({"Item":{"M":{"a":{"N":"1"}}}})");
  EXPECT_EQ(read("$ion_1_0\n// a comment\n{ \"a\" : 0x1F, 'b': 1_000, c: 6.d2, d: /* here */ 1.5D-1, }"),
            R"({"a":{"N":"31"},"b":{"N":"1000"},"c":{"N":"600"},"d":{"N":"0.15"}})");
  EXPECT_EQ(read("{a:'''long ''' '''string''', b:\"\\u017c\\x41\\U0001F991\\ud83e\\udd91\", c:null.string}"),
            R"({"a":{"S":"long string"},"b":{"S":"żA🦑🦑"},"c":{"NULL":true}})");
  EXPECT_EQ(read("{a:note::[1.], b:'$dynamodb_SS'::[\"x\"], c:{{ YQ == }}}"),
            R"({"a":{"L":[{"N":"1"}]},"b":{"SS":["x"]},"c":{"B":"YQ=="}})");
}

TEST(IonCodec, WhatHasNoTypeOfDynamoDbsIsRefused) {
  using ::testing::HasSubstr;
  EXPECT_THAT(read("{a:1e0}"), HasSubstr("float"));
  EXPECT_THAT(read("{a:nan}"), HasSubstr("float"));
  EXPECT_THAT(read("{a:+inf}"), HasSubstr("float"));
  EXPECT_THAT(read("{a:2020-01-01}"), HasSubstr("timestamp"));
  EXPECT_THAT(read("{a:2020-01-01T00:00:00Z}"), HasSubstr("timestamp"));
  EXPECT_THAT(read("{a:symbol}"), HasSubstr("symbol"));
  EXPECT_THAT(read("{a:'symbol'}"), HasSubstr("symbol"));
  EXPECT_THAT(read("{a:(+ 1 2)}"), HasSubstr("sexp"));
  EXPECT_THAT(read("{a:{{\"clob\"}}}"), HasSubstr("clob"));
  EXPECT_THAT(read("{a:$dynamodb_SS::[]}"), HasSubstr("may not be empty"));
  EXPECT_THAT(read("{a:$dynamodb_NS::[1.,1.0]}"), HasSubstr("duplicates"));
  EXPECT_THAT(read("{a:1d126}"), HasSubstr("Number overflow"));
}

TEST(IonCodec, DamagedTextIsRefused) {
  for (const std::string_view text : {"",
                                      "{",
                                      "{a",
                                      "{a:",
                                      "{a:1",
                                      "{a:1,",
                                      "{a:\"x",
                                      "{a:1}}",
                                      "[1]",
                                      "{a:[1",
                                      "{a::b}",
                                      "{a:{{YQ=}}}",
                                      "{a:{{YQ==}",
                                      "{a:'''x''}",
                                      "{a:\"\\ud800\"}",
                                      "{a:\"\\q\"}",
                                      "{a:$dynamodb_SS::[1.]}",
                                      "{a:$dynamodb_XX::[1.]}",
                                      "{a:/* no end",
                                      "{a:\"\n\"}"}) {
    EXPECT_EQ(read(text), "The item is not valid Amazon Ion text") << text;
  }
  EXPECT_EQ(read("{a:\"\xff\"}"), "The item is not valid Amazon Ion text");
}

TEST(IonCodec, DepthIsLimited) {
  const auto nested = [](int depth) { return "{a:" + std::string(depth, '[') + std::string(depth, ']') + "}"; };
  EXPECT_EQ(read(nested(kDepthMax)).substr(0, 5), R"({"a":)");
  EXPECT_EQ(read(nested(100'000)), kNestedTooDeeply);
}

}  // namespace
}  // namespace tidemill::lang::dynamodb
