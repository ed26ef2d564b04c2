// Imports of tables from S3: what becomes items, and what is an error.
#include "services/dynamodb/transfer_testing.h"

namespace tidemill::dynamodb {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using testing::TransferWorld;
using ::testing::UnorderedElementsAre;

class World : public TransferWorld {
 public:
  World() { create_bucket("source"); }

  static std::string line(std::string_view item) { return base::cat(R"({"Item":)", item, "}\n"); }
  // Imports what begins with "f" and waits for it.
  std::string import(std::string_view table, std::string_view more = R"("InputFormat":"DYNAMODB_JSON")") {
    arn = begin_import(table, "source", "f", more);
    settle();
    return outcome(arn);
  }
  // What the log says of the last import: "itemIndex message" of each.
  std::vector<std::string> errors() {
    const std::string stream = arn.substr(arn.rfind('/') + 1) + "/error";
    const json::Value page = ask(
        "logs", "GetLogEvents",
        base::cat(R"({"logGroupName":"/aws-dynamodb/imports","startFromHead":true,"logStreamName":")", stream, "\"}"));
    std::vector<std::string> result;
    for (const json::Value& event : page.find("events")->array()) {
      const json::Value error = parse(event.find("message")->string());
      result.push_back(base::cat(error.find("itemS3Pointer")->find("key")->string(), " ",
                                 json::write(*error.find("itemS3Pointer")->find("itemIndex")), " ",
                                 error.find("errorMessages")->array().front().string()));
    }
    return result;
  }

  // How many there are, however many pages they fill.
  int count_errors() {
    const std::string stream = arn.substr(arn.rfind('/') + 1) + "/error";
    int count = 0;
    for (std::string token;;) {
      const json::Value page =
          ask("logs", "GetLogEvents",
              base::cat(R"({"logGroupName":"/aws-dynamodb/imports","startFromHead":true,"logStreamName":")", stream,
                        "\"", token, "}"));
      count += static_cast<int>(page.find("events")->array().size());
      const std::string next = base::cat(R"(,"nextToken":)", json::write(*page.find("nextForwardToken")));
      if (next == token) return count;
      token = next;
    }
  }

  std::string arn;
};

TEST(Imports, ItemsOfEveryFileThatBeginsSoAreInTheNewTable) {
  World world;
  world.put_object("source", "f/1",
                   world.line(world.item("a", 1)) + world.line(world.item("b", 2, R"("v":{"L":[{"BOOL":true}]})")));
  world.put_object("source", "f/2.json", R"({"Item":{"k":{"S":"c"},"s":{"N":"3"}}})");
  world.put_object("source", "f/empty", "");
  world.put_object("source", "other", "not read");
  EXPECT_EQ(world.import("Tab"), "COMPLETED 3/3 0");
  EXPECT_THAT(world.items("Tab"),
              ElementsAre(world.item("a", 1), world.item("b", 2, R"("v":{"L":[{"BOOL":true}]})"), world.item("c", 3)));
  const json::Value described = world.described_import(world.arn);
  EXPECT_THAT(world.arn,
              MatchesRegex("arn:aws:dynamodb:us-east-1:000000000000:table/Tab/import/[0-9]{14}-[0-9a-f]{8}"));
  EXPECT_EQ(described.find("InputCompressionType")->string(), "NONE");
  EXPECT_EQ(described.find("CloudWatchLogGroupArn")->string(),
            "arn:aws:logs:us-east-1:000000000000:log-group:/aws-dynamodb/imports:*");
  EXPECT_EQ(described.find("TableCreationParameters")->find("TableName")->string(), "Tab");
  EXPECT_TRUE(described.find("EndTime"));
  EXPECT_EQ(described.find("FailureCode"), nullptr);
  const json::Value table = *world.ask("DescribeTable", R"({"TableName":"Tab"})").find("Table");
  EXPECT_EQ(table.find("TableStatus")->string(), "ACTIVE");
  EXPECT_EQ(table.find("TableId")->string(), described.find("TableId")->string());
}

