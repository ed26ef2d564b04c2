// What DynamoDB says of JSON that is no attribute value, in its own words.
#pragma once

#include <string>
#include <string_view>

#include "base/decimal.h"
#include "lang/dynamodb/json_cursor.h"

namespace tidemill::lang::dynamodb::detail {

[[noreturn]] void refuse(const std::string& message, bool prefixed = false);
[[noreturn]] void refuse_parameter(const std::string& message, bool prefixed = false);
// Of the names and the depth around values.
[[noreturn]] void refuse_around(const std::string& message);
// Of a set that has an element twice, by its older and its newer words.
[[noreturn]] void refuse_duplicates(const std::string& message, const std::string& newer);
[[noreturn]] void refuse_json(const std::string& message);
// What AWS says where JSON of this kind stands in place of a scalar of a Java class.
[[noreturn]] void refuse_scalar(JsonCursor& json, std::string_view java_class, std::string_view name);
[[noreturn]] void refuse_base64(std::string_view text);
[[noreturn]] void refuse_number(base::DecimalError error, std::string_view text);

}  // namespace tidemill::lang::dynamodb::detail
