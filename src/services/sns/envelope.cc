#include "services/sns/envelope.h"

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "wire/trace_header.h"

namespace tidemill::sns {
namespace {

using base::cat;

constexpr std::string_view kNotification = "Notification";

std::string timestamp_text(base::Time time) { return base::iso_milliseconds(time) + "Z"; }

// A line with the name and one with the value, for each in the order of their names: what is signed.
void append_signed(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append("\n").append(value).append("\n");
}

std::string text_to_sign(const Message& message, const std::string& text) {
  std::string out;
  append_signed(out, "Message", text);
  append_signed(out, "MessageId", message.id);
  if (message.subject) append_signed(out, "Subject", *message.subject);
  append_signed(out, "Timestamp", timestamp_text(message.timestamp));
  append_signed(out, "TopicArn", message.topic.arn());
  append_signed(out, "Type", kNotification);
  return out;
}

// AWS's layout: a member on each line.
class Document {
 public:
  void add(std::string_view name, std::string_view value) {
    begin(name);
    json::append_string(text_, value);
  }
  void add_json(std::string_view name, std::string_view value) {
    begin(name);
    text_ += value;
  }
  [[nodiscard]] std::string take() {
    text_ += "\n}";
    return std::move(text_);
  }

 private:
  void begin(std::string_view name) {
    text_ += text_.empty() ? "{\n  " : ",\n  ";
    json::append_string(text_, name);
    text_ += " : ";
  }
  std::string text_;
};

void write_attributes(json::Writer& writer, const Message& message) {
  writer.begin_object();
  for (const MessageAttribute& attribute : message.attributes) {
    writer.key(attribute.name);
    writer.begin_object();
    writer.key("Type");
    writer.string(attribute.type);
    writer.key("Value");
    writer.string(attribute.is_binary() ? base::base64_encode(attribute.value) : attribute.value);
    writer.end_object();
  }
  writer.end_object();
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kPlain = "-_.~:";
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          kPlain.find(c) != std::string_view::npos;
    if (is_plain) out += c;
    else out += cat("%", base::hex(static_cast<unsigned char>(c), 2));
  }
  return out;
}

}  // namespace

std::string Links::subscribe(const TopicAddress& topic, std::string_view token) const {
  return cat(endpoint, "/?Action=ConfirmSubscription&TopicArn=", percent_encode(topic.arn()), "&Token=", token);
}

std::string Links::unsubscribe(const SubscriptionAddress& subscription) const {
  return cat(endpoint, "/?Action=Unsubscribe&SubscriptionArn=", percent_encode(subscription.arn()));
}

bool gets_signature(const Subscription& subscription) {
  return !subscription.is_raw && !subscription.address.topic.is_fifo();
}

void sign_for(Message& message, const std::string& protocol, const SigningKey& key) {
  const std::string name = message.text_name(protocol);
  if (message.signatures.contains(name)) return;
  message.signatures[name] = key.sign(text_to_sign(message, message.texts.at(name)), message.signature_version);
}

std::string Envelope::document() const {
  const std::string& text = message.text_for(subscription.protocol);
  if (subscription.is_raw) return text;
  Document document;
  document.add("Type", kNotification);
  document.add("MessageId", message.id);
  if (message.topic.is_fifo()) document.add("SequenceNumber", sequence_text(message.sequence));
  document.add("TopicArn", message.topic.arn());
  if (message.subject) document.add("Subject", *message.subject);
  document.add("Message", text);
  document.add("Timestamp", timestamp_text(message.timestamp));
  const auto signature = message.signatures.find(message.text_name(subscription.protocol));
  if (signature != message.signatures.end()) {
    document.add("SignatureVersion", std::to_string(message.signature_version));
    document.add("Signature", signature->second);
    document.add("SigningCertURL", cat(links.certificates_from, certificate_path));
  }
  document.add("UnsubscribeURL", links.unsubscribe(subscription.address));
  if (!message.attributes.empty()) {
    std::string attributes;
    json::Writer writer(attributes);
    write_attributes(writer, message);
    document.add_json("MessageAttributes", attributes);
  }
  return document.take();
}

engine::QueueMessage Envelope::queue_message(std::string_view queue_arn) const {
  engine::QueueMessage result{
      .body = document(), .group_id = message.group, .trace_header = message.trace_header};
  const bool is_to_fifo = queue_arn.ends_with(kFifoSuffix);
  if (is_to_fifo) result.deduplication_id = message.deduplication_id;
  if (message.topic.is_fifo() && !is_to_fifo) result.group_id.clear();  // a standard queue is not told of groups
  if (!subscription.is_raw) return result;
  for (const MessageAttribute& attribute : message.attributes) {
    result.attributes.push_back({attribute.name, attribute.type, attribute.value});
  }
  return result;
}

