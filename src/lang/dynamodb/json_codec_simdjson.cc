#include "lang/dynamodb/json_codec_simdjson.h"

#include "lang/dynamodb/buffer.h"
#include "lang/dynamodb/json_decode.h"

namespace tidemill::lang::dynamodb {

static_assert(simdjson::SIMDJSON_PADDING >= detail::kPadding);

namespace {

// The text of the next value; the document moves on behind it.
std::string_view text_of(simdjson::ondemand::value json) {
  switch (json.type()) {
    case simdjson::ondemand::json_type::object: {
      simdjson::ondemand::object object = json.get_object();
      return object.raw_json();
    }
    case simdjson::ondemand::json_type::array: {
      simdjson::ondemand::array array = json.get_array();
      return array.raw_json();
    }
    default:
      return json.raw_json_token();
  }
}

template <class Read>
auto read_text(std::string_view text, Read read) {
  try {
    simdjson::ondemand::parser parser;
    const simdjson::padded_string padded(text);
    simdjson::ondemand::document document = parser.iterate(padded);
    return read(document.get_value());
  } catch (const simdjson::simdjson_error&) {
    throw ValueError(ValueError::Kind::serialization, "Unexpected token received from parser");
  }
}

}  // namespace

void decode_value(simdjson::ondemand::value json, std::string& out) { detail::decode_value_text(text_of(json), out); }

void decode_item(simdjson::ondemand::value json, std::string& out) { detail::decode_item_text(text_of(json), out); }

Value decode_value(simdjson::ondemand::value json) {
  std::string bytes;
  decode_value(json, bytes);
  return Value::from_encoded(std::move(bytes));
}

Item decode_item(simdjson::ondemand::value json) {
  std::string bytes;
  decode_item(json, bytes);
  return Item::from_encoded(std::move(bytes));
}

Item decode_deep_item(simdjson::ondemand::value json) {
  std::string bytes;
  detail::decode_deep_item_text(text_of(json), bytes);
  return Item::from_encoded(std::move(bytes));
}

SpelledItem decode_spelled_item(simdjson::ondemand::value json) {
  const std::string_view text = text_of(json);
  std::string bytes;
  detail::decode_item_text(text, bytes);
  return {Item::from_encoded(std::move(bytes)), std::string(text)};
}

AttributeValues decode_attribute_values(simdjson::ondemand::value json) {
  std::string bytes;
  detail::decode_attribute_values_text(text_of(json), bytes);
  return AttributeValues::from_encoded(std::move(bytes));
}

Value value_from_json(std::string_view text) {
  return read_text(text, [](simdjson::ondemand::value json) { return decode_value(json); });
}

Item item_from_json(std::string_view text) {
  return read_text(text, [](simdjson::ondemand::value json) { return decode_item(json); });
}

AttributeValues attribute_values_from_json(std::string_view text) {
  return read_text(text, [](simdjson::ondemand::value json) { return decode_attribute_values(json); });
}

}  // namespace tidemill::lang::dynamodb
