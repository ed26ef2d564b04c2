// Exports of tables to S3: what they write, what they refuse, and that they end whatever happens meanwhile.
#include "services/dynamodb/export_files.h"
#include "services/dynamodb/transfer_testing.h"

namespace tidemill::dynamodb {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using testing::TransferWorld;
using ::testing::UnorderedElementsAre;

std::string seconds(base::Time time) {
  return std::to_string(std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
}

class World : public TransferWorld {
 public:
  World() {
    create_table("Tab");
    create_bucket("out");
  }

  // "INCREMENTAL_EXPORT" from one moment to another.
  static std::string period(base::Time from, base::Time to, std::string_view view = "") {
    return base::cat(R"("ExportType":"INCREMENTAL_EXPORT","IncrementalExportSpecification":{"ExportFromTime":)",
                     seconds(from), R"(,"ExportToTime":)", seconds(to), view.empty() ? "" : ",\"ExportViewType\":\"",
                     view, view.empty() ? "" : "\"", "}");
  }
  static std::string id_of(std::string_view export_arn) {
    return std::string(export_arn.substr(export_arn.rfind('/') + 1));
  }
};

TEST(Exports, AFullExportHasEveryItemAndItsManifests) {
  World world;
  world.put("Tab", world.item("a", 1, R"("v":{"SS":["x","y"]})"));
  world.put("Tab", world.item("b", 2));
  const std::string arn = world.begin_export("Tab", "out", R"("S3Prefix":"some/where")");
  EXPECT_THAT(arn, MatchesRegex("arn:aws:dynamodb:us-east-1:000000000000:table/Tab/export/[0-9]{14}-[0-9a-f]{8}"));
  world.settle();

  const json::Value described = world.described_export(arn);
  EXPECT_EQ(described.find("ExportStatus")->string(), "COMPLETED");
  EXPECT_EQ(json::write(*described.find("ItemCount")), "2");
  EXPECT_EQ(described.find("ExportFormat")->string(), "DYNAMODB_JSON");
  EXPECT_EQ(described.find("ExportType"), nullptr);  // as on AWS, unless the request named it
  EXPECT_TRUE(described.find("EndTime"));
  const std::string folder = "some/where/AWSDynamoDB/" + world.id_of(arn);
  EXPECT_EQ(described.find("ExportManifest")->string(), folder + "/manifest-summary.json");

  EXPECT_THAT(world.exported_lines("out"), ElementsAre(R"({"Item":{"k":{"S":"a"},"s":{"N":"1"},"v":{"SS":["x","y"]}}})",
                                                       R"({"Item":{"k":{"S":"b"},"s":{"N":"2"}}})"));
  const auto objects = world.objects("out");
  EXPECT_THAT(objects,
              UnorderedElementsAre(Key(folder + "/_started"), Key(StartsWith(folder + "/data/")),
                                   Key(folder + "/manifest-files.json"), Key(folder + "/manifest-files.md5"),
                                   Key(folder + "/manifest-summary.json"), Key(folder + "/manifest-summary.md5")));
  EXPECT_EQ(objects.at(folder + "/_started"), "");
}

TEST(Exports, TheManifestsTellOfTheFiles) {
  World world;
  world.put("Tab", world.item("a", 1));
  const std::string arn = world.begin_export("Tab", "out");
  world.settle();
  const std::string folder = "AWSDynamoDB/" + world.id_of(arn);
  auto objects = world.objects("out");
  const json::Value line = world.parse(objects.at(folder + "/manifest-files.json"));
  EXPECT_EQ(json::write(*line.find("itemCount")), "1");
  const std::string data_key = line.find("dataFileS3Key")->string();
  EXPECT_THAT(data_key, MatchesRegex(folder + "/data/[a-z2-7]{26}\\.json\\.gz"));
  EXPECT_EQ(line.find("md5Checksum")->string(), md5_text(objects.at(data_key)));
  EXPECT_THAT(line.find("etag")->string(), MatchesRegex("[0-9a-f]{32}"));

  const std::string& summary_text = objects.at(folder + "/manifest-summary.json");
  EXPECT_EQ(objects.at(folder + "/manifest-summary.md5"), md5_text(summary_text));
  EXPECT_EQ(objects.at(folder + "/manifest-files.md5"), md5_text(objects.at(folder + "/manifest-files.json")));
  const json::Value summary = world.parse(summary_text);
  EXPECT_EQ(summary.find("version")->string(), "2020-06-30");
  EXPECT_EQ(summary.find("exportArn")->string(), arn);
  EXPECT_EQ(summary.find("manifestFilesS3Key")->string(), folder + "/manifest-files.json");
  EXPECT_EQ(summary.find("outputFormat")->string(), "DYNAMODB_JSON");
  EXPECT_EQ(summary.find("s3Bucket")->string(), "out");
  EXPECT_EQ(json::write(*summary.find("s3Prefix")), "null");
  EXPECT_EQ(json::write(*summary.find("itemCount")), "1");
  EXPECT_THAT(summary.find("startTime")->string(), MatchesRegex("2026-03-14T.*\\.[0-9]{3}Z"));
}

TEST(Exports, AnEmptyTableGivesAnEmptyFile) {
  World world;
  const std::string arn = world.begin_export("Tab", "out");
  world.settle();
  EXPECT_EQ(json::write(*world.described_export(arn).find("ItemCount")), "0");
  EXPECT_THAT(world.exported_lines("out"), IsEmpty());
  EXPECT_EQ(world.objects("out").size(), 6u);
}

TEST(Exports, AnIonExportIsText) {
  World world;
  world.put("Tab", world.item("a", 100, R"("n":{"NULL":true},"b":{"B":"YQ=="})"));
  const std::string arn = world.begin_export("Tab", "out", R"("ExportFormat":"ION","ExportType":"FULL_EXPORT")");
  world.settle();
  EXPECT_EQ(world.described_export(arn).find("ExportType")->string(), "FULL_EXPORT");
  EXPECT_THAT(world.exported_lines("out"), ElementsAre(R"($ion_1_0 {Item:{b:{{YQ==}},k:"a",n:null,s:1d2}})"));
  EXPECT_THAT(world.objects("out"), ::testing::Contains(Key(EndsWith(".ion.gz"))));
}

TEST(Exports, AnExportIsOfItsMomentWhateverIsWrittenSince) {
  World world;
  world.put("Tab", world.item("changed", 1, R"("v":{"N":"1"})"));
  world.put("Tab", world.item("removed", 1));
  world.advance(1min);
  const base::Time moment = std::chrono::floor<std::chrono::seconds>(world.clock.now());
  world.advance(1min);
  world.put("Tab", world.item("changed", 1, R"("v":{"N":"2"})"));
  world.put("Tab", world.item("added", 1));
  world.remove("Tab", "removed", 1);
  world.begin_export("Tab", "out", R"("ExportTime":)" + seconds(moment));
  world.put("Tab", world.item("later", 1));
  world.settle();
  EXPECT_THAT(world.exported_lines("out"), ElementsAre(R"({"Item":{"k":{"S":"changed"},"s":{"N":"1"},"v":{"N":"1"}}})",
                                                       R"({"Item":{"k":{"S":"removed"},"s":{"N":"1"}}})"));
}

TEST(Exports, AnIncrementalExportHasWhatChangedInItsPeriod) {
  World world;
  world.put("Tab", world.item("before", 1));
  world.put("Tab", world.item("changed", 1, R"("v":{"N":"1"})"));
  world.put("Tab", world.item("removed", 1));
  world.advance(1h);
  const base::Time from = world.clock.now();
  world.put("Tab", world.item("changed", 1, R"("v":{"N":"2"})"));
  world.put("Tab", world.item("changed", 1, R"("v":{"N":"3"})"));
  world.put("Tab", world.item("added", 1));
  world.put("Tab", world.item("passing", 1));
  world.remove("Tab", "passing", 1);
  world.remove("Tab", "removed", 1);
  const std::string written = std::to_string(world.clock.now().time_since_epoch().count());
  world.advance(20min);
  const base::Time to = world.clock.now();
  world.put("Tab", world.item("changed", 1, R"("v":{"N":"4"})"));
  world.put("Tab", world.item("after", 1));
  world.remove("Tab", "added", 1);

  const std::string arn = world.begin_export("Tab", "out", world.period(from, to));
  world.settle();
  const auto line = [&](std::string_view key, std::string_view images) {
    return base::cat(R"({"Metadata":{"WriteTimestampMicros":{"N":")", written, R"("}},"Keys":)", world.item(key, 1),
                     images, "}");
  };
  EXPECT_THAT(
      world.exported_lines("out"),
      UnorderedElementsAre(line("added", R"(,"NewImage":)" + world.item("added", 1)),
                           line("changed", R"(,"OldImage":)" + world.item("changed", 1, R"("v":{"N":"1"})") +
                                               R"(,"NewImage":)" + world.item("changed", 1, R"("v":{"N":"3"})")),
                           line("removed", R"(,"OldImage":)" + world.item("removed", 1))));

  const json::Value described = world.described_export(arn);
  EXPECT_EQ(described.find("ExportType")->string(), "INCREMENTAL_EXPORT");
  EXPECT_EQ(json::write(*described.find("ItemCount")), "3");
  EXPECT_EQ(described.find("ExportTime"), nullptr);
  EXPECT_EQ(described.find("IncrementalExportSpecification")->find("ExportViewType")->string(), "NEW_AND_OLD_IMAGES");
  const auto objects = world.objects("out");
  EXPECT_THAT(objects, ::testing::Contains(Key(StartsWith("AWSDynamoDB/data/"))));
  const json::Value summary = world.parse(objects.at("AWSDynamoDB/" + world.id_of(arn) + "/manifest-summary.json"));
  EXPECT_EQ(summary.find("outputView")->string(), "NEW_AND_OLD_IMAGES");
  EXPECT_EQ(summary.find("exportType")->string(), "INCREMENTAL_EXPORT");
  EXPECT_TRUE(summary.find("exportFromTime"));
}

TEST(Exports, AnIncrementalExportOfNewImagesHasNoOldOnes) {
  World world;
  world.put("Tab", world.item("changed", 1, R"("v":{"N":"1"})"));
  world.put("Tab", world.item("removed", 1));
  world.advance(1h);
  const base::Time from = world.clock.now();
  world.put("Tab", world.item("changed", 1, R"("v":{"N":"2"})"));
  world.remove("Tab", "removed", 1);
  world.advance(20min);
  world.begin_export("Tab", "out", world.period(from, world.clock.now(), "NEW_IMAGE") + R"(,"ExportFormat":"ION")");
  world.settle();
  const std::string start = R"(\$ion_1_0 \{Record:\{Metadata:\{WriteTimestampMicros:[0-9]+\.\},Keys:)";
  EXPECT_THAT(world.exported_lines("out"),
              UnorderedElementsAre(
                  MatchesRegex(start + R"(\{k:"changed",s:1\.\},NewImage:\{k:"changed",s:1\.,v:2\.\}\}\})"),
                  MatchesRegex(start + R"(\{k:"removed",s:1\.\}\}\})")));
}

TEST(Exports, ATableWithoutRecoveryIsNotExported) {
  World world;
  world.run("UpdateContinuousBackups",
            R"({"TableName":"Tab","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":false}})");
  EXPECT_EQ(world.begin_export("Tab", "out"),
            "PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table 'Tab'");
  EXPECT_EQ(world.begin_export("Nowhere", "out"),
            "TableNotFoundException: Table not found: arn:aws:dynamodb:us-east-1:000000000000:table/Nowhere");
}

TEST(Exports, TimesMustLieInTheWindow) {
  World world;
  world.advance(25h);
  const base::Time now = world.clock.now();
  EXPECT_THAT(world.begin_export("Tab", "out", R"("ExportTime":-1)"),
              StartsWith("InvalidExportTimeException: ExportTime"));
  EXPECT_THAT(world.begin_export("Tab", "out", R"("ExportTime":)" + seconds(now + 1min)),
              StartsWith("InvalidExportTimeException: ExportTime"));
  EXPECT_THAT(world.begin_export("Tab", "out", world.period(now - 14min, now)),
              HasSubstr("Difference between export period"));
  EXPECT_THAT(world.begin_export("Tab", "out", world.period(now - 24h - 2s, now)),
              HasSubstr("Difference between export period"));
  EXPECT_THAT(world.begin_export("Tab", "out", world.period(now - 15min, now + 1min)),
              StartsWith("InvalidExportTimeException: ExportToTime"));
  EXPECT_THAT(world.begin_export("Tab", "out", world.period(now - 40 * 24h, now)),
              StartsWith("InvalidExportTimeException: ExportFromTime"));
}

TEST(Exports, WhatDoesNotFitTogetherIsRefused) {
  World world;
  EXPECT_THAT(world.begin_export("Tab", "out", R"("ExportType":"INCREMENTAL_EXPORT")"),
              StartsWith("ValidationException"));
  EXPECT_THAT(world.begin_export("Tab", "out", R"("IncrementalExportSpecification":{"ExportFromTime":1})"),
              StartsWith("ValidationException"));
  EXPECT_THAT(world.begin_export("Tab", "out", R"("S3SseAlgorithm":"KMS")"),
              ::testing::AllOf(StartsWith("ValidationException"), HasSubstr("S3SseAlgorithm")));
  EXPECT_THAT(world.begin_export("Tab", "out", R"("S3SseKmsKeyId":"key")"), HasSubstr("S3SseKmsKeyId"));
  EXPECT_THAT(world.begin_export("Tab", "out", R"("ClientToken":"a$b")"), HasSubstr("clientToken"));
  EXPECT_THAT(world.begin_export("Tab", "_"), HasSubstr("s3Bucket"));
  EXPECT_THAT(world.run("ExportTableToPointInTime", R"({"TableArn":"QWERTY","S3Bucket":"out"})"),
              StartsWith("ValidationException: tableArn"));
}

TEST(Exports, AMissingBucketFailsTheExport) {
  World world;
  const std::string arn = world.begin_export("Tab", "missing");
  world.settle();
  const json::Value described = world.described_export(arn);
  EXPECT_EQ(described.find("ExportStatus")->string(), "FAILED");
  EXPECT_EQ(described.find("FailureCode")->string(), "S3NoSuchBucket");
  EXPECT_THAT(described.find("FailureMessage")->string(), StartsWith("The specified bucket does not exist"));
  EXPECT_EQ(described.find("ExportManifest"), nullptr);
}

TEST(Exports, ABucketOfAnotherOwnerFailsTheExport) {
  World world;
  const std::string arn = world.begin_export("Tab", "out", R"("S3BucketOwner":"123456789012")");
  world.settle();
  EXPECT_EQ(world.described_export(arn).find("FailureCode")->string(), "S3AccessDenied");
}

TEST(Exports, ATokenNamesOneExportForEightHours) {
  World world;
  const std::string token = R"("ClientToken":"t")";
  const std::string first = world.begin_export("Tab", "out", token);
  EXPECT_EQ(world.begin_export("Tab", "out", token), first);
  EXPECT_THAT(world.begin_export("Tab", "out", token + R"(,"ExportFormat":"ION")"),
              StartsWith("ExportConflictException: Duplicate request detected"));
  world.create_table("Other");
  EXPECT_THAT(world.begin_export("Other", "out", token), StartsWith("ExportConflictException"));
  EXPECT_EQ(world.described_export(first).find("ClientToken")->string(), "t");
  world.advance(8h);
  const std::string second = world.begin_export("Tab", "out", token);
  EXPECT_NE(second, first);
  EXPECT_THAT(second, StartsWith("arn:"));
}

TEST(Exports, ExportsAreListedNewestFirstAndPaged) {
  World world;
  world.create_table("Other");
  std::vector<std::string> arns;
  for (int i = 0; i < 3; ++i) {
    arns.push_back(world.begin_export("Tab", "out"));
    world.advance(1s);
  }
  const std::string other = world.begin_export("Other", "out");
  const auto list = [&](std::string_view more) {
    std::vector<std::string> found;
    const json::Value page = world.ask("ListExports", base::cat("{", more, "}"));
    for (const json::Value& each : page.find("ExportSummaries")->array())
      found.push_back(each.find("ExportArn")->string());
    if (const json::Value* next = page.find("NextToken")) found.push_back(next->string());
    return found;
  };
  EXPECT_THAT(list(base::cat(R"("TableArn":")", world.arn("Tab"), "\"")), ElementsAre(arns[2], arns[1], arns[0]));
  EXPECT_THAT(list(""), UnorderedElementsAre(arns[2], arns[1], arns[0], other));
  const auto page = list(R"("MaxResults":2)");
  ASSERT_EQ(page.size(), 3u);
  EXPECT_THAT(page[2], MatchesRegex("([0-9a-f]{16})+"));
  const auto rest = list(base::cat(R"("MaxResults":2,"NextToken":")", page[2], "\""));
  EXPECT_EQ(rest.size(), 2u);
  EXPECT_NE(rest[0], page[1]);
  EXPECT_THAT(world.run("ListExports", R"({"NextToken":"0123"})"),
              StartsWith("ValidationException: Invalid NextToken for ListExports"));
  EXPECT_THAT(world.run("ListExports", R"({"MaxResults":26})"), StartsWith("ValidationException"));
}