std::string Envelope::function_event() const {
  std::string text;
  json::Writer writer(text);
  const auto member = [&](std::string_view name, std::string_view value) {
    writer.key(name);
    writer.string(value);
  };
  writer.begin_object();
  writer.key("Records");
  writer.begin_array();
  writer.begin_object();
  member("EventSource", "aws:sns");
  member("EventVersion", "1.0");
  member("EventSubscriptionArn", subscription.address.arn());
  writer.key("Sns");
  writer.begin_object();
  member("Type", kNotification);
  member("MessageId", message.id);
  member("TopicArn", message.topic.arn());
  writer.key("Subject");
  if (message.subject) writer.string(*message.subject);
  else writer.null();
  member("Message", message.text_for(subscription.protocol));
  member("Timestamp", timestamp_text(message.timestamp));
  const auto signature = message.signatures.find(message.text_name(subscription.protocol));
  if (signature != message.signatures.end()) {
    member("SignatureVersion", std::to_string(message.signature_version));
    member("Signature", signature->second);
    member("SigningCertUrl", cat(links.certificates_from, certificate_path));
  }
  member("UnsubscribeUrl", links.unsubscribe(subscription.address));
  writer.key("MessageAttributes");
  write_attributes(writer, message);
  writer.end_object();
  writer.end_object();
  writer.end_array();
  writer.end_object();
  return text;
}

net::HttpCall call_of(std::string_view type, std::string_view message_id, const TopicAddress& topic,
                      std::string_view subscription_arn, std::string url, std::string body) {
  net::HttpCall call{.url = std::move(url), .body = std::move(body)};
  call.headers.add("x-amz-sns-message-type", std::string(type));
  call.headers.add("x-amz-sns-message-id", std::string(message_id));
  call.headers.add("x-amz-sns-topic-arn", topic.arn());
  if (!subscription_arn.empty()) call.headers.add("x-amz-sns-subscription-arn", std::string(subscription_arn));
  call.headers.add("User-Agent", "Amazon Simple Notification Service Agent");
  return call;
}

net::HttpCall Envelope::http_call(const std::string& content_type) const {
  net::HttpCall call = call_of(kNotification, message.id, message.topic, subscription.address.arn(),
                               subscription.endpoint, document());
  if (subscription.is_raw) call.headers.add("x-amz-sns-rawdelivery", "true");
  if (!message.trace_header.empty()) call.headers.add(std::string(wire::kTraceHeader), message.trace_header);
  call.headers.add("Content-Type", content_type);
  return call;
}

std::string letter_document(const Letter& letter, const Links& links, const SigningKey& key) {
  const bool is_welcome = letter.type == "SubscriptionConfirmation";
  const std::string arn = letter.topic.arn();
  const std::string text =
      is_welcome ? cat("You have chosen to subscribe to the topic ", arn,
                       ".\nTo confirm the subscription, visit the SubscribeURL included in this message.")
                 : cat("You have chosen to deactivate a subscription to the topic ", arn,
                       ".\nTo take this back and restore the subscription, visit the SubscribeURL included in this "
                       "message.");
  const std::string url = links.subscribe(letter.topic, letter.token);
  const std::string timestamp = timestamp_text(letter.timestamp);
  std::string to_sign;
  append_signed(to_sign, "Message", text);
  append_signed(to_sign, "MessageId", letter.message_id);
  append_signed(to_sign, "SubscribeURL", url);
  append_signed(to_sign, "Timestamp", timestamp);
  append_signed(to_sign, "Token", letter.token);
  append_signed(to_sign, "TopicArn", arn);
  append_signed(to_sign, "Type", letter.type);
  Document document;
  document.add("Type", letter.type);
  document.add("MessageId", letter.message_id);
  document.add("Token", letter.token);
  document.add("TopicArn", arn);
  document.add("Message", text);
  document.add("SubscribeURL", url);
  document.add("Timestamp", timestamp);
  document.add("SignatureVersion", std::to_string(letter.signature_version));
  document.add("Signature", key.sign(to_sign, letter.signature_version));
  document.add("SigningCertURL", cat(links.certificates_from, key.certificate_path()));
  return document.take();
}

}  // namespace tidemill::sns
