// Query and Scan, asked as clients ask them.
#include <algorithm>
#include <iterator>
#include <map>
#include <thread>

#include "services/dynamodb/expressions.h"
#include "services/dynamodb/large_reads.h"
#include "services/dynamodb/testing.h"
#include "store/test_executor.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::World;

class Query : public ::testing::Test {
 protected:
  Query() {
    world.create_table("Tab", "N");
    for (const char* s : {"-10", "-1.5", "0", "2", "10", "100"}) {
      world.put(R"({"k":{"S":"a"},"s":{"N":")" + std::string(s) + R"("},"even":{"BOOL":true}})");
    }
    world.put(R"({"k":{"S":"b"},"s":{"N":"1"}})");
  }
  // The sort keys found, in order: "0 2 10"; a "+" at the end says that there is more.
  std::string keys(const json::Value& answer) {
    std::string text;
    for (const json::Value& item : answer.find("Items")->array()) {
      text += (text.empty() ? "" : " ") + item.find("s")->find("N")->string();
    }
    return text + (answer.find("LastEvaluatedKey") ? "+" : "");
  }
  std::string query(std::string_view condition, std::string_view values, std::string_view rest = "") {
    return keys(world.ask("Query", body(condition, values, rest)));
  }
  std::string body(std::string_view condition, std::string_view values, std::string_view rest = "") {
    return R"({"TableName":"Tab","KeyConditionExpression":")" + std::string(condition) +
           R"(","ExpressionAttributeValues":{":k":{"S":"a"})" + std::string(values) + "}" + std::string(rest) + "}";
  }
  World world;
};

TEST_F(Query, ItemsComeInTheOrderOfTheirSortKeys) {
  EXPECT_EQ(query("k = :k", ""), "-10 -1.5 0 2 10 100");
  EXPECT_EQ(query("k = :k", "", R"(,"ScanIndexForward":false)"), "100 10 2 0 -1.5 -10");
}

TEST_F(Query, ASortKeyConditionIsARange) {
  EXPECT_EQ(query("k = :k AND s = :s", R"(,":s":{"N":"2"})"), "2");
  EXPECT_EQ(query("k = :k AND s < :s", R"(,":s":{"N":"2"})"), "-10 -1.5 0");
  EXPECT_EQ(query("k = :k AND s <= :s", R"(,":s":{"N":"2"})"), "-10 -1.5 0 2");
  EXPECT_EQ(query("k = :k AND s > :s", R"(,":s":{"N":"2"})"), "10 100");
  EXPECT_EQ(query("k = :k AND s >= :s", R"(,":s":{"N":"2"})"), "2 10 100");
  EXPECT_EQ(query("k = :k AND s BETWEEN :s AND :t", R"(,":s":{"N":"-2"},":t":{"N":"10"})"), "-1.5 0 2 10");
  EXPECT_EQ(query("k = :k AND s > :s", R"(,":s":{"N":"2"})", R"(,"ScanIndexForward":false)"), "100 10");
}

TEST_F(Query, TextSortsByBytesAndHasPrefixes) {
  world.create_table("Text", "S");
  for (const char* s : {"a", "ab", "abc", "b", "\xc3\xa9"}) {
    world.run("PutItem", R"({"TableName":"Text","Item":{"k":{"S":"a"},"s":{"S":")" + std::string(s) + R"("}}})");
  }
  EXPECT_EQ(world.run("Query", R"j({"TableName":"Text","KeyConditionExpression":"k = :k AND begins_with(s, :p)",
                                   "ExpressionAttributeValues":{":k":{"S":"a"},":p":{"S":"ab"}}})j"),
            R"({"Items":[{"k":{"S":"a"},"s":{"S":"ab"}},{"k":{"S":"a"},"s":{"S":"abc"}}],"Count":2,"ScannedCount":2})");
}

