// The log: one line of logfmt per event on standard error. Any thread. Never log a payload, a credential or an
// environment value.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tidemill::base {

enum class Level { debug, info, warning, error };

struct Field {
  std::string_view key;
  std::string value;
};

// Lines below `level` are dropped. Default: info.
void set_log_level(Level level) noexcept;
[[nodiscard]] bool log_enabled(Level level) noexcept;

// `event` says in a few words what happened; the fields say to what.
void log(Level level, std::string_view event, std::initializer_list<Field> fields = {});

inline void log_debug(std::string_view event, std::initializer_list<Field> fields = {}) {
  log(Level::debug, event, fields);
}
inline void log_info(std::string_view event, std::initializer_list<Field> fields = {}) {
  log(Level::info, event, fields);
}
inline void log_warning(std::string_view event, std::initializer_list<Field> fields = {}) {
  log(Level::warning, event, fields);
}
inline void log_error(std::string_view event, std::initializer_list<Field> fields = {}) {
  log(Level::error, event, fields);
}

}  // namespace tidemill::base
