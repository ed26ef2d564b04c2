// For tests: aggregated records as a producer makes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crypto/digest.h"

namespace tidemill::kinesis::testing {

inline std::string varint(uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text.push_back(static_cast<char>((value & 0x7f) | 0x80));
  text.push_back(static_cast<char>(value));
  return text;
}

inline std::string varint_field(int number, uint64_t value) { return varint(number << 3) + varint(value); }

inline std::string bytes_field(int number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

// A Record of the message.
inline std::string user_record(uint64_t partition_key_index, std::string_view data) {
  return bytes_field(3, varint_field(1, partition_key_index) + bytes_field(3, data));
}

// With magic and digest around it.
inline std::string wrapped(std::string_view message) {
  return "\xf3\x89\x9a\xc2" + std::string(message) + crypto::md5(message);
}

// Pairs of partition key and data.
inline std::string aggregated(const std::vector<std::pair<std::string, std::string>>& records) {
  std::string keys;
  std::string entries;
  for (size_t i = 0; i < records.size(); ++i) {
    keys += bytes_field(1, records[i].first);
    entries += user_record(i, records[i].second);
  }
  return wrapped(keys + entries);
}

}  // namespace tidemill::kinesis::testing
