// The operations on event source mappings, with AWS's shapes and words; the tables, streams and pollers are the real
// ones. The words are those recorded on AWS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/sim/platform.h"

namespace tidemill::lambda {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kFunctionArn = "arn:aws:lambda:us-east-1:000000000000:function:f";

class EventSourceMappingTest : public ::testing::Test {
 protected:
  void SetUp() override { stream = world.create_table("orders"); }

  // `options`: further members, each with a comma before it.
  std::string create(const std::string& options = "", const std::string& function = "f") {
    return world.run("lambda", "CreateEventSourceMapping",
                     R"({"FunctionName":")" + function + R"(","EventSourceArn":")" + stream +
                         R"(","StartingPosition":"LATEST")" + options + "}");
  }
  std::string create_with(const std::string& body) {
    return world.run("lambda", "CreateEventSourceMapping", body);
  }
  std::string update(const std::string& uuid, const std::string& body) {
    return world.run({.service = "lambda",
                      .operation = "UpdateEventSourceMapping",
                      .body = body,
                      .labels = {{"UUID", uuid}}});
  }
  std::string get(const std::string& uuid, const std::string& region = "us-east-1") {
    return world.run({.service = "lambda",
                      .operation = "GetEventSourceMapping",
                      .labels = {{"UUID", uuid}},
                      .region = region});
  }
  std::string remove(const std::string& uuid) {
    return world.run({.service = "lambda", .operation = "DeleteEventSourceMapping", .labels = {{"UUID", uuid}}});
  }
  json::Value list(std::vector<std::pair<std::string, std::string>> query = {}) {
    return world.ask({.service = "lambda", .operation = "ListEventSourceMappings", .query = std::move(query)});
  }
  static std::string member(const std::string& answer, std::string_view name) {
    const auto document = json::parse(answer);
    const json::Value* value = document ? document->find(name) : nullptr;
    if (value == nullptr) return "nothing in " + answer;
    return value->is_string() ? value->string() : json::write(*value);
  }
  static std::string uuid(int number) { return "00000000-0000-4000-8000-00000000000" + std::to_string(number); }
  std::string settled(const std::string& uuid, std::string_view name) {
    world.settle();
    return member(get(uuid), name);
  }

  sim::Platform world;
  std::string stream;
};

TEST_F(EventSourceMappingTest, ANewMappingShowsEverySettingWithItsDefault) {
  EXPECT_EQ(create(),
            R"({"UUID":")" + uuid(1) +
                R"(","StartingPosition":"LATEST","BatchSize":100,"MaximumBatchingWindowInSeconds":0,)"
                R"("ParallelizationFactor":1,"EventSourceArn":")" + stream + R"(","FunctionArn":")" + kFunctionArn +
                R"(","LastModified":1773446400,"LastProcessingResult":"No records processed","State":"Creating",)"
                R"("StateTransitionReason":"User action","DestinationConfig":{"OnFailure":{}},)"
                R"("MaximumRecordAgeInSeconds":-1,"BisectBatchOnFunctionError":false,"MaximumRetryAttempts":-1,)"
                R"("TumblingWindowInSeconds":0,"FunctionResponseTypes":[],"EventSourceMappingArn":)"
                R"("arn:aws:lambda:us-east-1:000000000000:event-source-mapping:)" + uuid(1) + R"("})");
  EXPECT_EQ(settled(uuid(1), "State"), "Enabled");
}

TEST_F(EventSourceMappingTest, LastModifiedHasAFraction) {
  world.advance(std::chrono::microseconds(851'963'001));
  EXPECT_EQ(member(create(), "LastModified"), "1773447251.963");
}

TEST_F(EventSourceMappingTest, SettingsAreKept) {
  const std::string shown = create(R"(,"BatchSize":7,"MaximumBatchingWindowInSeconds":3,"MaximumRetryAttempts":5,)"
                                   R"("MaximumRecordAgeInSeconds":120)");
  EXPECT_EQ(member(shown, "BatchSize"), "7");
  EXPECT_EQ(member(shown, "MaximumBatchingWindowInSeconds"), "3");
  EXPECT_EQ(member(shown, "MaximumRetryAttempts"), "5");
  EXPECT_EQ(member(shown, "MaximumRecordAgeInSeconds"), "120");
  EXPECT_EQ(settled(uuid(1), "BatchSize"), "7");
}

