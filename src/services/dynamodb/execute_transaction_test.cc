// ExecuteTransaction, asked as clients ask it.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::World;

class ExecuteTransaction : public ::testing::Test {
 protected:
  ExecuteTransaction() {
    world.create_table("Tab");
    world.put(R"({"k":{"S":"a"},"n":{"N":"1"}})");
  }

  std::string execute(std::initializer_list<std::string_view> statements, std::string_view more = "") {
    std::string list;
    for (const std::string_view statement : statements) {
      list += (list.empty() ? "" : ",") + (R"({"Statement":")" + std::string(statement) + R"("})");
    }
    return run("[" + list + "]", more);
  }
  std::string run(const std::string& statements, std::string_view more = "") {
    return world.run("ExecuteTransaction", R"({"TransactStatements":)" + statements + std::string(more) + "}");
  }
  std::string item(std::string_view key) {
    return world.run("GetItem", R"({"TableName":"Tab","Key":{"k":{"S":")" + std::string(key) + R"("}}})");
  }

  World world;
};

std::string refused(int number, std::string_view message) {
  return "ValidationException: Validation failed in TransactStatements[" + std::to_string(number) + "]: " +
         std::string(message);
}

TEST_F(ExecuteTransaction, WritesAllOrNothing) {
  EXPECT_EQ(execute({"INSERT INTO Tab VALUE {'k': 'b'}", "UPDATE Tab SET n = n + 1 WHERE k = 'a'"}),
            R"({"Responses":[]})");
  EXPECT_EQ(item("a"), R"({"Item":{"k":{"S":"a"},"n":{"N":"2"}}})");
  EXPECT_EQ(execute({"INSERT INTO Tab VALUE {'k': 'b'}", "DELETE FROM Tab WHERE k = 'a'"}),
            "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons "
            R"([DuplicateItem, None] {"CancellationReasons":[{"Code":"DuplicateItem","Message":"Duplicate primary key exists in table"},{"Code":"None"}]})");
  EXPECT_EQ(item("a"), R"({"Item":{"k":{"S":"a"},"n":{"N":"2"}}})");
}

TEST_F(ExecuteTransaction, ExistsChecksAnItem) {
  EXPECT_EQ(execute({"EXISTS(SELECT * FROM Tab WHERE k = 'a' AND n = 1)", "INSERT INTO Tab VALUE {'k': 'b'}"}),
            R"({"Responses":[]})");
  EXPECT_THAT(execute({"EXISTS(SELECT * FROM Tab WHERE k = 'a' AND n IS MISSING)", "INSERT INTO Tab VALUE {'k': 'c'}"}),
              HasSubstr("[ConditionalCheckFailed, None]"));
  EXPECT_THAT(execute({"EXISTS(SELECT * FROM Tab WHERE k = 'none' AND n IS MISSING)", "INSERT INTO Tab VALUE {'k': 'c'}"}),
              HasSubstr("[ConditionalCheckFailed, None]"));
  EXPECT_EQ(item("c"), "{}");
  EXPECT_EQ(item("a"), R"({"Item":{"k":{"S":"a"},"n":{"N":"1"}}})");
}

TEST_F(ExecuteTransaction, TheItemThatFailedItsConditionIsTold) {
  EXPECT_THAT(run(R"([{"Statement":"UPDATE Tab SET n = 5 WHERE k = 'a' AND n = ?","Parameters":[{"N":"9"}],"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}])"),
              HasSubstr(R"([{"Code":"ConditionalCheckFailed","Item":{"k":{"S":"a"},"n":{"N":"1"}},"Message":"The conditional request failed"}])"));
}

TEST_F(ExecuteTransaction, ReadsItemsByTheirKeys) {
  EXPECT_EQ(execute({"SELECT n FROM Tab WHERE k = 'a'", "SELECT * FROM Tab WHERE k = 'none'"},
                    R"(,"ReturnConsumedCapacity":"TOTAL")"),
            R"({"Responses":[{"Item":{"n":{"N":"1"}}},{}],"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":4.0,"ReadCapacityUnits":4.0}]})");
}

