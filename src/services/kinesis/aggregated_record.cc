#include "services/kinesis/aggregated_record.h"

#include "base/utf8.h"
#include "crypto/digest.h"
#include "services/kinesis/protobuf_reader.h"

namespace tidemill::kinesis {

namespace {

constexpr std::string_view kMagic = "\xf3\x89\x9a\xc2";
constexpr size_t kDigestSize = 16;
constexpr size_t kPartitionKeyBytesMax = 1024;  // 256 characters

// Numbers of fields.
constexpr uint64_t kPartitionKeyTable = 1;
constexpr uint64_t kExplicitHashKeyTable = 2;
constexpr uint64_t kRecords = 3;
constexpr uint64_t kPartitionKeyIndex = 1;
constexpr uint64_t kExplicitHashKeyIndex = 2;
constexpr uint64_t kData = 3;
constexpr uint64_t kTags = 4;

using Type = ProtobufReader::Type;

// The message between magic and digest, if both are right.
std::optional<std::string_view> unwrap(std::string_view data) {
  if (!data.starts_with(kMagic) || data.size() <= kMagic.size() + kDigestSize) return std::nullopt;
  const std::string_view message = data.substr(kMagic.size(), data.size() - kMagic.size() - kDigestSize);
  if (crypto::md5(message) != data.substr(data.size() - kDigestSize)) return std::nullopt;
  return message;
}

// A Record as it stands in the message: the tables may come after it.
struct Entry {
  std::optional<uint64_t> partition_key;
  std::optional<uint64_t> explicit_hash_key;
  std::optional<std::string_view> data;
};

// Of a known field the wire type must be right; unknown ones are passed over.
std::optional<Entry> parse_entry(std::string_view message) {
  Entry entry;
  ProtobufReader reader(message);
  while (reader.next()) {
    if (reader.is(kPartitionKeyIndex, Type::varint)) entry.partition_key = reader.varint();
    else if (reader.is(kExplicitHashKeyIndex, Type::varint)) entry.explicit_hash_key = reader.varint();
    else if (reader.is(kData, Type::bytes)) entry.data = reader.bytes();
    else if (reader.number() < kTags || (reader.number() == kTags && !reader.is(kTags, Type::bytes))) return std::nullopt;
  }
  if (!reader.at_end() || !entry.partition_key || !entry.data) return std::nullopt;
  return entry;
}

struct Tables {
  std::vector<std::string_view> partition_keys;
  std::vector<HashKey> hash_keys;
};

std::optional<UserRecord> resolve(const Entry& entry, const Tables& tables) {
  UserRecord record{.data = *entry.data};
  if (*entry.partition_key >= tables.partition_keys.size()) return std::nullopt;
  record.partition_key = tables.partition_keys[*entry.partition_key];
  if (entry.explicit_hash_key) {
    if (*entry.explicit_hash_key >= tables.hash_keys.size()) return std::nullopt;
    record.explicit_hash_key = tables.hash_keys[*entry.explicit_hash_key];
  }
  return record;
}

bool is_partition_key(std::string_view key) {
  return !key.empty() && key.size() <= kPartitionKeyBytesMax && base::is_utf8(key);
}

}  // namespace

std::optional<std::vector<UserRecord>> parse_aggregated_record(std::string_view data) {
  const auto message = unwrap(data);
  if (!message) return std::nullopt;
  Tables tables;
  std::vector<Entry> entries;
  ProtobufReader reader(*message);
  while (reader.next()) {
    if (reader.is(kPartitionKeyTable, Type::bytes)) {
      if (!is_partition_key(reader.bytes())) return std::nullopt;
      tables.partition_keys.push_back(reader.bytes());
    } else if (reader.is(kExplicitHashKeyTable, Type::bytes)) {
      const auto key = parse_hash_key(reader.bytes());
      if (!key) return std::nullopt;
      tables.hash_keys.push_back(*key);
    } else if (reader.is(kRecords, Type::bytes)) {
      const auto entry = parse_entry(reader.bytes());
      if (!entry || entries.size() == kUserRecordsMax) return std::nullopt;
      entries.push_back(*entry);
    } else if (reader.number() <= kRecords) {
      return std::nullopt;
    }
  }
  if (!reader.at_end() || entries.empty()) return std::nullopt;

  std::vector<UserRecord> records;
  records.reserve(entries.size());
  for (const Entry& entry : entries) {
    const auto record = resolve(entry, tables);
    if (!record) return std::nullopt;
    records.push_back(*record);
  }
  return records;
}

}  // namespace tidemill::kinesis
