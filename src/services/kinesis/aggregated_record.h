// Records that the Kinesis Producer Library has put together into one. The format is public (aggregation-format.md of
// awslabs/amazon-kinesis-producer):
//
//   F3 89 9A C2   a protobuf message   its MD5 (16)
//
//   message AggregatedRecord {
//     repeated string partition_key_table = 1;  repeated string explicit_hash_key_table = 2;
//     repeated Record records = 3; }
//   message Record {
//     required uint64 partition_key_index = 1;  optional uint64 explicit_hash_key_index = 2;
//     required bytes data = 3;  repeated Tag tags = 4; }
//
// Anybody may write bytes that begin like that, so what is not valid to the end is a record like any other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "services/kinesis/hash_key.h"

namespace tidemill::kinesis {

// Of one record; with more it is taken as it is. The shortest user record has 6 bytes.
inline constexpr size_t kUserRecordsMax = (1 << 20) - 1;

// What its producer wrote as one record. Views into the data that it was read from.
struct UserRecord {
  std::string_view partition_key;
  std::optional<HashKey> explicit_hash_key;
  std::string_view data;

  [[nodiscard]] HashKey hash_key() const { return explicit_hash_key ? *explicit_hash_key : hash_of(partition_key); }
};

// The user records in `data`, at least one, in their order. Nothing if it is no aggregated record.
[[nodiscard]] std::optional<std::vector<UserRecord>> parse_aggregated_record(std::string_view data);

}  // namespace tidemill::kinesis
