// The options of mappings as resources, per kind of source: what is kept and shown, and what is refused with AWS's
// words. Here nothing has to run yet what is kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/lambda/event_source_mapping_tags.h"
#include "services/sim/platform.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kUnsupported = " parameter for given event source mapping type.";

class MappingOptionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world.not_yet_run = {};
    world.crash();
    register_tags();
    world.run("sqs", "CreateQueue", R"({"QueueName":"q"})");
    world.run("sqs", "CreateQueue", R"({"QueueName":"q.fifo","Attributes":{"FifoQueue":"true"}})");
    table = world.create_table("orders");
  }

  // As the service of functions does, which this world lacks.
  void register_tags() {
    using namespace wire::lambda;
    world.registry->add<ops::ListTags>([](wire::Context& context, const ListTagsInput& request) -> Task<ListTagsOutput> {
      co_return ListTagsOutput{.tags = co_await list_mapping_tags(context, request.resource)};
    });
    world.registry->add<ops::TagResource>(
        [](wire::Context& context, const TagResourceInput& request) -> Task<TagResourceOutput> {
          co_await tag_mapping(context, request.resource, request.tags);
          co_return TagResourceOutput{};
        });
    world.registry->add<ops::UntagResource>(
        [](wire::Context& context, const UntagResourceInput& request) -> Task<UntagResourceOutput> {
          co_await untag_mapping(context, request.resource, request.tag_keys);
          co_return UntagResourceOutput{};
        });
  }

  // `options`: further members, each with a comma before it.
  std::string create(const std::string& source, const std::string& options = "") {
    return world.run("lambda", "CreateEventSourceMapping",
                     R"({"FunctionName":"f","Enabled":false,"EventSourceArn":")" + source + "\"" + options + "}");
  }
  std::string create_stream(const std::string& options = "") {
    return create(table, R"(,"StartingPosition":"LATEST")" + options);
  }
  std::string update(const std::string& body) {
    return world.run({.service = "lambda",
                      .operation = "UpdateEventSourceMapping",
                      .body = body,
                      .labels = {{"UUID", kUuid}}});
  }
  std::string tags(const std::string& operation, const std::string& body = "",
                   std::vector<std::pair<std::string, std::string>> query = {}) {
    return world.run({.service = "lambda",
                      .operation = operation,
                      .body = body,
                      .labels = {{"Resource", mapping_arn}},
                      .query = std::move(query)});
  }
  static std::string member(const std::string& answer, std::string_view name) {
    const auto document = json::parse(answer);
    const json::Value* value = document ? document->find(name) : nullptr;
    if (value == nullptr) return "nothing";
    return value->is_string() ? value->string() : json::write(*value);
  }
  static std::string refusal(std::string_view message) {
    return "InvalidParameterValueException: " + std::string(message);
  }
  static std::string unsupported(std::string_view name) {
    return refusal("Unsupported " + std::string(name) + std::string(kUnsupported));
  }

  static constexpr const char* kUuid = "00000000-0000-4000-8000-000000000001";
  const std::string mapping_arn = std::string("arn:aws:lambda:us-east-1:000000000000:event-source-mapping:") + kUuid;
  const std::string queue = "arn:aws:sqs:us-east-1:000000000000:q";
  const std::string fifo = "arn:aws:sqs:us-east-1:000000000000:q.fifo";
  sim::Platform world;
  std::string table;
};

TEST_F(MappingOptionsTest, AStreamsMappingShowsWhatItWasCreatedWith) {
  const std::string options =
      R"("BatchSize":500,"MaximumBatchingWindowInSeconds":5,"ParallelizationFactor":10,)"
      R"("DestinationConfig":{"OnFailure":{"Destination":"arn:aws:sqs:us-east-1:000000000000:q"}},)"
      R"("MaximumRecordAgeInSeconds":3600,"BisectBatchOnFunctionError":true,"MaximumRetryAttempts":2,)"
      R"("FunctionResponseTypes":["ReportBatchItemFailures"],"MetricsConfig":{"Metrics":["EventCount"]},)"
      R"("FilterCriteria":{"Filters":[{"Pattern":"{\"eventName\": [\"INSERT\"]}"}]})";
  const std::string shown = create_stream("," + options);
  const json::Value wanted = *json::parse("{" + options + "}");
  for (const auto& [name, value] : wanted.object()) EXPECT_EQ(member(shown, name), json::write(value)) << name;
}

