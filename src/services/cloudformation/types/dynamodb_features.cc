// What a table has beside itself. Each is looked at before it is changed: some refuse to be set to what they are, and
// after a crash or in a rollback nobody knows how far a change has come.
#include "base/text.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/dynamodb_changes.h"
#include "wire/error.h"

namespace tidemill::cloudformation {

namespace {

using base::cat;

// DynamoDB takes one change of a table's time to live in half an hour; a rollback waits for its turn.
constexpr std::chrono::minutes kTimeToLiveWaitMax{65};
constexpr std::string_view kTimeToLiveTooSoon = "modified multiple times within a fixed interval";
// Changes that are on their way to the old stream arrive first.
constexpr std::chrono::minutes kStreamingSettlesMax{30};

json::Object named(const std::string& name) { return json::Object{{"TableName", name}}; }

// ---- Time to live ----

Task<bool> time_to_live_is_set(Step& step, std::string name, bool enabled, std::string attribute) {
  json::Object request = named(name);
  request.set("TimeToLiveSpecification", json::Object{{"Enabled", enabled}, {"AttributeName", attribute}});
  try {
    co_await step.call("dynamodb", "UpdateTimeToLive", std::move(request));
  } catch (const wire::Error& error) {
    if (error.message.find(kTimeToLiveTooSoon) == std::string::npos) throw;
    co_return false;
  }
  co_return true;
}

Task<void> set_time_to_live(Step& step, std::string name, bool enabled, std::string attribute) {
  const auto is_set = [&] { return time_to_live_is_set(step, name, enabled, attribute); };
  if (!co_await step.wait_until(is_set, kTimeToLiveWaitMax)) {
    throw InvalidRequest("Time to live has been modified multiple times within a fixed interval");
  }
}

Task<void> change_time_to_live(Step& step, std::string name, const json::Object& wanted) {
  const json::Value answer = co_await step.call("dynamodb", "DescribeTimeToLive", named(name));
  const json::Object current = object_of(answer.object(), "TimeToLiveDescription");
  const bool is_on = text_of(current, "TimeToLiveStatus").starts_with("ENABL");
  const bool shall_be = is_true(wanted, "Enabled");
  const std::string attribute = text_of(current, "AttributeName"), wanted_attribute = text_of(wanted, "AttributeName");
  if (is_on && (!shall_be || attribute != wanted_attribute)) co_await set_time_to_live(step, name, false, attribute);
  if (shall_be && (!is_on || attribute != wanted_attribute)) {
    co_await set_time_to_live(step, name, true, wanted_attribute);
  }
}

// ---- Point in time recovery ----

Task<void> change_recovery(Step& step, std::string name, const json::Object& wanted) {
  json::Object specification = wanted;
  if (!specification.find("PointInTimeRecoveryEnabled")) specification.set("PointInTimeRecoveryEnabled", false);
  json::Object request = named(name);
  request.set("PointInTimeRecoverySpecification", std::move(specification));
  co_await step.call("dynamodb", "UpdateContinuousBackups", std::move(request));
}

// ---- A stream to Kinesis ----

json::Object streaming_options(const json::Object& wanted) {
  return take(wanted, {"ApproximateCreationDateTimePrecision"});
}

Task<json::Array> destinations_of(Step& step, std::string name) {
  const json::Value answer = co_await step.call("dynamodb", "DescribeKinesisStreamingDestination", named(name));
  co_return list_of(answer.object(), "KinesisDataStreamDestinations");
}

Task<bool> nothing_is_disabling(Step& step, std::string name) {
  for (const json::Value& one : co_await destinations_of(step, name)) {
    if (text_of(one.object(), "DestinationStatus") == "DISABLING") co_return false;
  }
  co_return true;
}

Task<void> change_streaming(Step& step, std::string name, const json::Object& wanted) {
  const std::string stream = text_of(wanted, "StreamArn");
  bool is_on = false;
  for (const json::Value& one : co_await destinations_of(step, name)) {
    if (text_of(one.object(), "DestinationStatus") != "ACTIVE") continue;
    const std::string current = text_of(one.object(), "StreamArn");
    json::Object request = named(name);
    request.set("StreamArn", current);
    if (current != stream) {
      co_await step.call("dynamodb", "DisableKinesisStreamingDestination", std::move(request));
      continue;
    }
    is_on = true;
    json::Object options = streaming_options(wanted);
    if (!options.empty() && differ(one.object(), options, {"ApproximateCreationDateTimePrecision"})) {
      request.set("UpdateKinesisStreamingConfiguration", std::move(options));
      co_await step.call("dynamodb", "UpdateKinesisStreamingDestination", std::move(request));
    }
  }
  if (is_on || stream.empty()) co_return;
  if (!co_await step.wait_until([&] { return nothing_is_disabling(step, name); }, kStreamingSettlesMax)) {
    throw InvalidRequest("A Kinesis streaming destination was not disabled in time.");
  }
  json::Object request = named(name);
  request.set("StreamArn", stream);
  if (json::Object options = streaming_options(wanted); !options.empty()) {
    request.set("EnableKinesisStreamingConfiguration", std::move(options));
  }
  co_await step.call("dynamodb", "EnableKinesisStreamingDestination", std::move(request));
}

// ---- Contributor insights: DynamoDB itself says that there are none ----

Task<void> change_insights(Step& step, std::string name, std::string index, const json::Object& specification) {
  if (!is_true(specification, "Enabled")) co_return;
  json::Object request = named(name);
  request.set("ContributorInsightsAction", "ENABLE");
  if (!index.empty()) request.set("IndexName", index);
  co_await step.call("dynamodb", "UpdateContributorInsights", std::move(request));
}

// ---- The policy of a table's stream ----

Task<void> change_stream_policy(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  const json::Value answer = co_await step.call("dynamodb", "DescribeTable", named(name));
  const json::Value stream = answered(answered(answer, "Table"), "LatestStreamArn");
  if (!stream.is_string()) co_return;
  co_await change_table_policy(step, stream.string(), object_of(before, "ResourcePolicy"),
                               object_of(after, "ResourcePolicy"));
}

}  // namespace

Task<void> change_table_policy(Step& step, std::string arn, const json::Object& before, const json::Object& after) {
  if (same_member(before, after, "PolicyDocument")) co_return;
  json::Object request{{"ResourceArn", arn}};
  if (const json::Value* document = after.find("PolicyDocument")) {
    request.set("Policy", json_text(*document));
    co_await step.call("dynamodb", "PutResourcePolicy", std::move(request));
  } else {
    co_await step.call_or_null("dynamodb", "DeleteResourcePolicy", std::move(request),
                               {"PolicyNotFoundException", "ResourceNotFoundException"});
  }
}

Task<void> change_table_features(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (!same_member(before, after, "TimeToLiveSpecification")) {
    co_await change_time_to_live(step, name, object_of(after, "TimeToLiveSpecification"));
  }
  if (!same_member(before, after, "PointInTimeRecoverySpecification")) {
    co_await change_recovery(step, name, object_of(after, "PointInTimeRecoverySpecification"));
  }
  if (!same_member(before, after, "KinesisStreamSpecification")) {
    co_await change_streaming(step, name, object_of(after, "KinesisStreamSpecification"));
  }
  co_await change_insights(step, name, "", object_of(after, "ContributorInsightsSpecification"));
  for (const json::Value& index : list_of(after, "GlobalSecondaryIndexes")) {
    co_await change_insights(step, name, text_of(index.object(), "IndexName"),
                             object_of(index.object(), "ContributorInsightsSpecification"));
  }
  const json::Object old_stream = object_of(before, "StreamSpecification");
  const json::Object new_stream = object_of(after, "StreamSpecification");
  if (!same_member(old_stream, new_stream, "ResourcePolicy")) {
    co_await change_stream_policy(step, name, old_stream, new_stream);
  }
}

}  // namespace tidemill::cloudformation
