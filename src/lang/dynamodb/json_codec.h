// DynamoDB JSON ({"S":"…"}) and encoded values, each straight into the other. Reading requests with simdjson:
// json_codec_simdjson.h, which only files that need it include.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.h"
#include "lang/dynamodb/value.h"

namespace tidemill::lang::dynamodb {

inline constexpr const char* kNestedTooDeeply =
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";

// A value that cannot be read. what() is AWS's exact message, without the "1 validation error detected: " prefix, in the
// words of batches, transactions, Scan and statements; operations on single items and Query have newer ones since 2026.
class ValueError : public std::runtime_error {
 public:
  enum class Kind {
    validation,     // ValidationException
    serialization,  // SerializationException: the JSON has another type than the shape
  };
  ValueError(Kind kind, const std::string& message, bool prefixed = false)
      : std::runtime_error(message), kind_(kind), prefixed_(prefixed) {}
  [[nodiscard]] Kind kind() const { return kind_; }
  // AWS begins this message with "1 validation error detected: " where a statement has the value.
  [[nodiscard]] bool prefixed() const { return prefixed_; }

  // The same in the newer words.
  [[nodiscard]] std::string newer() const { return newer_.empty() ? what() : newer_; }
  // Whether it is about the value itself, which writes of single items say behind "1 validation error detected: "; not
  // about the names and the depth around it.
  [[nodiscard]] bool is_of_value() const { return is_of_value_; }
  // The attribute, or the placeholder, whose value is wrong, if it is one of an item's.
  [[nodiscard]] const std::string& attribute() const { return attribute_; }
  // What statements say of it, if that is something else: they read numbers otherwise. Empty: what().
  [[nodiscard]] const std::string& of_statement() const { return of_statement_; }

  ValueError& say_newer(std::string message) { return newer_ = std::move(message), *this; }
  ValueError& say_in_statement(std::string message) { return of_statement_ = std::move(message), *this; }
  ValueError& say_where(std::string_view attribute) { return attribute_ = attribute, *this; }
  ValueError& not_of_value() { return is_of_value_ = false, *this; }

 private:
  Kind kind_;
  bool prefixed_;
  bool is_of_value_ = true;
  std::string newer_;
  std::string of_statement_;
  std::string attribute_;
};

// {"S":"…"}: appends one value, an object of attributes.
void append_json(std::string& out, ValueView value);
// The size of the item by AWS's rules, as item_size() says it: it costs little beside writing.
size_t append_json(std::string& out, ItemView item);
inline void write(json::Writer& writer, ValueView value) {
  writer.separate();
  append_json(writer.buffer(), value);
}
inline void write(json::Writer& writer, ItemView item) {
  writer.separate();
  append_json(writer.buffer(), item);
}
[[nodiscard]] std::string to_json(ValueView value);
[[nodiscard]] std::string to_json(ItemView item);

// Levels of a deep item (decode_deep_item()), whose depth is judged once it is read.
inline constexpr int kDepthReadMax = 62;

// What is wrong with a deep item, in AWS's words: a value that nests more than kDepthMax levels; else an empty name
// inside a map. Nothing: it is as good as any other.
[[nodiscard]] std::optional<std::string> nesting_error(ItemView item);

// Whether two equal items spell the numbers among their attributes alike.
[[nodiscard]] bool spelled_alike(const SpelledItem& a, const SpelledItem& b);

// From text; throws ValueError. For tests and what is not hot.
[[nodiscard]] Value value_from_json(std::string_view text);
[[nodiscard]] Item item_from_json(std::string_view text);
[[nodiscard]] AttributeValues attribute_values_from_json(std::string_view text);

}  // namespace tidemill::lang::dynamodb
