// JSON documents and JSON text.
//
//   json::Value   a document that keeps what the text said: a number's digits, the members' order
//   json::Writer  appends JSON text to a string, comma by comma, with no other allocation
//
// Requests of hot operations are not read with this but with simdjson, straight into their types.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tidemill::base::json {

// How deep arrays and objects may nest in parsed text.
inline constexpr int kDepthMax = 512;

class Value;
using Member = std::pair<std::string, Value>;
using Array = std::vector<Value>;

// Members in the order of their first mention. Lookup is linear: objects are small.
class Object {
 public:
  using const_iterator = std::vector<Member>::const_iterator;
  using iterator = std::vector<Member>::iterator;

  Object() = default;
  Object(std::initializer_list<Member> members);

  [[nodiscard]] const Value* find(std::string_view name) const;
  [[nodiscard]] Value* find(std::string_view name);
  // Sets or replaces a member; a replaced one keeps its place.
  Value& set(std::string name, Value value);
  bool erase(std::string_view name);

  [[nodiscard]] size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  const_iterator begin() const;
  const_iterator end() const;
  iterator begin();
  iterator end();

 private:
  friend class Parser;
  std::vector<Member> members_;
};

// A number by its source text, which is valid JSON: 1.0 stays 1.0.
struct Number {
  std::string text;
};

enum class Kind { null, boolean, number, string, array, object };

class Value {
 public:
  Value() = default;  // null
  Value(std::nullptr_t) {}
  Value(std::same_as<bool> auto boolean) : data_(boolean) {}
  Value(std::integral auto number) requires(!std::same_as<decltype(number), bool>)
      : data_(Number{std::to_string(number)}) {}
  Value(double number);  // the shortest text that reads back the same; not finite: null
  Value(Number number) : data_(std::move(number)) {}
  Value(std::string text) : data_(std::move(text)) {}
  Value(std::string_view text) : data_(std::string(text)) {}
  Value(const char* text) : data_(std::string(text)) {}
  Value(Array array) : data_(std::move(array)) {}
  Value(Object object) : data_(std::move(object)) {}

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(data_.index()); }
  [[nodiscard]] bool is_null() const { return kind() == Kind::null; }
  [[nodiscard]] bool is_boolean() const { return kind() == Kind::boolean; }
  [[nodiscard]] bool is_number() const { return kind() == Kind::number; }
  [[nodiscard]] bool is_string() const { return kind() == Kind::string; }
  [[nodiscard]] bool is_array() const { return kind() == Kind::array; }
  [[nodiscard]] bool is_object() const { return kind() == Kind::object; }

  // Of a value of that kind; asking another is a defect (std::bad_variant_access).
  [[nodiscard]] bool boolean() const { return std::get<bool>(data_); }
  [[nodiscard]] const std::string& string() const { return std::get<std::string>(data_); }
  [[nodiscard]] const std::string& number_text() const { return std::get<Number>(data_).text; }
  [[nodiscard]] const Array& array() const { return std::get<Array>(data_); }
  [[nodiscard]] Array& array() { return std::get<Array>(data_); }
  [[nodiscard]] const Object& object() const { return std::get<Object>(data_); }
  [[nodiscard]] Object& object() { return std::get<Object>(data_); }

  // The number as an integer, if it is one ("1.0" and "1e2" are) and fits.
  [[nodiscard]] std::optional<int64_t> to_int64() const;
  // Any number; nothing for other kinds.
  [[nodiscard]] std::optional<double> to_double() const;

  // The member of an object; null for a missing one and for what is no object.
  [[nodiscard]] const Value* find(std::string_view name) const;

 private:
  std::variant<std::monostate, bool, Number, std::string, Array, Object> data_;
};

// Structural: members in any order; numbers by value as far as double tells ("1.0" == "1").
[[nodiscard]] bool equal(const Value& a, const Value& b);

struct ParseError {
  size_t offset = 0;  // bytes from the beginning
  std::string message;
};

// Strict RFC 8259 text in UTF-8, one document and nothing behind it. Of members with one name the last counts.
[[nodiscard]] std::expected<Value, ParseError> parse(std::string_view text, int depth_max = kDepthMax);

// The document without white space.
void append(std::string& out, const Value& value);
[[nodiscard]] std::string write(const Value& value);

// Whether the text needs no escapes.
[[nodiscard]] bool is_plain(std::string_view text);

// The text in quotes, escaped. `text` is UTF-8 and is not checked to be.
void append_string(std::string& out, std::string_view text);

// Appends to `out`, which must outlive it. Commas and colons come by themselves; that calls nest rightly is up to the
// caller.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  Writer(const Writer&) = delete;

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // Before a member's value.
  void key(std::string_view name) {
    separate();
    append_string(out_, name);
    out_.push_back(':');
    comma_ = false;
  }

  void string(std::string_view text) {
    separate();
    append_string(out_, text);
  }
  void integer(std::integral auto number) {
    separate();
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
    out_.append(buffer, end);
  }
  // The shortest text that reads back the same; not finite: null.
  void number(double number);
  void boolean(bool value) {
    separate();
    out_.append(value ? "true" : "false");
  }
  void null() {
    separate();
    out_.append("null");
  }
  void value(const Value& value) {
    separate();
    append(out_, value);
  }
  // JSON text as it is.
  void raw(std::string_view json) {
    separate();
    out_.append(json);
  }

  // For what appends one value to the buffer itself: call separate(), then append to buffer().
  void separate() {
    if (comma_) out_.push_back(',');
    comma_ = true;
  }
  [[nodiscard]] std::string& buffer() { return out_; }

 private:
  void open(char bracket) {
    separate();
    out_.push_back(bracket);
    comma_ = false;
  }
  void close(char bracket) {
    out_.push_back(bracket);
    comma_ = true;
  }

  std::string& out_;
  bool comma_ = false;
};

}  // namespace tidemill::base::json

namespace tidemill {
namespace json = base::json;
}
