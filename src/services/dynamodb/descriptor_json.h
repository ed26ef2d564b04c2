// How descriptions of tables and streams are kept: JSON with times in microseconds. Reading is lenient: a missing
// member reads as empty or zero, so that a later format can add members.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "services/dynamodb/stream.h"

namespace tidemill::dynamodb {

[[nodiscard]] inline json::Value time_json(base::Time time) { return time.time_since_epoch().count(); }

[[nodiscard]] std::string text_at(const json::Value& json, std::string_view member);
[[nodiscard]] int64_t integer_at(const json::Value& json, std::string_view member);
[[nodiscard]] bool boolean_at(const json::Value& json, std::string_view member);
[[nodiscard]] base::Time time_at(const json::Value& json, std::string_view member);

[[nodiscard]] json::Value key_attribute_json(const KeyAttribute& attribute);
[[nodiscard]] KeyAttribute key_attribute_from(const json::Value& json);

}  // namespace tidemill::dynamodb
