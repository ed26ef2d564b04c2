// A record as it stands in a shard's log:
//
//   version (1) = 1   size of the partition key (2, little-endian)   partition key   data to the end
//   version (1) = 2   the same with the size (2) and the bytes of what opens the data before it, which is sealed
//                     (encryption.h)
//
// Its sequence number and its time of arrival are its position's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::kinesis {

// Views into what they were read from.
struct DataRecord {
  std::string_view partition_key;
  std::string_view data;
  std::string_view envelope = {};  // of sealed data: engine/data_keys.h

  // What counts against limits.
  [[nodiscard]] size_t size() const { return partition_key.size() + data.size(); }
};

// Replaces what `out` holds. Partition keys have at most 256 characters, and so 1024 bytes.
void encode_record(const DataRecord& record, std::string& out);
// Throws std::runtime_error if they are damaged.
[[nodiscard]] DataRecord decode_record(std::string_view bytes);

}  // namespace tidemill::kinesis
