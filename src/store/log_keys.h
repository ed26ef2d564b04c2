// Where a log's records stand in the key space: the log byte, the log's id, the record's position. Inside store/ only.
#pragma once

#include <string>

#include "base/ordered.h"
#include "store/keys.h"
#include "store/store.h"

namespace tidemill::store {

inline std::string log_prefix(const LogId& log) {
  std::string key;
  key.reserve(1 + log.bytes.size() + Position::kEncodedSize);
  key.push_back(static_cast<char>(KeySpace::log));
  key += log.bytes;
  return key;
}

inline std::string log_key(const LogId& log, Position position) {
  std::string key = log_prefix(log);
  base::append_u64(key, position.version.value);
  base::append_u32(key, position.index);
  return key;
}

// The least key after that of `position`.
inline std::string log_key_after(const LogId& log, Position position) {
  std::string key = log_key(log, position);
  key.push_back('\0');
  return key;
}

inline bool is_log_key(std::string_view key) {
  return !key.empty() && key.front() == static_cast<char>(KeySpace::log);
}

}  // namespace tidemill::store
