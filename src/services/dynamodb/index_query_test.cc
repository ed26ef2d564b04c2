// Query and Scan on indexes, asked as clients ask them, and what they cost.
#include <random>

#include "services/dynamodb/index_agreement.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::World;

constexpr const char* kInvalid = "ValidationException: One or more parameter values were invalid: ";

// Tab has the keys k (S) and s (N); a local index "local" on k and l (S) of keys only; global ones: "some" on g (S) and
// n (N) that includes a, "all" on g alone.
class IndexQuery : public ::testing::Test {
 protected:
  IndexQuery() {
    EXPECT_THAT(world.run("CreateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[
      {"AttributeName":"k","AttributeType":"S"},{"AttributeName":"s","AttributeType":"N"},
      {"AttributeName":"l","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],
      "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],
      "LocalSecondaryIndexes":[{"IndexName":"local","Projection":{"ProjectionType":"KEYS_ONLY"},
        "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"l","KeyType":"RANGE"}]}],
      "GlobalSecondaryIndexes":[
        {"IndexName":"some","Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["a"]},
         "KeySchema":[{"AttributeName":"g","KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}]},
        {"IndexName":"all","Projection":{"ProjectionType":"ALL"},"KeySchema":[{"AttributeName":"g","KeyType":"HASH"}]}]})"),
                HasSubstr("CREATING"));
  }

  void put(std::string_view k, int s, std::string_view rest) {
    EXPECT_EQ(world.put(R"({"k":{"S":")" + std::string(k) + R"("},"s":{"N":")" + std::to_string(s) + "\"}" +
                        std::string(rest) + "}"),
              "{}");
  }
  static std::string g_n(std::string_view g, int n) {
    return R"(,"g":{"S":")" + std::string(g) + R"("},"n":{"N":")" + std::to_string(n) + "\"}";
  }
  std::string query(std::string_view index, std::string_view condition, std::string_view values,
                    std::string_view rest = "") {
    return world.run("Query", R"({"TableName":"Tab","IndexName":")" + std::string(index) +
                                  R"(","KeyConditionExpression":")" + std::string(condition) +
                                  R"(","ExpressionAttributeValues":{)" + std::string(values) + "}" + std::string(rest) +
                                  "}");
  }
  // The table's sort keys of what is found: "0 2 10".
  std::string found(const std::string& answer) {
    const auto document = json::parse(answer);
    EXPECT_TRUE(document) << answer;
    std::string text;
    if (!document) return text;
    for (const json::Value& item : document->find("Items")->array()) {
      text += (text.empty() ? "" : " ") + item.find("s")->find("N")->string();
    }
    return text;
  }

  World world;
};

TEST_F(IndexQuery, EntriesComeInTheOrderOfTheIndex) {
  put("a", 1, g_n("x", 10));
  put("b", 2, g_n("x", -5));
  put("c", 3, g_n("x", 10));
  put("d", 4, g_n("y", 0));
  put("e", 5, R"(,"g":{"S":"x"})");
  EXPECT_EQ(found(query("some", "g = :g", R"(":g":{"S":"x"})")), "2 1 3");
  EXPECT_EQ(found(query("some", "g = :g", R"(":g":{"S":"x"})", R"(,"ScanIndexForward":false)")), "3 1 2");
  EXPECT_EQ(found(query("some", "g = :g AND n = :n", R"(":g":{"S":"x"},":n":{"N":"10"})")), "1 3");
  EXPECT_EQ(found(query("some", "g = :g AND n > :n", R"(":g":{"S":"x"},":n":{"N":"10"})")), "");
  EXPECT_EQ(found(query("some", "g = :g AND n >= :n", R"(":g":{"S":"x"},":n":{"N":"10"})")), "1 3");
  EXPECT_EQ(found(query("some", "g = :g AND n < :n", R"(":g":{"S":"x"},":n":{"N":"10"})")), "2");
  EXPECT_EQ(found(query("some", "g = :g AND n <= :n", R"(":g":{"S":"x"},":n":{"N":"10"})")), "2 1 3");
  EXPECT_EQ(found(query("some", "g = :g AND n BETWEEN :n AND :m", R"(":g":{"S":"x"},":n":{"N":"-5"},":m":{"N":"10"})")),
            "2 1 3");
  EXPECT_EQ(found(query("all", "g = :g", R"(":g":{"S":"x"})")), "1 2 3 5") << "in the order of the table's keys";
}

TEST_F(IndexQuery, TextInALocalIndexHasPrefixes) {
  put("a", 1, R"(,"l":{"S":"b"})");
  put("a", 2, R"(,"l":{"S":"ab"})");
  put("a", 3, R"(,"l":{"S":"a"})");
  put("a", 4, R"(,"l":{"S":"a\u0000"})");
  put("b", 5, R"(,"l":{"S":"a"})");
  EXPECT_EQ(found(query("local", "k = :k", R"(":k":{"S":"a"})")), "3 4 2 1");
  EXPECT_EQ(found(query("local", "k = :k AND begins_with(l, :l)", R"(":k":{"S":"a"},":l":{"S":"a"})")), "3 4 2");
  EXPECT_EQ(found(query("local", "k = :k AND l > :l", R"(":k":{"S":"a"},":l":{"S":"a"})")), "4 2 1");
  EXPECT_EQ(found(query("local", "k = :k AND l = :l", R"(":k":{"S":"a"},":l":{"S":"a"})")), "3");
}

TEST_F(IndexQuery, PagesGoOnBehindEntriesOfTheSameKey) {
  for (int i = 0; i < 9; ++i) put("p" + std::to_string(i), i, g_n("x", i / 3));
  for (const char* direction : {"true", "false"}) {
    std::string seen;
    std::string start;
    for (int page = 0; page < 20; ++page) {
      const std::string answer =
          query("some", "g = :g", R"(":g":{"S":"x"})", R"(,"Limit":2,"ScanIndexForward":)" + std::string(direction) + start);
      seen += (seen.empty() ? "" : " ") + found(answer);
      const auto document = json::parse(answer);
      const json::Value* last = document->find("LastEvaluatedKey");
      if (!last) break;
      EXPECT_EQ(last->object().size(), 4u) << json::write(*last);
      start = R"(,"ExclusiveStartKey":)" + json::write(*last);
    }
    EXPECT_EQ(seen, std::string(direction) == "true" ? "0 1 2 3 4 5 6 7 8" : "8 7 6 5 4 3 2 1 0");
  }
}

TEST_F(IndexQuery, AStartKeyMustBeOneOfTheIndex) {
  const auto from = [&](std::string_view key) {
    return query("some", "g = :g AND n > :n", R"(":g":{"S":"x"},":n":{"N":"1"})",
                 R"(,"ExclusiveStartKey":)" + std::string(key));
  };
  EXPECT_EQ(from(R"({"k":{"S":"a"},"s":{"N":"1"}})"), "ValidationException: The provided starting key is invalid");
  EXPECT_EQ(from(R"({"k":{"S":"a"},"s":{"N":"1"},"g":{"S":"x"},"n":{"N":"2"},"z":{"N":"2"}})"),
            "ValidationException: The provided starting key is invalid");
  EXPECT_EQ(from(R"({"k":{"N":"1"},"s":{"N":"1"},"g":{"S":"x"},"n":{"N":"2"}})"),
            "ValidationException: The provided starting key is invalid: The provided key element does not match the schema");
  EXPECT_EQ(from(R"({"k":{"S":"a"},"s":{"N":"1"},"g":{"S":"y"},"n":{"N":"2"}})"),
            "ValidationException: The provided starting key is outside query boundaries based on provided conditions");
  EXPECT_EQ(from(R"({"k":{"S":"a"},"s":{"N":"1"},"g":{"S":"x"},"n":{"N":"0"}})"),
            "ValidationException: The provided starting key does not match the range key predicate");
  EXPECT_THAT(from(R"({"k":{"S":"a"},"s":{"N":"1"},"g":{"S":"x"},"n":{"N":"2"}})"), HasSubstr(R"("Count":0)"));
}

TEST_F(IndexQuery, AnIndexGivesWhatItProjects) {
  put("p", 1, R"(,"g":{"S":"x"},"n":{"N":"1"},"a":{"S":"in"},"b":{"S":"out"},"l":{"S":"m"})");
  EXPECT_THAT(query("some", "g = :g", R"(":g":{"S":"x"})"),
              HasSubstr(R"("Items":[{"a":{"S":"in"},"g":{"S":"x"},"k":{"S":"p"},"n":{"N":"1"},"s":{"N":"1"}}])"));
  EXPECT_THAT(query("all", "g = :g", R"(":g":{"S":"x"})"), HasSubstr(R"("b":{"S":"out"})"));
  EXPECT_THAT(query("local", "k = :k", R"(":k":{"S":"p"})", R"(,"Select":"ALL_PROJECTED_ATTRIBUTES")"),
              HasSubstr(R"("Items":[{"k":{"S":"p"},"l":{"S":"m"},"s":{"N":"1"}}])"));
}

TEST_F(IndexQuery, ALocalIndexFetchesWhatItLacksAndAGlobalOneRefuses) {
  put("p", 1, R"(,"g":{"S":"x"},"n":{"N":"1"},"b":{"S":"out"},"l":{"S":"m"})");
  const std::string all = R"(,"Select":"ALL_ATTRIBUTES")";
  const std::string b = R"(,"ProjectionExpression":"s, b")";
  EXPECT_THAT(query("local", "k = :k", R"(":k":{"S":"p"})", all), HasSubstr(R"("b":{"S":"out"})"));
  EXPECT_THAT(query("local", "k = :k", R"(":k":{"S":"p"})", b), HasSubstr(R"("Items":[{"b":{"S":"out"},"s":{"N":"1"}}])"));
  EXPECT_THAT(query("all", "g = :g", R"(":g":{"S":"x"})", all), HasSubstr(R"("b":{"S":"out"})"));
  EXPECT_EQ(query("some", "g = :g", R"(":g":{"S":"x"})", all),
            std::string(kInvalid) + "Select type ALL_ATTRIBUTES is not supported for global secondary index some because "
                                    "its projection type is not ALL");
  EXPECT_EQ(query("some", "g = :g", R"(":g":{"S":"x"})", b),
            std::string(kInvalid) + "Global secondary index some does not project [b]");
}

TEST_F(IndexQuery, AFilterSeesTheEntryAndNotItsKeys) {
  put("p", 1, R"(,"g":{"S":"x"},"n":{"N":"1"},"a":{"S":"in"},"b":{"S":"out"})");
  const auto filter = [&](std::string_view expression) {
    return query("some", "g = :g", R"(":g":{"S":"x"})", R"(,"FilterExpression":")" + std::string(expression) + "\"");
  };
  EXPECT_THAT(filter("attribute_exists(a)"), HasSubstr(R"("Count":1,"ScannedCount":1)"));
  EXPECT_THAT(filter("attribute_exists(k)"), HasSubstr(R"("Count":1)")) << "the table's keys are no keys of the index";
  EXPECT_EQ(filter("attribute_exists(n)"),
            "ValidationException: Filter Expression can only contain non-primary key attributes: Primary key attribute: n");
  EXPECT_EQ(filter("attribute_exists(b)"),
            std::string(kInvalid) + "Secondary index some does not project one or more filter attributes: [b]");
  EXPECT_THAT(world.run("Scan", R"j({"TableName":"Tab","IndexName":"some","FilterExpression":"attribute_exists(b)"})j"),
              HasSubstr(R"("Count":0,"ScannedCount":1)"));
}

