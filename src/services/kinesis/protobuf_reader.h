// Reads the fields of one protobuf message, of messages that are not known to be any. Groups, which are deprecated, are
// taken for damage.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::kinesis {

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : rest_(message) {}

  // Whether there is another field; it is then in the members below. False at the end, and at what is no field.
  bool next();
  // Whether next() ended because the message did.
  [[nodiscard]] bool at_end() const { return rest_.empty() && !damaged_; }

  enum class Type : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
  [[nodiscard]] bool is(uint64_t number, Type type) const { return number_ == number && type_ == type; }
  [[nodiscard]] uint64_t number() const { return number_; }
  [[nodiscard]] uint64_t varint() const { return varint_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  bool take_varint(uint64_t& value);
  bool take_bytes(uint64_t size);

  std::string_view rest_;
  bool damaged_ = false;
  uint64_t number_ = 0;
  Type type_ = Type::varint;
  uint64_t varint_ = 0;
  std::string_view bytes_;  // of bytes and of fixed sizes
};

}  // namespace tidemill::kinesis
