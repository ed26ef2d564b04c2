#include "base/log.h"

#include <atomic>
#include <chrono>
#include <ctime>

#include "base/log_file.h"
#include "base/seldom_log.h"

namespace tidemill::base {

namespace {

std::atomic<Level> threshold{Level::info};

constexpr std::string_view kLevelNames[] = {"debug", "info", "warning", "error"};

void append_value(std::string& line, std::string_view value) {
  const bool plain = !value.empty() && value.find_first_of(" \"=\\\n\r\t") == std::string_view::npos;
  if (plain) {
    line += value;
    return;
  }
  line += '"';
  for (const char c : value) {
    switch (c) {
      case '"': line += "\\\""; break;
      case '\\': line += "\\\\"; break;
      case '\n': line += "\\n"; break;
      case '\r': line += "\\r"; break;
      case '\t': line += "\\t"; break;
      default: line += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  line += '"';
}

void append_time(std::string& line) {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[40];
  const size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  line.append(text, length);
  const int millis = static_cast<int>(now.time_since_epoch().count() % 1000);
  line += '.';
  line += static_cast<char>('0' + millis / 100);
  line += static_cast<char>('0' + millis / 10 % 10);
  line += static_cast<char>('0' + millis % 10);
  line += 'Z';
}

}  // namespace

void set_log_level(Level level) noexcept { threshold.store(level, std::memory_order_relaxed); }
bool log_enabled(Level level) noexcept { return level >= threshold.load(std::memory_order_relaxed); }

void log_fields(Level level, std::string_view event, std::span<const Field> fields) {
  if (!log_enabled(level)) return;
  std::string line;
  line.reserve(160);
  append_time(line);
  line += ' ';
  line += kLevelNames[static_cast<int>(level)];
  line += " event=";
  append_value(line, event);
  for (const Field& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
  line += '\n';
  write_log_line(line);  // one write per line keeps lines whole
}

void log(Level level, std::string_view event, std::initializer_list<Field> fields) {
  log_fields(level, event, std::span(fields.begin(), fields.size()));
}

}  // namespace tidemill::base
