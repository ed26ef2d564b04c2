// Which events a pattern matches, and what is no pattern. Expectations are AWS's (event-ruler's documentation and what
// services answered).
#include "lang/patterns/pattern.h"

#include <gtest/gtest.h>

namespace tidemill::lang::patterns {
namespace {

bool match(std::string_view pattern, std::string_view event, const Options& options = event_bridge()) {
  const auto document = json::parse(event);
  EXPECT_TRUE(document) << event;
  return Pattern::parse(pattern, options).matches(*document);
}

std::string refusal(std::string_view pattern, const Options& options = event_bridge()) {
  try {
    (void)Pattern::parse(pattern, options);
  } catch (const PatternError& error) {
    return error.what();
  }
  return "";
}

TEST(PatternTest, LiteralsMatchValuesOfTheirKind) {
  EXPECT_TRUE(match(R"({"a":["x","y"]})", R"({"a":"y"})"));
  EXPECT_FALSE(match(R"({"a":["x","y"]})", R"({"a":"Y"})"));
  EXPECT_FALSE(match(R"({"a":["x"]})", R"({"b":"x"})"));
  EXPECT_TRUE(match(R"({"a":[300]})", R"({"a":300.0})"));
  EXPECT_TRUE(match(R"({"a":[3.0e2]})", R"({"a":300})"));
  EXPECT_FALSE(match(R"({"a":[300]})", R"({"a":"300"})"));
  EXPECT_TRUE(match(R"({"a":[true]})", R"({"a":true})"));
  EXPECT_FALSE(match(R"({"a":[true]})", R"({"a":"true"})"));
  EXPECT_TRUE(match(R"({"a":[null]})", R"({"a":null})"));
  EXPECT_FALSE(match(R"({"a":[null]})", R"({"b":null})"));
  EXPECT_TRUE(match(R"({"a":[""]})", R"({"a":""})"));
}

TEST(PatternTest, AllKeysMustMatch) {
  EXPECT_TRUE(match(R"({"a":["x"],"b":{"c":[1]}})", R"({"a":"x","b":{"c":1,"d":2}})"));
  EXPECT_FALSE(match(R"({"a":["x"],"b":{"c":[1]}})", R"({"a":"x","b":{"c":2}})"));
  EXPECT_FALSE(match(R"({"b":{"c":[1]}})", R"({"b":1})"));
}

TEST(PatternTest, AnArrayInTheEventStandsForEachOfItsElements) {
  EXPECT_TRUE(match(R"({"a":["x"]})", R"({"a":["y","x"]})"));
  EXPECT_TRUE(match(R"({"a":["x"]})", R"({"a":[["y"],["x"]]})"));
  EXPECT_FALSE(match(R"({"a":["x"]})", R"({"a":[]})"));
  EXPECT_TRUE(match(R"({"a":{"b":[1]}})", R"({"a":[{"b":2},{"b":1}]})"));
}

TEST(PatternTest, WhatIsRequiredOfOneObjectMustHoldInOneElement) {
  constexpr std::string_view kPattern = R"({"a":{"b":[1],"c":[2]}})";
  EXPECT_TRUE(match(kPattern, R"({"a":[{"b":0},{"b":1,"c":2}]})"));
  EXPECT_FALSE(match(kPattern, R"({"a":[{"b":1,"c":0},{"b":0,"c":2}]})"));
}

TEST(PatternTest, DotsJoinKeys) {
  EXPECT_TRUE(match(R"({"d":{"state.status":["x"]}})", R"({"d":{"state":{"status":"x"}}})"));
  EXPECT_TRUE(match(R"({"d":{"state":{"status":["x"]}}})", R"({"d":{"state.status":"x"}})"));
  EXPECT_TRUE(match(R"({"d.state":{"status":["x"]}})", R"({"d":{"state.status":"x"}})"));
  EXPECT_FALSE(match(R"({"d.state":["x"]})", R"({"d.stat":"x"})"));
  EXPECT_TRUE(match(R"({"a.b":["x"],"a.c":["y"]})", R"({"a":{"b":"x","c":"y"}})"));
}

TEST(PatternTest, TextIsComparedInParts) {
  EXPECT_TRUE(match(R"({"a":[{"prefix":"us-"}]})", R"({"a":"us-east-1"})"));
  EXPECT_FALSE(match(R"({"a":[{"prefix":"us-"}]})", R"({"a":"eu-us-"})"));
  EXPECT_TRUE(match(R"({"a":[{"prefix":""}]})", R"({"a":"anything"})"));
  EXPECT_FALSE(match(R"({"a":[{"prefix":"1"}]})", R"({"a":12})"));
  EXPECT_TRUE(match(R"({"a":[{"suffix":".png"}]})", R"({"a":"x.png"})"));
  EXPECT_FALSE(match(R"({"a":[{"suffix":".png"}]})", R"({"a":"x.PNG"})"));
  EXPECT_TRUE(match(R"({"a":[{"suffix":{"equals-ignore-case":".png"}}]})", R"({"a":"x.PnG"})"));
  EXPECT_TRUE(match(R"({"a":[{"prefix":{"equals-ignore-case":"US"}}]})", R"({"a":"us-east-1"})"));
  EXPECT_TRUE(match(R"({"a":[{"equals-ignore-case":"Grün ΑΩ Жук"}]})", R"({"a":"gRÜN αω жУК"})"));
  EXPECT_FALSE(match(R"({"a":[{"equals-ignore-case":"abc"}]})", R"({"a":"abcd"})"));
}

TEST(PatternTest, WildcardsStandForAnyText) {
  EXPECT_TRUE(match(R"({"a":[{"wildcard":"dir/*.png"}]})", R"({"a":"dir/sub/x.png"})"));
  EXPECT_FALSE(match(R"({"a":[{"wildcard":"dir/*.png"}]})", R"({"a":"dir/x.jpg"})"));
  EXPECT_TRUE(match(R"({"a":[{"wildcard":"*a*b*"}]})", R"({"a":"xxaxxbxx"})"));
  EXPECT_FALSE(match(R"({"a":[{"wildcard":"*a*b*"}]})", R"({"a":"xxbxxaxx"})"));
  EXPECT_TRUE(match(R"({"a":[{"wildcard":"*"}]})", R"({"a":""})"));
  EXPECT_FALSE(match(R"({"a":[{"wildcard":"ab*ba"}]})", R"({"a":"aba"})"));
  EXPECT_TRUE(match(R"({"a":[{"wildcard":"1\\*2*"}]})", R"({"a":"1*23"})"));
  EXPECT_FALSE(match(R"({"a":[{"wildcard":"1\\*2"}]})", R"({"a":"1x2"})"));
  EXPECT_FALSE(match(R"({"a":[{"wildcard":""}]})", R"({"a":"x"})"));
  EXPECT_EQ(refusal(R"({"a":[{"wildcard":"x**y"}]})"), "Consecutive wildcard characters at pos 1");
  EXPECT_EQ(refusal(R"({"a":[{"wildcard":"x\\y"}]})"), "Invalid escape character at pos 1");
  EXPECT_EQ(refusal(R"({"a":[{"wildcard":5}]})"), "wildcard match pattern must be a string");
}

TEST(PatternTest, AnythingButNeedsAValueThatIsNotListed) {
  EXPECT_TRUE(match(R"({"a":[{"anything-but":"x"}]})", R"({"a":"y"})"));
  EXPECT_FALSE(match(R"({"a":[{"anything-but":"x"}]})", R"({"a":"x"})"));
  EXPECT_FALSE(match(R"({"a":[{"anything-but":"x"}]})", R"({"b":"y"})"));
  EXPECT_TRUE(match(R"({"a":[{"anything-but":"x"}]})", R"({"a":null})"));
  EXPECT_FALSE(match(R"({"a":[{"anything-but":[1,"x"]}]})", R"({"a":1.0})"));
  EXPECT_TRUE(match(R"({"a":[{"anything-but":["rugby","tennis"]}]})", R"({"a":["rugby","baseball"]})"));
  EXPECT_FALSE(match(R"({"a":[{"anything-but":{"prefix":"init"}}]})", R"({"a":"initial"})"));
  EXPECT_TRUE(match(R"({"a":[{"anything-but":{"prefix":["init","x"]}}]})", R"({"a":"end"})"));
  EXPECT_FALSE(match(R"({"a":[{"anything-but":{"suffix":".png"}}]})", R"({"a":"x.png"})"));
  EXPECT_FALSE(match(R"({"a":[{"anything-but":{"equals-ignore-case":["X"]}}]})", R"({"a":"x"})"));
  EXPECT_FALSE(match(R"({"a":[{"anything-but":{"wildcard":"*/lib/*"}}]})", R"({"a":"a/lib/b"})"));
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":true}]})"),
            "Value of anything-but must be an array or single string/number value.");
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":[null]}]})"),
            "Inside anything but list, start|null|boolean is not supported.");
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":{"prefix":""}}]})"), "Null prefix/suffix not allowed");
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":{"equals-ignore-case":[1]}}]})"),
            "Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.");
}

TEST(PatternTest, NumbersLieInRanges) {
  EXPECT_TRUE(match(R"({"a":[{"numeric":[">",0,"<=",5]}]})", R"({"a":5})"));
  EXPECT_FALSE(match(R"({"a":[{"numeric":[">",0,"<=",5]}]})", R"({"a":0})"));
  EXPECT_TRUE(match(R"({"a":[{"numeric":["=",3.018e2]}]})", R"({"a":301.8})"));
  EXPECT_TRUE(match(R"({"a":[{"numeric":["<",10]}]})", R"({"a":-1})"));
  EXPECT_FALSE(match(R"({"a":[{"numeric":["<",10]}]})", R"({"a":"1"})"));
  EXPECT_FALSE(match(R"({"a":[{"numeric":["<",10]}]})", R"({"a":null})"));
}

TEST(PatternTest, RangesThatMakeNoSenseAreRefused) {
  const auto numeric = [](std::string_view terms) {
    return refusal(R"({"a":[{"numeric":)" + std::string(terms) + "}]}");
  };
  EXPECT_EQ(numeric("[]"), "Invalid member in numeric match: ]");
  EXPECT_EQ(numeric("1"), "Value of numeric must be an array.");
  EXPECT_EQ(numeric(R"(["operator"])"), "Unrecognized numeric range operator: operator");
  EXPECT_EQ(numeric(R"([1,"<="])"), "Invalid member in numeric match: 1");
  EXPECT_EQ(numeric(R"(["=","000"])"), "Value of equals must be numeric");
  EXPECT_EQ(numeric(R"([">="])"), "Value of >= must be numeric");
  EXPECT_EQ(numeric(R"(["<",100,">",10])"), "Too many elements in numeric expression");
  EXPECT_EQ(numeric(R"([">=",1,">",2])"), "Bad numeric range operator: >");
  EXPECT_EQ(numeric(R"([">",3,"<",1])"), "Bottom must be less than top");
  EXPECT_EQ(numeric(R"([">",20,"<="])"), "Value of <= must be numeric");
  EXPECT_EQ(numeric(R"([">",20,30])"), "Bad value in numeric range: 30");
  EXPECT_EQ(numeric(R"([">",20,"<",30,"<",50])"), "Too many terms in numeric range expression");
}

TEST(PatternTest, AddressesLieInNetworks) {
  EXPECT_TRUE(match(R"({"a":[{"cidr":"10.0.0.0/24"}]})", R"({"a":"10.0.0.255"})"));
  EXPECT_FALSE(match(R"({"a":[{"cidr":"10.0.0.0/24"}]})", R"({"a":"10.0.1.0"})"));
  EXPECT_TRUE(match(R"({"a":[{"cidr":"10.0.0.0/9"}]})", R"({"a":"10.127.1.0"})"));
  EXPECT_FALSE(match(R"({"a":[{"cidr":"10.0.0.0/9"}]})", R"({"a":"10.128.1.0"})"));
  EXPECT_FALSE(match(R"({"a":[{"cidr":"0.0.0.0/0"}]})", R"({"a":"::1"})"));
  EXPECT_TRUE(match(R"({"a":[{"cidr":"2001:db8::/32"}]})", R"({"a":"2001:db8:1::5"})"));
  EXPECT_FALSE(match(R"({"a":[{"cidr":"10.0.0.0/24"}]})", R"({"a":"ten"})"));
  EXPECT_EQ(refusal(R"({"a":[{"cidr":"10.0.0.0"}]})"), "Malformed CIDR, one '/' required");
  EXPECT_EQ(refusal(R"({"a":[{"cidr":"10.0.0.0/x"}]})"), "Malformed CIDR, mask bits must be an integer");
  EXPECT_EQ(refusal(R"({"a":[{"cidr":"10.0.0.0/33"}]})"), "Malformed CIDR, mask bits must be <= 32");
  EXPECT_EQ(refusal(R"({"a":[{"cidr":"xx/8"}]})"), "Nonstandard IP address: xx");
}

TEST(PatternTest, ExistenceIsThatOfLeaves) {
  EXPECT_TRUE(match(R"({"a":[{"exists":true}]})", R"({"a":null})"));
  EXPECT_FALSE(match(R"({"a":[{"exists":true}]})", R"({"b":1})"));
  EXPECT_FALSE(match(R"({"a":[{"exists":true}]})", R"({"a":{"S":"x"}})"));
  EXPECT_FALSE(match(R"({"a":[{"exists":true}]})", R"({"a":[]})"));
  EXPECT_TRUE(match(R"({"a":{"b":[{"exists":true}]}})", R"({"a":[{"c":1},{"b":1}]})"));
  EXPECT_TRUE(match(R"({"a":[{"exists":false}]})", R"({"b":1})"));
  EXPECT_FALSE(match(R"({"a":[{"exists":false}]})", R"({"a":1})"));
  EXPECT_TRUE(match(R"({"a":[{"exists":false}]})", R"({"a":{"S":"x"}})"));
  EXPECT_TRUE(match(R"({"a":[{"exists":false}]})", R"({"a":[]})"));
  EXPECT_TRUE(match(R"({"a":{"b":{"c":[{"exists":false}]}}})", R"({"a":1})"));
  EXPECT_FALSE(match(R"({"a":{"b":[{"exists":false}]}})", R"({"a":[{"c":1},{"b":1}]})"));
  EXPECT_TRUE(match(R"({"a":[{"exists":false},"x"]})", R"({"a":"x"})"));
  EXPECT_FALSE(match(R"({"a":[{"exists":false},"x"]})", R"({"a":"y"})"));
  EXPECT_EQ(refusal(R"({"a":[{"exists":"no"}]})"), "exists match pattern must be either true or false.");
}

TEST(PatternTest, OneOfSeveralAlternativesMustMatch) {
  constexpr std::string_view kPattern = R"({"s":["x"],"$or":[{"a":[1]},{"b":{"c":[2]}}]})";
  EXPECT_TRUE(match(kPattern, R"({"s":"x","a":1})"));
  EXPECT_TRUE(match(kPattern, R"({"s":"x","b":{"c":2}})"));
  EXPECT_FALSE(match(kPattern, R"({"s":"x","b":{"c":1}})"));
  EXPECT_FALSE(match(kPattern, R"({"s":"y","a":1})"));
  EXPECT_TRUE(match(R"({"d":{"$or":[{"a":[1]},{"b":[2]}]}})", R"({"d":{"b":2}})"));
}

TEST(PatternTest, AnOrThatIsNoneIsAKeyLikeOthers) {
  EXPECT_TRUE(match(R"({"$or":["x"]})", R"({"$or":"x"})"));
  EXPECT_TRUE(match(R"({"$or":[{"prefix":"x"},{"suffix":"y"}]})", R"({"$or":"xz"})"));
}

TEST(PatternTest, WhatIsNoPatternIsRefused) {
  EXPECT_EQ(refusal("{"), "failed to parse JSON.");
  EXPECT_EQ(refusal("[]"), "Filter is not an object");
  EXPECT_EQ(refusal(R"({"a":"x"})"), "\"a\" must be an object or an array");
  EXPECT_EQ(refusal(R"({"a":{"suffix":"x"}})"), "\"suffix\" must be an object or an array");
  EXPECT_EQ(refusal(R"({"a":[]})"), "Empty arrays are not allowed");
  EXPECT_EQ(refusal(R"({"a":{}})"), "Empty objects are not allowed");
  EXPECT_EQ(refusal("{}"), "Empty objects are not allowed");
  EXPECT_EQ(refusal(R"({"a":[["x"]]})"), "Match value must be String, number, true, false, or null");
  EXPECT_EQ(refusal(R"({"a":[{"EXISTS":true}]})"), "Unrecognized match type EXISTS");
  EXPECT_EQ(refusal(R"({"a":[{"prefix":"x","suffix":"y"}]})"), "Only one key allowed in match expression");
  EXPECT_EQ(refusal(R"({"a":[{"suffix":["x"]}]})"), "suffix match pattern must be a string");
  std::string deep = R"(["x"])";
  for (int i = 0; i < 100; ++i) deep = R"({"a":)" + deep + "}";
  EXPECT_EQ(refusal(deep), "failed to parse JSON.");
}

TEST(PatternTest, DotsNestNoDeeperThanBraces) {
  const auto nested = [](int depth) {
    std::string key = "a";
    for (int i = 1; i < depth; ++i) key += ".a";
    return R"({")" + key + R"(":["x"]})";
  };
  EXPECT_EQ(refusal(nested(kPatternDepthMax)), "");
  EXPECT_EQ(refusal(nested(kPatternDepthMax + 1)), "Filter policy is nested too deeply");
  EXPECT_EQ(refusal(nested(100'000), sns_body()), "Filter policy is nested too deeply");
}

TEST(PatternTest, AlternativesHaveNoMoreKeysThanTheLimit) {
  std::string keys;
  for (size_t i = 0; i <= kPatternNodesMax; ++i) keys += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + R"(":["x"])";
  EXPECT_EQ(refusal(R"({"$or":[{)" + keys + R"(},{"b":["x"]}]})", sns_body()), "Filter policy has too many keys");
}

// Each would take hours if the work were the product of two sizes.
TEST(PatternTest, LongEventsTakeTimeInProportion) {
  std::string elements;
  for (int i = 0; i < 400'000; ++i) elements += "{},";
  EXPECT_FALSE(match(R"({"a":{"b":[{"exists":false}]}})", R"({"a":[)" + elements + R"({"b":1}]})"));
  const std::string many(2'000'000, 'a');
  Options options = sns_body();
  options.bytes_max = 2 * many.size();
  EXPECT_FALSE(match(R"({"a":[{"wildcard":"*)" + many.substr(many.size() / 2) + R"(b*"}]})", R"({"a":")" + many + R"("})",
                     options));
}

TEST(PatternTest, TopicsLimitTheirFilterPolicies) {
  EXPECT_TRUE(match("{}", "{}", sns_attributes()));
  EXPECT_EQ(refusal(R"({"$or":[{},{}]})", sns_attributes()), "Empty objects are not allowed");
  EXPECT_EQ(refusal(R"({"a":{"b":["x"]}})", sns_attributes()),
            "Filter policy scope MessageAttributes does not support nested filter policy");
  EXPECT_EQ(refusal(R"({"a":{"b":["x"]}})", sns_body()), "");
  EXPECT_EQ(refusal(R"({"a":[1],"b":[1],"c":[1],"d":[1],"e":[1],"f":[1]})", sns_attributes()),
            "Filter policy can not have more than 5 keys");
  std::string values = "1";
  for (int i = 2; i <= 75; ++i) values += "," + std::to_string(i);
  EXPECT_EQ(refusal(R"({"a":[)" + values + R"(],"b":[1,2]})", sns_attributes()), "");
  EXPECT_EQ(refusal(R"({"a":[)" + values + R"(],"b":[1,2,3]})", sns_attributes()), "Filter policy is too complex");
  // Depth counts.
  EXPECT_EQ(refusal(R"({"a":{"b":[)" + values + "]}}", sns_body()), "");
  EXPECT_EQ(refusal(R"({"a":{"b":{"c":[)" + values + "]}}}", sns_body()), "Filter policy is too complex");
}

TEST(PatternTest, TheWildcardsOfFilterPoliciesHavePoints) {
  const auto wildcards = [](int count, std::string_view text) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (i ? "," : "") + std::string(R"({"wildcard":")") + std::string(text) + R"("})";
    return R"({"a":[)" + list + "]}";
  };
  EXPECT_NO_THROW((void)Pattern::parse(wildcards(10, "a*"), sns_attributes())) << "ten times ten";
  EXPECT_EQ(refusal(wildcards(11, "a*"), sns_attributes()), "Filter policy is too complex");
  EXPECT_NO_THROW((void)Pattern::parse(wildcards(5, "a*b*"), sns_body())) << "five times fifteen";
  EXPECT_EQ(refusal(wildcards(6, "a*b*"), sns_body()), "Filter policy is too complex");
  EXPECT_NO_THROW((void)Pattern::parse(wildcards(11, "a*"), event_bridge()));
  // An anything-but counts as one with a single star, whatever it excludes.
  const auto beside = [](int count) {
    std::string list = R"({"anything-but":{"wildcard":["a*b*","c*"]}})";
    for (int i = 0; i < count; ++i) list += R"(,{"wildcard":"a*"})";
    return R"({"a":[)" + list + "]}";
  };
  EXPECT_EQ(refusal(beside(9), sns_attributes()), "");
  EXPECT_EQ(refusal(beside(10), sns_attributes()), "Filter policy is too complex");
}

TEST(PatternTest, AWildcardOfAFilterPolicyHasThreeStarsAtMost) {
  EXPECT_EQ(refusal(R"({"a":[{"wildcard":"*a*b*"}]})", sns_attributes()), "");
  EXPECT_EQ(refusal(R"({"a":[{"wildcard":"*a*b\\*c*"}]})", sns_attributes()), "") << "one is escaped";
  EXPECT_EQ(refusal(R"({"a":[{"wildcard":"*a*b*c*"}]})", sns_attributes()), "Filter policy is too complex");
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":{"wildcard":"*a*b*c*"}}]})", sns_body()), "Filter policy is too complex");
  EXPECT_EQ(refusal(R"({"a":[{"wildcard":"*a*b*c*"}]})"), "");
  EXPECT_EQ(refusal(R"({"a":[{"wildcard":"*a*b*c*"}]})", without_limits(sns_attributes())), "");
}

TEST(PatternTest, FilterPoliciesExcludeLiteralsPrefixesAndWildcardsOnly) {
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":{"prefix":"x"}}]})", sns_attributes()), "");
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":{"wildcard":"*x"}}]})", sns_attributes()), "");
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":{"suffix":"test"}}]})", sns_attributes()),
            "Unsupported anything-but pattern: suffix");
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":{"equals-ignore-case":"x"}}]})", sns_body()),
            "Unsupported anything-but pattern: equals-ignore-case");
  EXPECT_EQ(refusal(R"({"a":[{"anything-but":{"exists":false}}]})", sns_attributes()),
            "Unsupported anything-but pattern: exists");
}

TEST(PatternTest, OfNestedFilterPoliciesTheKeysWithValuesCount) {
  EXPECT_EQ(refusal(R"({"a":{"b":{"c":[1],"d":[1]},"e":[1]},"f":[1],"g":[1]})", without_limits(sns_body())), "");
  EXPECT_EQ(refusal(R"({"a":{"b":[1],"c":[1]},"d":[1],"e":[1],"f":[1]})", sns_body()), "");
  EXPECT_EQ(refusal(R"({"a":{"b":[1],"c":[1],"d":[1]},"e":[1],"f":[1],"g":[1]})", sns_body()),
            "Filter policy can not have more than 5 keys");
  EXPECT_EQ(refusal(R"({"a":[1],"$or":[{"b":[1],"c":[1],"d":[1]},{"e":[1],"f":[1],"g":[1],"h":[1]}]})", sns_attributes()), "");
  EXPECT_EQ(refusal(R"({"a":[1],"$or":[{"b":[1]},{"c":[1],"d":[1],"e":[1],"f":[1],"g":[1]}]})", sns_attributes()),
            "Filter policy can not have more than 5 keys");
}

// What AWS has refused and taken with these numbers.
TEST(PatternTest, CombinationsOfAlternativesAreAddedUp) {
  const auto values = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (i > 0 ? "," : "") + std::to_string(i);
    return "[" + list + "]";
  };
  const auto policy = [&](int source, int name, int type, int id, int space) {
    return R"({"source":)" + values(source) + R"(,"$or":[{"name":)" + values(name) + R"(},{"type":)" + values(type) +
           R"(,"$or":[{"id":)" + values(id) + R"(},{"space":)" + values(space) + "}]}]}";
  };
  EXPECT_EQ(refusal(policy(4, 6, 4, 4, 4), sns_attributes()), "Filter policy is too complex") << "152";
  EXPECT_EQ(refusal(policy(3, 6, 4, 4, 7), sns_attributes()), "") << "150";
}

}  // namespace
}  // namespace tidemill::lang::patterns
