// A log event as queries see it: its own fields, those that are discovered in its message, and those that commands
// make. "Supported logs and discovered fields" in the user guide: messages that are JSON objects have their members
// ("a.b.0.c"), those that Lambda writes at the end of an invocation @type, @requestId, @duration and the like.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "lang/insights/value.h"

namespace tidemill::lang::insights {

// Discovered in one event, as on AWS.
inline constexpr size_t kDiscoveredFieldsMax = 1'000;

struct LogEvent {
  std::string message;
  int64_t timestamp = 0;  // milliseconds since 1970
  int64_t ingestion_time = 0;
  std::string stream;
  std::string log;      // "000000000000:/aws/lambda/f"
  std::string pointer;  // @ptr
};

class Record {
 public:
  Record() = default;  // of no event: what stats makes
  explicit Record(LogEvent event) : event_(std::move(event)) {}

  [[nodiscard]] Value get(const std::string& name) const;
  void set(const std::string& name, Value value) { made_.insert_or_assign(name, std::move(value)); }

  [[nodiscard]] bool is_event() const { return event_.has_value(); }
  [[nodiscard]] const LogEvent& event() const { return *event_; }
  // All fields that were discovered, by name.
  [[nodiscard]] const std::map<std::string, Value>& discovered() const;
  // About what it holds in memory.
  [[nodiscard]] size_t bytes() const;

 private:
  std::optional<LogEvent> event_;
  std::map<std::string, Value> made_;
  mutable std::optional<std::map<std::string, Value>> discovered_;
};

}  // namespace tidemill::lang::insights
