// Records that the store keeps as JSON objects: descriptions of resources, which are read by people who look after a
// damaged directory and gain members from version to version.
//
//   json::Writer writer(bytes);                        const json::Record record("queue", bytes);
//   json::write_member(writer, "created_us", time);    queue.created = record.time("created_us");
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"

namespace tidemill::base::json {

using TextMap = std::map<std::string, std::string>;

void write_member(Writer& writer, std::string_view name, std::string_view text);
void write_member(Writer& writer, std::string_view name, const char* text);
void write_member(Writer& writer, std::string_view name, std::same_as<int64_t> auto number) {
  writer.key(name);
  writer.integer(number);
}
void write_member(Writer& writer, std::string_view name, std::same_as<bool> auto value) {
  writer.key(name);
  writer.boolean(value);
}
// In microseconds since 1970.
void write_member(Writer& writer, std::string_view name, Time time);
void write_member(Writer& writer, std::string_view name, const TextMap& map);
// Bytes, as base64.
void write_bytes(Writer& writer, std::string_view name, std::string_view bytes);

// Reads the members. Those that are missing, where they must not, or of another kind mean damage: std::runtime_error
// "a stored <what> is damaged: <name>".
class Record {
 public:
  // Throws if `bytes` are no JSON object. `what` outlives the record.
  Record(std::string_view what, std::string_view bytes);
  // A part of another record; throws if it is no object.
  static Record part(std::string_view what, Value value);

  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] int64_t integer(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] Time time(std::string_view name) const;
  [[nodiscard]] TextMap map(std::string_view name) const;
  [[nodiscard]] std::string bytes(std::string_view name) const;

  // Nothing: there is no such member.
  [[nodiscard]] std::optional<std::string> find_text(std::string_view name) const;
  [[nodiscard]] std::optional<int64_t> find_integer(std::string_view name) const;
  [[nodiscard]] std::optional<bool> find_boolean(std::string_view name) const;
  [[nodiscard]] std::optional<Time> find_time(std::string_view name) const;
  [[nodiscard]] std::optional<TextMap> find_map(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> find_bytes(std::string_view name) const;

  // For members of other kinds; null: there is none.
  [[nodiscard]] const Value* find(std::string_view name) const { return value_.find(name); }

  [[noreturn]] void damaged(std::string_view name) const;

 private:
  explicit Record(std::string_view what) : what_(what) {}

  template <class T>
  [[nodiscard]] T require(std::string_view name, std::optional<T> found) const {
    if (!found) damaged(name);
    return *std::move(found);
  }

  std::string_view what_;
  Value value_;
};

}  // namespace tidemill::base::json