TEST_F(Query, PagesGoOnWhereTheLastOneEnded) {
  EXPECT_EQ(query("k = :k", "", R"(,"Limit":4)"), "-10 -1.5 0 2+");
  EXPECT_EQ(query("k = :k", "", R"(,"Limit":4,"ExclusiveStartKey":{"k":{"S":"a"},"s":{"N":"2"}})"), "10 100");
  EXPECT_EQ(query("k = :k", "", R"(,"ScanIndexForward":false,"ExclusiveStartKey":{"k":{"S":"a"},"s":{"N":"2"}})"),
            "0 -1.5 -10");
  // A key that is not there may be a start, too; and a full page names where to go on even if nothing follows.
  EXPECT_EQ(query("k = :k", "", R"(,"ExclusiveStartKey":{"k":{"S":"a"},"s":{"N":"5"}})"), "10 100");
  EXPECT_EQ(query("k = :k", "", R"(,"Limit":6)"), "-10 -1.5 0 2 10 100+");
}

TEST_F(Query, AFilterCountsWhatItDropsAndThePageIsMeasuredBeforeIt) {
  EXPECT_EQ(world.run("Query", body("k = :k", R"(,":n":{"N":"1"})", R"(,"FilterExpression":"absent_one = :n","Limit":3)")),
            R"({"Items":[],"Count":0,"ScannedCount":3,"LastEvaluatedKey":{"k":{"S":"a"},"s":{"N":"0"}}})");
  EXPECT_EQ(world.run("Query", body("k = :k", R"(,":n":{"N":"1"})", R"(,"FilterExpression":"s = :n")")),
            "ValidationException: Filter Expression can only contain non-primary key attributes: Primary key attribute: s");
}

TEST_F(Query, SelectAndProjectionGoTogether) {
  EXPECT_EQ(world.run("Query", body("k = :k", "", R"(,"Select":"COUNT")")), R"({"Count":6,"ScannedCount":6})");
  EXPECT_EQ(world.run("Query", body("k = :k", "", R"(,"ProjectionExpression":"s","Limit":1)")),
            R"({"Items":[{"s":{"N":"-10"}}],"Count":1,"ScannedCount":1,"LastEvaluatedKey":{"k":{"S":"a"},"s":{"N":"-10"}}})");
  EXPECT_EQ(world.run("Query", body("k = :k", "", R"(,"Select":"ALL_PROJECTED_ATTRIBUTES")")),
            "ValidationException: 1 validation error detected: ALL_PROJECTED_ATTRIBUTES can be used only when Querying "
            "using an IndexName");
  EXPECT_EQ(world.run("Query", body("k = :k", "", R"(,"Select":"SPECIFIC_ATTRIBUTES")")),
            "ValidationException: 1 validation error detected: Must specify the AttributesToGet or ProjectionExpression "
            "when choosing to get SPECIFIC_ATTRIBUTES");
  EXPECT_EQ(world.run("Query", body("k = :k", "", R"(,"Select":"COUNT","ProjectionExpression":"s")")),
            "ValidationException: 1 validation error detected: Cannot specify the ProjectionExpression when choosing to "
            "get only the Count");
}

TEST_F(Query, WrongConditionsAndStartKeysAreRefused) {
  EXPECT_EQ(world.run("Query", R"({"TableName":"Tab"})"),
            "ValidationException: Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request.");
  EXPECT_THAT(world.run("Query", body("s = :k", "")), HasSubstr("Query condition missed key schema element: k"));
  EXPECT_EQ(world.run("Query", body("k = :k", "", R"(,"ExclusiveStartKey":{"k":{"S":"b"},"s":{"N":"1"}})")),
            "ValidationException: The provided starting key is outside query boundaries based on provided conditions");
  EXPECT_EQ(world.run("Query", body("k = :k AND s > :s", R"(,":s":{"N":"5"})", R"(,"ExclusiveStartKey":{"k":{"S":"a"},"s":{"N":"1"}})")),
            "ValidationException: The provided starting key does not match the range key predicate");
  EXPECT_THAT(world.run("Query", body("k = :k", "", R"(,"ExclusiveStartKey":{"k":{"S":"a"}})")),
              StartsWith("ValidationException: The provided starting key is invalid"));
  EXPECT_EQ(world.run("Query", body("k = :k", "", R"(,"IndexName":"idx")")),
            "ValidationException: The table does not have the specified index: idx");
}