TEST(Imports, AnExportComesBackAsItWas) {
  World world;
  world.create_table("From");
  world.put("From",
            world.item("types", 1,
                       R"("n":{"N":"-0.05"},"b":{"B":"AAH+/w=="},"t":{"BOOL":true},"u":{"NULL":true},)"
                       R"("l":{"L":[{"S":"x"},{"L":[]},{"M":{}}]},"m":{"M":{"a.b":{"N":"1000"}}},)"
                       R"("ss":{"SS":["a","b"]},"ns":{"NS":["1","2.5"]},"bs":{"BS":["AA==","AQ=="]},"e":{"S":""})"));
  world.put("From", world.item("text", 2, R"("quote\"":{"S":"a \\ \" \n ż 🦑"})"));
  const auto items = world.items("From");
  for (const std::string format : {"DYNAMODB_JSON", "ION"}) {
    const std::string more = base::cat(R"("S3Prefix":"f-)", format, R"(","ExportFormat":")", format, "\"");
    const std::string exported = world.begin_export("From", "source", more);
    world.settle();
    const std::string prefix =
        base::cat("f-", format, "/AWSDynamoDB/", exported.substr(exported.rfind('/') + 1), "/data/");
    const std::string table = "To-" + format;
    const std::string arn = world.begin_import(
        table, "source", prefix, base::cat(R"("InputCompressionType":"GZIP","InputFormat":")", format, "\""));
    world.settle();
    EXPECT_EQ(world.outcome(arn), "COMPLETED 2/2 0");
    EXPECT_EQ(world.items(table), items) << format;
  }
}

TEST(Imports, NothingElseUsesTheTableBeforeItIsThere) {
  World world;
  world.put_object("source", "f", world.line(world.item("a", 1)));
  const json::Value begun =
      *world.ask("ImportTable", world.import_request("Tab", "source", "f")).find("ImportTableDescription");
  EXPECT_EQ(begun.find("ImportStatus")->string(), "IN_PROGRESS");
  EXPECT_EQ(json::write(*begun.find("ProcessedItemCount")), "0");
  EXPECT_EQ(begun.find("EndTime"), nullptr);
  EXPECT_EQ(begun.find("ProcessedSizeBytes"), nullptr);
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"Tab"})"), HasSubstr(R"("TableStatus":"CREATING")"));
  EXPECT_THAT(world.run("Scan", R"({"TableName":"Tab"})"), StartsWith("ResourceNotFoundException"));
  EXPECT_THAT(world.run("DeleteTable", R"({"TableName":"Tab"})"), StartsWith("ResourceInUseException"));
  EXPECT_THAT(world.run("ListImports", "{}"), HasSubstr("IN_PROGRESS"));
  world.settle();
  EXPECT_THAT(world.items("Tab"), ElementsAre(world.item("a", 1)));
}

TEST(Imports, CompressedFilesAreCountedAsTheyAreUncompressed) {
  World world;
  const std::string text = world.line(world.item("a", 1)) + world.line(world.item("b", 2));
  world.put_object("source", "f", world.gzip(text));
  EXPECT_EQ(world.import("Tab", R"("InputFormat":"DYNAMODB_JSON","InputCompressionType":"GZIP")"), "COMPLETED 2/2 0");
  EXPECT_EQ(json::write(*world.described_import(world.arn).find("ProcessedSizeBytes")), std::to_string(text.size()));
}

TEST(Imports, ItemsMayStandOnOneLineAndEmptyLinesBetween) {
  World world;
  world.put_object("source", "f",
                   R"({"Item":{"k":{"S":"a"},"s":{"N":"1"}}}{"Item":{"k":{"S":"b"},"s":{"N":"1"}}})"
                   "\n\n   \n"
                   R"({"Item":{"k":{"S":"c"},"s":{"N":"1"}}})");
  EXPECT_EQ(world.import("Tab"), "COMPLETED 3/3 0");
}

TEST(Imports, ItemsOfOneKeyReplaceEachOther) {
  World world;
  world.put_object(
      "source", "f",
      world.line(world.item("a", 1, R"("v":{"N":"1"})")) + world.line(world.item("a", 1, R"("v":{"N":"2"})")));
  EXPECT_EQ(world.import("Tab"), "COMPLETED 2/2 0");
  EXPECT_THAT(world.items("Tab"), ElementsAre(world.item("a", 1, R"("v":{"N":"2"})")));
}

