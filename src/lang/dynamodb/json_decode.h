// DynamoDB JSON text to encoded bytes. Inside this room only.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::lang::dynamodb::detail {

// The text begins with a value of a document that went through simdjson's first pass: UTF-8, strings closed, and
// kPadding bytes behind it can be read. They append to `out` and throw ValueError; what stands behind the value is
// ignored.
void decode_value_text(std::string_view json, std::string& out);
void decode_item_text(std::string_view json, std::string& out);
// Nested deeper, and with empty names inside of maps.
void decode_deep_item_text(std::string_view json, std::string& out);
void decode_attribute_values_text(std::string_view json, std::string& out);

}  // namespace tidemill::lang::dynamodb::detail
