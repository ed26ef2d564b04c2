// Paths: what they find, what they are, and what they place.
#include "lang/jsonpath/jsonpath.h"

#include <gtest/gtest.h>

namespace tidemill::lang::jsonpath {
namespace {

constexpr std::string_view kStore = R"({
  "store": {
    "book": [
      {"category": "reference", "title": "Sayings", "price": 8.95},
      {"category": "fiction", "title": "Sword", "price": 12.99, "tags": ["a", "b"]},
      {"category": "fiction", "title": "Moby", "isbn": "0-553", "price": 8.99, "tags": []}
    ],
    "bicycle": {"color": "red", "price": 19.95}
  },
  "odd name": {"it's": 1, "a.b": 2},
  "limit": 9,
  "list": [3, 1, 2],
  "none": null
})";

std::string find(std::string_view path, std::string_view text = kStore) {
  const auto document = json::parse(text);
  const Selection found = Path::parse(path).select(*document);
  return found.found() ? json::write(found.value()) : "nothing";
}

struct Case {
  std::string_view path;
  std::string_view found;
};

TEST(JsonPath, FindsWhatJaywayFinds) {
  constexpr Case kCases[] = {
      {"$.limit", "9"},
      {"$['limit']", "9"},
      {"$[\"limit\"]", "9"},
      {"$.store.bicycle", R"({"color":"red","price":19.95})"},
      {"$.store['bicycle'].color", "\"red\""},
      {"$.store.['bicycle']", R"({"color":"red","price":19.95})"},
      {"$['odd name']['it\\'s']", "1"},
      {"$['odd name']['a.b']", "2"},
      {"$.store.bicycle['color','price','none']", R"({"color":"red","price":19.95})"},
      {"$.none", "null"},
      {"$.missing", "nothing"},
      {"$.limit.x", "nothing"},
      {"$.list.x", "nothing"},
      {"$.list[0]", "3"},
      {"$.list[-1]", "2"},
      {"$.list[3]", "nothing"},
      {"$.list[-4]", "nothing"},
      {"$.list[0,2]", "[3,2]"},
      {"$.list[0, 7]", "[3]"},
      {"$.list[1:]", "[1,2]"},
      {"$.list[:2]", "[3,1]"},
      {"$.list[-2:]", "[1,2]"},
      {"$.list[0:-1]", "[3,1]"},
      {"$.list[::2]", "[3,2]"},
      {"$.list[5:]", "[]"},
      {"$.list[*]", "[3,1,2]"},
      {"$.store.book[*].title", R"(["Sayings","Sword","Moby"])"},
      {"$.store.book[*].isbn", R"(["0-553"])"},
      {"$.store.bicycle.*", R"(["red",19.95])"},
      {"$..price", "[8.95,12.99,8.99,19.95]"},
      {"$..book[0].title", R"(["Sayings"])"},
      {"$..missing", "[]"},
      {"$.store..color", R"(["red"])"},
      {"$.store.book[?(@.price < 10)].title", R"(["Sayings","Moby"])"},
      {"$.store.book[?(@.price < $.limit)].title", R"(["Sayings","Moby"])"},
      {"$.store.book[?(@.isbn)].title", R"(["Moby"])"},
      {"$.store.book[?(!(@.isbn))].title", R"(["Sayings","Sword"])"},
      {"$.store.book[?(@.category == 'fiction' && @.price > 10)].title", R"(["Sword"])"},
      {"$.store.book[?(@.title == 'Moby' || @['title'] == \"Sword\")].price", "[12.99,8.99]"},
      {"$.store.book[?(@.title != 'Moby')].price", "[8.95,12.99]"},
      {"$.store.book[?(@.title =~ /s.*/i)].title", R"(["Sayings","Sword"])"},
      {"$.store.book[?(@.title =~ /s.*/)].title", "[]"},
      {"$.store.book[?(@.category in ['reference', 'poetry'])].title", R"(["Sayings"])"},
      {"$.store.book[?(@.category nin ['reference'])].title", R"(["Sword","Moby"])"},
      {"$.store.book[?(@.tags anyof ['b', 'c'])].title", R"(["Sword"])"},
      {"$.store.book[?(@.tags subsetof ['a', 'b', 'c'])].title", R"(["Sword","Moby"])"},
      {"$.store.book[?(@.tags size 2)].title", R"(["Sword"])"},
      {"$.store.book[?(@.tags empty true)].title", R"(["Moby"])"},
      {"$.list[?(@ > 1)]", "[3,2]"},
      {"$.list.length()", "3"},
      {"$.list.sum()", "6"},
      {"$.list.min()", "1"},
      {"$.list.max()", "3"},
      {"$.list.avg()", "2"},
      {"$.list.first()", "3"},
      {"$.list.last()", "2"},
      {"$.list.index(1)", "1"},
      {"$..price.max()", "19.95"},
      {"$.store.bicycle.keys()", R"(["color","price"])"},
      {"$.store.book[?(@.price < 10)].length()", "2"},
      {"$.limit.length()", "nothing"},
      {"$.none.length()", "nothing"},
  };
  for (const Case& each : kCases) EXPECT_EQ(find(each.path), each.found) << each.path;
}

