#include "base/json_members.h"

namespace tidemill::base::json {

void write_value(Writer& writer, const Object& object) {
  writer.begin_object();
  for (const auto& [name, value] : object) {
    writer.key(name);
    writer.value(value);
  }
  writer.end_object();
}

bool read_value(const Value& value, std::string& text) {
  if (value.is_string()) text = value.string();
  return value.is_string();
}

bool read_value(const Value& value, Time& time) {
  const auto microseconds = value.to_int64();
  if (microseconds) time = Time(Duration(*microseconds));
  return microseconds.has_value();
}

bool read_value(const Value& value, double& number) {
  const auto read = value.to_double();
  if (read) number = *read;
  return read.has_value();
}

bool read_value(const Value& value, Value& copy) {
  copy = value;
  return true;
}

bool read_value(const Value& value, Object& object) {
  if (value.is_object()) object = value.object();
  return value.is_object();
}

}  // namespace tidemill::base::json