TEST_F(EventSourceMappingTest, AFunctionMayBeNamedInEveryForm) {
  const std::pair<std::string, std::string> forms[] = {
      {"f", kFunctionArn},
      {"f:$LATEST", std::string(kFunctionArn) + ":$LATEST"},
      {"000000000000:function:f", kFunctionArn},
      {"000000000000:function:f:$LATEST", std::string(kFunctionArn) + ":$LATEST"},
      {kFunctionArn, kFunctionArn},
      {std::string(kFunctionArn) + ":$LATEST", kFunctionArn},
  };
  int number = 0;
  for (const auto& [given, kept] : forms) {
    EXPECT_EQ(member(create("", given), "FunctionArn"), kept) << given;
    remove(uuid(++number));
    world.settle();
  }
}

TEST_F(EventSourceMappingTest, StatesFollowWhatIsAskedFor) {
  EXPECT_EQ(member(create(R"(,"Enabled":false)"), "State"), "Disabled");
  EXPECT_EQ(settled(uuid(1), "State"), "Disabled");
  EXPECT_EQ(member(update(uuid(1), R"({"BatchSize":5})"), "State"), "Disabled");
  EXPECT_EQ(member(update(uuid(1), R"({"Enabled":true})"), "State"), "Enabling");
  EXPECT_EQ(settled(uuid(1), "State"), "Enabled");
  EXPECT_EQ(member(update(uuid(1), R"({"BatchSize":9})"), "State"), "Updating");
  EXPECT_EQ(settled(uuid(1), "State"), "Enabled");
  EXPECT_EQ(member(update(uuid(1), R"({"Enabled":false})"), "State"), "Disabling");
  EXPECT_EQ(settled(uuid(1), "State"), "Disabled");
  EXPECT_EQ(settled(uuid(1), "BatchSize"), "9");
  EXPECT_EQ(member(remove(uuid(1)), "State"), "Deleting");
  world.settle();
  EXPECT_EQ(get(uuid(1)), "ResourceNotFoundException: The resource you requested does not exist.");
}

TEST_F(EventSourceMappingTest, AMappingThatIsBeingDeletedIsInUse) {
  create();
  world.settle();
  world.mappings.reset();  // nobody finishes the deletion
  remove(uuid(1));
  EXPECT_EQ(update(uuid(1), R"({"BatchSize":5})"),
            "ResourceInUseException: Cannot update the event source mapping because it is in use.");
  EXPECT_EQ(remove(uuid(1)), "ResourceInUseException: Cannot delete the event source mapping because it is in use.");
}

TEST_F(EventSourceMappingTest, AnUpdateMayNameAnotherFunction) {
  create();
  EXPECT_EQ(member(update(uuid(1), R"({"FunctionName":"g"})"), "FunctionArn"),
            "arn:aws:lambda:us-east-1:000000000000:function:g");
  EXPECT_EQ(update(uuid(1), R"({"FunctionName":"nothing"})"),
            "InvalidParameterValueException: Function does not exist");
}

TEST_F(EventSourceMappingTest, AnUnknownMappingIsRefused) {
  const std::string refusal = "ResourceNotFoundException: The resource you requested does not exist.";
  EXPECT_EQ(get(uuid(9)), refusal);
  EXPECT_EQ(update(uuid(9), "{}"), refusal);
  EXPECT_EQ(remove(uuid(9)), refusal);
}

TEST_F(EventSourceMappingTest, RegionsDoNotSeeEachOthersMappingsAndStreams) {
  create();
  EXPECT_THAT(get(uuid(1), "eu-west-1"), StartsWith("ResourceNotFoundException"));
  EXPECT_EQ(world.run({.service = "lambda",
                       .operation = "CreateEventSourceMapping",
                       .body = R"({"FunctionName":"f","StartingPosition":"LATEST","EventSourceArn":")" + stream + "\"}",
                       .region = "eu-west-1"}),
            "InvalidParameterValueException: Stream not found: " + stream);
}

