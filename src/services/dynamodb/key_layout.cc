#include "services/dynamodb/key_layout.h"

#include <vector>

#include "base/decimal.h"
#include "base/hex.h"
#include "base/ordered.h"
#include "base/uuid.h"
#include "store/item_groups.h"
#include "store/keys.h"

namespace tidemill::dynamodb {

namespace {

using lang::dynamodb::KeyCondition;

constexpr uint64_t kHashes = uint64_t{1} << 32;
constexpr size_t kHashOffset = 1 + TableId::kSize + 2;  // in a key
static_assert(kHashOffset + sizeof(uint32_t) == store::kItemGroupBytes);

std::string_view key_bytes(ValueView value) {
  return value.type() == Type::N ? value.number_encoded() : value.string();
}

// Such that none is the beginning of another.
void append_part(std::string& key, ValueView value) {
  if (value.type() == Type::N) base::append_fixed(key, value.number_encoded());
  else base::append_string(key, value.string());
}

// What every part begins with whose value begins with this one.
std::string part_prefix(ValueView value) {
  static constexpr size_t kTerminatorSize = 2;  // of base::append_string
  std::string part;
  base::append_string(part, value.string());
  part.resize(part.size() - kTerminatorSize);
  return part;
}

// Takes a value that append_part() wrote off the front.
Value read_part(std::string_view& rest, Type type) {
  if (type == Type::N) return Value::number(base::Decimal::decode(rest).value_or(base::Decimal()));
  base::OrderedReader reader(rest);
  const std::string bytes = reader.string();
  rest = reader.rest();
  return type == Type::S ? Value::string(bytes) : Value::binary(bytes);
}

uint32_t hash_of(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, then a finalizer that spreads it over the upper bits
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return static_cast<uint32_t>(hash >> 32);
}

std::string index_prefix(const TableId& table, uint16_t index) {
  std::string key;
  key.reserve(96);
  key.push_back(static_cast<char>(store::KeySpace::item));
  base::append_fixed(key, table.view());
  base::append_u16(key, index);
  return key;
}

std::string partition_prefix(const TableId& table, uint16_t index, ValueView partition, uint32_t hash) {
  std::string key = index_prefix(table, index);
  base::append_u32(key, hash);
  append_part(key, partition);
  return key;
}

// The beginning of the keys of all entries of a partition key.
ItemKey entry_prefix(const TableId& table, uint16_t index, std::span<const ValueView> partitions) {
  if (partitions.size() == 1) {
    const uint32_t hash = partition_hash(partitions[0]);
    return {partition_prefix(table, index, partitions[0], hash), hash};
  }
  std::string parts;
  for (const ValueView& value : partitions) append_part(parts, value);
  ItemKey key{index_prefix(table, index), hash_of(parts)};
  base::append_u32(key.bytes, key.hash);
  base::append_fixed(key.bytes, parts);
  return key;
}

// The least key behind `key`.
std::string behind(std::string key) {
  key.push_back('\0');
  return key;
}

uint64_t segment_begin(uint64_t segment, uint64_t total) { return (kHashes * segment + total - 1) / total; }

std::string hash_key(const TableId& table, uint16_t index, uint64_t hash) {
  std::string key = index_prefix(table, index);
  if (hash >= kHashes) return base::prefix_end(key);
  base::append_u32(key, static_cast<uint32_t>(hash));
  return key;
}

}  // namespace

std::string TableId::uuid() const { return base::uuid_text(view()); }

std::optional<TableId> TableId::from_uuid(std::string_view text) {
  TableId id;
  size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const int digit = base::hex_digit(c);
    if (digit < 0 || digits == 2 * kSize) return std::nullopt;
    char& byte = id.bytes[digits / 2];
    byte = static_cast<char>((static_cast<uint8_t>(byte) << 4) | digit);
    ++digits;
  }
  if (digits != 2 * kSize) return std::nullopt;
  return id;
}

uint32_t partition_hash(ValueView partition) { return hash_of(key_bytes(partition)); }

ItemKey item_key(const TableId& table, ValueView partition, std::optional<ValueView> sort) {
  ItemKey key;
  key.hash = partition_hash(partition);
  key.bytes = partition_prefix(table, kTableIndex, partition, key.hash);
  if (sort) base::append_fixed(key.bytes, key_bytes(*sort));
  return key;
}

Item key_attributes(std::string_view key, const lang::dynamodb::KeySchema& schema) {
  std::string_view rest = key.substr(kHashOffset + sizeof(uint32_t));
  const Value partition = read_part(rest, schema.partition_type);
  lang::dynamodb::MembersBuilder builder;
  builder.add(schema.partition_name, partition);
  Value sort;
  if (!schema.sort_name.empty()) {
    sort = schema.sort_type == Type::N   ? Value::number(base::Decimal::decode(rest).value_or(base::Decimal()))
           : schema.sort_type == Type::S ? Value::string(rest)
                                         : Value::binary(rest);
    builder.add(schema.sort_name, sort);
  }
  return builder.build_item();
}

