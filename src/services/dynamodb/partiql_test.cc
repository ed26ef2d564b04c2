// ExecuteStatement and BatchExecuteStatement, asked as clients ask them.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::World;

class Partiql : public ::testing::Test {
 protected:
  Partiql() {
    world.create_table("Tab");
    world.create_table("Sorted", "N");
  }
  // `rest` are further members: ,"Limit":1
  std::string run(std::string_view statement, std::string_view rest = "") {
    std::string body = "{\"Statement\":";
    json::append_string(body, statement);
    return world.run("ExecuteStatement", body + std::string(rest) + "}");
  }
  std::string batch(std::initializer_list<std::string_view> statements, std::string_view rest = "") {
    std::string body = "{\"Statements\":[";
    for (const std::string_view statement : statements) {
      if (body.back() == '}') body += ",";
      body += "{\"Statement\":";
      json::append_string(body, statement);
      body += "}";
    }
    return world.run("BatchExecuteStatement", body + "]" + std::string(rest) + "}");
  }
  std::string get(std::string_view key) {
    return world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":")" + std::string(key) + R"("}}})");
  }
  void fill() {
    for (const char* key : {"a", "b"}) {
      for (int sort = 1; sort <= 4; ++sort) {
        run("INSERT INTO Sorted VALUE {'k': '" + std::string(key) + "', 's': " + std::to_string(sort) +
            ", 'odd': " + (sort % 2 == 1 ? "true" : "false") + "}");
      }
    }
  }
  // The sort keys of the answer's items, and "+" if there is more.
  std::string sorts(std::string_view statement, std::string_view rest = "") {
    const std::string answer = run(statement, rest);
    const auto document = json::parse(answer);
    const json::Value* const items = document ? document->find("Items") : nullptr;
    if (!items) return answer;
    std::string text;
    for (const json::Value& item : items->array()) text += item.find("s")->find("N")->string();
    token.clear();
    if (const json::Value* next = document->find("NextToken")) {
      token = next->string();
      text += "+";
    }
    return text;
  }
  [[nodiscard]] std::string following() const { return R"(,"NextToken":")" + token + "\""; }

  World world;
  std::string token;
};

constexpr const char* kFailed = "ConditionalCheckFailedException: The conditional request failed";

TEST_F(Partiql, AnInsertedItemIsThereOnce) {
  EXPECT_EQ(run("INSERT INTO \"Tab\" VALUE {'k': 'a', 'n': ?}", R"(,"Parameters":[{"N":"1"}])"), R"({"Items":[]})");
  EXPECT_EQ(run("INSERT INTO Tab VALUE {'k': 'a'}"), "DuplicateItemException: Duplicate primary key exists in table");
  EXPECT_EQ(get("a"), R"({"Item":{"k":{"S":"a"},"n":{"N":"1"}}})");
  EXPECT_THAT(run("INSERT INTO Tab VALUE {'n': 1}"), HasSubstr("Missing the key k in the item"));
  EXPECT_EQ(run("INSERT INTO Nowhere VALUE {'k': 'a'}"), "ResourceNotFoundException: Requested resource not found");
}

TEST_F(Partiql, ASelectByTheWholeKeyReadsOneItem) {
  world.put(R"({"k":{"S":"a"},"n":{"N":"1"},"m":{"M":{"sub":{"S":"x"}}}})");
  EXPECT_EQ(run("SELECT n, m.sub FROM Tab WHERE k = 'a'"), R"({"Items":[{"n":{"N":"1"},"sub":{"S":"x"}}]})");
  EXPECT_EQ(run("SELECT * FROM Tab WHERE k = 'a' AND n > 1"), R"({"Items":[]})");
  EXPECT_EQ(run("SELECT * FROM Tab WHERE k = 'nobody'"), R"({"Items":[]})");
  EXPECT_THAT(run("SELECT n FROM Tab WHERE k = 'a'", R"(,"ReturnConsumedCapacity":"TOTAL","ConsistentRead":true)"),
              HasSubstr(R"("ConsumedCapacity":{"TableName":"Tab","CapacityUnits":1)"));
}

TEST_F(Partiql, ASelectByPartitionIsAQuery) {
  fill();
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k = 'a'"), "1234");
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k = 'a' AND s BETWEEN 2 AND 3"), "23");
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k = 'a' AND s > 1 AND s <> 3"), "24");
  EXPECT_EQ(sorts("SELECT s FROM Sorted WHERE k = 'a' AND odd = true ORDER BY s DESC"), "31");
}

TEST_F(Partiql, ASelectGoesThroughThePartitionsOfIn) {
  fill();
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k IN ['b', 'a', 'nobody'] AND s < 3"), "1212");
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k IN ['a', 'b'] AND s < 3 ORDER BY k DESC, s DESC"), "2121");
}

