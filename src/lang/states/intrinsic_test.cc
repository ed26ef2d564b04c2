// Intrinsic functions.
#include "lang/states/intrinsic.h"

#include "base/text.h"
#include "lang/states/testing.h"

namespace tidemill::lang::states {
namespace {

std::string evaluate(std::string_view call, std::string_view input = "{}") {
  StateFixture fixture(R"({"Type":"Succeed"})");
  fixture.with_variables(R"({"n":4})");
  try {
    const Intrinsic intrinsic = Intrinsic::parse(call);
    const Scope& scope = fixture.scope(input);
    return json::write(intrinsic.evaluate({.scope = scope, .root = scope.input}));
  } catch (const StateError& error) {
    return error.error();
  } catch (const IntrinsicError& error) {
    return std::string("no call: ") + error.what();
  }
}

struct Case {
  std::string_view call;
  std::string_view input;
  std::string_view result;
};

TEST(Intrinsic, FunctionsDoWhatTheGuideSays) {
  constexpr Case kCases[] = {
      {"States.Format('{} is {}', $.a, 'x')", R"({"a":1})", R"("1 is x")"},
      {"States.Format('{}{}{}', null, true, $.o)", R"({"o":{"b":[1]}})", R"("nulltrue{\"b\":[1]}")"},
      {R"(States.Format('\{\} \'q\' \\ {}', 'v'))", "{}", R"("{} 'q' \\ v")"},
      {"States.Format($.t, 1)", R"({"t":"n={}"})", R"("n=1")"},
      {"States.Format('{}')", "{}", "States.IntrinsicFailure"},
      {"States.Format('a', 1)", "{}", "States.IntrinsicFailure"},
      {"States.Format('{', 1)", "{}", "States.IntrinsicFailure"},
      {"States.StringToJson($.s)", R"({"s":"{\"a\":[1,2.50]}"})", R"({"a":[1,2.50]})"},
      {"States.StringToJson('{')", "{}", "States.IntrinsicFailure"},
      {"States.JsonToString($.o)", R"({"o":{"a": [1, "x"]}})", R"("{\"a\":[1,\"x\"]}")"},
      {"States.Array()", "{}", "[]"},
      {"States.Array('a', $.b, 3, States.Array(1))", R"({"b":{"c":1}})", R"(["a",{"c":1},3,[1]])"},
      {"States.ArrayPartition($.a, 4)", R"({"a":[1,2,3,4,5,6,7,8,9]})", "[[1,2,3,4],[5,6,7,8],[9]]"},
      {"States.ArrayPartition($.a, 0)", R"({"a":[1]})", "States.IntrinsicFailure"},
      {"States.ArrayContains($.a, 5)", R"({"a":[1,5.0]})", "true"},
      {"States.ArrayContains($.a, $.o)", R"({"a":[{"x":1,"y":2}],"o":{"y":2,"x":1}})", "true"},
      {"States.ArrayContains($.a, '5')", R"({"a":[1,5]})", "false"},
      {"States.ArrayRange(1, 9, 2)", "{}", "[1,3,5,7,9]"},
      {"States.ArrayRange(3, 1, -1)", "{}", "[3,2,1]"},
      {"States.ArrayRange(1, 1000, 1)", "{}", ""},
      {"States.ArrayRange(1, 1001, 1)", "{}", "States.IntrinsicFailure"},
      {"States.ArrayRange(1, 9, 0)", "{}", "States.IntrinsicFailure"},
      {"States.ArrayGetItem($.a, 1)", R"({"a":[1,2]})", "2"},
      {"States.ArrayGetItem($.a, 2)", R"({"a":[1,2]})", "States.IntrinsicFailure"},
      {"States.ArrayLength($.a)", R"({"a":[1,2]})", "2"},
      {"States.ArrayLength($.a)", R"({"a":{}})", "States.IntrinsicFailure"},
      {"States.ArrayUnique($.a)", R"({"a":[1,2,1.0,{"a":1,"b":2},{"b":2,"a":1},"1"]})", R"([1,2,{"a":1,"b":2},"1"])"},
      {"States.Base64Encode('Data to encode')", "{}", R"("RGF0YSB0byBlbmNvZGU=")"},
      {"States.Base64Decode('RGVjb2RlZCBkYXRh')", "{}", R"("Decoded data")"},
      {"States.Base64Decode('%')", "{}", "States.IntrinsicFailure"},
      {"States.Hash('input data', 'SHA-1')", "{}", R"("aaff4a450a104cd177d28d18d74485e8cae074b7")"},
      {"States.Hash('abc', 'MD5')", "{}", R"("900150983cd24fb0d6963f7d28e17f72")"},
      {"States.Hash('abc', 'SHA-256')", "{}", R"("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")"},
      {"States.Hash('abc', 'SHA-0')", "{}", "States.IntrinsicFailure"},
      {"States.JsonMerge($.a, $.b, false)", R"({"a":{"x":{"p":1},"y":1},"b":{"x":{"q":2}}})", R"({"x":{"q":2},"y":1})"},
      {"States.JsonMerge($.a, $.a, true)", R"({"a":{}})", "States.IntrinsicFailure"},
      {"States.MathAdd(111, -1)", "{}", "110"},
      {"States.MathAdd($.f, 1)", R"({"f":4.6})", "6"},
      {"States.MathAdd('a', 1)", "{}", "States.IntrinsicFailure"},
      {"States.MathAdd($n, 1)", "{}", "5"},
      {"States.StringSplit('1,2,3', ',')", "{}", R"(["1","2","3"])"},
      {"States.StringSplit('This.is+a,test=string', '.+,=')", "{}", R"(["This","is","a","test","string"])"},
      {"States.StringSplit(',,,,', ',')", "{}", "[]"},
      {"States.StringSplit(', , ,', ',')", "{}", R"([" "," "])"},
      {"States.UUID()", "{}", R"("u-1")"},
      {"States.Format('{}', $.a[?(@.b == ',)')].c)", R"x({"a":[{"b":",)","c":1}]})x", R"("[1]")"},
      {"States.ArrayLength($$.Execution)", "{}", "States.IntrinsicFailure"},
  };
  for (const Case& each : kCases) {
    if (!each.result.empty()) EXPECT_EQ(evaluate(each.call, each.input), each.result) << each.call;
  }
  EXPECT_EQ(parsed(evaluate("States.ArrayRange(1, 1000, 1)")).array().size(), kArrayRangeMax);
}

TEST(Intrinsic, RandomNumbersLieBelowTheEndAndFollowTheSeed) {
  EXPECT_EQ(evaluate("States.MathRandom(1, 2)"), "1");
  EXPECT_EQ(evaluate("States.MathRandom(0, 1000, 7)"), evaluate("States.MathRandom(0, 1000, 7)"));
  EXPECT_EQ(evaluate("States.MathRandom(2, 2)"), "States.IntrinsicFailure");
}

TEST(Intrinsic, LongTextsAreRefused) {
  const std::string text(kIntrinsicTextMax + 1, 'a');
  EXPECT_EQ(evaluate("States.Base64Encode($.t)", R"({"t":")" + text + "\"}"), "States.IntrinsicFailure");
  EXPECT_EQ(evaluate("States.Hash($.t, 'MD5')", R"({"t":")" + text + "\"}"), "States.IntrinsicFailure");
}

TEST(Intrinsic, CallsThatAreNoneAreRefused) {
  for (const std::string_view call :
       {"States.Nothing()", "States.Format", "States.Format(", "States.Format()", "States.Format('a'",
        "States.Format('a)", "States.UUID(1)", "States.MathAdd(1)", "States.Array(a)", "States.Array(1,)",
        "States.Array({})", "States.UUID() x", "States.Array($.)", "States.Array($.a[)", R"(States.Array('a\"b'))",
        R"(States.Array('a\nb'))"}) {
    EXPECT_TRUE(evaluate(call).starts_with("no call")) << call << evaluate(call);
  }
}

TEST(Intrinsic, CallsNestToTen) {
  const auto nested = [](int depth) {
    std::string call = "1";
    for (int i = 0; i < depth; ++i) call = "States.Array(" + call + ")";
    return evaluate(call);
  };
  EXPECT_EQ(nested(10), "[[[[[[[[[[1]]]]]]]]]]");
  EXPECT_TRUE(nested(11).starts_with("no call"));
}

TEST(Intrinsic, MergesObjectsOfManyMembers) {
  const auto object = [](int from, int to) {
    json::Object made;
    for (int i = from; i < to; ++i) made.set(base::cat("m", i), from);
    return made;
  };
  const json::Value input = json::Object{{"a", object(0, 100)}, {"b", object(50, 150)}};
  const json::Value merged = parsed(evaluate("States.JsonMerge($.a, $.b, false)", json::write(input)));
  ASSERT_EQ(merged.object().size(), 150u);
  EXPECT_EQ(merged.find("m49")->to_int64(), 0);
  EXPECT_EQ(merged.find("m50")->to_int64(), 50);
  EXPECT_EQ((merged.object().begin() + 50)->first, "m50") << "in its place";
}

}  // namespace
}  // namespace tidemill::lang::states