TEST_F(IndexQuery, AGlobalIndexIsNotReadConsistently) {
  EXPECT_EQ(query("some", "g = :g", R"(":g":{"S":"x"})", R"(,"ConsistentRead":true)"),
            "ValidationException: Consistent reads are not supported on global secondary indexes");
  EXPECT_EQ(world.run("Scan", R"({"TableName":"Tab","IndexName":"all","ConsistentRead":true})"),
            "ValidationException: Consistent reads are not supported on global secondary indexes");
  EXPECT_THAT(query("local", "k = :k", R"(":k":{"S":"x"})", R"(,"ConsistentRead":true)"), HasSubstr(R"("Count":0)"));
  EXPECT_EQ(query("other", "g = :g", R"(":g":{"S":"x"})"),
            "ValidationException: The table does not have the specified index: other");
}

TEST_F(IndexQuery, SegmentsOfAScanAreTheWholeIndexOnce) {
  for (int i = 0; i < 40; ++i) put("p" + std::to_string(i), i, g_n("g" + std::to_string(i % 13), i));
  put("sparse", 99, "");
  std::vector<int> seen;
  for (int segment = 0; segment < 3; ++segment) {
    std::string start;
    for (;;) {
      const auto answer = world.ask("Scan", R"({"TableName":"Tab","IndexName":"some","TotalSegments":3,"Limit":4,"Segment":)" +
                                                std::to_string(segment) + start + "}");
      for (const json::Value& item : answer.find("Items")->array()) {
        seen.push_back(std::stoi(item.find("s")->find("N")->string()));
      }
      const json::Value* last = answer.find("LastEvaluatedKey");
      if (!last) break;
      start = R"(,"ExclusiveStartKey":)" + json::write(*last);
    }
  }
  std::ranges::sort(seen);
  ASSERT_EQ(seen.size(), 40u);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST_F(IndexQuery, APageIsMeasuredOnEntriesAndOnWhatIsFetched) {
  const std::string large = R"(,"l":{"S":"m"},"b":{"S":")" + std::string(300 << 10, 'x') + "\"}";
  for (int i = 0; i < 5; ++i) put("p", i, large);
  EXPECT_EQ(found(query("local", "k = :k", R"(":k":{"S":"p"})")), "0 1 2 3 4");
  const std::string fetched = query("local", "k = :k", R"(":k":{"S":"p"})", R"(,"Select":"ALL_ATTRIBUTES")");
  EXPECT_EQ(found(fetched), "0 1 2 3");
  EXPECT_THAT(fetched, HasSubstr(R"("Count":4,"ScannedCount":4,"LastEvaluatedKey":{"k":{"S":"p"},"l":{"S":"m"},"s":{"N":"3"}})"));
}

