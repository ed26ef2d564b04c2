// Reads messages of application/vnd.amazon.eventstream, for tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "base/crc32.h"

namespace tidemill::wire::testing {

struct ReadMessage {
  std::map<std::string, std::string> headers;
  std::string payload;
};

inline uint32_t number_at(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes.at(at + i));
  return value;
}

// One whole message, whose checksums must be right.
inline ReadMessage read_message(std::string_view bytes) {
  ReadMessage message;
  EXPECT_EQ(number_at(bytes, 0), bytes.size());
  EXPECT_EQ(number_at(bytes, 8), base::crc32(bytes.substr(0, 8)));
  EXPECT_EQ(number_at(bytes, bytes.size() - 4), base::crc32(bytes.substr(0, bytes.size() - 4)));
  const size_t headers_end = 12 + number_at(bytes, 4);
  for (size_t at = 12; at < headers_end;) {
    const auto name_length = static_cast<uint8_t>(bytes.at(at));
    const std::string name(bytes.substr(at + 1, name_length));
    at += 1 + name_length;
    EXPECT_EQ(bytes.at(at), 7);
    const size_t length = static_cast<uint8_t>(bytes.at(at + 1)) * 256u + static_cast<uint8_t>(bytes.at(at + 2));
    message.headers[name] = bytes.substr(at + 3, length);
    at += 3 + length;
  }
  message.payload = bytes.substr(headers_end, bytes.size() - 4 - headers_end);
  return message;
}

}  // namespace tidemill::wire::testing
