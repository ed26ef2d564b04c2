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

void refuse_unsupported(const OperationInfo& operation, const Pairs& pairs, std::string_view name,
                        std::string_view accepted) {
  const std::string* value = find(pairs, name);
  if (value && (accepted.empty() || *value != accepted)) throw unsupported_parameter(operation, name);
}

std::vector<std::string> list_of(const Pairs& pairs, std::string_view name) {
  std::vector<std::string> elements;
  for (const auto& [key, value] : pairs) {
    if (key != name) continue;
    for (std::string_view rest = value; !rest.empty();) {
      std::string_view element = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), element.size() + 1));
      while (element.starts_with(' ')) element.remove_prefix(1);
      while (element.ends_with(' ')) element.remove_suffix(1);
      if (!element.empty()) elements.push_back(text_of(std::string(element)));
    }
  }
  return elements;
}

void read_prefixed(const Pairs& headers, std::string_view prefix,
                   std::optional<std::map<std::string, std::string>>& out) {
  for (const auto& [name, value] : headers) {
    if (!name.starts_with(prefix)) continue;
    if (!out) out.emplace();
    const auto [slot, is_new] = out->try_emplace(name.substr(prefix.size()), text_of(value));
    if (!is_new) slot->second.append(",").append(text_of(value));
  }
}

namespace {

template <class Number>
Number argument_of(const std::string& text, std::string_view name) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  Error refused("InvalidArgument", 400, "Provided " + std::string(name) + " not an integer or within integer range");
  refused.details = {{"ArgumentName", std::string(name)}, {"ArgumentValue", text}};
  throw refused;
}

}  // namespace

int32_t integer_of(const std::string& text, std::string_view name) { return argument_of<int32_t>(text, name); }
int64_t long_of(const std::string& text, std::string_view name) { return argument_of<int64_t>(text, name); }

Error missing_body() { return {"MissingRequestBodyError", 400, "Request Body is empty"}; }

}  // namespace tidemill::wire::shapes
