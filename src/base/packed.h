// Small records of texts that are written at once and read back whole, as deliveries keep what they carry: u8 version,
// the parts one after the other (ordered.h), and the last of them as it is. What the parts are is said once for both ways:
//
//   constexpr auto kParts = [](auto& part, auto& letter) {
//     part(letter.from);                                                // any bytes
//     part(letter.stamps, append_stamps, read_stamps);                  // what has a form of its own
//     part.rest(letter.text);
//   };
//   const std::string bytes = pack(1, letter, kParts);
//   const Letter letter = unpack<Letter>(1, bytes, kParts, "a letter");  // throws "a letter is damaged"
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/ordered.h"

namespace tidemill::base {

class PartWriter {
 public:
  explicit PartWriter(std::string& out) : out_(out) {}

  void operator()(std::string_view text) { append_string(out_, text); }
  template <class Value, class Append, class Read>
  void operator()(const Value& value, const Append& append, const Read&) {
    append(out_, value);
  }
  void rest(std::string_view text) { append_fixed(out_, text); }

 private:
  std::string& out_;
};

class PartReader {
 public:
  explicit PartReader(OrderedReader& reader) : reader_(reader) {}

  void operator()(std::string& text) { text = reader_.string(); }
  template <class Value, class Append, class Read>
  void operator()(Value& value, const Append&, const Read& read) {
    value = read(reader_);
  }
  void rest(std::string& text) { text = reader_.rest(); }

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