TEST_F(ExecuteTransaction, ATokenCountsOnce) {
  const std::string_view more = R"(,"ClientRequestToken":"t","ReturnConsumedCapacity":"TOTAL")";
  EXPECT_EQ(execute({"UPDATE Tab SET n = n + 1 WHERE k = 'a'"}, more),
            R"({"Responses":[],"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":2.0,"WriteCapacityUnits":2.0}]})");
  EXPECT_EQ(execute({"UPDATE Tab SET n = n + 1 WHERE k = 'a'"}, more),
            R"({"Responses":[],"ConsumedCapacity":[{"TableName":"Tab","CapacityUnits":2.0,"ReadCapacityUnits":2.0}]})");
  EXPECT_EQ(item("a"), R"({"Item":{"k":{"S":"a"},"n":{"N":"2"}}})");
  EXPECT_THAT(execute({"UPDATE Tab SET n = n + 2 WHERE k = 'a'"}, more),
              StartsWith("IdempotentParameterMismatchException: "));
  // A token belongs to one operation.
  EXPECT_EQ(world.run("TransactWriteItems", R"({"ClientRequestToken":"t","TransactItems":[{"Delete":{"TableName":"Tab","Key":{"k":{"S":"a"}}}}]})"),
            "{}");
}

TEST_F(ExecuteTransaction, WrongStatementsAreRefusedBeforeAnythingRuns) {
  EXPECT_EQ(execute({"SELECT * FROM Tab WHERE k = 'a'", "DELETE FROM Tab WHERE k = 'a'"}),
            "ValidationException: ExecuteTransaction API does not support both read and write operations in the same request.");
  EXPECT_EQ(execute({"INSERT INTO Tab VALUE {'k': 'b'}", "UPDATE Tab SET n = 2 WHERE k = 'a' RETURNING ALL NEW *"}),
            refused(1, "RETURNING clause is not supported in ExecuteTransaction."));
  EXPECT_EQ(execute({R"(SELECT * FROM Tab.Ind WHERE k = 'a')"}),
            refused(0, "Reads on indices are not supported within transactions."));
  constexpr const char* kNeedsKey =
      "Select statements within ExecuteTransaction must specify the primary key in the where clause.";
  EXPECT_EQ(execute({"SELECT * FROM Tab WHERE k = 'a' AND n = 1"}), refused(0, kNeedsKey));
  EXPECT_EQ(execute({"SELECT * FROM Tab"}), refused(0, kNeedsKey));
  EXPECT_EQ(execute({"EXISTS(SELECT * FROM Tab WHERE k = 'a')"}),
            refused(0, "EXISTS() must contain a single item read with additional condition"));
  EXPECT_THAT(execute({"SELECT * FROM"}), StartsWith(refused(0, "Statement wasn't well formed")));
  EXPECT_EQ(execute({"DELETE FROM Tab WHERE k = 'a'", "UPDATE Tab SET n = 2 WHERE k = 'a'"}),
            "ValidationException: Transaction request cannot include multiple operations on one item");
  EXPECT_EQ(execute({"DELETE FROM None WHERE k = 'a'"}), "ResourceNotFoundException: Requested resource not found");
  EXPECT_EQ(run(R"([{"Statement":"SELECT * FROM Tab WHERE k = 'a'","Parameters":[]}])"),
            "ValidationException: 1 validation error detected: Value '[]' at 'transactStatements.1.member.parameters' "
            "failed to satisfy constraint: Member must have length greater than or equal to 1");
  EXPECT_EQ(item("b"), "{}");
}

TEST_F(ExecuteTransaction, AKeyOfAnotherTypeCancelsTheTransaction) {
  EXPECT_THAT(execute({"SELECT * FROM Tab WHERE k = 'a'", "SELECT * FROM Tab WHERE k = 'a'", "SELECT * FROM Tab WHERE k = 1"}),
              HasSubstr("[None, None, ValidationError]"));
  EXPECT_THAT(execute({"DELETE FROM Tab WHERE k = 1", "DELETE FROM Tab WHERE k = 'a'"}),
              HasSubstr("[ValidationError, None]"));
}

}  // namespace
}  // namespace tidemill::dynamodb