TEST_F(IndexQuery, ReadingAnIndexCostsTheIndexAndWhatIsFetched) {
  put("p", 1, R"(,"g":{"S":"x"},"n":{"N":"1"},"l":{"S":"m"},"b":{"S":")" + std::string(9000, 'x') + "\"}");
  put("p", 2, R"(,"l":{"S":"n"})");
  const std::string indexes = R"(,"ReturnConsumedCapacity":"INDEXES")";
  EXPECT_THAT(query("some", "g = :g", R"(":g":{"S":"x"})", indexes),
              HasSubstr(R"("ConsumedCapacity":{"TableName":"Tab","CapacityUnits":0.5,"Table":{"CapacityUnits":0.0},)"
                        R"("GlobalSecondaryIndexes":{"some":{"CapacityUnits":0.5}}})"));
  EXPECT_THAT(query("local", "k = :k", R"(":k":{"S":"p"})", indexes + R"(,"Select":"ALL_ATTRIBUTES","ConsistentRead":true)"),
              HasSubstr(R"("ConsumedCapacity":{"TableName":"Tab","CapacityUnits":5.0,"Table":{"CapacityUnits":4.0},)"
                        R"("LocalSecondaryIndexes":{"local":{"CapacityUnits":1.0}}})"));
  EXPECT_THAT(query("all", "g = :g", R"(":g":{"S":"x"})", R"(,"ReturnConsumedCapacity":"TOTAL")"),
              HasSubstr(R"("ConsumedCapacity":{"TableName":"Tab","CapacityUnits":1.5})"));
}