TEST_F(MappingOptionsTest, AQueuesMappingShowsOnlyWhatQueuesHave) {
  EXPECT_EQ(create(queue),
            R"({"UUID":")" + std::string(kUuid) +
                R"(","BatchSize":10,"MaximumBatchingWindowInSeconds":0,"EventSourceArn":")" + queue +
                R"(","FunctionArn":"arn:aws:lambda:us-east-1:000000000000:function:f","LastModified":1773446400,)"
                R"("State":"Disabled","StateTransitionReason":"USER_INITIATED","FunctionResponseTypes":[],)"
                R"("EventSourceMappingArn":")" + mapping_arn + R"("})");
}

TEST_F(MappingOptionsTest, AQueuesMappingShowsWhatItWasCreatedWith) {
  const std::string shown =
      create(queue, R"(,"BatchSize":10000,"MaximumBatchingWindowInSeconds":1,"ScalingConfig":{"MaximumConcurrency":2},)"
                    R"("FunctionResponseTypes":["ReportBatchItemFailures"])");
  EXPECT_EQ(member(shown, "BatchSize"), "10000");
  EXPECT_EQ(member(shown, "ScalingConfig"), R"({"MaximumConcurrency":2})");
  EXPECT_EQ(member(shown, "FunctionResponseTypes"), R"(["ReportBatchItemFailures"])");
  EXPECT_EQ(member(update(R"({"ScalingConfig":{}})"), "ScalingConfig"), "nothing");
  EXPECT_EQ(member(update(R"({"ProvisionedPollerConfig":{"MinimumPollers":5,"MaximumPollers":20}})"),
                   "ProvisionedPollerConfig"),
            R"({"MinimumPollers":5,"MaximumPollers":20})");
}

TEST_F(MappingOptionsTest, AnEmptyStructureTakesAwayWhatThereWas) {
  create_stream(R"(,"FilterCriteria":{"Filters":[{"Pattern":"{\"a\":[1]}"}]},"MetricsConfig":{"Metrics":["ErrorCount"]},)"
                R"("FunctionResponseTypes":["ReportBatchItemFailures"],)"
                R"("DestinationConfig":{"OnFailure":{"Destination":"arn:aws:s3:::bucket"}})");
  EXPECT_THAT(member(update(R"({"BatchSize":7})"), "FilterCriteria"), HasSubstr("Pattern"));
  EXPECT_EQ(member(update(R"({"FilterCriteria":{}})"), "FilterCriteria"), "nothing");
  EXPECT_EQ(member(update(R"({"MetricsConfig":{"Metrics":[]}})"), "MetricsConfig"), "nothing");
  EXPECT_EQ(member(update(R"({"FunctionResponseTypes":[]})"), "FunctionResponseTypes"), "[]");
  EXPECT_EQ(member(update(R"({"BatchSize":8})"), "DestinationConfig"),
            R"({"OnFailure":{"Destination":"arn:aws:s3:::bucket"}})");
  EXPECT_EQ(member(update(R"({"DestinationConfig":{"OnFailure":{}}})"), "DestinationConfig"), R"({"OnFailure":{}})");
}

TEST_F(MappingOptionsTest, AnEmptyListOfFiltersIsAcceptedAndNotShown) {
  EXPECT_EQ(member(create_stream(R"(,"FilterCriteria":{"Filters":[]})"), "FilterCriteria"), "nothing");
}

TEST_F(MappingOptionsTest, AFilterMustBeAPattern) {
  create_stream();
  const std::string wrong = refusal("Invalid filter pattern definition.");
  for (const std::string pattern : {R"("text")", R"("[]")", R"("")", "null", R"("{\"a\":1}")"}) {
    const std::string filter = R"("FilterCriteria":{"Filters":[{"Pattern":)" + pattern + "}]}";
    EXPECT_EQ(create_stream("," + filter), wrong) << pattern;
    EXPECT_EQ(update("{" + filter + "}"), wrong) << pattern;
  }
}

TEST_F(MappingOptionsTest, ThereMayBeTenFilters) {
  const auto filters = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += std::string(i ? "," : "") + R"({"Pattern":"{\"a\":[1]}"})";
    return R"({"FilterCriteria":{"Filters":[)" + list + "]}}";
  };
  create_stream();
  EXPECT_THAT(member(update(filters(10)), "FilterCriteria"), HasSubstr("Pattern"));
  EXPECT_THAT(update(filters(11)), StartsWith("InvalidParameterValueException: Too many filters"));
}