TEST_F(Partiql, ASelectWithoutAPartitionIsAScan) {
  fill();
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE s = 2"), "22");
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k = 'a' AND s = 1 OR k = 'b' AND s = 1").size(), 2u);
  EXPECT_EQ(sorts("SELECT * FROM Sorted").size(), 8u);
}

TEST_F(Partiql, PagesAreTiedToTheirStatement) {
  fill();
  const std::string statement = "SELECT * FROM Sorted WHERE k IN ['a', 'b']";
  EXPECT_EQ(sorts(statement, R"(,"Limit":3)"), "123+");
  EXPECT_EQ(sorts(statement, R"(,"Limit":3)" + following()), "412+");
  const std::string last = token;
  EXPECT_EQ(sorts(statement, following()), "34");
  token = last;
  EXPECT_EQ(run("SELECT * FROM Sorted WHERE k = 'a'", following()),
            "ValidationException: NextToken does not match request");
  EXPECT_EQ(run(statement, R"(,"NextToken":"abc")"), "ValidationException: Invalid NextToken");
}

// Where a partition is one item, a page that ends with it goes on with the next one.
TEST_F(Partiql, PagesOfPartitionsOfOneItemFollowEachOther) {
  for (const std::string key : {"a", "b", "c"}) run("INSERT INTO Tab VALUE {'k': '" + key + "', 's': 1}");
  for (const std::string statement : {"SELECT * FROM Tab WHERE k IN ['a', 'b', 'nobody', 'c']",
                                      "SELECT * FROM Tab WHERE k = 'a' OR k = 'b' OR k = 'c'"}) {
    for (const int limit : {1, 2, 3}) {
      const std::string rest = ",\"Limit\":" + std::to_string(limit);
      std::string all = sorts(statement, rest);
      for (int page = 0; !token.empty() && page < 5; ++page) all += sorts(statement, rest + following());
      EXPECT_EQ(std::ranges::count(all, '1'), 3) << statement << " by " << limit << ": " << all;
      EXPECT_TRUE(token.empty());
    }
  }
  EXPECT_EQ(sorts("SELECT * FROM Tab WHERE k IN ['a', 'b', 'c']", ",\"Limit\":3"), "111") << "nothing is left";
}

