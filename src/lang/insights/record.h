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
// Of texts that are made for one event, and that one function is given; beyond, the query fails.
inline constexpr size_t kMadeBytesMax = 16 << 20;

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
  // Throws ExecutionError beyond kMadeBytesMax.
  void set(const std::string& name, Value value);

  [[nodiscard]] bool is_event() const { return event_.has_value(); }
  [[nodiscard]] const LogEvent& event() const { return *event_; }
  // All fields that were discovered, by name.
  [[nodiscard]] const std::map<std::string, Value>& discovered() const;
  // About what it holds in memory.
  [[nodiscard]] size_t bytes() const;

 private:
  std::optional<LogEvent> event_;
  std::map<std::string, Value> made_;
  size_t made_bytes_ = 0;  // also of what was made anew under the same name
  mutable std::optional<std::map<std::string, Value>> discovered_;
};

}  // namespace tidemill::lang::insights
