// The parameters that expressions have replaced, asked for as clients ask.
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using testing::World;

class Legacy : public ::testing::Test {
 protected:
  Legacy() {
    world.create_table("Tab", "N");
    for (const char* s : {"1", "2", "3"}) {
      world.put(R"({"k":{"S":"a"},"s":{"N":")" + std::string(s) + R"("},"x":{"N":")" + s + R"("},"y":{"S":"y"}})");
    }
  }
  std::string run(std::string_view operation, std::string_view rest) {
    return world.run(operation, R"({"TableName":"Tab",)" + std::string(rest) + "}");
  }
  std::string update(std::string_view rest) {
    return run("UpdateItem", R"("Key":{"k":{"S":"a"},"s":{"N":"1"}},"ReturnValues":"UPDATED_NEW",)" + std::string(rest));
  }
  // Items as "1 2", by x; or the error.
  std::string found(std::string_view operation, std::string_view rest) {
    const std::string answer = run(operation, rest);
    const auto document = json::parse(answer);
    if (!document) return answer;
    std::string text;
    for (const json::Value& item : document->find("Items")->array()) {
      text += (text.empty() ? "" : " ") + item.find("x")->find("N")->string();
    }
    return text;
  }
  World world;
};

constexpr std::string_view kKey = R"("KeyConditions":{"k":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]})";

TEST_F(Legacy, ExpectedDecides) {
  EXPECT_EQ(update(R"("AttributeUpdates":{"z":{"Value":{"N":"7"}}},"Expected":{"x":{"Value":{"N":"1"}}})"),
            R"({"Attributes":{"z":{"N":"7"}}})");
  EXPECT_EQ(update(R"("AttributeUpdates":{"z":{"Value":{"N":"8"}}},"Expected":{"x":{"Value":{"N":"2"}}})"),
            "ConditionalCheckFailedException: The conditional request failed");
  EXPECT_EQ(run("PutItem", R"("Item":{"k":{"S":"a"},"s":{"N":"1"}},"Expected":{"k":{"Exists":false}})"),
            "ConditionalCheckFailedException: The conditional request failed");
  EXPECT_EQ(run("DeleteItem", R"("Key":{"k":{"S":"a"},"s":{"N":"1"}},"ConditionalOperator":"OR","Expected":{
                "x":{"ComparisonOperator":"GT","AttributeValueList":[{"N":"5"}]},"y":{"ComparisonOperator":"NOT_NULL"}})"),
            "{}");
}

TEST_F(Legacy, AttributeUpdatesChangeAttributes) {
  EXPECT_EQ(update(R"("AttributeUpdates":{"x":{"Action":"ADD","Value":{"N":"2"}},"y":{"Action":"DELETE"}})"),
            R"({"Attributes":{"x":{"N":"3"}}})");
  EXPECT_EQ(update(R"("AttributeUpdates":{"k":{"Value":{"S":"b"}}})"),
            "ValidationException: One or more parameter values were invalid: Cannot update attribute k. This attribute is "
            "part of the key");
  EXPECT_EQ(update(R"("AttributeUpdates":{"x":{"Action":"ADD","Value":{"SS":["a"]}}})"),
            "ValidationException: Type mismatch for attribute to update");
  EXPECT_EQ(update(R"("AttributeUpdates":{"x":{"Action":"PLUS","Value":{"SS":["a"]}}})"),
            "ValidationException: 1 validation error detected: Value 'PLUS' at 'attributeUpdates.x.member.action' failed "
            "to satisfy constraint: Member must satisfy enum value set: [ADD, DELETE, PUT]");
}

TEST_F(Legacy, AnUpdateThatOnlyDeletesMakesNoItem) {
  const auto at = [&](std::string_view updates) {
    run("UpdateItem", R"("Key":{"k":{"S":"new"},"s":{"N":"1"}},"AttributeUpdates":)" + std::string(updates));
    return run("GetItem", R"("Key":{"k":{"S":"new"},"s":{"N":"1"}})");
  };
  EXPECT_EQ(at(R"({"x":{"Action":"DELETE"},"y":{"Action":"DELETE","Value":{"SS":["a"]}}})"), "{}");
  EXPECT_EQ(at("{}"), R"({"Item":{"k":{"S":"new"},"s":{"N":"1"}}})");
}