// Each is read for itself, and together they are no more than one: also what the filter leaves out counts.
TEST_F(Partiql, APageOfManyPartitionsEndsAtItsMegabyte) {
  for (const char* key : {"a", "b", "c", "d", "e"}) {
    world.run("PutItem", R"({"TableName":"Sorted","Item":{"s":{"N":"1"},"k":{"S":")" + std::string(key) +
                             R"("},"filler":{"S":")" + std::string(300'000, 'x') + R"("}}})");
  }
  for (const std::string filter : {"", " AND filler <> 'y'"}) {
    const std::string statement = "SELECT s FROM Sorted WHERE k IN ['a', 'b', 'c', 'd', 'e']" + filter;
    EXPECT_EQ(sorts(statement), "1111+") << filter;
    EXPECT_EQ(sorts(statement, following()), "1") << filter;
  }
  EXPECT_EQ(sorts("SELECT s FROM Sorted WHERE k IN ['a', 'b', 'c', 'd', 'e'] AND filler = 'y'"), "+");
}

TEST_F(Partiql, AScanIsPagedToo) {
  fill();
  std::string all = sorts("SELECT * FROM Sorted WHERE odd = true", R"(,"Limit":3)");
  for (int page = 0; !token.empty() && page < 10; ++page) {
    all += sorts("SELECT * FROM Sorted WHERE odd = true", R"(,"Limit":3)" + following());
  }
  EXPECT_EQ(std::ranges::count(all, '1') + std::ranges::count(all, '3'), 4);
}

TEST_F(Partiql, AlternativesOfKeysReadTheKeysAlone) {
  fill();
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k = 'a' AND s = 1 OR k = 'b' AND s = 2"), "12");
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k = 'a' AND s <= 1 OR k = 'a' AND s > 3"), "14");
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k = 'a' AND s > 3 OR k = 'a' AND s <= 1 ORDER BY s"), "14");
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k = 'a' AND s > 3 OR k = 'a' AND s <= 1 ORDER BY s DESC"), "41");
  EXPECT_EQ(sorts("SELECT * FROM Sorted WHERE k = 'a' OR k = 'a' AND NOT s = 1"), "1234");
  EXPECT_THAT(run("SELECT * FROM Sorted WHERE k = 'a' AND s = 1 OR k = 'b' AND s = 2",
                  R"(,"ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL")"),
              HasSubstr(R"("CapacityUnits":2)"));  // for each of the two
  EXPECT_EQ(run("SELECT * FROM Sorted WHERE k = 'a' AND s > 1 OR k = 'a' AND s < 3"),
            "ValidationException: Overlapping conditions with range keys are not supported in where clause");
  EXPECT_THAT(run("DELETE FROM Sorted WHERE k = 'a' AND s = 1 OR k = 'b' AND s = 2"), HasSubstr("ValidationException"));
}

TEST_F(Partiql, OrderByWantsKeys) {
  EXPECT_EQ(run("SELECT * FROM Sorted ORDER BY s"),
            "ValidationException: Must have WHERE clause in the statement when using ORDER BY clause.");
  EXPECT_EQ(run("SELECT * FROM Sorted WHERE k = 'a' ORDER BY odd"),
            "ValidationException: Attribute odd in ORDER BY clause must be part of the primary key");
  EXPECT_EQ(run("SELECT * FROM Sorted WHERE s = 1 ORDER BY s"),
            "ValidationException: Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause.");
  EXPECT_EQ(run("SELECT * FROM Sorted WHERE k IN ['a', 'b'] ORDER BY s"),
            "ValidationException: Must have hash key in ORDER BY clause when more than one hash key condition "
            "specified in WHERE clause.");
}

TEST_F(Partiql, AnUpdateChangesTheItemThatItsKeyNames) {
  world.put(R"({"k":{"S":"a"},"n":{"N":"1"},"gone":{"S":"x"}})");
  EXPECT_EQ(run("UPDATE Tab SET n = n + 1 REMOVE gone WHERE k = 'a' AND n = 1"), R"({"Items":[]})");
  EXPECT_EQ(get("a"), R"({"Item":{"k":{"S":"a"},"n":{"N":"2"}}})");
  EXPECT_EQ(run("UPDATE Tab SET n = 9 WHERE k = 'a' AND n = 1"), kFailed);
  EXPECT_EQ(run("UPDATE Tab SET n = 9 WHERE k = 'a' AND n = 1", R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")"),
            std::string(kFailed) + R"( {"Item":{"k":{"S":"a"},"n":{"N":"2"}}})");
  EXPECT_EQ(run("UPDATE Tab SET n = 9 WHERE k = 'nobody'"), kFailed);
  EXPECT_EQ(get("nobody"), "{}");
}

TEST_F(Partiql, AnUpdateReturnsWhatIsAsked) {
  const auto update = [&](std::string_view returning) {
    world.put(R"({"k":{"S":"a"},"n":{"N":"1"},"o":{"S":"x"}})");
    return run("UPDATE Tab SET n = 2 WHERE k = 'a' RETURNING " + std::string(returning));
  };
  EXPECT_EQ(update("ALL OLD *"), R"({"Items":[{"k":{"S":"a"},"n":{"N":"1"},"o":{"S":"x"}}]})");
  EXPECT_EQ(update("ALL NEW *"), R"({"Items":[{"k":{"S":"a"},"n":{"N":"2"},"o":{"S":"x"}}]})");
  EXPECT_EQ(update("MODIFIED OLD *"), R"({"Items":[{"n":{"N":"1"}}]})");
  EXPECT_EQ(update("MODIFIED NEW *"), R"({"Items":[{"n":{"N":"2"}}]})");
  EXPECT_EQ(run("UPDATE Tab REMOVE o WHERE k = 'a' RETURNING MODIFIED NEW *"), R"({"Items":[]})");
}

TEST_F(Partiql, AnUpdateLeavesKeysAlone) {
  EXPECT_EQ(run("UPDATE Tab SET k = 'b' WHERE k = 'a'"),
            "ValidationException: One or more parameter values were invalid: Cannot update attribute k. This attribute "
            "is part of the key");
}

TEST_F(Partiql, ADeleteRemovesTheItemThatItsKeyNames) {
  world.put(R"({"k":{"S":"a"},"n":{"N":"1"}})");
  EXPECT_EQ(run("DELETE FROM Tab WHERE k = 'a' AND n = 2"), kFailed);
  EXPECT_EQ(run("DELETE FROM Tab WHERE k = 'a' RETURNING ALL OLD *"), R"({"Items":[{"k":{"S":"a"},"n":{"N":"1"}}]})");
  EXPECT_EQ(run("DELETE FROM Tab WHERE k = 'a' AND n = 2 RETURNING ALL OLD *"), R"({"Items":[]})");
}

TEST_F(Partiql, WritesWantTheWholeKey) {
  const std::string refused =
      "ValidationException: Where clause does not contain a mandatory equality on all key attributes";
  EXPECT_EQ(run("DELETE FROM Tab WHERE n = 1"), refused);
  EXPECT_EQ(run("DELETE FROM Tab"), refused);
  EXPECT_EQ(run("UPDATE Sorted SET n = 1 WHERE k = 'a'"), refused);
  EXPECT_EQ(run("UPDATE Sorted SET n = 1 WHERE k = 'a' AND s > 1"), refused);
  EXPECT_EQ(run("UPDATE Tab SET n = 1 WHERE k = 1"),
            "ValidationException: Key attribute's data type should match its data type in table's schema: Key k");
}

TEST_F(Partiql, WhatIsNoStatementIsRefused) {
  EXPECT_EQ(run("SLECT * FROM Tab"),
            "ValidationException: Statement wasn't well formed, can't be processed: Expected data manipulation");
  EXPECT_EQ(run("EXISTS(SELECT * FROM Tab WHERE k = 'a' AND n = 1)"),
            "ValidationException: EXISTS can only be used in ExecuteTransaction write requests.");
  EXPECT_EQ(run("SELECT * FROM Tab WHERE k = 'a'", R"(,"Parameters":[])"),
            "ValidationException: 1 validation error detected: Value '[]' at 'parameters' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1");
  EXPECT_EQ(run("SELECT * FROM Tab WHERE k = ?"),
            "ValidationException: Number of parameters in request and statement don't match.");
  EXPECT_THAT(run(std::string(8193, ' ')), HasSubstr("Member must have length less than or equal to 8192"));
  EXPECT_EQ(run("SELECT * FROM Tab.other WHERE k = 'a'"),
            "ValidationException: The table does not have the specified index");
}

TEST_F(Partiql, ABatchReadsOneItemPerStatement) {
  world.put(R"({"k":{"S":"a"},"n":{"N":"1"}})");
  EXPECT_EQ(batch({"SELECT n FROM Tab WHERE k = 'a'", "SELECT * FROM Tab WHERE k = 'b'",
                   "SELECT * FROM Nowhere WHERE k = 'b'"}),
            R"({"Responses":[{"TableName":"Tab","Item":{"n":{"N":"1"}}},{"TableName":"Tab"},)"
            R"({"Error":{"Code":"ResourceNotFound","Message":"Requested resource not found"}}]})");
  for (const std::string_view statement :
       {"SELECT * FROM Sorted WHERE k = 'a'", "SELECT * FROM Tab", "SELECT * FROM Tab WHERE k = 'a' AND n = 1",
        "SELECT * FROM Tab.other WHERE k = 'a'"}) {
    EXPECT_EQ(batch({statement}),
              R"({"Responses":[{"Error":{"Code":"ValidationError","Message":"Select statements within )"
              R"(BatchExecuteStatement must specify the primary key in the where clause."}}]})");
  }
}