TEST(JsonPath, WhatIsNoPathIsRefused) {
  for (const std::string_view path : {"",
                                      "x",
                                      "$.",
                                      "$..",
                                      "$x y",
                                      "$.a b",
                                      "$[",
                                      "$[']",
                                      "$['a'",
                                      "$[a]",
                                      "$.a[?(@.b]",
                                      "$.a[?(@.b ==)]",
                                      "$.a[?()]",
                                      "$.a[1:2:0]",
                                      "$.a.nofunction()",
                                      "$.a.length().b",
                                      "$.a[?(@.b =~ /(/)]",
                                      "$.a[?(@.b ~ 1)]",
                                      "$[99999999999]",
                                      "$.a[?(@.b like 1)]",
                                      "$.a[0",
                                      "$.list[--1]"}) {
    EXPECT_THROW((void)Path::parse(path), PathError) << path;
  }
  EXPECT_THROW((void)Path::parse("$" + std::string(kPathBytesMax, 'a')), PathError);
}

TEST(JsonPath, ThatNestsTooDeepIsRefused) {
  std::string path = "$.a[?";
  for (int i = 0; i < 100; ++i) path += "(";
  EXPECT_THROW((void)Path::parse(path), PathError);
  std::string nested = "$";
  for (int i = 0; i < 100; ++i) nested += "[?(@";
  EXPECT_THROW((void)Path::parse(nested), PathError);
}

TEST(JsonPath, ThatVisitsTooManyNodesEnds) {
  std::string text = "[";
  for (int i = 0; i < 2000; ++i) text += "[1],";
  const auto document = json::parse(text + "[1]]");
  const Path path = Path::parse("$..[?($..[?($..[?(@ == 2)])])]");
  EXPECT_THROW((void)path.select(*document), PathError);
}

TEST(JsonPath, RootsAreTheInputTheContextAndVariables) {
  EXPECT_EQ(Path::parse("$.a").root(), Path::Root::input);
  EXPECT_EQ(Path::parse("$$.Execution.Id").root(), Path::Root::context);
  const Path variable = Path::parse("$total_1.x[0]");
  EXPECT_EQ(variable.root(), Path::Root::variable);
  EXPECT_EQ(variable.variable(), "total_1");
  EXPECT_EQ(variable.steps(), 2u);
  EXPECT_TRUE(Path::parse("$total").is_whole());
}

TEST(JsonPath, ReferencePathsLeadToOneNodeAtMost) {
  for (const std::string_view path : {"$", "$.a", "$['a b'].c", "$.a[0].b"})
    EXPECT_TRUE(Path::parse(path).is_reference());
  for (const std::string_view path :
       {"$.a[*]", "$..a", "$.a[-1]", "$.a[0:1]", "$['a','b']", "$.a[?(@.b)]", "$.a.length()"}) {
    EXPECT_FALSE(Path::parse(path).is_reference()) << path;
  }
}

