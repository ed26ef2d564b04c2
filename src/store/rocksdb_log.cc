#include "store/rocksdb_log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/log.h"

namespace tidemill::store {

void RocksdbLog::Logv(rocksdb::InfoLogLevel level, const char* format, va_list values) {
  if (level < GetInfoLogLevel() || level >= rocksdb::HEADER_LEVEL || !base::log_enabled(base::Level::debug)) return;
  int untold = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto now = std::chrono::steady_clock::now(); now - minute_ >= std::chrono::minutes(1)) {
      untold = std::max(0, lines_ - kLinesPerMinute);
      minute_ = now;
      lines_ = 0;
    }
    if (++lines_ > kLinesPerMinute) return;
  }
  std::array<char, kLineBytesMax + 1> line;
  const int bytes = std::vsnprintf(line.data(), line.size(), format, values);
  if (bytes < 0) return;
  const std::string_view all(line.data(), std::min<size_t>(static_cast<size_t>(bytes), kLineBytesMax));
  if (untold > 0) base::log_debug("store: RocksDB warned more often", {{"lines", std::to_string(untold)}});
  base::log_debug("store: RocksDB warns", {{"text", std::string(all.substr(0, all.find('\n')))}});
}

}  // namespace tidemill::store