TEST_F(IndexQuery, AWriteCostsEachIndexThatItChanges) {
  const auto update = [&](std::string_view expression, std::string_view values = "") {
    const std::string answer =
        world.run("UpdateItem", R"({"TableName":"Tab","Key":{"k":{"S":"p"},"s":{"N":"1"}},"ReturnConsumedCapacity":"INDEXES","UpdateExpression":")" +
                                    std::string(expression) + "\"" +
                                    (values.empty() ? "" : R"(,"ExpressionAttributeValues":{)" + std::string(values) + "}") + "}");
    return answer.substr(answer.find("\"CapacityUnits\""));
  };
  EXPECT_EQ(update("SET b = :b", R"(":b":{"S":"1"})"), R"("CapacityUnits":1.0,"Table":{"CapacityUnits":1.0}}})");
  EXPECT_EQ(update("SET g = :g", R"(":g":{"S":"x"})"),
            R"("CapacityUnits":2.0,"Table":{"CapacityUnits":1.0},"GlobalSecondaryIndexes":{"all":{"CapacityUnits":1.0}}}})");
  EXPECT_EQ(update("SET n = :n, l = :l", R"(":n":{"N":"1"},":l":{"S":"l"})"),
            R"("CapacityUnits":4.0,"Table":{"CapacityUnits":1.0},"LocalSecondaryIndexes":{"local":{"CapacityUnits":1.0}},)"
            R"("GlobalSecondaryIndexes":{"all":{"CapacityUnits":1.0},"some":{"CapacityUnits":1.0}}}})");
  EXPECT_EQ(update("SET b = :b", R"(":b":{"S":"2"})"),
            R"("CapacityUnits":2.0,"Table":{"CapacityUnits":1.0},"GlobalSecondaryIndexes":{"all":{"CapacityUnits":1.0}}}})");
  EXPECT_EQ(update("SET n = :n", R"(":n":{"N":"2"})"),
            R"("CapacityUnits":4.0,"Table":{"CapacityUnits":1.0},)"
            R"("GlobalSecondaryIndexes":{"all":{"CapacityUnits":1.0},"some":{"CapacityUnits":2.0}}}})")
      << "an entry that moves is deleted and written";
  EXPECT_EQ(update("REMOVE g"), R"("CapacityUnits":3.0,"Table":{"CapacityUnits":1.0},)"
                                R"("GlobalSecondaryIndexes":{"all":{"CapacityUnits":1.0},"some":{"CapacityUnits":1.0}}}})");
}

