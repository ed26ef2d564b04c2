#include "services/sqs/lambda_event.h"

#include "base/base64.h"
#include "base/json.h"
#include "services/sqs/message_attributes.h"
#include "services/sqs/system_attributes.h"

namespace tidemill::sqs {
namespace {

// What a record has beside the body and the attributes, about.
constexpr size_t kFrameBytes = 1'024;

void write_attribute(json::Writer& writer, const MessageAttribute& attribute) {
  writer.key(attribute.name);
  writer.begin_object();
  if (attribute.is_binary) {
    writer.key("binaryValue");
    writer.string(base::base64_encode(attribute.value));
  } else {
    writer.key("stringValue");
    writer.string(attribute.value);
  }
  // Lists that the API has no values for.
  writer.key("stringListValues");
  writer.raw("[]");
  writer.key("binaryListValues");
  writer.raw("[]");
  writer.key("dataType");
  writer.string(attribute.type);
  writer.end_object();
}

}  // namespace

std::string lambda_event_json(const Queue& queue, const Taken& taken, std::string_view receipt_handle) {
  const Message& message = taken.message;
  std::string out;
  out.reserve(message.body.size() + message.body.size() / 8 + kFrameBytes);
  json::Writer writer(out);
  const auto text = [&](std::string_view name, std::string_view value) {
    writer.key(name);
    writer.string(value);
  };
  writer.begin_object();
  text("messageId", message.id);
  text("receiptHandle", receipt_handle);
  text("body", message.body);
  writer.key("attributes");
  writer.begin_object();
  for (const auto& [name, value] : system_attributes(queue, taken)) text(name, value);
  writer.end_object();
  writer.key("messageAttributes");
  writer.begin_object();
  for (const MessageAttribute& attribute : message.attributes) write_attribute(writer, attribute);
  writer.end_object();
  writer.key("md5OfMessageAttributes");
  if (const auto digest = md5_of(message.attributes)) writer.string(*digest);
  else writer.null();
  text("md5OfBody", message.body_md5);
  text("eventSource", "aws:sqs");
  text("eventSourceARN", queue.address.arn());
  text("awsRegion", queue.address.region);
  writer.end_object();
  return out;
}

}  // namespace tidemill::sqs
