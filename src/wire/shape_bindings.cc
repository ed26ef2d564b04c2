#include "wire/shape_bindings.h"

#include <simdjson.h>

#include <charconv>
#include <limits>

#include "wire/timestamp.h"
#include "wire/unsupported.h"

namespace tidemill::wire::shapes {

namespace {

[[noreturn]] void refuse(std::string_view type_name) {
  throw serialization_error("STRING_VALUE cannot be converted to " + std::string(type_name));
}

template <class Number>
Number number_of(const std::string& text, std::string_view type_name) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(type_name);
  return value;
}

}  // namespace

const std::string* find(const Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::vector<std::string> all_of(const Pairs& pairs, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : pairs) {
    if (key == name) values.push_back(text_of(value));
  }
  return values;
}

std::string text_of(const std::string& text) {
  if (!simdjson::validate_utf8(text)) throw serialization_error("text that is not UTF-8");
  return text;
}

bool boolean_of(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  refuse("Boolean");
}

int32_t integer_of(const std::string& text) { return number_of<int32_t>(text, "Integer"); }
int64_t long_of(const std::string& text) { return number_of<int64_t>(text, "Long"); }
double double_of(const std::string& text) { return number_of<double>(text, "Double"); }

base::Time timestamp_of(const std::string& text) {
  for (const TimestampFormat format :
       {TimestampFormat::date_time, TimestampFormat::http_date, TimestampFormat::epoch_seconds}) {
    if (const auto time = parse_timestamp(text, format)) return *time;
  }
  refuse("Timestamp");
}

void refuse_unsupported(const OperationInfo& operation, const Pairs& pairs, std::string_view name) {
  if (find(pairs, name)) throw unsupported_parameter(operation, name);
}

}  // namespace tidemill::wire::shapes
