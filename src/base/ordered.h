// Order-preserving encoding of tuples into keys: comparing two encoded tuples byte by byte gives the order of the
// tuples, part by part. Every key in the store is built of these.
//
//   std::string key(1, static_cast<char>(store::KeySpace::item));
//   append_string(key, table_id);      // any bytes; compares as bytes, never a prefix of another string's encoding
//   append_u32(key, shard);            // big endian
//
//   OrderedReader reader(std::string_view(key).substr(1));
//   const std::string table = reader.string();
//   const uint32_t shard = reader.u32();
//   if (!reader.ok() || !reader.at_end()) ...damaged
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::base {

// Variable length: 0x00 inside is written 0x00 0xff, and the end is 0x00 0x01.
void append_string(std::string& out, std::string_view value);

// Big endian, unsigned.
void append_u8(std::string& out, uint8_t value);
void append_u16(std::string& out, uint16_t value);
void append_u32(std::string& out, uint32_t value);
void append_u64(std::string& out, uint64_t value);

// Big endian with the sign bit turned, so that negative numbers come first.
void append_i64(std::string& out, int64_t value);

// Bytes as they are. Only for values that all have the same length at this place, or as the last part.
inline void append_fixed(std::string& out, std::string_view value) { out.append(value); }

// The least string that is greater than every string that starts with `prefix`. At least one byte of `prefix` must
// be below 0xff (the first byte of a key always is: store/keys.h).
[[nodiscard]] std::string prefix_end(std::string_view prefix);

// Reads the parts back in the order they were appended. The first part that does not fit latches an error: from then
// on all parts read as empty or zero, so check ok() once at the end. The bytes must outlive the reader.
class OrderedReader {
 public:
  explicit OrderedReader(std::string_view bytes) : rest_(bytes) {}

  std::string string();
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
  int64_t i64();
  std::string_view fixed(size_t size);
  // Everything that is left.
  std::string_view rest();

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  uint64_t number(size_t size);
  void fail();

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace tidemill::base
