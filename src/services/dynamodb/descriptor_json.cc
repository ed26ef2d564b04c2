#include "services/dynamodb/descriptor_json.h"

namespace tidemill::dynamodb {

std::string text_at(const json::Value& json, std::string_view member) {
  const json::Value* value = json.find(member);
  return value && value->is_string() ? value->string() : std::string();
}

int64_t integer_at(const json::Value& json, std::string_view member) {
  const json::Value* value = json.find(member);
  return value && value->is_number() ? value->to_int64().value_or(0) : 0;
}

bool boolean_at(const json::Value& json, std::string_view member) {
  const json::Value* value = json.find(member);
  return value && value->is_boolean() && value->boolean();
}

base::Time time_at(const json::Value& json, std::string_view member) {
  return base::Time(base::Duration(integer_at(json, member)));
}

json::Value key_attribute_json(const KeyAttribute& attribute) {
  return json::Object{{"name", attribute.name}, {"type", lang::dynamodb::type_name(attribute.type)}};
}

KeyAttribute key_attribute_from(const json::Value& json) {
  return {text_at(json, "name"), lang::dynamodb::type_from_name(text_at(json, "type")).value_or(Type::S)};
}

}  // namespace tidemill::dynamodb