TEST_F(IndexQuery, WritesTellTheSizeOfACollection) {
  const std::string metrics = R"({"ItemCollectionKey":{"k":{"S":"p"}},"SizeEstimateRangeGB":[0.0,1.0]})";
  const std::string item = R"({"k":{"S":"p"},"s":{"N":"1"}})";
  const std::string size = R"("ReturnItemCollectionMetrics":"SIZE")";
  EXPECT_EQ(world.run("PutItem", R"({"TableName":"Tab",)" + size + R"(,"Item":)" + item + "}"),
            R"({"ItemCollectionMetrics":)" + metrics + "}");
  EXPECT_EQ(world.run("BatchWriteItem", "{" + size + R"(,"RequestItems":{"Tab":[{"PutRequest":{"Item":)" + item +
                                            R"(}},{"DeleteRequest":{"Key":{"k":{"S":"p"},"s":{"N":"2"}}}}]}})"),
            R"({"UnprocessedItems":{},"ItemCollectionMetrics":{"Tab":[)" + metrics + "]}}");
  EXPECT_EQ(world.run("TransactWriteItems",
                      "{" + size + R"(,"TransactItems":[{"Delete":{"TableName":"Tab","Key":)" + item + "}}]}"),
            R"({"ItemCollectionMetrics":{"Tab":[)" + metrics + "]}}");
  world.create_table("Other");
  EXPECT_EQ(world.run("PutItem", R"({"TableName":"Other",)" + size + R"(,"Item":{"k":{"S":"p"}}})"), "{}")
      << "without local indexes there is no collection to speak of";
}

