// What a mapping tells its failure destination (facts 1.8).
#include <gtest/gtest.h>

#include <regex>

#include "engine/mappings/failure_destination.h"
#include "engine/mappings/mapping_test_world.h"

namespace tidemill::engine {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr base::Time kNow{std::chrono::microseconds(1'573'689'847'184'863)};  // 2019-11-14T00:04:07.184
constexpr const char* kQueue = "arn:aws:sqs:us-east-1:000000000000:failures";
constexpr const char* kTable = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2019-11-14T00:00:00.000";
constexpr const char* kStream = "arn:aws:kinesis:us-east-1:000000000000:stream/s";

Mapping mapping_of(const char* source) {
  Mapping mapping;
  mapping.uuid = "14e0db71-5d35-4eb5-b481-8945cf9d10c2";
  mapping.event_source_arn = source;
  mapping.function_arn = "arn:aws:lambda:us-east-1:000000000000:function:f";
  return mapping;
}

DiscardedBatch batch() {
  DiscardedBatch batch;
  batch.shard_id = "shardId-00000001573689847184-864758bb";
  batch.request_id = "316aa6d0-8154-4bb4-8a5a-8dba3d5ba9a2";
  batch.executed_version = "$LATEST";
  batch.invocations = 3;
  batch.first_sequence_number = "800000000003126276362";
  batch.last_sequence_number = "800000000003126276363";
  batch.first_arrival = kNow - std::chrono::milliseconds(1500);
  batch.last_arrival = kNow;
  batch.count = 2;
  batch.records_json = R"({"a":1},{"a":2})";
  return batch;
}

TEST(FailureDocument, OfATable) {
  EXPECT_EQ(failure_document(mapping_of(kTable), batch(), kNow, false),
            R"({"requestContext":{"requestId":"316aa6d0-8154-4bb4-8a5a-8dba3d5ba9a2",)"
            R"("functionArn":"arn:aws:lambda:us-east-1:000000000000:function:f",)"
            R"("condition":"RetryAttemptsExhausted","approximateInvokeCount":3},)"
            R"("responseContext":{"statusCode":200,"executedVersion":"$LATEST","functionError":"Unhandled"},)"
            R"("version":"1.0","timestamp":"2019-11-14T00:04:07.184Z",)"
            R"("DDBStreamBatchInfo":{"shardId":"shardId-00000001573689847184-864758bb",)"
            R"("startSequenceNumber":"800000000003126276362","endSequenceNumber":"800000000003126276363",)"
            R"("approximateArrivalOfFirstRecord":"2019-11-14T00:04:05Z",)"
            R"("approximateArrivalOfLastRecord":"2019-11-14T00:04:07Z","batchSize":2,)"
            R"("streamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2019-11-14T00:00:00.000"}})");
}

TEST(FailureDocument, OfAStreamHasMilliseconds) {
  const auto document = json::parse(failure_document(mapping_of(kStream), batch(), kNow, false));
  const json::Value* info = document->find("KinesisBatchInfo");
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(document->find("DDBStreamBatchInfo"), nullptr);
  EXPECT_EQ(info->find("approximateArrivalOfFirstRecord")->string(), "2019-11-14T00:04:05.684Z");
  EXPECT_EQ(info->find("approximateArrivalOfLastRecord")->string(), "2019-11-14T00:04:07.184Z");
}

TEST(FailureDocument, OfAConsumerNamesItsStream) {
  const Mapping mapping = mapping_of("arn:aws:kinesis:us-east-1:000000000000:stream/s/consumer/c:1573689847");
  const auto document = json::parse(failure_document(mapping, batch(), kNow, false));
  EXPECT_EQ(document->find("KinesisBatchInfo")->find("streamArn")->string(), kStream);
}

TEST(FailureDocument, HasAnExplicitNullWhereTheFunctionReportedItsFailure) {
  DiscardedBatch reported = batch();
  reported.reported = true;
  const auto document = json::parse(failure_document(mapping_of(kTable), reported, kNow, false));
  const json::Value* error = document->find("responseContext")->find("functionError");
  ASSERT_NE(error, nullptr);
  EXPECT_TRUE(error->is_null());
}

TEST(FailureDocument, OfWhatIsTooOldHasNoResponseAndAtLeastOneInvocation) {
  DiscardedBatch old = batch();
  old.condition = DiscardCondition::record_age_exceeded;
  old.invocations = 0;
  const auto document = json::parse(failure_document(mapping_of(kTable), old, kNow, false));
  EXPECT_EQ(document->find("responseContext"), nullptr);
  EXPECT_EQ(document->find("requestContext")->find("condition")->string(), "RecordAgeExceeded");
  EXPECT_EQ(document->find("requestContext")->find("approximateInvokeCount")->to_int64(), 1);
}

TEST(FailureDocument, OfABucketHoldsTheRecords) {
  const auto document = json::parse(failure_document(mapping_of(kTable), batch(), kNow, true));
  EXPECT_EQ(json::write(*document->find("payload")), R"({"Records":[{"a":1},{"a":2}]})");
}

TEST(FailureDocument, HasItsPlaceInABucket) {
  const std::string key = failure_object_key(mapping_of(kTable), batch(), kNow);
  EXPECT_TRUE(std::regex_match(key, std::regex("aws/lambda/14e0db71-5d35-4eb5-b481-8945cf9d10c2/"
                                               "shardId-00000001573689847184-864758bb/2019/11/14/"
                                               "2019-11-14T00\\.04\\.07-[0-9a-f-]{36}")))
      << key;
}

class MappingFailuresTest : public OneShardTest {
 protected:
  static Mapping telling(int retries) {
    Mapping mapping = MappingWorld::mapping();
    mapping.retry_attempts_max = retries;
    mapping.failure_destination = kQueue;
    return mapping;
  }
  void fail() {
    world.invoker.handler = [](const Call&) -> Task<InvokeOutcome> {
      InvokeOutcome failed = outcome(InvokeStatus::function_error);
      failed.request_id = "r-1";
      failed.executed_version = "7";
      co_return failed;
    };
  }
  std::vector<json::Value> documents() {
    std::vector<json::Value> all;
    for (const store::Delivery& delivery : world.documents()) {
      EXPECT_EQ(delivery.target_kind, kMappingFailureTarget);
      all.push_back(*json::parse(document_in(delivery)));
    }
    return all;
  }
  static int64_t invocations(const json::Value& document) {
    return *document.find("requestContext")->find("approximateInvokeCount")->to_int64();
  }
  static const json::Value& info(const json::Value& document) { return *document.find("DDBStreamBatchInfo"); }
};

TEST_F(MappingFailuresTest, OneDocumentTellsOfABatchWhoseAttemptsAreExhausted) {
  fail();
  write({"a", "b"});
  start(telling(2));
  world.advance(hours(1));
  const auto all = documents();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(invocations(all[0]), 3);
  EXPECT_EQ(all[0].find("requestContext")->find("requestId")->string(), "r-1");
  EXPECT_EQ(all[0].find("responseContext")->find("executedVersion")->string(), "7");
  EXPECT_EQ(info(all[0]).find("startSequenceNumber")->string(), "a/1");
  EXPECT_EQ(info(all[0]).find("endSequenceNumber")->string(), "b/1");
  EXPECT_EQ(info(all[0]).find("batchSize")->to_int64(), 2);
  EXPECT_EQ(world.documents()[0].target, kQueue);
}

TEST_F(MappingFailuresTest, ACrashAddsNoDocumentAndLosesNone) {
  fail();
  write({"a"});
  start(telling(0));
  world.crash();
  world.settle();
  EXPECT_EQ(documents().size(), 1u);
  EXPECT_EQ(world.invoker.calls.size(), 1u);
}

TEST_F(MappingFailuresTest, ARecordThatWasNeverDeliveredCountsOneInvocation) {
  write({"a"});
  world.advance(seconds(60));
  Mapping mapping = telling(-1);
  mapping.record_age_seconds_max = 60;
  start(mapping);
  const auto all = documents();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(invocations(all[0]), 1);
  EXPECT_EQ(all[0].find("responseContext"), nullptr);
}

TEST_F(MappingFailuresTest, RecordsThatExpireWhileTheyAreRetriedTellHowOftenTheyWereTried) {
  fail();
  write({"a"});
  Mapping mapping = telling(-1);
  mapping.record_age_seconds_max = 60;
  start(mapping);
  world.advance(seconds(60));
  const auto all = documents();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(invocations(all[0]), 7);
  EXPECT_EQ(all[0].find("requestContext")->find("condition")->string(), "RecordAgeExceeded");
}

// As where the disk is full: a backlog that expires must not gather in memory.
TEST_F(MappingFailuresTest, DocumentsThatCannotBeWrittenHoldUpTheDiscarding) {
  constexpr size_t kRecords = 300;
  write(std::vector<std::string>(kRecords, "a"));
  world.advance(seconds(60));
  Mapping mapping = telling(-1);
  mapping.batch_size = 1;
  mapping.record_age_seconds_max = 60;
  world.troubles.commits.next(1'000'000, store::Overloaded("the disk is full"), 1);
  world.put_mapping(mapping);
  for (int step = 0; step < 10'000; ++step) world.executor.run_one();
  EXPECT_LT(world.troubles.commits.left(), 1'000'000);
  const std::string text = world.metrics.prometheus_text();
  EXPECT_NE(text.find("tidemill_mapping_discarded_records_total{mapping=\"u-1\"} 2\n"), std::string::npos) << text;
  world.troubles.commits.next(0, store::Overloaded(""));
  world.settle();
  EXPECT_EQ(documents().size(), kRecords);
}

TEST_F(MappingFailuresTest, AWeekOldRecordIsGivenUpWithTheRetentionOfItsStream) {
  fail();
  write({"a"});
  start(telling(-1));
  world.advance(hours(24 * 7));
  EXPECT_EQ(documents().size(), 1u);
}

TEST_F(MappingFailuresTest, EachPartOfABisectedBatchHasItsOwn) {
  world.invoker.handler = [](const Call& call) -> Task<InvokeOutcome> {
    const bool good = call.changes.size() == 1 && call.changes.front().item == "b";
    co_return good ? InvokeOutcome{} : outcome(InvokeStatus::function_error);
  };
  write({"a", "b", "c"});
  Mapping mapping = telling(1);
  mapping.bisect_on_error = true;
  start(mapping);
  world.advance(hours(1));
  const auto all = documents();
  ASSERT_EQ(all.size(), 2u);
  for (const json::Value& document : all) {
    EXPECT_EQ(info(document).find("batchSize")->to_int64(), 1);
    EXPECT_EQ(invocations(document), 2);
  }
}

// Recorded against AWS: the invocation that succeeded in part is not counted.
TEST_F(MappingFailuresTest, AfterAPartialSuccessOnlyTheRestIsToldOf) {
  world.invoker.handler = [](const Call&) -> Task<InvokeOutcome> {
    co_return InvokeOutcome{.payload = R"({"batchItemFailures":[{"itemIdentifier":"c/1"}]})"};
  };
  write({"a", "b", "c"});
  Mapping mapping = telling(3);
  mapping.report_item_failures = true;
  start(mapping);
  world.advance(hours(1));
  const auto all = documents();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(invocations(all[0]), 4);
  EXPECT_EQ(info(all[0]).find("batchSize")->to_int64(), 1);
  EXPECT_TRUE(all[0].find("responseContext")->find("functionError")->is_null());
}

TEST_F(MappingFailuresTest, WithoutADestinationThereIsNone) {
  fail();
  write({"a"});
  Mapping mapping = telling(0);
  mapping.failure_destination.clear();
  start(mapping);
  EXPECT_TRUE(documents().empty());
}

}  // namespace
}  // namespace tidemill::engine
