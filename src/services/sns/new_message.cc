#include "services/sns/new_message.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/decimal.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "services/sns/errors.h"

namespace tidemill::sns {
namespace {

using base::cat;

constexpr size_t kSubjectSizeMax = 100;
constexpr size_t kNameSizeMax = 256;
constexpr size_t kFifoIdSizeMax = 128;
constexpr std::array<std::string_view, 4> kProtocols{"sqs", "lambda", "http", "https"};

BatchError refuse(std::string message) {
  return BatchError(errors::invalid_parameter_value_exception(std::move(message)));
}

bool is_printable(char c) { return c > ' ' && c < 0x7f; }

// ASCII without line breaks that begins with a letter, a number or a punctuation mark.
void check_subject(const std::string& subject) {
  const bool is_well_formed = !subject.empty() && subject.size() <= kSubjectSizeMax && is_printable(subject.front()) &&
                              std::ranges::all_of(subject, [](char c) { return c == ' ' || is_printable(c); });
  if (!is_well_formed) throw invalid_parameter("Subject");
}

std::map<std::string, std::string> read_texts(const PublishFields& fields) {
  if (fields.message.empty()) throw invalid_parameter("Empty message");
  if (!fields.structure || fields.structure->empty()) return {{std::string(kDefaultText), fields.message}};
  if (*fields.structure != "json") throw invalid_parameter("MessageStructure");
  const auto document = json::parse(fields.message);
  if (!document || !document->is_object()) {
    throw BatchError(invalid_parameter("Message Structure - JSON message body failed to parse"));
  }
  std::map<std::string, std::string> texts;
  for (const auto& [protocol, text] : document->object()) {
    const bool is_ours = protocol == kDefaultText || std::ranges::find(kProtocols, protocol) != kProtocols.end();
    if (is_ours && text.is_string()) texts.emplace(protocol, text.string());
  }
  if (!texts.contains(std::string(kDefaultText))) {
    throw BatchError(invalid_parameter("Message Structure - No default entry in JSON message body"));
  }
  return texts;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

void check_attribute_name(const std::string& name) {
  if (name.empty()) throw refuse("Invalid attribute name: ''.");
  if (name.starts_with('.')) throw refuse("Invalid message attribute name starting with character '.' was found.");
  if (name.size() > kNameSizeMax) throw refuse("Length of message attribute name must be less than 256 bytes.");
  if (name.ends_with('.')) throw refuse("Invalid message attribute name ending with character '.' was found.");
  const auto wrong = std::ranges::find_if_not(name, is_name_character);
  if (wrong != name.end()) {
    std::string code = base::hex(static_cast<unsigned char>(*wrong), 2);
    std::ranges::transform(code, code.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
    throw refuse(cat("Invalid non-alphanumeric character '#x", code,
                     "' was found in the message attribute name. Can only include alphanumeric characters, hyphens, "
                     "underscores, or dots."));
  }
  if (name.contains("..")) throw refuse("Message attribute name can not have successive '.' character.");
}

std::string_view base_type(std::string_view type) { return type.substr(0, type.find('.')); }

bool is_list_of_scalars(const std::string& text) {
  const auto document = json::parse(text);
  return document && document->is_array() && std::ranges::none_of(document->array(), [](const json::Value& one) {
           return one.is_array() || one.is_object();
         });
}

MessageAttribute read_attribute(const std::string& name, const wire::sns::MessageAttributeValue& value) {
  check_attribute_name(name);
  const std::string& type = value.data_type;
  if (type.empty()) {
    throw refuse(cat("The message attribute '", name, "' must contain non-empty message attribute type."));
  }
  const std::string_view base = base_type(type);
  if (type.size() > kNameSizeMax || type.ends_with('.') || (base != "String" && base != "Number" && base != "Binary")) {
    throw refuse(cat("The message attribute '", name,
                     "' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, "
                     "and String."));
  }
  const auto& content = base == "Binary" ? value.binary_value : value.string_value;
  const auto& other = base == "Binary" ? value.string_value : value.binary_value;
  if (!content && other) {
    throw refuse(cat("The message attribute '", name, "' with type '", type, "' must use field '",
                     base == "Binary" ? "Binary" : "String", "'."));
  }
  if (!content || content->empty()) {
    throw refuse(cat("The message attribute '", name,
                     "' must contain non-empty message attribute value for message attribute type '", type, "'."));
  }
  if (base == "Number" && !base::Decimal::parse(*content)) {
    throw refuse(cat("Could not cast message attribute '", name, "' value to number."));
  }
  if (type == "String.Array" && !is_list_of_scalars(*content)) {
    throw refuse(cat("The message attribute '", name, "' of type String.Array must be a JSON array of scalars."));
  }
  return {name, type, *content};
}

void check_fifo_id(std::string_view name, const std::string& id) {
  const bool is_well_formed = !id.empty() && id.size() <= kFifoIdSizeMax && std::ranges::all_of(id, is_printable);
  if (!is_well_formed) throw invalid_parameter(name);
}

void read_fifo_fields(const Topic& topic, const PublishFields& fields, Message& message) {
  if (fields.group_id) check_fifo_id("MessageGroupId", *fields.group_id);
  message.group = fields.group_id.value_or("");
  if (!topic.is_fifo()) {
    if (!fields.deduplication_id) return;
    throw invalid_parameter(
        "MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for "
        "this topic type");
  }
  if (!fields.group_id) throw BatchError(invalid_parameter("The MessageGroupId parameter is required for FIFO topics"));
  if (fields.deduplication_id) {
    check_fifo_id("MessageDeduplicationId", *fields.deduplication_id);
    message.deduplication_id = *fields.deduplication_id;
  } else if (topic.content_based_deduplication) {
    message.deduplication_id = base::hex_of(crypto::sha256(fields.message));
  } else {
    throw BatchError(invalid_parameter(
        "The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided "
        "explicitly"));
  }
}

}  // namespace

size_t size_of(const PublishFields& fields) {
  size_t size = fields.message.size();
  if (!fields.attributes) return size;
  for (const auto& [name, value] : *fields.attributes) {
    size += name.size() + value.data_type.size() + value.string_value.value_or("").size() +
            value.binary_value.value_or("").size();
  }
  return size;
}

Message new_message(const Topic& topic, const PublishFields& fields, base::Time now) {
  Message message{.id = base::new_uuid(), .topic = topic.address, .timestamp = now};
  message.texts = read_texts(fields);
  if (size_of(fields) > kMessageBytesMax) throw invalid_parameter("Message too long");
  if (fields.subject) check_subject(*fields.subject);
  message.subject = fields.subject;
  if (fields.attributes) {
    for (const auto& [name, value] : *fields.attributes) message.attributes.push_back(read_attribute(name, value));
  }
  read_fifo_fields(topic, fields, message);
  message.signature_version = topic.signature_version;
  return message;
}

}  // namespace tidemill::sns