TEST(Exports, UnknownExportsAreNotFound) {
  World world;
  EXPECT_EQ(world.run("DescribeExport", base::cat(R"({"ExportArn":")", world.arn("Tab"), R"("})")),
            "ValidationException: Invalid Export ARN");
  EXPECT_THAT(world.run("DescribeExport",
                        base::cat(R"({"ExportArn":")", world.arn("Tab"), R"(/export/01234567890123-a1b2c3d4"})")),
              StartsWith("ExportNotFoundException: Export not found"));
}

TEST(Exports, ATableThatIsDeletedMeanwhileIsStillExported) {
  World world;
  world.put("Tab", world.item("a", 1));
  const std::string arn = world.begin_export("Tab", "out");
  world.run("DeleteTable", R"({"TableName":"Tab"})");
  world.settle();
  EXPECT_EQ(world.described_export(arn).find("ExportStatus")->string(), "COMPLETED");
  EXPECT_THAT(world.exported_lines("out"), ElementsAre(R"({"Item":{"k":{"S":"a"},"s":{"N":"1"}}})"));
}

TEST(Exports, NothingIsLeftInTheStoreOfAnExportsData) {
  World world;
  for (int i = 0; i < 50; ++i) world.put("Tab", world.item("a", i, R"("v":{"S":"text"})"));
  world.settle();
  const size_t before = world.disk.data.size();
  world.begin_export("Tab", "out");
  world.settle();
  world.advance(91 * 24h);  // its description goes, too
  // Per object: what S3 keeps of it; and the bucket's things are as they were.
  size_t objects = world.objects("out").size();
  EXPECT_LE(world.disk.data.size(), before + objects * 4);
  EXPECT_THAT(world.run("ListExports", "{}"), R"({"ExportSummaries":[]})");
}

