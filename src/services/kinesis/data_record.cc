#include "services/kinesis/data_record.h"

#include <cstdint>
#include <stdexcept>

namespace tidemill::kinesis {
namespace {

constexpr char kVersion = 1;
constexpr char kSealedVersion = 2;
constexpr size_t kHeadSize = 3;
constexpr size_t kSizeSize = 2;

void append_size(std::string& out, size_t size) {
  out.push_back(static_cast<char>(size & 0xff));
  out.push_back(static_cast<char>(size >> 8));
}

size_t size_at(std::string_view bytes, size_t at) {
  return static_cast<uint8_t>(bytes[at]) | static_cast<size_t>(static_cast<uint8_t>(bytes[at + 1])) << 8;
}

}  // namespace

void encode_record(const DataRecord& record, std::string& out) {
  const bool is_sealed = !record.envelope.empty();
  out.clear();
  out.reserve(kHeadSize + kSizeSize + record.envelope.size() + record.size());
  out.push_back(is_sealed ? kSealedVersion : kVersion);
  append_size(out, record.partition_key.size());
  out.append(record.partition_key);
  if (is_sealed) {
    append_size(out, record.envelope.size());
    out.append(record.envelope);
  }
  out.append(record.data);
}

DataRecord decode_record(std::string_view bytes) {
  const auto damaged = [] { return std::runtime_error("a record of a stream is damaged"); };
  if (bytes.size() < kHeadSize || (bytes.front() != kVersion && bytes.front() != kSealedVersion)) throw damaged();
  const bool is_sealed = bytes.front() == kSealedVersion;
  const size_t key_size = size_at(bytes, 1);
  bytes.remove_prefix(kHeadSize);
  if (bytes.size() < key_size) throw damaged();
  DataRecord record{.partition_key = bytes.substr(0, key_size), .data = bytes.substr(key_size)};
  if (!is_sealed) return record;
  if (record.data.size() < kSizeSize) throw damaged();
  const size_t envelope_size = size_at(record.data, 0);
  record.data.remove_prefix(kSizeSize);
  if (record.data.size() < envelope_size) throw damaged();
  record.envelope = record.data.substr(0, envelope_size);
  record.data.remove_prefix(envelope_size);
  return record;
}

}  // namespace tidemill::kinesis