TEST_F(EventSourceMappingTest, AMissingSourceOrFunctionIsRefused) {
  EXPECT_EQ(create_with(R"({"FunctionName":"f","StartingPosition":"LATEST"})"),
            "InvalidParameterValueException: Unrecognized event source.");
  EXPECT_EQ(create("", "nothing"), "InvalidParameterValueException: Function does not exist");
  EXPECT_EQ(create("", "f:alias"), "InvalidParameterValueException: Function does not exist");
  const std::string missing = stream.substr(0, stream.rfind('/')) + "/2020-01-01T00:00:00.000";
  EXPECT_EQ(create_with(R"({"FunctionName":"f","StartingPosition":"LATEST","EventSourceArn":")" + missing + "\"}"),
            "InvalidParameterValueException: Stream not found: " + missing);
  EXPECT_EQ(create_with(R"({"FunctionName":"f","StartingPosition":"LATEST","EventSourceArn":)"
                        R"("arn:aws:dynamodb:us-east-1:000000000000:table/orders"})"),
            "InvalidParameterValueException: Unrecognized event source.");
}

TEST_F(EventSourceMappingTest, ASourceThatIsNotSupportedIsRefusedByName) {
  for (const std::string arn : {"arn:aws:kafka:us-east-1:000000000000:cluster/c/1", "arn:aws:mq:us-east-1:000000000000:b:1",
                                "arn:aws:rds:us-east-1:000000000000:cluster:documents"}) {
    EXPECT_THAT(create_with(R"({"FunctionName":"f","EventSourceArn":")" + arn + "\"}"),
                HasSubstr("does not support the event source " + arn));
  }
}

TEST_F(EventSourceMappingTest, AStreamNeedsAStartingPosition) {
  const std::string body = R"({"FunctionName":"f","EventSourceArn":")" + stream + "\"";
  EXPECT_EQ(create_with(body + "}"),
            "InvalidParameterValueException: 1 validation error detected: Value null at 'startingPosition' failed to "
            "satisfy constraint: Member must not be null.");
  EXPECT_EQ(create_with(body + R"(,"StartingPosition":"invalid"})"),
            "ValidationException: 1 validation error detected: Value 'invalid' at 'startingPosition' failed to satisfy "
            "constraint: Member must satisfy enum value set: [LATEST, AT_TIMESTAMP, TRIM_HORIZON]");
  EXPECT_EQ(create_with(body + R"(,"StartingPosition":"AT_TIMESTAMP","StartingPositionTimestamp":1700000000})"),
            "InvalidParameterValueException: Unsupported starting position for arn type: " + stream);
}

TEST_F(EventSourceMappingTest, ASecondMappingOfTheSamePairIsRefused) {
  create();
  const std::string refusal = R"(ResourceConflictException: The event source arn (" )" + stream +
                              R"( ") and function (" f ") provided mapping already exists. Please update or delete the )"
                              "existing mapping with UUID " + uuid(1);
  EXPECT_EQ(create(), refusal);
  EXPECT_EQ(create("", "f:$LATEST"), refusal);
  EXPECT_EQ(member(create("", "g"), "State"), "Creating");
}

TEST_F(EventSourceMappingTest, SettingsOutOfRangeAreRefused) {
  create("", "g");
  for (const std::string age : {"0", "59"}) {
    const std::string refusal =
        "InvalidParameterValueException: MaximumRecordAgeInSeconds must be either -1 (forever) or between 60 and 604800 "
        "(inclusive)";
    EXPECT_EQ(create(",\"MaximumRecordAgeInSeconds\":" + age), refusal);
    EXPECT_EQ(update(uuid(1), "{\"MaximumRecordAgeInSeconds\":" + age + "}"), refusal);
  }
  EXPECT_THAT(create(R"(,"BatchSize":10001)"), HasSubstr("Value '10001' at 'batchSize' failed to satisfy constraint: "
                                                         "Member must have value less than or equal to 10000"));
  EXPECT_THAT(create(R"(,"BatchSize":0)"), HasSubstr("greater than or equal to 1"));
  EXPECT_THAT(create(R"(,"MaximumBatchingWindowInSeconds":301)"), HasSubstr("'maximumBatchingWindowInSeconds'"));
  EXPECT_THAT(create(R"(,"MaximumRetryAttempts":-2)"), HasSubstr("'maximumRetryAttempts'"));
}