TEST(Imports, AnItemThatDoesNotSuitTheTableIsPassedOverAndTold) {
  World world;
  world.put_object("source", "f",
                   world.line(R"({"s":{"N":"1"}})") + world.line(world.item("a", 1)) +
                       world.line(R"({"k":{"S":"x"}})") + world.line(R"({"k":{"S":"x"},"s":{"S":"1"}})") +
                       world.line(world.item("b", 2)));
  EXPECT_EQ(world.import("Tab"), "FAILED 2/5 3 ItemValidationError");
  EXPECT_THAT(world.items("Tab"), ElementsAre(world.item("a", 1), world.item("b", 2)));
  EXPECT_THAT(world.errors(),
              ElementsAre("f 0 One or more parameter values were invalid: Missing the key k in the item",
                          "f 2 One or more parameter values were invalid: Missing the key s in the item",
                          HasSubstr("f 3 One or more parameter values were invalid: Type mismatch for key s")));
  EXPECT_EQ(
      world.described_import(world.arn).find("FailureMessage")->string(),
      "Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more "
      "details.");
}

TEST(Imports, WhatIsNoItemEndsItsFileAndNoOther) {
  for (const std::string_view bad :
       {R"({"NotAnItem":{"k":{"S":"x"},"s":{"N":"1"}}})", R"({"Item": )", "text",
        R"({"Item":{"k":{"S":"x"},"s":{"N":"1"},"":{"S":"v"}}})", R"({"Item":{"k":{"S":"x"},"s":{"N":"one"}}})",
        R"({"Item":{"k":{"S":"x"},"s":{"N":"1"}} more})", R"({"Item":{"k":{"S":"x"},"s":{"N":"1"}},})",
        R"({"Item":[]})", R"([])", "{\"Item\":{\"k\":{\"S\":\"\xff\"}}}"}) {
    World world;
    world.put_object("source", "f1",
                     world.line(world.item("a", 1)) + std::string(bad) + "\n" + world.line(world.item("b", 1)));
    world.put_object("source", "f2", world.line(world.item("c", 1)));
    EXPECT_EQ(world.import("Tab"), "FAILED 2/3 1 ItemValidationError") << bad;
    EXPECT_THAT(world.items("Tab"), ElementsAre(world.item("a", 1), world.item("c", 1))) << bad;
    EXPECT_THAT(world.errors(), ElementsAre(StartsWith("f1 1 "))) << bad;
  }
}

TEST(Imports, AFileThatIsNotPackedAsSaidIsOneError) {
  World world;
  world.put_object("source", "f1", world.line(world.item("a", 1)));
  world.put_object("source", "f2", world.gzip(world.line(world.item("b", 1))));
  EXPECT_EQ(world.import("Tab", R"("InputFormat":"DYNAMODB_JSON","InputCompressionType":"GZIP")"),
            "FAILED 1/2 1 ItemValidationError");
  EXPECT_THAT(world.errors(), ElementsAre("f1 0 The file is not valid GZIP"));
}

// The text of an error may be long, and so may the name of its file, with characters that JSON escapes.
TEST(Imports, ErrorsAreToldHoweverMuchTextTheyAre) {
  World world;
  constexpr int kErrors = 600;
  std::string file = "k,s\n";
  for (int i = 0; i < kErrors; ++i) file += "a," + std::string(kImportErrorBytesMax, '\x01') + "\n";
  world.put_object("source", "f" + std::string(1000, 'x'), file);
  EXPECT_EQ(world.import("Tab", R"("InputFormat":"CSV")"), "FAILED 0/600 600 ItemValidationError");
  EXPECT_EQ(world.count_errors(), kErrors);
}

TEST(Imports, CsvHasItsHeaderInTheFirstLine) {
  World world;
  world.put_object("source", "f", "k,s,note\r\na,1,\"with, comma and \"\"quotes\"\"\"\r\nb,2.50,\n");
  EXPECT_EQ(world.import("Tab", R"("InputFormat":"CSV")"), "COMPLETED 2/2 0");
  EXPECT_THAT(world.items("Tab"),
              ElementsAre(R"({"k":{"S":"a"},"note":{"S":"with, comma and \"quotes\""},"s":{"N":"1"}})",
                          R"({"k":{"S":"b"},"note":{"S":""},"s":{"N":"2.5"}})"));
}

