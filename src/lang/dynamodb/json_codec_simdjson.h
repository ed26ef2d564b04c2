// Reading DynamoDB JSON with simdjson on demand, straight into encoded bytes. Costs two seconds of compile time:
// include it only where requests are parsed.
#pragma once

#include <simdjson.h>

#include <string>

#include "lang/dynamodb/json_codec.h"

namespace tidemill::lang::dynamodb {

// All of them throw ValueError for a wrong value, and simdjson::simdjson_error for text that is no JSON. Depth is
// limited to kDepthMax. Of members with one name the last counts.

// An AttributeValue such as {"S":"…"}.
[[nodiscard]] Value decode_value(simdjson::ondemand::value json);
// A map of attribute names to AttributeValues: Item, Key. An empty name is an error.
[[nodiscard]] Item decode_item(simdjson::ondemand::value json);
// The same, but what nesting_error() tells of passes, down to kDepthReadMax levels.
[[nodiscard]] Item decode_deep_item(simdjson::ondemand::value json);
[[nodiscard]] SpelledItem decode_spelled_item(simdjson::ondemand::value json);
// ExpressionAttributeValues: the same with placeholders for names, which Substitutions checks; errors name the key.
[[nodiscard]] AttributeValues decode_attribute_values(simdjson::ondemand::value json);

// The same, appended to a buffer.
void decode_value(simdjson::ondemand::value json, std::string& out);
void decode_item(simdjson::ondemand::value json, std::string& out);

// For generated code: types that read and write.
struct AttributeValuesCodec {
  [[nodiscard]] static AttributeValues read(simdjson::ondemand::value json) { return decode_attribute_values(json); }
  static void write(json::Writer& writer, const AttributeValues& values) { dynamodb::write(writer, values.view()); }
};
struct ItemCodec {
  [[nodiscard]] static Item read(simdjson::ondemand::value json) { return decode_item(json); }
  static void write(json::Writer& writer, const Item& item) { dynamodb::write(writer, item.view()); }
};

}  // namespace tidemill::lang::dynamodb
