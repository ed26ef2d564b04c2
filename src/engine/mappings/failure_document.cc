#include "engine/mappings/failure_document.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "base/uuid.h"
#include "wire/arn.h"

namespace tidemill::engine {

namespace {

bool is_kinesis(const Mapping& mapping) { return wire::parse_arn_of("kinesis", mapping.event_source_arn).has_value(); }

std::string with_milliseconds(base::Time time) { return base::iso_milliseconds(time) + "Z"; }

std::string to_the_second(base::Time time) {
  constexpr size_t kSeconds = std::string_view("2024-11-20T17:05:00").size();
  return base::iso_milliseconds(time).substr(0, kSeconds);
}

// The stream's own, also where a consumer of it is read.
std::string_view stream_arn(const Mapping& mapping) {
  const std::string_view arn = mapping.event_source_arn;
  return is_kinesis(mapping) ? arn.substr(0, arn.find("/consumer/")) : arn;
}

void write_text(json::Writer& writer, std::string_view name, std::string_view text) {
  writer.key(name);
  writer.string(text);
}

std::string_view condition_name(DiscardCondition condition) {
  return condition == DiscardCondition::record_age_exceeded ? "RecordAgeExceeded" : "RetryAttemptsExhausted";
}

void write_request(json::Writer& writer, const Mapping& mapping, const DiscardedBatch& batch) {
  writer.key("requestContext");
  writer.begin_object();
  write_text(writer, "requestId", batch.request_id.empty() ? base::new_uuid() : batch.request_id);
  write_text(writer, "functionArn", mapping.function_arn);
  write_text(writer, "condition", condition_name(batch.condition));
  writer.key("approximateInvokeCount");
  writer.integer(std::max<uint32_t>(batch.invocations, 1));
  writer.end_object();
}

// A pipe is named, and what its enrichment or its target said is left out.
void write_context(json::Writer& writer, const Mapping& mapping, const DiscardedBatch& batch) {
  writer.key("context");
  writer.begin_object();
  write_text(writer, "partnerResourceArn", mapping.function_arn);
  write_text(writer, "condition", condition_name(batch.condition));
  writer.end_object();
}

void write_response(json::Writer& writer, const DiscardedBatch& batch) {
  constexpr int kRan = 200;
  writer.key("responseContext");
  writer.begin_object();
  writer.key("statusCode");
  writer.integer(kRan);
  write_text(writer, "executedVersion", batch.executed_version.empty() ? "$LATEST" : batch.executed_version);
  writer.key("functionError");
  batch.reported ? writer.null() : writer.string("Unhandled");
  writer.end_object();
}

// A table's times have no fraction of a second, a Kinesis stream's have milliseconds.
void write_batch(json::Writer& writer, const Mapping& mapping, const DiscardedBatch& batch) {
  const bool kinesis = is_kinesis(mapping);
  const auto time = [&](base::Time at) { return kinesis ? with_milliseconds(at) : to_the_second(at) + "Z"; };
  writer.key(kinesis ? "KinesisBatchInfo" : "DDBStreamBatchInfo");
  writer.begin_object();
  write_text(writer, "shardId", batch.shard_id);
  write_text(writer, "startSequenceNumber", batch.first_sequence_number);
  write_text(writer, "endSequenceNumber", batch.last_sequence_number);
  write_text(writer, "approximateArrivalOfFirstRecord", time(batch.first_arrival));
  write_text(writer, "approximateArrivalOfLastRecord", time(batch.last_arrival));
  writer.key("batchSize");
  writer.integer(batch.count);
  write_text(writer, "streamArn", stream_arn(mapping));
  writer.end_object();
}

}  // namespace

std::string failure_document(const Mapping& mapping, const DiscardedBatch& batch, base::Time now, bool with_records) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  const bool is_of_pipe = goes_to_pipe(mapping);
  is_of_pipe ? write_context(writer, mapping, batch) : write_request(writer, mapping, batch);
  // AWS leaves it out for what is too old, even if the function was invoked before.
  if (!is_of_pipe && batch.condition != DiscardCondition::record_age_exceeded) write_response(writer, batch);
  write_text(writer, "version", "1.0");
  write_text(writer, "timestamp", with_milliseconds(now));
  write_batch(writer, mapping, batch);
  if (with_records) {
    writer.key("payload");
    writer.begin_object();
    writer.key("Records");
    writer.begin_array();
    if (!batch.records_json.empty()) writer.raw(batch.records_json);
    writer.end_array();
    writer.end_object();
  }
  writer.end_object();
  return text;
}

std::string failure_object_key(const Mapping& mapping, const DiscardedBatch& batch, base::Time now) {
  std::string time = to_the_second(now);
  std::string day = time.substr(0, time.find('T'));
  std::ranges::replace(day, '-', '/');
  std::ranges::replace(time, ':', '.');
  return base::cat("aws/lambda/", mapping.uuid, "/", batch.shard_id, "/", day, "/", time, "-", base::new_uuid());
}

}  // namespace tidemill::engine