TEST_F(Query, APageEndsWithTheItemThatCrossesOneMegabyte) {
  world.create_table("Big", "N");
  const std::string text(300'000, 'x');
  for (int i = 0; i < 5; ++i) {
    world.run("PutItem", R"({"TableName":"Big","Item":{"k":{"S":"a"},"s":{"N":")" + std::to_string(i) + R"("},"x":{"S":")" + text + R"("}}})");
  }
  const std::string first = world.run("Query", R"({"TableName":"Big","KeyConditionExpression":"k = :k","Select":"COUNT",
      "ExpressionAttributeValues":{":k":{"S":"a"}},"ReturnConsumedCapacity":"TOTAL"})");
  EXPECT_THAT(first, HasSubstr(R"("Count":4,"ScannedCount":4)"));
  EXPECT_THAT(first, HasSubstr(R"("LastEvaluatedKey":{"k":{"S":"a"},"s":{"N":"3"}})"));
  EXPECT_THAT(first, HasSubstr(R"("CapacityUnits":146.5)"));
}

class Scan : public Query {
 protected:
  int count(std::string_view rest) {
    const auto answer = world.ask("Scan", R"({"TableName":"Tab")" + std::string(rest) + "}");
    return static_cast<int>(*answer.find("Count")->to_int64());
  }
};

TEST_F(Scan, AScanFindsEverything) {
  EXPECT_EQ(count(""), 7);
  EXPECT_EQ(count(R"j(,"FilterExpression":"attribute_exists(even)")j"), 6);
  EXPECT_EQ(count(R"(,"Select":"COUNT","Limit":2)"), 2);
}

TEST_F(Scan, PagesOfAScanFindEverythingOnce) {
  int found = 0;
  std::string start;
  for (int pages = 0; pages < 10; ++pages) {
    const auto answer = world.ask("Scan", R"({"TableName":"Tab","Limit":2)" + start + "}");
    found += static_cast<int>(*answer.find("Count")->to_int64());
    const json::Value* last = answer.find("LastEvaluatedKey");
    if (!last) break;
    start = R"(,"ExclusiveStartKey":)" + json::write(*last);
  }
  EXPECT_EQ(found, 7);
}

TEST_F(Scan, SegmentsShareTheTable) {
  for (int i = 0; i < 50; ++i) world.put(R"({"k":{"S":"key)" + std::to_string(i) + R"("},"s":{"N":"0"}})");
  for (const int total : {1, 2, 3, 7, 1000}) {
    int found = 0;
    for (int segment = 0; segment < total; ++segment) {
      found += count(R"(,"Segment":)" + std::to_string(segment) + R"(,"TotalSegments":)" + std::to_string(total));
    }
    EXPECT_EQ(found, 57) << total;
  }
}

TEST_F(Scan, WrongSegmentsAreRefused) {
  EXPECT_EQ(world.run("Scan", R"({"TableName":"Tab","Segment":1})"),
            "ValidationException: The TotalSegments parameter is required but was not present in the request when Segment "
            "parameter is present");
  EXPECT_EQ(world.run("Scan", R"({"TableName":"Tab","Segment":4,"TotalSegments":4})"),
            "ValidationException: The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: 4 is not less than TotalSegments: 4");
  EXPECT_EQ(world.run("Scan", R"({"TableName":"Tab","Select":"SPECIFIC_ATTRIBUTES"})"),
            "ValidationException: Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES");
  int refused = 0;
  for (int segment = 0; segment < 2; ++segment) {
    const std::string answer =
        world.run("Scan", R"({"TableName":"Tab","TotalSegments":2,"Segment":)" + std::to_string(segment) +
                              R"(,"ExclusiveStartKey":{"k":{"S":"a"},"s":{"N":"2"}}})");
    refused += answer.starts_with("ValidationException: The provided starting key is invalid: Invalid ExclusiveStartKey.");
  }
  EXPECT_EQ(refused, 1);
}

// Items that stand in memory, and how often they were scanned.
class FewItems final : public store::Snapshot {
 public:
  explicit FewItems(std::map<std::string, std::string> items) : items_(std::move(items)) {}

