#include "services/dynamodb/history.h"

#include <cstring>

#include "base/ordered.h"
#include "store/keys.h"

namespace tidemill::dynamodb {

namespace {

constexpr char kVersion = 1;
constexpr char kChangeOfItem = 0;
constexpr char kChangeOfNothing = 1;  // there was no item before
constexpr char kMarker = 2;
constexpr size_t kHeaderSize = 2;
constexpr size_t kPlaceOffset = 1 + TableId::kSize + sizeof(uint16_t);

}  // namespace

store::LogId history_log(const TableId& table) { return {"h" + std::string(table.view())}; }

std::string_view place_in_table(std::string_view key) { return key.substr(kPlaceOffset); }

std::string key_at_place(const TableId& table, std::string_view place) {
  std::string key;
  key.reserve(kPlaceOffset + place.size());
  key.push_back(static_cast<char>(store::KeySpace::item));
  base::append_fixed(key, table.view());
  base::append_u16(key, kTableIndex);
  base::append_fixed(key, place);
  return key;
}

ItemKey key_of_place(const TableId& table, std::string_view place) {
  return {key_at_place(table, place), base::OrderedReader(place).u32()};  // a place begins with the hash
}

std::optional<HistoryRecord> decode_history(std::string_view bytes) {
  if (bytes.size() < kHeaderSize || bytes[0] != kVersion) return std::nullopt;
  const char kind = bytes[1];
  bytes.remove_prefix(kHeaderSize);
  if (kind == kMarker) return HistoryRecord{.is_marker = true, .marker = bytes};
  uint32_t size;
  if (bytes.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof(size));
  bytes.remove_prefix(sizeof(size));
  if (bytes.size() < size) return std::nullopt;
  HistoryRecord record{.place = bytes.substr(0, size)};
  if (kind == kChangeOfItem) record.before = ItemView(bytes.substr(size));
  return record;
}

void append_change(store::Transaction& txn, const TableId& table, std::string_view key,
                   std::optional<ItemView> before) {
  const std::string_view place = place_in_table(key);
  const auto size = static_cast<uint32_t>(place.size());
  std::string record;
  record.reserve(kHeaderSize + sizeof(size) + place.size() + (before ? before->encoded().size() : 0));
  record.push_back(kVersion);
  record.push_back(before ? kChangeOfItem : kChangeOfNothing);
  record.append(reinterpret_cast<const char*>(&size), sizeof(size));
  record.append(place);
  if (before) record.append(before->encoded());
  txn.append(history_log(table), record);
}

void append_marker(store::Transaction& txn, const TableId& table, std::string_view marker) {
  std::string record{kVersion, kMarker};
  record.append(marker);
  txn.append(history_log(table), record);
}

}  // namespace tidemill::dynamodb