std::string place(std::string_view path, std::string_view text) {
  const auto document = json::parse(text);
  return json::write(Path::parse(path).place(*document, 1));
}

TEST(JsonPath, PlacesAValueAndMakesWhatIsMissing) {
  EXPECT_EQ(place("$", R"({"a":2})"), "1");
  EXPECT_EQ(place("$.a", R"({"a":2,"b":3})"), R"({"a":1,"b":3})");
  EXPECT_EQ(place("$.b.c.d", R"({"a":2})"), R"({"a":2,"b":{"c":{"d":1}}})");
  EXPECT_EQ(place("$.a[1]", R"({"a":[5,6]})"), R"({"a":[5,1]})");
  EXPECT_THROW((void)place("$.a.b", R"({"a":2})"), PathError);
  EXPECT_THROW((void)place("$.a", "[]"), PathError);
  EXPECT_THROW((void)place("$.a[2]", R"({"a":[5,6]})"), PathError);
}

TEST(JsonPath, SaysWhyItLeadsNowhere) {
  const auto document = json::parse(R"({"a":{"b":[1]},"n":1})");
  const auto explain = [&](std::string_view path) { return Path::parse(path).explain(*document); };
  EXPECT_EQ(explain("$.x"), "No results for path: $['x']");
  EXPECT_EQ(explain("$.x.y"), "Missing property in path $['x']");
  EXPECT_EQ(explain("$.a.b[3]"), "No results for path: $['a']['b'][3]");
  EXPECT_EQ(explain("$.n[0]"), "Filter: [0] can only be applied to arrays. Current context is: 1");
  EXPECT_TRUE(Path::parse("$.a.b[3]").ends_beyond_array(*document));
  EXPECT_FALSE(Path::parse("$.a.c[3]").ends_beyond_array(*document));
}

json::Array numbers(int64_t from, int64_t count) {
  json::Array list;
  for (int64_t i = 0; i < count; ++i) list.emplace_back(from + i);
  return list;
}

TEST(JsonPath, ThatComparesTooMuchEnds) {
  constexpr int64_t kMany = 2'000;
  const json::Value document = json::Object{{"l", json::Array{json::Object{{"a", numbers(kMany, kMany)}}}},
                                            {"b", numbers(0, kMany)},
                                            {"same", numbers(0, kMany)}};
  for (const std::string_view path :
       {"$.b[?(@ in $.l[0].a)]", "$.b[?(@ nin $.l[0].a)]", "$.l[?(@.a subsetof $.l[0].a)]", "$.l[?(@.a anyof $.b)]",
        "$.l[?(@.a noneof $.b)]", "$.b[?($.b == $.same)]"}) {
    EXPECT_THROW((void)Path::parse(path).select(document), PathError) << path;
  }
  EXPECT_NO_THROW((void)Path::parse("$.b[?(@ in [1, 2, 3] || $.b == 1)]").select(document));
}

TEST(JsonPath, ThatCopiesTooMuchEnds) {
  std::string text = "[1]";
  for (int i = 0; i < 500; ++i) text = "[1,2,3,4,5,6,7,8,9," + text + "]";
  const auto document = json::parse(text);
  EXPECT_NO_THROW((void)Path::parse("$..[0]").select(*document));
  EXPECT_THROW((void)Path::parse("$..*").select(*document), PathError) << "each level again with all that is below";
}

TEST(JsonPath, SeveralShareWhatTheyMayVisit) {
  const json::Value document = json::Object{{"a", numbers(0, 100)}};
  const Path path = Path::parse("$.a[*]");
  size_t left = 450;
  EXPECT_NO_THROW((void)path.select(document, left));
  EXPECT_LT(left, 450u);
  EXPECT_NO_THROW((void)path.select(document, left));
  EXPECT_THROW((void)path.select(document, left), PathError);
}

}  // namespace
}  // namespace tidemill::lang::jsonpath
