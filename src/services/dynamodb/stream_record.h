// One change of an item as it stands in a shard's log (docs/store-format.md):
//
//   version (1) = 1   flags (1)   parts, each size (4, little-endian) and encoded item: keys?, new image?, old image?
//
// The view type decides which images are kept. Keys are kept only where no image is, since every image has them. Time
// and sequence number are the record's position.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/dynamodb/stream.h"

namespace tidemill::dynamodb {

enum class EventName : uint8_t { insert, modify, remove };
// "INSERT", …
[[nodiscard]] std::string_view event_name_text(EventName name);

struct ChangeRecord {
  EventName event = EventName::insert;
  bool expired = false;  // removed by its time to live
  Item keys;
  std::optional<ItemView> new_image;
  std::optional<ItemView> old_image;

  // By the item size rules: keys and images.
  [[nodiscard]] size_t size_bytes() const;
};

// The key attributes of an item that has them.
[[nodiscard]] Item key_of(ItemView item, std::string_view partition_name, std::string_view sort_name);

// One of `before` and `after` may be missing, and they differ. `expired`: the item's time to live removed it.
[[nodiscard]] std::string encode_change(ViewType view_type, std::string_view partition_name,
                                        std::string_view sort_name, std::optional<ItemView> before,
                                        std::optional<ItemView> after, bool expired = false);

// Views into `bytes`. Nothing if they are damaged.
[[nodiscard]] std::optional<ChangeRecord> decode_change(std::string_view bytes, std::string_view partition_name,
                                                        std::string_view sort_name);

// 32 hex digits, the same whenever the record is read and no other record's.
[[nodiscard]] std::string event_id(const store::LogId& log, store::Position position);

// The record as it stands in a function's event (facts 1.6): JSON text.
[[nodiscard]] std::string lambda_event_json(const ChangeRecord& change, const Stream& stream,
                                            std::string_view stream_arn, const store::LogId& log,
                                            store::Position position);

}  // namespace tidemill::dynamodb
