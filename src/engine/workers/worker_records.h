// What the platform writes into a function's log: the lines INIT_START, START, END and REPORT, or, of a function whose
// LogFormat is JSON, the records platform.initStart, platform.start, platform.runtimeDone and platform.report, as far as
// its SystemLogLevel wants them. Each with its line feed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/workers/workers.h"

namespace tidemill::engine {

struct InvocationReport {
  enum class Status { success, error, timeout };

  std::string request_id;
  Status status = Status::success;
  std::string error_type;  // "Sandbox.Timedout", if the platform ended it; else empty
  double duration_ms = 0;
  std::optional<double> init_duration_ms;  // of a process's first one
  uint64_t memory_used_mb = 0;
};

// As a process starts, as an invocation begins, and once it has ended; `now` is the platform's time.
[[nodiscard]] std::vector<std::string> init_lines(const FunctionSpec& spec, base::Time now,
                                                  bool is_provisioned = false);
[[nodiscard]] std::vector<std::string> start_lines(const FunctionSpec& spec, base::Time now, std::string_view request_id);
[[nodiscard]] std::vector<std::string> end_lines(const FunctionSpec& spec, base::Time now, const InvocationReport& report);

}  // namespace tidemill::engine