TEST_F(Legacy, KeyConditionsAndFiltersFindItems) {
  const std::string key(kKey);
  EXPECT_EQ(found("Query", key + "}"), "1 2 3");
  EXPECT_EQ(found("Query", key + R"(,"s":{"ComparisonOperator":"GE","AttributeValueList":[{"N":"2"}]}})"), "2 3");
  EXPECT_EQ(found("Query", key + R"(},"QueryFilter":{"x":{"ComparisonOperator":"NE","AttributeValueList":[{"N":"2"}]}})"), "1 3");
  EXPECT_EQ(found("Query", key + R"(},"FilterExpression":"x = :x","ExpressionAttributeValues":{":x":{"N":"2"}})"), "2");
  EXPECT_EQ(found("Scan", R"("ScanFilter":{"x":{"ComparisonOperator":"IN","AttributeValueList":[{"N":"2"},{"N":"3"}]}})"), "2 3");
  EXPECT_EQ(found("Query", key + R"(},"QueryFilter":{"s":{"ComparisonOperator":"NOT_NULL"}})"),
            "ValidationException: QueryFilter can only contain non-primary key attributes: Primary key attribute: s");
  EXPECT_EQ(found("Query", R"("KeyConditions":{})"), "ValidationException: Conditions can be of length 1 or 2 only");
}

TEST_F(Legacy, AttributesToGetPicksWholeAttributes) {
  const std::string item = R"({"x":{"N":"1"}})";
  EXPECT_EQ(run("GetItem", R"("Key":{"k":{"S":"a"},"s":{"N":"1"}},"AttributesToGet":["x","absent"])"), R"({"Item":)" + item + "}");
  EXPECT_EQ(world.run("BatchGetItem", R"({"RequestItems":{"Tab":{"Keys":[{"k":{"S":"a"},"s":{"N":"1"}}],"AttributesToGet":["x"]}}})"),
            R"({"Responses":{"Tab":[)" + item + R"(]},"UnprocessedKeys":{}})");
  EXPECT_EQ(found("Query", std::string(kKey) + R"(},"AttributesToGet":["x"],"Select":"SPECIFIC_ATTRIBUTES")"), "1 2 3");
  EXPECT_EQ(found("Scan", R"("AttributesToGet":["x"],"Select":"COUNT")"),
            "ValidationException: Cannot specify the AttributesToGet when choosing to get only the Count");
  EXPECT_EQ(found("Scan", R"("AttributesToGet":["x","x"])"),
            "ValidationException: One or more parameter values were invalid: Duplicate value in attribute name: x");
}

TEST_F(Legacy, ConditionalOperatorWantsSeveralConditions) {
  EXPECT_EQ(run("Scan", R"("ConditionalOperator":"AND")"),
            "ValidationException: ConditionalOperator cannot be used without Filter or Expected");
  EXPECT_EQ(run("Scan", R"("ConditionalOperator":"AND","ScanFilter":{"x":{"ComparisonOperator":"NULL"}})"),
            "ValidationException: ConditionalOperator can only be used when Filter or Expected has two or more elements");
}

TEST_F(Legacy, ExpressionsAndWhatTheyReplacedDoNotMix) {
  const std::string mixed =
      "ValidationException: Can not use both expression and non-expression parameters in the same request: "
      "Non-expression parameters: ";
  EXPECT_EQ(update(R"("AttributeUpdates":{},"Expected":{},"ConditionalOperator":"OR","UpdateExpression":"","ConditionExpression":"")"),
            mixed + "{AttributeUpdates, Expected, ConditionalOperator} Expression parameters: {UpdateExpression, "
                    "ConditionExpression}");
  EXPECT_EQ(run("Query", std::string(kKey) + R"(},"AttributesToGet":["x"],"KeyConditionExpression":"k = :k")"),
            mixed + "{AttributesToGet, KeyConditions} Expression parameters: {KeyConditionExpression}");
  EXPECT_EQ(run("Query", std::string(kKey) + R"(},"AttributesToGet":["x"],"FilterExpression":"k = :k")"),
            mixed + "{AttributesToGet} Expression parameters: {FilterExpression}");
}

}  // namespace
}  // namespace tidemill::dynamodb
