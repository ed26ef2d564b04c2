// Records that the store keeps as JSON objects (json_record.h), their members said once for both ways:
//
//   constexpr auto kMembers = [](auto& member, auto& queue) {
//     member("created_us", queue.created);              // always there; if it is a std::optional, left out where it is nothing
//     member.added("policy", queue.policy);             // always written; earlier records do not have it
//     member.unless_empty("token", queue.token);        // left out where it is empty, 0 or false
//     member.as("status", queue.status, name_of, status_of);  // what has a form of its own
//     member.list("rules", "rule of a queue", queue.rules, kRuleMembers);
//   };
//   const std::string bytes = json::encode(queue, kMembers);
//   const Queue queue = json::decode("queue", bytes, kMembers, Queue{.address = address});
//
// The members are written in this order. Whatever reads a member that is missing leaves the value as it was, but for
// members that are always there: those, and members of another kind, mean damage (std::runtime_error, see Record).
//
// A value is a text, a flag, a number, a Time (microseconds since 1970), a duration (as many as it counts), a JSON value,
// an enumerator (as its number), a vector of such values or a set of texts (array), or a map from texts to such values
// (object).
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/json_record.h"

namespace tidemill::base::json {

inline void write_value(Writer& writer, std::string_view text) { writer.string(text); }
inline void write_value(Writer& writer, std::same_as<bool> auto flag) { writer.boolean(flag); }
inline void write_value(Writer& writer, std::integral auto number)
  requires(!std::same_as<decltype(number), bool>)
{
  writer.integer(static_cast<int64_t>(number));
}
inline void write_value(Writer& writer, Time time) { writer.integer(time.time_since_epoch().count()); }
template <class Count, class Period>
void write_value(Writer& writer, std::chrono::duration<Count, Period> duration) {
  writer.integer(int64_t{duration.count()});
}
inline void write_value(Writer& writer, std::same_as<double> auto number) { writer.number(number); }
template <std::same_as<Value> Exactly>  // not what a value can be made of
void write_value(Writer& writer, const Exactly& value) {
  writer.value(value);
}
void write_value(Writer& writer, const Object& object);
template <class Enumerator>
  requires std::is_enum_v<Enumerator>
void write_value(Writer& writer, Enumerator value) {
  writer.integer(static_cast<int64_t>(value));
}
template <class T>
void write_value(Writer& writer, const std::vector<T>& values) {
  writer.begin_array();
  for (const T& value : values) write_value(writer, value);
  writer.end_array();
}
template <class Compare>
void write_value(Writer& writer, const std::set<std::string, Compare>& texts) {
  writer.begin_array();
  for (const std::string& text : texts) writer.string(text);
  writer.end_array();
}
template <class T, class Compare>
void write_value(Writer& writer, const std::map<std::string, T, Compare>& map) {
  writer.begin_object();
  for (const auto& [name, value] : map) {
    writer.key(name);
    write_value(writer, value);
  }
  writer.end_object();
}

// False: `value` is of another kind.
[[nodiscard]] bool read_value(const Value& value, std::string& text);
[[nodiscard]] bool read_value(const Value& value, std::same_as<bool> auto& flag) {
  if (value.is_boolean()) flag = value.boolean();
  return value.is_boolean();
}
template <std::integral Number>
  requires(!std::same_as<Number, bool>)
[[nodiscard]] bool read_value(const Value& value, Number& number) {
  const auto read = value.to_int64();
  if (read) number = static_cast<Number>(*read);
  return read.has_value();
}
[[nodiscard]] bool read_value(const Value& value, Time& time);
template <class Count, class Period>
[[nodiscard]] bool read_value(const Value& value, std::chrono::duration<Count, Period>& duration) {
  const auto read = value.to_int64();
  if (read) duration = std::chrono::duration<Count, Period>(static_cast<Count>(*read));
  return read.has_value();
}
[[nodiscard]] bool read_value(const Value& value, double& number);
[[nodiscard]] bool read_value(const Value& value, Value& copy);
[[nodiscard]] bool read_value(const Value& value, Object& object);
template <class Enumerator>
  requires std::is_enum_v<Enumerator>
[[nodiscard]] bool read_value(const Value& value, Enumerator& enumerator) {
  const auto read = value.to_int64();
  if (read) enumerator = static_cast<Enumerator>(*read);
  return read.has_value();
}
template <class T>
[[nodiscard]] bool read_value(const Value& value, std::vector<T>& values) {
  if (!value.is_array()) return false;
  values.clear();
  for (const Value& each : value.array()) {
    if (!read_value(each, values.emplace_back())) return false;
  }
  return true;
}
template <class Compare>
[[nodiscard]] bool read_value(const Value& value, std::set<std::string, Compare>& texts) {
  std::vector<std::string> read;
  if (!read_value(value, read)) return false;
  texts = {read.begin(), read.end()};
  return true;
}
template <class T, class Compare>
[[nodiscard]] bool read_value(const Value& value, std::map<std::string, T, Compare>& map) {
  if (!value.is_object()) return false;
  map.clear();
  for (const auto& [name, each] : value.object()) {
    if (!read_value(each, map[name])) return false;
  }
  return true;
}

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

class MemberWriter {
 public:
  static constexpr bool kReads = false;

