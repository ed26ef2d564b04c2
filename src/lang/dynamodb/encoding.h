// Writing the format that value.h describes, and weighing it. Inside this room only.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "lang/dynamodb/value.h"

namespace tidemill::lang::dynamodb::detail {

inline void append_varint(std::string& out, size_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

inline void append_sized(std::string& out, std::string_view bytes) {
  append_varint(out, bytes.size());
  out.append(bytes);
}

// S and B.
inline void append_text(std::string& out, Tag tag, std::string_view bytes) {
  out.push_back(tag);
  append_sized(out, bytes);
}

inline void append_number(std::string& out, const Decimal& number) {
  const std::string_view bytes = number.encoded();
  out.push_back(kNumber);
  out.push_back(static_cast<char>(bytes.size()));
  out.append(bytes);
}

inline void append_value(std::string& out, ValueView value) { out.append(value.encoded()); }

inline void append_member(std::string& out, std::string_view name, ValueView value) {
  append_sized(out, name);
  append_value(out, value);
}

// Begins a container and returns its place; close_container() fills in the size of what was appended since.
inline size_t open_container(std::string& out, Tag tag) {
  const size_t place = out.size();
  out.push_back(tag);
  out.append(kContainerHeaderSize - 1, '\0');
  return place;
}

inline void close_container(std::string& out, size_t place) {
  const auto size = static_cast<uint32_t>(out.size() - place - kContainerHeaderSize);
  std::memcpy(out.data() + place + 1, &size, sizeof(size));
}

// What things weigh by AWS's rules (value_size()).
inline constexpr size_t kContainerOverhead = 3;
inline constexpr size_t kEntryOverhead = 1;
[[nodiscard]] size_t number_size(const Decimal& number);

}  // namespace tidemill::lang::dynamodb::detail