std::string_view partition_part(std::string_view key, Type partition) {
  std::string_view rest = key.substr(kHashOffset + sizeof(uint32_t));
  (void)read_part(rest, partition);
  return key.substr(0, key.size() - rest.size());
}

std::string moved_to_index(std::string_view key, uint16_t index) {
  static constexpr size_t kIndexOffset = 1 + TableId::kSize;
  std::string moved;
  moved.reserve(key.size());
  moved.append(key.substr(0, kIndexOffset));
  base::append_u16(moved, index);
  moved.append(key.substr(kHashOffset));
  return moved;
}

ItemKey entry_key(const TableId& table, uint16_t index, std::span<const ValueView> values, size_t partitions) {
  ItemKey key = entry_prefix(table, index, values.first(partitions));
  for (const ValueView& value : values.subspan(partitions)) append_part(key.bytes, value);
  return key;
}

Item entry_key_attributes(std::string_view key, std::span<const KeyPart> parts) {
  std::string_view rest = key.substr(kHashOffset + sizeof(uint32_t));
  std::vector<Value> values;
  values.reserve(parts.size());
  for (const KeyPart& part : parts) values.push_back(read_part(rest, part.type));
  lang::dynamodb::MembersBuilder builder;
  for (size_t i = 0; i < parts.size(); ++i) builder.add(parts[i].name, values[i]);
  return builder.build_item();
}

store::Range entry_query_range(const TableId& table, uint16_t index, const KeyCondition& condition) {
  std::vector<ValueView> partitions{condition.partition};
  partitions.insert(partitions.end(), condition.more_partitions.begin(), condition.more_partitions.end());
  std::string prefix = entry_prefix(table, index, partitions).bytes;
  for (const ValueView& value : condition.sorts_before) append_part(prefix, value);
  const store::Range all = store::Range::prefix(prefix);
  if (!condition.sort) return all;
  if (condition.sort->op == KeyCondition::Op::begins_with) {
    return store::Range::prefix(prefix + part_prefix(condition.sort->low));
  }
  // The table's keys follow: all entries of one sort key are those that begin with it.
  std::string low = prefix;
  append_part(low, condition.sort->low);
  const store::Range same = store::Range::prefix(low);
  switch (condition.sort->op) {
    case KeyCondition::Op::equal: return same;
    case KeyCondition::Op::less: return {all.begin, same.begin};
    case KeyCondition::Op::less_equal: return {all.begin, same.end};
    case KeyCondition::Op::greater: return {same.end, all.end};
    case KeyCondition::Op::greater_equal: return {same.begin, all.end};
    case KeyCondition::Op::between: {
      std::string high = prefix;
      append_part(high, condition.sort->high);
      return {same.begin, store::Range::prefix(high).end};
    }
    case KeyCondition::Op::begins_with: break;
  }
  return all;
}

store::Range table_range(const TableId& table) {
  std::string prefix(1, static_cast<char>(store::KeySpace::item));
  base::append_fixed(prefix, table.view());
  return store::Range::prefix(prefix);
}

store::Range partition_range(const TableId& table, uint16_t index, ValueView partition) {
  return store::Range::prefix(partition_prefix(table, index, partition, partition_hash(partition)));
}

store::Range query_range(const TableId& table, const KeyCondition& condition) {
  const uint32_t hash = partition_hash(condition.partition);
  const std::string prefix = partition_prefix(table, kTableIndex, condition.partition, hash);
  store::Range range = store::Range::prefix(prefix);
  if (!condition.sort) return range;
  const std::string low = prefix + std::string(key_bytes(condition.sort->low));
  switch (condition.sort->op) {
    case KeyCondition::Op::equal: return {low, behind(low)};
    case KeyCondition::Op::less: return {prefix, low};
    case KeyCondition::Op::less_equal: return {prefix, behind(low)};
    case KeyCondition::Op::greater: return {behind(low), range.end};
    case KeyCondition::Op::greater_equal: return {low, range.end};
    case KeyCondition::Op::between: return {low, behind(prefix + std::string(key_bytes(condition.sort->high)))};
    case KeyCondition::Op::begins_with: return store::Range::prefix(low);
  }
  return range;
}

store::Range segment_range(const TableId& table, uint32_t segment, uint32_t total_segments, uint16_t index) {
  return {hash_key(table, index, segment_begin(segment, total_segments)),
          hash_key(table, index, segment_begin(uint64_t{segment} + 1, total_segments))};
}

bool in_segment(uint32_t hash, uint32_t segment, uint32_t total_segments) {
  return hash >= segment_begin(segment, total_segments) && hash < segment_begin(uint64_t{segment} + 1, total_segments);
}

double scanned_share(std::string_view key) {
  base::OrderedReader reader(key.substr(kHashOffset));
  return (static_cast<double>(reader.u32()) + 1) / static_cast<double>(kHashes);
}

}  // namespace tidemill::dynamodb