TEST_F(MappingOptionsTest, OptionsOfStreamsAreNotForQueues) {
  create(queue);
  const std::pair<std::string, std::string> options[] = {
      {"ParallelizationFactor", "1"},
      {"BisectBatchOnFunctionError", "false"},
      {"MaximumRetryAttempts", "-1"},
      {"MaximumRecordAgeInSeconds", "-1"},
      {"DestinationConfig", R"({"OnFailure":{"Destination":"arn:aws:sqs:us-east-1:000000000000:q"}})"},
  };
  for (const auto& [name, value] : options) {
    EXPECT_EQ(create(queue, ",\"" + name + "\":" + value), unsupported(name));
    EXPECT_EQ(update("{\"" + name + "\":" + value + "}"), unsupported(name));
  }
  EXPECT_EQ(update(R"({"TumblingWindowInSeconds":60})"), unsupported("'tumblingWindowInSeconds'"));
  EXPECT_EQ(create(queue, R"(,"StartingPosition":"LATEST")"),
            refusal("StartingPosition is not valid for SQS event sources."));
}

TEST_F(MappingOptionsTest, OptionsOfQueuesAreNotForStreams) {
  EXPECT_EQ(create_stream(R"(,"ScalingConfig":{"MaximumConcurrency":2})"), unsupported("'scalingConfig'"));
  EXPECT_EQ(create_stream(R"(,"ProvisionedPollerConfig":{"MinimumPollers":2})"),
            unsupported("'provisionedPollerConfig'"));
  EXPECT_EQ(create_stream(R"(,"MetricsConfig":{"Metrics":["KafkaMetrics"]})"), unsupported("'metricsConfig'"));
}

TEST_F(MappingOptionsTest, AMissingQueueIsRefusedAsItsReceiveWouldBe) {
  const std::string missing = refusal(
      "Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. SQS Error Message: "
      "The specified queue does not exist.");
  EXPECT_EQ(create("arn:aws:sqs:us-east-1:000000000000:nothing"), missing);
  EXPECT_EQ(create("arn:aws:sqs:us-east-1:111111111111:q"), missing);
  EXPECT_EQ(create("arn:aws:sqs:eu-west-1:000000000000:q"), missing);
}

TEST_F(MappingOptionsTest, AQueueMustHideItsMessagesForAsLongAsTheFunctionMayRun) {
  world.function_timeout_seconds = 31;
  const std::string too_short = refusal("Queue visibility timeout: 30 seconds is less than Function timeout: 31 seconds");
  EXPECT_EQ(create(queue), too_short);
  world.function_timeout_seconds = 30;
  EXPECT_EQ(member(create(queue), "State"), "Disabled");
  world.function_timeout_seconds = 31;
  EXPECT_EQ(member(update(R"({"BatchSize":5})"), "BatchSize"), "5");
  EXPECT_EQ(update(R"({"FunctionName":"g"})"), too_short);
}

TEST_F(MappingOptionsTest, ASecondMappingOfAQueueIsRefusedInOtherWords) {
  create(queue);
  EXPECT_EQ(create(queue),
            R"(ResourceConflictException: An event source mapping with SQS arn (" )" + queue +
                R"( ") and function (" f ") already exists. Please update or delete the existing mapping with UUID )" +
                kUuid);
}

TEST_F(MappingOptionsTest, LargeBatchesOfAQueueNeedAWindow) {
  const std::string needs_window = refusal(
      "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10");
  EXPECT_EQ(create(queue, R"(,"BatchSize":11)"), needs_window);
  EXPECT_EQ(member(create(queue, R"(,"BatchSize":11,"MaximumBatchingWindowInSeconds":2)"), "BatchSize"), "11");
  EXPECT_EQ(update(R"({"MaximumBatchingWindowInSeconds":0})"), needs_window);
  EXPECT_EQ(member(update(R"({"MaximumBatchingWindowInSeconds":0,"BatchSize":10})"), "BatchSize"), "10");
  EXPECT_EQ(update(R"({"BatchSize":11})"), needs_window);
}

TEST_F(MappingOptionsTest, AFifoQueueHasNoWindow) {
  EXPECT_EQ(create(fifo, R"(,"MaximumBatchingWindowInSeconds":1)"),
            refusal("Batching window is not supported for FIFO queues"));
  EXPECT_EQ(member(create(fifo), "BatchSize"), "10");
}

TEST_F(MappingOptionsTest, ConcurrencyAndPollersOfAQueueExcludeEachOther) {
  create(queue, R"(,"ScalingConfig":{"MaximumConcurrency":2})");
  EXPECT_THAT(update(R"({"ProvisionedPollerConfig":{"MinimumPollers":2}})"), HasSubstr("cannot be used together"));
  EXPECT_THAT(update(R"({"ProvisionedPollerConfig":{"MinimumPollers":1}})"), HasSubstr("between 2 and 200"));
  EXPECT_THAT(update(R"({"ScalingConfig":{},"ProvisionedPollerConfig":{"MinimumPollers":20,"MaximumPollers":19}})"),
              HasSubstr("MinimumPollers must be less than or equal to MaximumPollers"));
  EXPECT_THAT(update(R"({"ScalingConfig":{"MaximumConcurrency":1}})"),
              HasSubstr("at 'scalingConfig.maximumConcurrency' failed to satisfy constraint"));
}