  explicit MemberWriter(Writer& writer) : writer_(writer) {}

  template <class T>
  void operator()(std::string_view name, const T& value) {
    if constexpr (kIsOptional<T>) {
      if (value) (*this)(name, *value);
    } else {
      writer_.key(name);
      write_value(writer_, value);
    }
  }
  template <class T>
  void added(std::string_view name, const T& value) {
    (*this)(name, value);
  }
  // Always there: what is nothing is written as an empty one.
  template <class T>
  void filled(std::string_view name, const std::optional<T>& value) {
    (*this)(name, value.value_or(T{}));
  }
  template <class T>
  void unless_empty(std::string_view name, const T& value) {
    when(!is_empty(value), name, value);
  }
  // Written where `is_there` says so.
  template <class T>
  void when(bool is_there, std::string_view name, const T& value) {
    if (is_there) (*this)(name, value);
  }
  // Whether there is a member `name`; that says `flag`, which is none itself.
  [[nodiscard]] bool has(std::string_view, bool flag) const { return flag; }
  // Bytes, as base64.
  void bytes(std::string_view name, std::string_view bytes) { (*this)(name, std::string_view(base64_encode(bytes))); }
  // `to` gives a value of the kinds above, `from` takes one, and gives nothing for what cannot be.
  template <class T, class To, class From>
  void as(std::string_view name, const T& value, const To& to, const From&) {
    if constexpr (kIsOptional<T>) {
      if (value) (*this)(name, to(*value));
    } else {
      (*this)(name, to(value));
    }
  }
  void bytes_when(bool is_there, std::string_view name, std::string_view bytes) {
    if (is_there) this->bytes(name, bytes);
  }
  // The same, of bytes.
  template <class T, class To, class From>
  void bytes_as(std::string_view name, const T& value, const To& to, const From&) {
    bytes(name, to(value));
  }
  template <class T, class To, class From>
  void as_when(bool is_there, std::string_view name, const T& value, const To& to, const From& from) {
    if (is_there) as(name, value, to, from);
  }
  // An object of its own members. `what` is said where it is damaged.
  template <class T, class Members>
  void part(std::string_view name, std::string_view what, const T& value, const Members& members) {
    if constexpr (kIsOptional<T>) {
      if (value) part(name, what, *value, members);
    } else {
      writer_.key(name);
      object(value, members);
    }
  }
  // A part whose members stand among the others. There is one if there is its first member, `name`.
  template <class T, class Members>
  void inlined(std::string_view, const std::optional<T>& value, const Members& members) {
    if (value) members(*this, *value);
  }
  template <class T, class Members>
  void part_when(bool is_there, std::string_view name, std::string_view what, const T& value, const Members& members) {
    if (is_there) part(name, what, value, members);
  }
  // An array of such objects.
  template <class T, class Members>
  void list(std::string_view name, std::string_view, const std::vector<T>& elements, const Members& members) {
    writer_.key(name);
    writer_.begin_array();
    for (const T& element : elements) object(element, members);
    writer_.end_array();
  }
  template <class T, class Members>
  void list_unless_empty(std::string_view name, std::string_view what, const std::vector<T>& elements,
                         const Members& members) {
    if (!elements.empty()) list(name, what, elements, members);
  }
  // Of what is another kind of collection: `to` makes a vector of it, `from` takes one.
  template <class T, class To, class From, class Members>
  void list_as(std::string_view name, std::string_view what, const T& value, const To& to, const From&,
               const Members& members) {
    list(name, what, to(value), members);
  }
  // Always the same; whoever reads another does not know what follows.
  void fixed(std::string_view name, int64_t number) { (*this)(name, number); }
  // Of what was read; nothing is written.
  void check(bool, std::string_view) {}

 private:
  template <class T>
  static bool is_empty(const T& value) {
    if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else {
      return value == T{};
    }
  }
  template <class T, class Members>
  void object(const T& value, const Members& members) {
    writer_.begin_object();
    members(*this, value);
    writer_.end_object();
  }

  Writer& writer_;
};

class MemberReader {
 public:
  static constexpr bool kReads = true;

  explicit MemberReader(const Record& record) : record_(record) {}

