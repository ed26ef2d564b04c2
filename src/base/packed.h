// Records that are written at once and read back whole, as deliveries keep what they carry: u8 version, and the parts one
// after the other (ordered.h). What the parts are is said once for both ways:
//
//   constexpr auto kParts = [](auto& part, auto& letter) {
//     part(letter.from);                                // any bytes; so numbers, times, flags, maps of texts
//     part(letter.stamps, append_stamps, read_stamps);  // what has a form of its own
//     part.list(letter.pages, kPageParts);
//     part.rest(letter.text);                           // or part.end()
//   };
//   const std::string bytes = pack(1, letter, kParts);
//   const Letter letter = unpack<Letter>(1, bytes, kParts, "a letter");  // throws "a letter is damaged"
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/ordered.h"

namespace tidemill::base {

class PartWriter {
 public:
  explicit PartWriter(std::string& out) : out_(out) {}

  void operator()(std::string_view text) { append_string(out_, text); }
  void operator()(std::same_as<uint64_t> auto number) { append_u64(out_, number); }
  void operator()(std::same_as<int> auto count) { append_u32(out_, static_cast<uint32_t>(count)); }  // not negative
  void operator()(std::same_as<bool> auto flag) { append_u8(out_, flag ? 1 : 0); }
  void operator()(Time time) { append_i64(out_, time.time_since_epoch().count()); }
  void operator()(const std::map<std::string, std::string>& map) {
    append_u32(out_, static_cast<uint32_t>(map.size()));
    for (const auto& [name, value] : map) {
      append_string(out_, name);
      append_string(out_, value);
    }
  }
  // One byte.
  template <class Value>
    requires std::is_enum_v<Value>
  void operator()(Value value) {
    append_u8(out_, static_cast<uint8_t>(value));
  }
  template <class Value, class Append, class Read>
  void operator()(const Value& value, const Append& append, const Read&) {
    append(out_, value);
  }
  // After a byte that says whether there is one.
  template <class Value>
  void operator()(const std::optional<Value>& value) {
    append_u8(out_, value ? 1 : 0);
    if (value) (*this)(*value);
  }
  // Always so many bytes.
  void fixed(std::string_view bytes, size_t) { append_fixed(out_, bytes); }
  // How many, then each by its own parts.
  template <class Element, class Parts>
  void list(const std::vector<Element>& elements, const Parts& parts) {
    append_u32(out_, static_cast<uint32_t>(elements.size()));
    for (const Element& element : elements) parts(*this, element);
  }
  // The last, which is left out if it is empty: what earlier records end before.
  void last(std::string_view text) {
    if (!text.empty()) append_string(out_, text);
  }
  void rest(std::string_view text) { append_fixed(out_, text); }
  void end() {}

 private:
  std::string& out_;
};

class PartReader {
 public:
  explicit PartReader(OrderedReader& reader) : reader_(reader) {}

  void operator()(std::string& text) { text = reader_.string(); }
  void operator()(uint64_t& number) { number = reader_.u64(); }
  void operator()(int& count) { count = static_cast<int>(reader_.u32()); }
  void operator()(bool& flag) { flag = reader_.u8() != 0; }
  void operator()(Time& time) { time = Time(Duration(reader_.i64())); }
  void operator()(std::map<std::string, std::string>& map) {
    const uint32_t count = reader_.u32();
    for (uint32_t i = 0; i < count && reader_.ok(); ++i) {
      std::string name = reader_.string();
      map.emplace(std::move(name), reader_.string());
    }
  }
  template <class Value>
    requires std::is_enum_v<Value>
  void operator()(Value& value) {
    value = static_cast<Value>(reader_.u8());
  }
  template <class Value, class Append, class Read>
  void operator()(Value& value, const Append&, const Read& read) {
    value = read(reader_);
  }
  template <class Value>
  void operator()(std::optional<Value>& value) {
    if (reader_.u8() != 0) (*this)(value.emplace());
  }
  void fixed(std::string& bytes, size_t size) { bytes = reader_.fixed(size); }
  template <class Element, class Parts>
  void list(std::vector<Element>& elements, const Parts& parts) {
    const uint32_t count = reader_.u32();
    for (uint32_t i = 0; i < count && reader_.ok(); ++i) parts(*this, elements.emplace_back());
  }
  void last(std::string& text) {
    if (!reader_.at_end()) text = reader_.string();
  }
  void rest(std::string& text) { text = reader_.rest(); }
  // There must be nothing left.
  void end() {
    if (!reader_.at_end()) (void)reader_.fixed(SIZE_MAX);  // which there is not: the reader is not ok any more
  }

 private:
  OrderedReader& reader_;
};

template <class Record, class Parts>
[[nodiscard]] std::string pack(uint8_t version, const Record& record, const Parts& parts) {
  std::string bytes;
  append_u8(bytes, version);
  PartWriter part(bytes);
  parts(part, record);
  return bytes;
}

// Throws std::runtime_error, which says that `what` is damaged, for bytes that are no such record or of another version.
template <class Record, class Parts>
[[nodiscard]] Record unpack(uint8_t version, std::string_view bytes, const Parts& parts, std::string_view what) {
  OrderedReader reader(bytes);
  Record record;
  const bool is_known = reader.u8() == version;
  PartReader part(reader);
  parts(part, record);
  if (!is_known || !reader.ok()) throw std::runtime_error(std::string(what) + " is damaged");
  return record;
}

}  // namespace tidemill::base
