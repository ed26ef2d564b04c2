#include "services/sqs/message_attributes.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/hex.h"
#include "base/ordered.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "services/sqs/errors.h"

namespace tidemill::sqs {
namespace {

using base::cat;

constexpr size_t kNameSizeMax = 256;
constexpr size_t kTypeSizeMax = 256;
constexpr std::string_view kTraceHeader = "AWSTraceHeader";
// How the digest tells kinds of values apart.
constexpr uint8_t kDigestText = 1;
constexpr uint8_t kDigestBinary = 2;

wire::Error refuse(std::string message) { return errors::invalid_parameter_value_exception(std::move(message)); }

// Letters of any script, though the documents speak of ASCII.
bool is_name_character(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

bool starts_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  for (size_t i = 0; i < lower.size(); ++i) {
    if ((text[i] | 0x20) != (lower[i] | 0x20)) return false;
  }
  return true;
}

void check_name(const std::string& name) {
  const bool is_well_formed = !name.empty() && name.size() <= kNameSizeMax &&
                              std::ranges::all_of(name, is_name_character) && !name.starts_with('.') &&
                              !name.ends_with('.') && name.find("..") == std::string::npos;
  if (!is_well_formed) throw refuse(cat("Message (user) attribute name '", name, "' is invalid."));
  if (starts_ignoring_case(name, "aws.") || starts_ignoring_case(name, "amazon.")) {
    throw refuse(cat("Message (user) attribute name '", name, "' is invalid: it begins with a reserved prefix."));
  }
}

// "Number" of "Number.custom".
std::string_view base_type(std::string_view type) { return type.substr(0, type.find('.')); }

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r'; }

MessageAttribute read_attribute(std::string_view kind, const std::string& name,
                                const wire::sqs::MessageAttributeValue& value) {
  const std::string type = value.data_type.value_or("");
  if (type.empty())
    throw refuse(cat("The message attribute '", name, "' must contain a non-empty message attribute type."));
  const std::string_view base = base_type(type);
  if (type.size() > kTypeSizeMax || (base != "String" && base != "Number" && base != "Binary")) {
    throw refuse(cat("The type of message (", kind, ") attribute '", name,
                     "' is invalid. You must use only the following supported type prefixes: Binary, Number, String."));
  }
  MessageAttribute attribute{.name = name, .type = type, .is_binary = base == "Binary"};
  const auto& content = attribute.is_binary ? value.binary_value : value.string_value;
  if (!content || content->empty()) {
    throw refuse(cat("Message (", kind, ") attribute '", name, "' must contain a non-empty value of type '",
                     attribute.is_binary ? "Binary" : "String", "'."));
  }
  if (!attribute.is_binary && std::ranges::any_of(*content, is_control)) {
    throw refuse(cat("Message (", kind, ") attribute '", name, "' contains characters that are not allowed. Valid unicode "
                     "characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF"));
  }
  attribute.value = *content;
  return attribute;
}

void append_digest_part(std::string& out, std::string_view part) {
  base::append_u32(out, static_cast<uint32_t>(part.size()));
  out.append(part);
}

bool is_wanted(const std::string& name, const std::vector<std::string>& wanted) {
  return std::ranges::any_of(wanted, [&](std::string_view want) {
    if (want == "All" || want == "*" || want == ".*" || want == name) return true;
    return want.ends_with(".*") && name.starts_with(want.substr(0, want.size() - 2));
  });
}

}  // namespace

std::vector<MessageAttribute> read_message_attributes(const std::optional<AttributeValues>& values) {
  std::vector<MessageAttribute> result;
  if (!values) return result;
  if (values->size() > kMessageAttributesMax) {
    throw refuse(cat("Number of message attributes [", values->size(), "] exceeds the allowed maximum [",
                     kMessageAttributesMax, "]."));
  }
  for (const auto& [name, value] : *values) {
    check_name(name);
    MessageAttribute attribute = read_attribute("user", name, value);
    if (base_type(attribute.type) == "Number" && !base::Decimal::parse(attribute.value)) {
      throw refuse(cat("Can't cast the value of message (user) attribute '", name, "' to a number."));
    }
    result.push_back(std::move(attribute));
  }
  return result;
}

std::string read_trace_header(const std::optional<AttributeValues>& values) {
  std::string header;
  if (!values) return header;
  for (const auto& [name, value] : *values) {
    if (name != kTraceHeader) throw refuse(cat("Message (system) attribute name '", name, "' is invalid."));
    const MessageAttribute attribute = read_attribute("system", name, value);
    if (attribute.type != "String") {
      throw refuse(cat("The type of message (system) attribute '", name, "' must be String."));
    }
    header = attribute.value;
  }
  return header;
}

size_t size_of(const std::vector<MessageAttribute>& attributes) {
  size_t size = 0;
  for (const auto& attribute : attributes)
    size += attribute.name.size() + attribute.type.size() + attribute.value.size();
  return size;
}

std::string md5_of(std::string_view text) { return base::hex_of(crypto::md5(text)); }

std::optional<std::string> md5_of(const std::vector<MessageAttribute>& attributes) {
  if (attributes.empty()) return std::nullopt;
  std::string text;
  for (const MessageAttribute& attribute : attributes) {
    append_digest_part(text, attribute.name);
    append_digest_part(text, attribute.type);
    base::append_u8(text, attribute.is_binary ? kDigestBinary : kDigestText);
    append_digest_part(text, attribute.value);
  }
  return md5_of(text);
}

std::vector<MessageAttribute> select_attributes(const std::vector<MessageAttribute>& attributes,
                                                const std::vector<std::string>& wanted) {
  std::vector<MessageAttribute> result;
  for (const MessageAttribute& attribute : attributes) {
    if (is_wanted(attribute.name, wanted)) result.push_back(attribute);
  }
  return result;
}

AttributeValues describe_attributes(const std::vector<MessageAttribute>& attributes) {
  AttributeValues result;
  for (const MessageAttribute& attribute : attributes) {
    auto& value = result[attribute.name];
    value.data_type = attribute.type;
    (attribute.is_binary ? value.binary_value : value.string_value) = attribute.value;
  }
  return result;
}

}  // namespace tidemill::sqs
