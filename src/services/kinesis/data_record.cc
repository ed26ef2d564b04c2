#include "services/kinesis/data_record.h"

#include <cstdint>
#include <stdexcept>

namespace tidemill::kinesis {
namespace {

constexpr char kVersion = 1;
constexpr size_t kHeadSize = 3;

}  // namespace

void encode_record(const DataRecord& record, std::string& out) {
  const auto key_size = static_cast<uint16_t>(record.partition_key.size());
  out.clear();
  out.reserve(kHeadSize + record.size());
  out.push_back(kVersion);
  out.push_back(static_cast<char>(key_size & 0xff));
  out.push_back(static_cast<char>(key_size >> 8));
  out.append(record.partition_key);
  out.append(record.data);
}

DataRecord decode_record(std::string_view bytes) {
  if (bytes.size() < kHeadSize || bytes.front() != kVersion)
    throw std::runtime_error("a record of a stream is damaged");
  const size_t key_size = static_cast<uint8_t>(bytes[1]) | static_cast<uint8_t>(bytes[2]) << 8;
  if (bytes.size() < kHeadSize + key_size) throw std::runtime_error("a record of a stream is damaged");
  return {.partition_key = bytes.substr(kHeadSize, key_size), .data = bytes.substr(kHeadSize + key_size)};
}

}  // namespace tidemill::kinesis
