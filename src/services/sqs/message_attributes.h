// The attributes that clients give to messages: which are valid, their digest, and which of them a receiver wants.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/sqs/message.h"
#include "wire/shapes/sqs.h"

namespace tidemill::sqs {

inline constexpr size_t kMessageAttributesMax = 10;

using AttributeValues = std::map<std::string, wire::sqs::MessageAttributeValue>;

// Throws InvalidParameterValue.
[[nodiscard]] std::vector<MessageAttribute> read_message_attributes(const std::optional<AttributeValues>& values);

// AWSTraceHeader is the only one there is; empty: none. Throws InvalidParameterValue.
[[nodiscard]] std::string read_trace_header(const std::optional<AttributeValues>& values);

// Names, types and values, as far as they count towards a message's size.
[[nodiscard]] size_t size_of(const std::vector<MessageAttribute>& attributes);

// Lower-case hexadecimal.
[[nodiscard]] std::string md5_of(std::string_view text);
// AWS's digest of a message's attributes, by name. Nothing if there are none.
[[nodiscard]] std::optional<std::string> md5_of(const std::vector<MessageAttribute>& attributes);

// Those that `wanted` names: "All", ".*", a name, or a beginning as "prefix.*".
[[nodiscard]] std::vector<MessageAttribute> select_attributes(const std::vector<MessageAttribute>& attributes,
                                                              const std::vector<std::string>& wanted);
[[nodiscard]] AttributeValues describe_attributes(const std::vector<MessageAttribute>& attributes);

}  // namespace tidemill::sqs
