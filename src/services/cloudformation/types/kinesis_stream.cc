// AWS::Kinesis::Stream. Each setting has an operation of its own, and a stream takes one at a time.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr size_t kStreamNameSizeMax = 128;
constexpr int64_t kRetentionHoursByDefault = 24;
constexpr int64_t kRecordKiBByDefault = 1024;
// Resharding takes half a minute or so for each pair of shards.
constexpr std::chrono::hours kStreamSettlesMax{6};

constexpr Property kStreamStreamEncryption[] = {
    {.name = "EncryptionType", .required = true},
    {.name = "KeyId", .required = true},
};

constexpr Property kStreamStreamModeDetails[] = {
    {.name = "StreamMode", .required = true},
};

constexpr Property kStreamProperties[] = {
    {.name = "Name", .update = Update::replaces},
    {.name = "DesiredShardLevelMetrics", .form = Form::list},
    {.name = "MaxRecordSizeInKiB", .kind = Kind::integer},
    {.name = "RetentionPeriodHours", .kind = Kind::integer},
    {.name = "ShardCount", .kind = Kind::integer},
    {.name = "StreamEncryption", .kind = Kind::object, .members = kStreamStreamEncryption},
    {.name = "StreamModeDetails", .kind = Kind::object, .members = kStreamStreamModeDetails},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "WarmThroughputMiBps", .kind = Kind::integer},
};

constexpr TagOperations kStreamTags = {.service = "kinesis",
                                       .tag = "TagResource",
                                       .untag = "UntagResource",
                                       .resource_member = "ResourceARN",
                                       .form = TagForm::map};

json::Object stream_named(const std::string& name) { return json::Object{{"StreamName", name}}; }

// Empty: there is none.
Task<json::Object> stream_summary(Step& step, std::string name) {
  const json::Value answer =
      co_await step.call_or_null("kinesis", "DescribeStreamSummary", stream_named(name), {"ResourceNotFoundException"});
  co_return answer.is_object() ? object_of(answer.object(), "StreamDescriptionSummary") : json::Object();
}

Task<bool> stream_is_active(Step& step, std::string name) {
  const json::Object summary = co_await stream_summary(step, name);
  co_return text_of(summary, "StreamStatus") == "ACTIVE";
}

Task<bool> stream_is_gone(Step& step, std::string name) { co_return (co_await stream_summary(step, name)).empty(); }

Task<void> await_stream(Step& step, std::string name) {
  if (!co_await step.wait_until([&] { return stream_is_active(step, name); }, kStreamSettlesMax)) {
    throw InvalidRequest(cat("Stream ", name, " did not become ACTIVE in time."));
  }
}

std::string stream_mode(const json::Object& properties) {
  return text_or(object_of(properties, "StreamModeDetails"), "StreamMode", "PROVISIONED");
}

int64_t number_or(const json::Object& from, std::string_view name, int64_t otherwise) {
  const json::Value* value = from.find(name);
  return value ? value->to_int64().value_or(otherwise) : otherwise;
}

Task<void> change_stream_mode(Step& step, std::string name, const json::Object& after) {
  const json::Object summary = co_await stream_summary(step, name);
  if (stream_mode(summary) != stream_mode(after)) {
    json::Object request{{"StreamARN", step.arn("kinesis", cat("stream/", name))},
                         {"StreamModeDetails", json::Object{{"StreamMode", stream_mode(after)}}}};
    co_await step.call("kinesis", "UpdateStreamMode", std::move(request));
    co_await await_stream(step, name);
  }
}

Task<void> change_shard_count(Step& step, std::string name, const json::Object& after) {
  if (stream_mode(after) != "PROVISIONED") co_return;
  const json::Object summary = co_await stream_summary(step, name);
  const int64_t wanted = number_or(after, "ShardCount", 1);
  if (number_or(summary, "OpenShardCount", 0) == wanted) co_return;
  json::Object request = stream_named(name);
  request.set("TargetShardCount", wanted);
  request.set("ScalingType", "UNIFORM_SCALING");
  co_await step.call("kinesis", "UpdateShardCount", std::move(request));
  co_await await_stream(step, name);
}

Task<void> change_stream_retention(Step& step, std::string name, const json::Object& after) {
  const json::Object summary = co_await stream_summary(step, name);
  const int64_t current = number_or(summary, "RetentionPeriodHours", kRetentionHoursByDefault);
  const int64_t wanted = number_or(after, "RetentionPeriodHours", kRetentionHoursByDefault);
  if (current == wanted) co_return;
  json::Object request = stream_named(name);
  request.set("RetentionPeriodHours", wanted);
  co_await step.call("kinesis", wanted > current ? "IncreaseStreamRetentionPeriod" : "DecreaseStreamRetentionPeriod",
                     std::move(request));
  co_await await_stream(step, name);
}

Task<void> change_shard_metrics(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  const json::Array old_metrics = list_of(before, "DesiredShardLevelMetrics");
  const json::Array new_metrics = list_of(after, "DesiredShardLevelMetrics");
  json::Array gone;
  for (const json::Value& one : old_metrics) {
    bool stays = false;
    for (const json::Value& other : new_metrics) stays |= json::equal(one, other);
    if (!stays) gone.push_back(one);
  }
  if (!gone.empty()) {
    json::Object request = stream_named(name);
    request.set("ShardLevelMetrics", std::move(gone));
    co_await step.take_away("kinesis", "DisableEnhancedMonitoring", std::move(request));
    co_await await_stream(step, name);
  }
  if (!new_metrics.empty()) {
    json::Object request = stream_named(name);
    request.set("ShardLevelMetrics", new_metrics);
    co_await step.call("kinesis", "EnableEnhancedMonitoring", std::move(request));
    co_await await_stream(step, name);
  }
}

