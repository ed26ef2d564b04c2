// A version of a resource as it is stored: u8 1 (the layout's version), u8 1 if it says that the resource was deleted,
// u64 version, u32 epoch (datastore.h), i64 when (microseconds, whole milliseconds), rest the resource as JSON text.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace tidemill::healthlake {

struct ResourceRecord {
  bool deleted = false;
  uint64_t version = 0;
  int64_t epoch = 0;
  base::Time updated;
  std::string_view json;  // empty if it was deleted; into the bytes that it was decoded from
};

[[nodiscard]] std::string encode_resource(const ResourceRecord& record);
// Throws std::runtime_error if `bytes`, which outlive the record, are damaged.
[[nodiscard]] ResourceRecord decode_resource(std::string_view bytes);

}  // namespace tidemill::healthlake
