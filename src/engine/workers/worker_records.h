// What the platform writes into a function's log: the lines INIT_START, INIT_REPORT, START, END and REPORT, or, of a
// function whose LogFormat is JSON, the records platform.initStart, platform.initReport, platform.start,
// platform.runtimeDone and platform.report, as far as its SystemLogLevel wants them. Each with its line feed.
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

// The start of a process.
struct Init {
  bool is_provisioned = false;
  bool is_again = false;  // one before has failed: AWS makes this one part of the invocation
};

// Of a start that failed. AWS says nothing of others in a log of text: their duration stands in REPORT.
struct InitReport {
  Init init;
  InvocationReport::Status status = InvocationReport::Status::error;
  std::string error_type;  // empty: it took too long
  double duration_ms = 0;
};

// As AWS tells the errors that runtimes report: by their names if they are of the kind "Runtime.Name" or
// "Function.Name", and others are Runtime.Unknown.
[[nodiscard]] std::string platform_error_type(std::string_view reported);

// As a process starts, once that has failed, as an invocation begins, and once it has ended; `now` is the platform's
// time.
[[nodiscard]] std::vector<std::string> init_lines(const FunctionSpec& spec, base::Time now, const Init& init = {});
[[nodiscard]] std::vector<std::string> init_report_lines(const FunctionSpec& spec, base::Time now,
                                                         const InitReport& report);
[[nodiscard]] std::vector<std::string> start_lines(const FunctionSpec& spec, base::Time now, std::string_view request_id);
[[nodiscard]] std::vector<std::string> end_lines(const FunctionSpec& spec, base::Time now, const InvocationReport& report);

}  // namespace tidemill::engine
