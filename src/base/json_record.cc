#include "base/json_record.h"

#include <stdexcept>

#include "base/base64.h"
#include "base/text.h"

namespace tidemill::base::json {

void write_member(Writer& writer, std::string_view name, std::string_view text) {
  writer.key(name);
  writer.string(text);
}

void write_member(Writer& writer, std::string_view name, const char* text) {
  write_member(writer, name, std::string_view(text));
}

void write_member(Writer& writer, std::string_view name, Time time) {
  writer.key(name);
  writer.integer(time.time_since_epoch().count());
}

void write_member(Writer& writer, std::string_view name, const TextMap& map) {
  writer.key(name);
  writer.begin_object();
  for (const auto& [key, value] : map) write_member(writer, key, std::string_view(value));
  writer.end_object();
}

void write_bytes(Writer& writer, std::string_view name, std::string_view bytes) {
  write_member(writer, name, std::string_view(base64_encode(bytes)));
}

Record::Record(std::string_view what, std::string_view bytes) : what_(what) {
  auto parsed = parse(bytes);
  if (!parsed) damaged(parsed.error().message);
  value_ = *std::move(parsed);
  if (!value_.is_object()) damaged("not an object");
}

Record Record::part(std::string_view what, Value value) {
  Record record(what);
  record.value_ = std::move(value);
  if (!record.value_.is_object()) record.damaged("not an object");
  return record;
}

void Record::damaged(std::string_view name) const {
  throw std::runtime_error(cat("a stored ", what_, " is damaged: ", name));
}

std::optional<std::string> Record::find_text(std::string_view name) const {
  const Value* found = value_.find(name);
  if (!found) return std::nullopt;
  if (!found->is_string()) damaged(name);
  return found->string();
}

std::optional<int64_t> Record::find_integer(std::string_view name) const {
  const Value* found = value_.find(name);
  if (!found) return std::nullopt;
  const auto number = found->to_int64();
  if (!number) damaged(name);
  return *number;
}

std::optional<bool> Record::find_boolean(std::string_view name) const {
  const Value* found = value_.find(name);
  if (!found) return std::nullopt;
  if (!found->is_boolean()) damaged(name);
  return found->boolean();
}

std::optional<Time> Record::find_time(std::string_view name) const {
  const auto microseconds = find_integer(name);
  if (!microseconds) return std::nullopt;
  return Time(Duration(*microseconds));
}

std::optional<TextMap> Record::find_map(std::string_view name) const {
  const Value* found = value_.find(name);
  if (!found) return std::nullopt;
  if (!found->is_object()) damaged(name);
  TextMap result;
  for (const auto& [key, value] : found->object()) {
    if (!value.is_string()) damaged(name);
    result.emplace(key, value.string());
  }
  return result;
}

std::optional<std::string> Record::find_bytes(std::string_view name) const {
  const auto text = find_text(name);
  if (!text) return std::nullopt;
  auto bytes = base64_decode(*text);
  if (!bytes) damaged(name);
  return *std::move(bytes);
}

std::string Record::text(std::string_view name) const { return require(name, find_text(name)); }
int64_t Record::integer(std::string_view name) const { return require(name, find_integer(name)); }
bool Record::boolean(std::string_view name) const { return require(name, find_boolean(name)); }
Time Record::time(std::string_view name) const { return require(name, find_time(name)); }
TextMap Record::map(std::string_view name) const { return require(name, find_map(name)); }
std::string Record::bytes(std::string_view name) const { return require(name, find_bytes(name)); }

}  // namespace tidemill::base::json