TEST_F(IndexQuery, PartiqlReadsIndexes) {
  put("p", 1, R"(,"g":{"S":"x"},"n":{"N":"1"},"a":{"S":"in"},"b":{"S":"out"},"l":{"S":"m"})");
  put("q", 2, R"(,"g":{"S":"x"},"n":{"N":"2"},"a":{"S":"in"})");
  const auto select = [&](std::string_view statement, std::string_view rest = "") {
    return world.run("ExecuteStatement", R"({"Statement":")" + std::string(statement) + "\"" + std::string(rest) + "}");
  };
  EXPECT_EQ(select(R"(SELECT s FROM Tab.\"some\" WHERE g='x' ORDER BY n DESC)"),
            R"({"Items":[{"s":{"N":"2"}},{"s":{"N":"1"}}]})");
  EXPECT_EQ(select(R"(SELECT s FROM Tab.\"some\" WHERE g='x' AND n > 1)"), R"({"Items":[{"s":{"N":"2"}}]})");
  EXPECT_THAT(select(R"(SELECT * FROM \"Tab\".\"some\" WHERE g='x' AND a='in' AND n=1)"),
              HasSubstr(R"([{"a":{"S":"in"},"g":{"S":"x"},"k":{"S":"p"},"n":{"N":"1"},"s":{"N":"1"}}])"));
  EXPECT_EQ(select(R"(SELECT b FROM Tab.\"local\" WHERE k='p')"), R"({"Items":[{"b":{"S":"out"}}]})");
  EXPECT_EQ(select(R"(SELECT b FROM Tab.\"some\" WHERE g='x')"),
            std::string(kInvalid) + "Global secondary index some does not project [b]");
  EXPECT_EQ(select(R"(SELECT s FROM Tab.\"some\" WHERE g='x' AND b='out')"),
            std::string(kInvalid) + "Secondary index some does not project one or more filter attributes: [b]");
  EXPECT_EQ(select(R"(SELECT s FROM Tab.\"none\" WHERE g='x')"),
            "ValidationException: The table does not have the specified index");
  EXPECT_EQ(select(R"(SELECT s FROM Tab.\"some\" WHERE g='x')", R"(,"ConsistentRead":true)"),
            "ValidationException: Strongly consistent read is not supported on Global Secondary Indexes");
}

TEST_F(IndexQuery, WhateverIsWrittenTheIndexesFollowFromTheItems) {
  std::mt19937_64 random(7);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<uint64_t>(below)); };
  const auto attribute = [&](std::string_view name, std::string_view type, int values) {
    const int value = pick(values + 1);
    return value == values ? std::string()
                           : ",\"" + std::string(name) + R"(":{")" + std::string(type) + R"(":")" + std::to_string(value) + "\"}";
  };
  for (int step = 0; step < 600; ++step) {
    const std::string key = R"("k":{"S":")" + std::to_string(pick(3)) + R"("},"s":{"N":")" + std::to_string(pick(5)) + "\"}";
    switch (pick(4)) {
      case 0:
        world.run("DeleteItem", R"({"TableName":"Tab","Key":{)" + key + "}}");
        break;
      case 1:
        world.run("UpdateItem", R"({"TableName":"Tab","Key":{)" + key + R"(},"UpdateExpression":"SET a = :a REMOVE )" +
                                    std::string(pick(2) ? "g" : "l") + R"(","ExpressionAttributeValues":{":a":{"N":")" +
                                    std::to_string(pick(3)) + "\"}}}");
        break;
      default:
        world.put("{" + key + attribute("g", "S", 3) + attribute("n", "N", 3) + attribute("l", "S", 3) +
                  attribute("a", "S", 2) + attribute("b", "S", 2) + "}");
    }
    if (step % 20 != 0) continue;
    EXPECT_TRUE(testing::agrees(world, "Tab", {"local", {{"k", Type::S}, {"l", Type::S}}, {"k", "s", "l"}}));
    EXPECT_TRUE(testing::agrees(world, "Tab", {"some", {{"g", Type::S}, {"n", Type::N}}, {"k", "s", "g", "n", "a"}}));
    EXPECT_TRUE(testing::agrees(world, "Tab", {"all", {{"g", Type::S}}, {}}));
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