Task<void> change_stream_encryption(Step& step, std::string name, const json::Object& before,
                                    const json::Object& after) {
  const bool on = after.find("StreamEncryption") != nullptr;
  json::Object request = object_of(on ? after : before, "StreamEncryption");
  request.set("StreamName", name);
  if (on) {
    co_await step.call("kinesis", "StartStreamEncryption", std::move(request));
  } else {
    co_await step.take_away("kinesis", "StopStreamEncryption", std::move(request));
  }
  co_await await_stream(step, name);
}

// All but what only a creation sets.
Task<void> change_stream_settings(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (!same_member(before, after, "RetentionPeriodHours")) co_await change_stream_retention(step, name, after);
  if (!same_member(before, after, "StreamEncryption")) co_await change_stream_encryption(step, name, before, after);
  if (!same_member(before, after, "DesiredShardLevelMetrics")) {
    co_await change_shard_metrics(step, name, before, after);
  }
}

Task<std::string> create_stream(Step& step, const json::Object& properties) {
  std::string name = text_of(properties, "Name");
  if (name.empty()) {
    name = step.physical_name(kStreamNameSizeMax);
  } else {
    co_await claim(step, name, {"kinesis", "DescribeStreamSummary", stream_named(name), {"ResourceNotFoundException"}});
  }
  json::Object request =
      take(properties, {"StreamModeDetails", "ShardCount", "MaxRecordSizeInKiB", "WarmThroughputMiBps"});
  if (stream_mode(properties) == "PROVISIONED" && !request.find("ShardCount")) request.set("ShardCount", 1);
  request.set("StreamName", name);
  if (json::Object tags = tag_map(step, properties); !tags.empty()) request.set("Tags", std::move(tags));
  co_await step.call_or_null("kinesis", "CreateStream", std::move(request), {"ResourceInUseException"});
  co_await step.made(name);
  co_await await_stream(step, name);
  co_await change_stream_settings(step, name, {}, properties);
  co_return name;
}

Task<std::string> update_stream(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  if (differ(before, after, {"StreamModeDetails", "ShardCount"})) {
    co_await change_stream_mode(step, name, after);
    co_await change_shard_count(step, name, after);
  }
  if (!same_member(before, after, "MaxRecordSizeInKiB")) {
    json::Object request{{"StreamARN", step.arn("kinesis", cat("stream/", name))}};
    request.set("MaxRecordSizeInKiB", number_or(after, "MaxRecordSizeInKiB", kRecordKiBByDefault));
    co_await step.call("kinesis", "UpdateMaxRecordSize", std::move(request));
    co_await await_stream(step, name);
  }
  if (!same_member(before, after, "WarmThroughputMiBps")) {
    json::Object request{{"StreamARN", step.arn("kinesis", cat("stream/", name))}};
    copy_member(request, after, "WarmThroughputMiBps");
    co_await step.call("kinesis", "UpdateStreamWarmThroughput", std::move(request));
  }
  co_await change_stream_settings(step, name, before, after);
  co_await change_tags(step, kStreamTags, step.arn("kinesis", cat("stream/", name)), before, after);
  co_return name;
}

Task<void> remove_stream(Step& step, std::string name, const json::Object&) {
  json::Object request = stream_named(name);
  request.set("EnforceConsumerDeletion", true);
  co_await step.call_or_null("kinesis", "DeleteStream", std::move(request), {"ResourceNotFoundException"});
  if (!co_await step.wait_until([&] { return stream_is_gone(step, name); }, kStreamSettlesMax)) {
    throw InvalidRequest(cat("Stream ", name, " was not deleted in time."));
  }
}

Task<json::Object> describe_stream(Step& step, std::string name, const json::Object&) {
  co_return json::Object{{"Arn", step.arn("kinesis", cat("stream/", name))}};
}

Task<json::Object> read_stream(Step& step, std::string name) {
  const json::Value found = co_await step.call("kinesis", "DescribeStreamSummary", stream_named(name));
  const json::Object summary = object_of(found.object(), "StreamDescriptionSummary");
  json::Object result =
      take(summary, {{"StreamName", "Name"}, "RetentionPeriodHours", "StreamModeDetails", "MaxRecordSizeInKiB"});
  if (stream_mode(summary) == "PROVISIONED") copy_member(result, summary, "OpenShardCount", "ShardCount");
  if (text_of(summary, "EncryptionType") == "KMS") {
    result.set("StreamEncryption", take(summary, {"EncryptionType", "KeyId"}));
  }
  for (const json::Value& monitored : list_of(summary, "EnhancedMonitoring")) {
    const json::Array metrics = list_of(monitored.object(), "ShardLevelMetrics");
    if (!metrics.empty()) result.set("DesiredShardLevelMetrics", metrics);
  }
  const json::Value tags = co_await step.call(
      "kinesis", "ListTagsForResource", json::Object{{"ResourceARN", step.arn("kinesis", cat("stream/", name))}});
  set_tags(result, tags.find("Tags"));
  co_return result;
}

Task<std::vector<std::string>> list_streams(Step& step) {
  return list_all(step, "kinesis", "ListStreams", "StreamNames", "");
}

}  // namespace

const ResourceType types::kKinesisStream = {
    .name = "AWS::Kinesis::Stream",
    .properties = kStreamProperties,
    .create = create_stream,
    .update = update_stream,
    .remove = remove_stream,
    .attributes = describe_stream,
    .read = read_stream,
    .list = list_streams,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