TEST_F(MappingOptionsTest, AWindowOfTimeNeedsOneBatchAtATime) {
  EXPECT_THAT(create_stream(R"(,"TumblingWindowInSeconds":60,"ParallelizationFactor":2)"),
              HasSubstr("ParallelizationFactor must be 1"));
  EXPECT_EQ(member(create_stream(R"(,"TumblingWindowInSeconds":60)"), "TumblingWindowInSeconds"), "60");
  EXPECT_THAT(update(R"({"ParallelizationFactor":2})"), HasSubstr("ParallelizationFactor must be 1"));
}

TEST_F(MappingOptionsTest, AFailureDestinationIsAQueueATopicOrABucket) {
  create_stream();
  const auto with = [](const std::string& arn) {
    return R"({"DestinationConfig":{"OnFailure":{"Destination":")" + arn + "\"}}}";
  };
  for (const std::string arn : {"arn:aws:sqs:us-east-1:000000000000:q", "arn:aws:sns:us-east-1:000000000000:t",
                                "arn:aws:s3:::bucket"}) {
    EXPECT_THAT(member(update(with(arn)), "DestinationConfig"), HasSubstr(arn));
  }
  for (const std::string arn : {"arn:aws:sqs:us-east-1:000000000000:q.fifo", "arn:aws:sns:us-east-1:000000000000:t.fifo"}) {
    EXPECT_THAT(update(with(arn)), HasSubstr("FIFO queues and topics cannot be destinations"));
  }
  for (const std::string arn : {"arn:aws:lambda:us-east-1:000000000000:function:f", "arn:aws:s3:::", "kafka://topic",
                                "arn:aws:sqs:us-east-1:000000000000:"}) {
    EXPECT_THAT(update(with(arn)), HasSubstr("must be a queue, a topic or a bucket"));
  }
  EXPECT_THAT(update(with("queue")), StartsWith("ValidationException: 1 validation error detected: Value 'queue' at "
                                                "'destinationConfig.onFailure.destination'"));
}

TEST_F(MappingOptionsTest, AMappingHasTags) {
  const std::string shown = create_stream(R"(,"Tags":{"stage":"test","owner":"a"})");
  EXPECT_EQ(member(shown, "Tags"), "nothing");
  EXPECT_EQ(tags("ListTags"), R"({"Tags":{"owner":"a","stage":"test"}})");
  EXPECT_EQ(tags("TagResource", R"({"Tags":{"stage":"live","extra":""}})"), "{}");
  EXPECT_EQ(tags("UntagResource", "", {{"tagKeys", "owner"}, {"tagKeys", "nothing"}}), "{}");
  EXPECT_EQ(tags("ListTags"), R"({"Tags":{"extra":"","stage":"live"}})");
}

TEST_F(MappingOptionsTest, TagsOfAnUnknownMappingAreRefused) {
  const std::string missing = "ResourceNotFoundException: Event source mapping not found: " + mapping_arn;
  EXPECT_EQ(tags("ListTags"), missing);
  EXPECT_EQ(tags("TagResource", R"({"Tags":{"a":"b"}})"), missing);
  EXPECT_EQ(tags("UntagResource", "", {{"tagKeys", "a"}}), missing);
}

TEST_F(MappingOptionsTest, TagsHaveLimits) {
  create_stream();
  EXPECT_THAT(tags("TagResource", R"({"Tags":{"":"b"}})"), HasSubstr("1 to 128"));
  EXPECT_THAT(tags("TagResource", R"({"Tags":{"a":")" + std::string(257, 'v') + "\"}}"), HasSubstr("at most 256"));
  for (const char* key : {"aws:a", "AWS:a"}) {
    EXPECT_THAT(tags("TagResource", base::cat(R"({"Tags":{")", key, R"(":"b"}})")), HasSubstr("aws:"));
    EXPECT_THAT(tags("UntagResource", "", {{"tagKeys", key}}), HasSubstr("aws:"));
  }
  std::string many;
  for (int i = 0; i < 51; ++i) many += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":\"v\"";
  EXPECT_THAT(tags("TagResource", "{\"Tags\":{" + many + "}}"), HasSubstr("Number of tags exceeds resource tag limit."));
  EXPECT_EQ(tags("ListTags"), R"({"Tags":{}})");
}

}  // namespace
}  // namespace tidemill::lambda