TEST_F(EventSourceMappingTest, AnOptionThatIsNotSupportedIsRefusedByName) {
  create();
  const std::pair<std::string, std::string> options[] = {
      {"MetricsConfig", R"({"Metrics":["ErrorCount"]})"},
      {"KMSKeyArn", R"("arn:aws:kms:us-east-1:000000000000:key/k")"},
      {"LoggingConfig", R"({"SystemLogLevel":"DEBUG"})"},
  };
  for (const auto& [name, value] : options) {
    EXPECT_THAT(create(",\"" + name + "\":" + value, "g"), HasSubstr("does not support the parameter " + name));
    EXPECT_THAT(update(uuid(1), "{\"" + name + "\":" + value + "}"),
                HasSubstr("does not support the parameter " + name));
  }
  for (const std::string name : {"Topics", "Queues"}) {
    EXPECT_THAT(create(",\"" + name + R"(":["t"])", "g"), HasSubstr("does not support the parameter " + name));
  }
}

TEST_F(EventSourceMappingTest, ATimeToStartFromIsForAtTimestampOnly) {
  EXPECT_EQ(create(R"(,"StartingPositionTimestamp":1700000000)"),
            "InvalidParameterValueException: StartingPositionTimestamp is only valid with the StartingPosition "
            "AT_TIMESTAMP.");
}

TEST_F(EventSourceMappingTest, OptionsAtTheirDefaultsAreAccepted) {
  EXPECT_EQ(member(create(R"(,"ParallelizationFactor":1,"BisectBatchOnFunctionError":false,"TumblingWindowInSeconds":0,)"
                          R"("FunctionResponseTypes":[],"DestinationConfig":{"OnFailure":{}},)"
                          R"("FilterCriteria":{"Filters":[]})"),
                   "State"),
            "Creating");
}

TEST_F(EventSourceMappingTest, ADestinationForSuccessIsNotForStreams) {
  EXPECT_EQ(create(R"(,"DestinationConfig":{"OnSuccess":{"Destination":"arn:aws:sqs:us-east-1:000000000000:q"}})"),
            "InvalidParameterValueException: Unsupported DestinationConfig parameter for given event source mapping "
            "type.");
}

TEST_F(EventSourceMappingTest, MappingsAreListedByFunctionAndSourceAndPaged) {
  const std::string first = stream;
  create();
  create("", "g");
  stream = world.create_table("payments");
  create();

  const auto listed = [](const json::Value& page) {
    std::string uuids;
    for (const json::Value& mapping : page.find("EventSourceMappings")->array()) {
      uuids += mapping.find("UUID")->string().back();
    }
    return uuids;
  };
  EXPECT_EQ(listed(list()), "123");
  EXPECT_EQ(listed(list({{"FunctionName", "f"}})), "13");
  EXPECT_EQ(listed(list({{"FunctionName", kFunctionArn}, {"EventSourceArn", first}})), "1");
  EXPECT_EQ(listed(list({{"EventSourceArn", first}})), "12");
  EXPECT_EQ(listed(list({{"FunctionName", "h"}})), "");

  const json::Value page = list({{"MaxItems", "2"}});
  EXPECT_EQ(listed(page), "12");
  const json::Value rest = list({{"MaxItems", "2"}, {"Marker", page.find("NextMarker")->string()}});
  EXPECT_EQ(listed(rest), "3");
  EXPECT_EQ(rest.find("NextMarker"), nullptr);
}

TEST_F(EventSourceMappingTest, LatestDeliversWhatIsWrittenAfterTheAnswerAndNothingBefore) {
  std::vector<std::string> events;
  world.functions.handler = [&](std::string, std::string payload) -> Task<engine::InvokeOutcome> {
    events.push_back(std::move(payload));
    co_return engine::InvokeOutcome{};
  };
  const auto put = [&](const std::string& id) {
    return world.run("dynamodb", "PutItem", R"({"TableName":"orders","Item":{"id":{"S":")" + id + R"("}}})");
  };
  put("before");
  create();  // not taken up yet when the answer is there
  put("after");
  world.settle();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events.front(), HasSubstr("after"));
  EXPECT_THAT(events.front(), ::testing::Not(HasSubstr("before")));
  EXPECT_EQ(member(get(uuid(1)), "LastProcessingResult"), "OK");
}

TEST_F(EventSourceMappingTest, AMappingOutlivesItsFunction) {
  create();
  world.function_names.clear();
  EXPECT_EQ(settled(uuid(1), "State"), "Enabled");
}

}  // namespace
}  // namespace tidemill::lambda