TEST(Imports, CsvMayHaveItsHeaderInTheRequest) {
  World world;
  world.put_object("source", "f1", "a;1;x\n");
  world.put_object("source", "f2", "b;2;y\n");
  EXPECT_EQ(
      world.import("Tab",
                   R"("InputFormat":"CSV","InputFormatOptions":{"Csv":{"Delimiter":";","HeaderList":["k","s","v"]}})"),
      "COMPLETED 2/2 0");
  EXPECT_THAT(world.items("Tab"), ElementsAre(R"({"k":{"S":"a"},"s":{"N":"1"},"v":{"S":"x"}})",
                                              R"({"k":{"S":"b"},"s":{"N":"2"},"v":{"S":"y"}})"));
}

TEST(Imports, CsvLinesThatAreNoItemsArePassedOver) {
  World world;
  world.put_object("source", "f", "k,s\na,1\nb,two\nc\nd,4,5\ne,5\n");
  EXPECT_EQ(world.import("Tab", R"("InputFormat":"CSV")"), "FAILED 2/5 3 ItemValidationError");
  EXPECT_THAT(world.errors(), ElementsAre(HasSubstr("f 1 "), "f 2 The line has 1 values, the header 2",
                                          "f 3 The line has 3 values, the header 2"));
}

TEST(Imports, ACsvHeaderThatIsNotUtf8EndsItsFile) {
  World world;
  world.put_object("source", "f", "k,s,t\xff\na,1,2\n");
  EXPECT_EQ(world.import("Tab", R"("InputFormat":"CSV")"), "FAILED 0/1 1 ItemValidationError");
  EXPECT_THAT(world.errors(), ElementsAre("f 0 The header is not valid UTF-8"));
  EXPECT_THAT(world.items("Tab"), IsEmpty());
}

TEST(Imports, IndexesOfTheNewTableAreFilled) {
  World world;
  world.put_object("source", "f", "k,s,g,h\na,1,x,7\nb,2,x,5\n");
  std::string request = world.import_request("Tab", "source", "f", R"("InputFormat":"CSV")");
  const std::string definitions = R"({"AttributeName":"s","AttributeType":"N"})";
  request.insert(request.find(definitions) + definitions.size(),
                 R"(,{"AttributeName":"g","AttributeType":"S"},{"AttributeName":"h","AttributeType":"N"})");
  request.insert(request.size() - 2,
                 R"(,"GlobalSecondaryIndexes":[{"IndexName":"gsi","KeySchema":[{"AttributeName":"g","KeyType":"HASH"},)"
                 R"({"AttributeName":"h","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}])");
  EXPECT_THAT(world.run("ImportTable", request), HasSubstr("IN_PROGRESS"));
  world.settle();
  EXPECT_THAT(world.run("Query", R"({"TableName":"Tab","IndexName":"gsi","KeyConditionExpression":"g=:g",)"
                                 R"("ExpressionAttributeValues":{":g":{"S":"x"}}})"),
              HasSubstr(R"("Items":[{"g":{"S":"x"},"h":{"N":"5"},"k":{"S":"b"},"s":{"N":"2"}},)"
                        R"({"g":{"S":"x"},"h":{"N":"7"},"k":{"S":"a"},"s":{"N":"1"}}])"));
}

TEST(Imports, AMissingBucketLeavesNoTable) {
  World world;
  const std::string arn = world.begin_import("Tab", "missing", "f");
  world.settle();
  EXPECT_EQ(world.outcome(arn), "FAILED 0/0 0 S3NoSuchBucket");
  EXPECT_THAT(world.run("DescribeTable", R"({"TableName":"Tab"})"), StartsWith("ResourceNotFoundException"));
}

TEST(Imports, NoFileAtAllIsAnEmptyTable) {
  World world;
  EXPECT_EQ(world.import("Tab"), "COMPLETED 0/0 0");
  EXPECT_THAT(world.items("Tab"), IsEmpty());
}