TEST_F(Partiql, ABatchWritesWhatItCan) {
  world.put(R"({"k":{"S":"a"},"n":{"N":"1"}})");
  EXPECT_EQ(batch({"INSERT INTO Tab VALUE {'k': 'a'}", "UPDATE Tab SET n = 2 WHERE k = 'a' RETURNING ALL NEW *",
                   "DELETE FROM Tab WHERE k = 'a' AND n = 9", "SLECT"}),
            R"({"Responses":[{"Error":{"Code":"DuplicateItem","Message":"Duplicate primary key exists in table"}},)"
            R"({"TableName":"Tab","Item":{"k":{"S":"a"},"n":{"N":"2"}}},)"
            R"({"Error":{"Code":"ConditionalCheckFailed","Message":"The conditional request failed"}},)"
            R"({"Error":{"Code":"ValidationError","Message":"Statement wasn't well formed, can't be processed: )"
            R"(Expected data manipulation"}}]})");
}

TEST_F(Partiql, ABatchTellsWhatEachStatementConsumed) {
  EXPECT_EQ(batch({"INSERT INTO Tab VALUE {'k': 'a'}", "INSERT INTO Sorted VALUE {'k': 'a', 's': 1}"},
                  R"(,"ReturnConsumedCapacity":"TOTAL")"),
            R"({"Responses":[{"TableName":"Tab"},{"TableName":"Sorted"}],"ConsumedCapacity":[)"
            R"({"TableName":"Tab","CapacityUnits":1.0},{"TableName":"Sorted","CapacityUnits":1.0}]})");
}

TEST_F(Partiql, ABatchReadsOrWrites) {
  EXPECT_THAT(batch({"SELECT * FROM Tab WHERE k = 'a'", "DELETE FROM Tab WHERE k = 'a'"}),
              StartsWith("ValidationException: The entire batch must consist of either read statements or write"));
  EXPECT_THAT(batch({}), HasSubstr("Member must have length greater than or equal to 1"));
}

}  // namespace
}  // namespace tidemill::dynamodb