TEST(Exports, NoMoreThanThreeHundredRunAtATime) {
  World world;
  const auto change = [&](size_t number, bool begin) -> Task<void> {
    const TransferAddress address{
        TransferKind::exporting, {"000000000000", "us-east-1", "Tab"}, std::to_string(number)};
    co_await world.store->transact([&](store::Transaction& txn) -> Task<void> {
      if (begin)
        co_await begin_transfer(txn, address);
      else
        co_await end_transfer(txn, address, world.clock.now());
    });
  };
  const auto change_all = [&](bool begin) -> Task<bool> {
    for (size_t i = 0; i < kExportsRunningMax; ++i) co_await change(i, begin);
    co_return true;
  };
  world.await(change_all(true));
  EXPECT_THAT(world.begin_export("Tab", "out"), StartsWith("LimitExceededException"));
  world.await(change_all(false));
  EXPECT_THAT(world.begin_export("Tab", "out"), StartsWith("arn:"));
}

TEST(Exports, WriteInTheNameOfWhoeverBeganThem) {
  World world;
  world.put("Tab", world.item("a", 1));
  testing::Closes closes("manifest-files.json");
  world.platform->authorizer = &closes;
  const std::string arn = world.begin_export("Tab", "out");
  world.settle();
  const json::Value described = world.described_export(arn);
  EXPECT_EQ(described.find("ExportStatus")->string(), "FAILED");
  EXPECT_EQ(described.find("FailureCode")->string(), "S3AccessDenied");
}

TEST(Exports, ALargeTableIsSeveralFiles) {
  World world;
  const std::string text(300'000, 'x');
  for (int i = 0; i < 80; ++i) world.put("Tab", world.item("a", i, R"("v":{"S":")" + text + "\"}"));
  const std::string arn = world.begin_export("Tab", "out");
  world.settle();
  EXPECT_EQ(json::write(*world.described_export(arn).find("ItemCount")), "80");
  EXPECT_EQ(world.exported_lines("out").size(), 80u);
  EXPECT_EQ(world.objects("out").size(), 7u);  // two of data
}

}  // namespace
}  // namespace tidemill::dynamodb