TEST(Imports, ATokenNamesTheImportUnderWay) {
  World world;
  world.put_object("source", "f", world.line(world.item("a", 1)));
  const std::string first = world.begin_import("Tab", "source", "f");
  EXPECT_EQ(world.begin_import("Tab", "source", "f"), first);
  EXPECT_EQ(world.begin_import("Tab", "source", "other"), first);  // as on AWS
  EXPECT_THAT(world.run("ImportTable", world.import_request("Other", "source", "f", R"("InputFormat":"CSV")", "Tab")),
              StartsWith("ImportConflictException: Duplicate request detected"));
  EXPECT_THAT(world.run("ImportTable", world.import_request("Tab", "source", "f", R"("InputFormat":"CSV")", "another")),
              StartsWith("ResourceInUseException"));
  world.settle();
  EXPECT_EQ(world.begin_import("Tab", "source", "f"), "ResourceInUseException: Table already exists: Tab");
}

TEST(Imports, WhatDoesNotFitTogetherIsRefused) {
  World world;
  EXPECT_THAT(world.begin_import("Tab", "source", "f",
                                 R"("InputFormat":"DYNAMODB_JSON","InputFormatOptions":{"Csv":{"Delimiter":","}})"),
              ::testing::AllOf(StartsWith("ValidationException"), HasSubstr("InputFormatOptions")));
  EXPECT_THAT(world.begin_import("Tab", "source", "f", R"("InputFormat":"XML")"), HasSubstr("inputFormat"));
  EXPECT_THAT(world.begin_import("not a name", "source", "f"), HasSubstr("tableName"));
  EXPECT_THAT(world.run("ImportTable", R"({"S3BucketSource":{"S3Bucket":"source"}})"), HasSubstr("clientToken"));
  EXPECT_THAT(world.run("DescribeImport", base::cat(R"({"ImportArn":")", world.TransferWorld::arn("x"),
                                                    R"(/import/01658528578619-c4d4e311"})")),
              "ValidationException: Invalid Import ARN");
  EXPECT_THAT(world.run("DescribeImport", base::cat(R"({"ImportArn":")", world.TransferWorld::arn("Tab"),
                                                    R"(/import/01658528578619-c4d4e311"})")),
              StartsWith("ImportNotFoundException"));
  EXPECT_THAT(world.run("ListImports", base::cat(R"({"NextToken":")", std::string(112, '0'), "\"}")),
              StartsWith("ValidationException"));
}

TEST(Imports, ReadInTheNameOfWhoeverBeganThem) {
  World world;
  world.put_object("source", "f/1", world.line(world.item("a", 1)));
  world.put_object("source", "f/2", world.line(world.item("b", 1)));
  testing::Closes closes("f/2");
  world.platform->authorizer = &closes;
  EXPECT_EQ(world.import("Tab"), "FAILED 1/1 0 S3AccessDenied");
}

TEST(Imports, ImportsAreListedAndPaged) {
  World world;
  const std::string first = world.begin_import("Tab1", "source", "f");
  const std::string second = world.begin_import("Tab2", "source", "f");
  world.settle();
  const json::Value page = world.ask("ListImports", R"({"PageSize":1})");
  ASSERT_EQ(page.find("ImportSummaryList")->array().size(), 1u);
  EXPECT_EQ(page.find("ImportSummaryList")->array().front().find("ImportArn")->string(), second);
  const std::string token = page.find("NextToken")->string();
  EXPECT_THAT(token, MatchesRegex("([0-9a-f]{16})+"));
  EXPECT_GE(token.size(), 112u);
  const std::string rest = world.run("ListImports", base::cat(R"({"PageSize":1,"NextToken":")", token, "\"}"));
  EXPECT_THAT(rest, HasSubstr(first));
  EXPECT_THAT(rest, ::testing::Not(HasSubstr("NextToken")));
  EXPECT_THAT(world.run("ListImports", base::cat(R"({"TableArn":")", world.TransferWorld::arn("Tab1"), "\"}")),
              ::testing::AllOf(HasSubstr(first), ::testing::Not(HasSubstr(second))));
}

}  // namespace
}  // namespace tidemill::dynamodb
