#include "services/kinesis/protobuf_reader.h"

namespace tidemill::kinesis {

namespace {

constexpr int kVarintBytesMax = 10;
constexpr int kTypeBits = 3;

}  // namespace

bool ProtobufReader::take_varint(uint64_t& value) {
  value = 0;
  for (int i = 0; i < kVarintBytesMax; ++i) {
    if (rest_.empty()) return false;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= uint64_t{byte & 0x7fU} << (7 * i);
    if ((byte & 0x80U) == 0) return true;
  }
  return false;
}

bool ProtobufReader::take_bytes(uint64_t size) {
  if (size > rest_.size()) return false;
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool ProtobufReader::next() {
  if (rest_.empty() || damaged_) return false;
  uint64_t key = 0;
  bool is_whole = take_varint(key);
  number_ = key >> kTypeBits;
  type_ = static_cast<Type>(key & ((1U << kTypeBits) - 1));
  if (is_whole) {
    uint64_t size = 0;
    switch (type_) {
      case Type::varint: is_whole = take_varint(varint_); break;
      case Type::fixed64: is_whole = take_bytes(8); break;
      case Type::fixed32: is_whole = take_bytes(4); break;
      case Type::bytes: is_whole = take_varint(size) && take_bytes(size); break;
      default: is_whole = false;
    }
  }
  damaged_ = !is_whole || number_ == 0;
  return !damaged_;
}

}  // namespace tidemill::kinesis
