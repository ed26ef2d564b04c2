// `tidemill executions`: lists the executions of state machines that run, and with --watch goes on with what begins and
// what ends.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "main/client.h"

namespace tidemill {

struct ExecutionsOptions {
  std::string machine;  // its name or ARN; empty: all machines
  std::string status = "RUNNING";
  bool watch = false;
  ClientOptions client;
};

// What follows the word "executions". Throws UsageError.
ExecutionsOptions parse_executions_options(std::span<const std::string_view> arguments, const Environment& environment);

// "4.2 s", "12 min", "3.5 h", "2.1 d"
[[nodiscard]] std::string age_text(std::chrono::milliseconds age);

// The program's exit code.
int list_executions(const ExecutionsOptions& options);

}  // namespace tidemill
