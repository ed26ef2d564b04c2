// What RocksDB warns of, in the server's log at level debug: what matters of it its callers are told as well, and tell.
// The file that it keeps otherwise ends the process on a full disk: behind a line that could not be written, the next
// meets an assertion (7.8.3). Inside store/ only.
#pragma once

#include <rocksdb/env.h>

#include <chrono>
#include <cstdarg>
#include <mutex>

namespace tidemill::store {

// Any thread.
class RocksdbLog final : public rocksdb::Logger {
 public:
  // Of more in a minute only their number is told, with the first line of the next.
  static constexpr int kLinesPerMinute = 20;
  // What is longer is cut, and all behind the first line: there whole tables and their keys are listed.
  static constexpr size_t kLineBytesMax = 1000;

  RocksdbLog() : Logger(rocksdb::WARN_LEVEL) {}

  using Logger::Logv;
  // Warnings and worse; the rest is dropped.
  void Logv(rocksdb::InfoLogLevel level, const char* format, va_list values) override;
  // Which options it was opened with.
  void LogHeader(const char*, va_list) override {}

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point minute_;  // when it began
  int lines_ = 0;                                 // in it
};

}  // namespace tidemill::store
