#include "services/kinesis/lambda_event.h"

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"

namespace tidemill::kinesis {

namespace {

// Beside what varies in length: names, digits, punctuation.
constexpr size_t kFixedSize = 480;
constexpr int kMillisecondsPerSecond = 1000;

// "1545084650.987"
std::string seconds_text(base::Time time) {
  const auto count = std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
  const std::string fraction = std::to_string(kMillisecondsPerSecond + count % kMillisecondsPerSecond);
  return base::cat(count / kMillisecondsPerSecond, ".", std::string_view(fraction).substr(1));
}

std::string quoted_base64(std::string_view bytes) {
  std::string text;
  text.reserve(base::base64_encoded_size(bytes.size()) + 2);
  text.push_back('"');
  base::append_base64(text, bytes);
  text.push_back('"');
  return text;
}

}  // namespace

std::string lambda_event_json(const EventOrigin& origin, const EventRecord& record) {
  std::string text;
  text.reserve(kFixedSize + base::base64_encoded_size(record.data.size()) + record.partition_key.size());
  json::Writer writer(text);
  writer.begin_object();
  writer.key("kinesis");
  writer.begin_object();
  writer.key("kinesisSchemaVersion"), writer.string("1.0");
  writer.key("partitionKey"), writer.string(record.partition_key);
  writer.key("sequenceNumber"), writer.string(record.sequence_number);
  writer.key("data"), writer.raw(quoted_base64(record.data));
  writer.key("approximateArrivalTimestamp"), writer.raw(seconds_text(record.arrival));
  writer.end_object();
  writer.key("eventSource"), writer.string("aws:kinesis");
  writer.key("eventVersion"), writer.string("1.0");
  writer.key("eventID"), writer.string(base::cat(origin.shard_id, ":", record.sequence_number));
  writer.key("eventName"), writer.string("aws:kinesis:record");
  writer.key("invokeIdentityArn"), writer.string(origin.invoke_identity_arn);
  writer.key("awsRegion"), writer.string(origin.region);
  writer.key("eventSourceARN"), writer.string(origin.event_source_arn);
  writer.end_object();
  return text;
}

}  // namespace tidemill::kinesis