  [[nodiscard]] store::Version version() const override { return {}; }
  Task<std::optional<std::string>> get(std::string_view) override {
    return Task<std::optional<std::string>>::ready(std::nullopt);
  }
  Task<bool> unchanged_since(std::string_view, store::Version) override { return Task<bool>::ready(false); }
  Task<void> scan(const store::Range& range, store::ScanOptions options, const store::EntryVisitor& visit) override {
    ++scans;
    const auto begin = items_.lower_bound(range.begin);
    const auto end = items_.lower_bound(range.end);
    const auto show = [&](const auto& entry) { return options.limit-- > 0 && visit(entry.first, entry.second); };
    if (options.direction == store::Direction::forward)
      (void)std::all_of(begin, end, show);
    else
      (void)std::all_of(std::make_reverse_iterator(end), std::make_reverse_iterator(begin), show);
    return Task<void>::ready();
  }
  Task<void> read_log(const store::LogId&, store::LogStart, const store::RecordVisitor&) override {
    return Task<void>::ready();
  }
  Task<std::optional<store::Position>> last_position(const store::LogId&) override {
    return Task<std::optional<store::Position>>::ready(std::nullopt);
  }

  int scans = 0;

 private:
  const std::map<std::string, std::string> items_;
};

class LargeReads : public ::testing::Test {
 protected:
  // The keys that were shown, those on a thread with a "*".
  std::vector<std::string> shown(store::ScanOptions options, size_t passes) {
    const auto here = std::this_thread::get_id();
    std::vector<std::string> keys;
    const store::EntryVisitor visit = [&](std::string_view key, std::string_view) {
      keys.push_back(base::cat(key, std::this_thread::get_id() == here ? "" : "*"));
      return true;
    };
    bool done = false;
    base::Scope scope;
    {
      const base::Executor::Enter enter(executor);
      scope.spawn([](Task<void> scan, bool& end) -> Task<void> {
        co_await std::move(scan);
        end = true;
      }(scan_large(items, {"", "z"}, options, visit, &threads, passes), done));
    }
    executor.run_until([&] { return done; });
    return keys;
  }

  FewItems items{{{"a", std::string(1000, 'x')},
                  {"b", std::string(1000, 'x')},
                  {"c", std::string(1000, 'x')},
                  {"d", std::string(2000, 'x')},
                  {"e", std::string(70'000, 'x')}}};
  store::TestExecutor executor{nullptr, store::TestExecutor::Slices::none};
  base::BlockingWork threads;
};

TEST_F(LargeReads, AnItemIsLargeByWhatIsDoneWithIt) {
  EXPECT_THAT(shown(store::Direction::forward, 1), ElementsAre("a", "b", "c", "d", "e*"));
  EXPECT_THAT(shown(store::Direction::forward, 40), ElementsAre("a", "b", "c", "d*", "e*"));
  EXPECT_THAT(shown(store::Direction::reverse, 40), ElementsAre("e*", "d*", "c", "b", "a"));
  EXPECT_THAT(shown(store::last(2), 40), ElementsAre("e*", "d*"));
}

TEST_F(LargeReads, ReadingPausesForWhatIsDoneWithManySmallItems) {
  (void)shown(store::first(3), 1);
  EXPECT_EQ(items.scans, 1);
  items.scans = 0;
  EXPECT_THAT(shown(store::first(3), 60), ElementsAre("a", "b", "c"));
  EXPECT_EQ(items.scans, 2);  // 59 more passes over two items are more than a slice
}

TEST(Expressions, LookingUpPathsCountsAsGoingThroughTheItem) {
  std::string text = "contains(l, :a)";
  for (int i = 1; i < 100; ++i) text += " OR contains(l, :a)";
  const std::optional<Item> values = Item{{":a", Value::null()}};
  ExpressionParser parser(MessageStyle::bare, std::nullopt, values, {{"FilterExpression", text}});
  EXPECT_EQ(paths_of(parser.filter(text)), 100u);
  EXPECT_EQ(paths_of(std::nullopt), 0u);
  EXPECT_EQ(passes_of(0), 1u);
  EXPECT_EQ(passes_of(100), 26u);
}

}  // namespace
}  // namespace tidemill::dynamodb