  template <class T>
  void operator()(std::string_view name, T& value) {
    const bool is_there = found(name, value);
    if constexpr (!kIsOptional<T>) check(is_there, name);
  }
  template <class T>
  void added(std::string_view name, T& value) {
    (void)found(name, value);
  }
  template <class T>
  void filled(std::string_view name, std::optional<T>& value) {
    (*this)(name, value.emplace());
  }
  template <class T>
  void unless_empty(std::string_view name, T& value) {
    (void)found(name, value);
  }
  template <class T>
  void when(bool, std::string_view name, T& value) {
    (void)found(name, value);
  }
  [[nodiscard]] bool has(std::string_view name, bool& flag) const { return flag = record_.find(name) != nullptr; }
  void bytes(std::string_view name, std::string& bytes) { bytes = record_.bytes(name); }
  template <class T, class To, class From>
  void as(std::string_view name, T& value, const To& to, const From& from) {
    if constexpr (kIsOptional<T>) {
      if (record_.find(name)) as(name, value.emplace(), to, from);
    } else {
      using Written = std::remove_cvref_t<std::invoke_result_t<const To&, const T&>>;
      std::conditional_t<std::is_same_v<Written, std::string_view>, std::string, Written> written{};
      (*this)(name, written);
      std::optional<T> read = from(std::move(written));
      check(read.has_value(), name);
      value = *std::move(read);
    }
  }
  void bytes_when(bool, std::string_view name, std::string& bytes) {
    if (record_.find(name)) this->bytes(name, bytes);
  }
  template <class T, class To, class From>
  void bytes_as(std::string_view name, T& value, const To&, const From& from) {
    std::optional<T> read = from(record_.bytes(name));
    check(read.has_value(), name);
    value = *std::move(read);
  }
  template <class T, class To, class From>
  void as_when(bool, std::string_view name, T& value, const To& to, const From& from) {
    if (record_.find(name)) as(name, value, to, from);
  }
  template <class T, class Members>
  void part(std::string_view name, std::string_view what, T& value, const Members& members) {
    const Value* found = record_.find(name);
    if constexpr (kIsOptional<T>) {
      if (found) object(what, *found, value.emplace(), members);
    } else {
      check(found, name);
      object(what, *found, value, members);
    }
  }
  template <class T, class Members>
  void inlined(std::string_view name, std::optional<T>& value, const Members& members) {
    if (record_.find(name)) members(*this, value.emplace());
  }
  template <class T, class Members>
  void part_when(bool, std::string_view name, std::string_view what, T& value, const Members& members) {
    if (record_.find(name)) part(name, what, value, members);
  }
  template <class T, class Members>
  void list(std::string_view name, std::string_view what, std::vector<T>& elements, const Members& members) {
    const Value* found = record_.find(name);
    check(found && found->is_array(), name);
    elements.clear();
    for (const Value& element : found->array()) object(what, element, elements.emplace_back(), members);
  }
  template <class T, class Members>
  void list_unless_empty(std::string_view name, std::string_view what, std::vector<T>& elements,
                         const Members& members) {
    if (record_.find(name)) list(name, what, elements, members);
  }
  template <class T, class To, class From, class Members>
  void list_as(std::string_view name, std::string_view what, T& value, const To&, const From& from,
               const Members& members) {
    std::remove_cvref_t<std::invoke_result_t<const To&, const T&>> elements;
    list(name, what, elements, members);
    value = from(std::move(elements));
  }
  void fixed(std::string_view name, int64_t number) { check(record_.integer(name) == number, name); }
  void check(bool is_right, std::string_view name) {
    if (!is_right) record_.damaged(name);
  }

 private:
  template <class T>
  bool found(std::string_view name, T& value) {
    const Value* found = record_.find(name);
    if (!found) return false;
    if constexpr (kIsOptional<T>) {
      check(read_value(*found, value.emplace()), name);
    } else {
      check(read_value(*found, value), name);
    }
    return true;
  }
  template <class T, class Members>
  static void object(std::string_view what, const Value& value, T& into, const Members& members) {
    const Record record = Record::part(what, value);
    MemberReader reader(record);
    members(reader, into);
  }

  const Record& record_;
};

// The members of `value` within an object that has been begun.
template <class T, class Members>
void write_members(Writer& writer, const T& value, const Members& members) {
  MemberWriter member(writer);
  members(member, value);
}
template <class T, class Members>
void read_members(const Record& record, T& value, const Members& members) {
  MemberReader member(record);
  members(member, value);
}

template <class T, class Members>
[[nodiscard]] std::string encode(const T& value, const Members& members) {
  std::string bytes;
  Writer writer(bytes);
  writer.begin_object();
  write_members(writer, value, members);
  writer.end_object();
  return bytes;
}

// Into what `value` is before: what no member says, and what it is where there is no member. `what` as in Record.
template <class T, class Members>
[[nodiscard]] T decode(std::string_view what, std::string_view bytes, const Members& members, T value = {}) {
  read_members(Record(what, bytes), value, members);
  return value;
}

}  // namespace tidemill::base::json
